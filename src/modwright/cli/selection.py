# SPDX-License-Identifier: Apache-2.0
"""Groups of options that name a core and its request, or a task for cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..base.errors import UsageError
from ..catalog.expression import MAXIMUM_BITS
from .common import CoreArgument, OptionsOption, TargetOption, prepare_selected, select

if TYPE_CHECKING:
    from ..compare import Work
    from ..contract import Core
    from ..contract.request import Request
    from ..prepared import Prepared

SynthTargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="DEVICE", help="ecp5, gowin, nexus, xc7, xcup or asic.  [default: ecp5]"),
]
XilinxTargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="DEVICE", help="xc7 or xcup; needed unless a request file names one."),
]
PackageTargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="DEVICE", help="generic, ecp5, gowin, xc7 or asic.  [default: ecp5]"),
]


@dataclass(frozen=True, kw_only=True)
class Modulus:
    """Options that name a modulus, at most one of them."""

    heading: ClassVar = "Request"

    field: Annotated[
        str | None, typer.Option("--field", "-f", metavar="NAME", help="A named field (`modwright fields`).")
    ] = None
    modulus: Annotated[
        str | None,
        typer.Option("--modulus", "-m", metavar="N", help="Decimal, 0x-hex, an expression (2^255-19), or a key file."),
    ] = None
    curve: Annotated[
        str | None, typer.Option("--curve", "-c", metavar="NAME", help="A named curve (`modwright curves`).")
    ] = None


@dataclass(frozen=True, kw_only=True)
class UntargetedSelection(Modulus):
    """A core with its modulus and options, for whatever target the request file names."""

    core: CoreArgument
    option: OptionsOption = None

    def select(self, otherwise: Mapping[str, str] | None = None) -> tuple[Core, Request]:
        """The core and the request; see `common.select`."""
        return self._select(None, otherwise)

    def prepare(self) -> Prepared:
        """The core with its parameters derived."""
        return prepare_selected(*self.select())

    def _select(self, target: str | None, otherwise: Mapping[str, str] | None) -> tuple[Core, Request]:
        return select(self.core, self.field, self.modulus, self.curve, target, self.option, otherwise)


@dataclass(frozen=True, kw_only=True)
class Selection(UntargetedSelection):
    """A core with its modulus, options and target: the six options that make a request."""

    target: TargetOption = None

    def select(self, otherwise: Mapping[str, str] | None = None) -> tuple[Core, Request]:
        """The core and the request; see `common.select`."""
        return self._select(self.target, otherwise)


@dataclass(frozen=True, kw_only=True)
class PackageSelection(UntargetedSelection):
    """A core and what its package is for."""

    target: PackageTargetOption = None

    @property
    def for_gowin(self) -> bool:
        """Whether files for Gowin's parts are made."""
        return self.target == "gowin"

    def select(self, otherwise: Mapping[str, str] | None = None) -> tuple[Core, Request]:
        """The core and the request; see `common.select`."""
        from ..contract.request import RTL_OF, TARGETS, unknown_target

        if self.for_gowin:
            return self._select(RTL_OF["gowin"], otherwise)
        if self.target not in (None, *TARGETS):
            raise unknown_target(self.target, (*TARGETS, "gowin"))
        return self._select(self.target, otherwise)


@dataclass(frozen=True, kw_only=True)
class DeviceSelection(UntargetedSelection):
    """A core and the device family for which it is synthesised."""

    target: SynthTargetOption = None

    def prepare_for_family(self) -> tuple[Prepared, str]:
        """The core, derived for the multiplier blocks of the family, and the family.

        Raises
        ------
        UsageError
            When the target is not a device.
        """
        from ..contract.request import RTL_OF, unknown_target

        if self.target is not None and self.target not in (*RTL_OF, "generic"):
            raise unknown_target(self.target, RTL_OF)
        found, request = self._select(RTL_OF.get(self.target or "", self.target), None)
        if request.target == "generic" and self.target != "gowin":
            raise UsageError("synthesis is for a device, and the target is generic", f"--target {', '.join(RTL_OF)}")
        return prepare_selected(found, request), self.target or request.target


@dataclass(frozen=True, kw_only=True)
class XilinxSelection(DeviceSelection):
    """A core and the family of Xilinx for which it is written."""

    target: XilinxTargetOption = None


@dataclass(frozen=True, kw_only=True)
class WorkSelection(Modulus):
    """A task that several architectures can do."""

    heading: ClassVar = "Work"

    function: Annotated[
        str, typer.Option("--function", metavar="NAME", help="modmul or another; names of cores start with it.")
    ]
    bits: Annotated[
        int | None,
        typer.Option("--bits", min=2, max=MAXIMUM_BITS, metavar="N", help="Width, for cores with a runtime modulus."),
    ] = None
    target: SynthTargetOption = None
    constant_latency: Annotated[
        bool,
        typer.Option("--constant-latency", "--constant-time", help="Only cores whose latency is constant."),
    ] = False

    def work(self) -> Work:
        """The task, on ECP5 unless another family is named."""
        from ..compare import Work

        return Work.make(
            self.function,
            self.target or "ecp5",
            field=self.field,
            modulus=self.modulus,
            curve=self.curve,
            bits=self.bits,
        )
