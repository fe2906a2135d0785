# SPDX-License-Identifier: Apache-2.0
"""Parameters of cores with a curve and its field as operands: the curve, the multipliers, and payload fields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

from ...base.errors import UsageError
from ...base.json import Constant
from ...catalog import Curve, curves
from ...contract import Field, Payload
from ...contract.fixed_modulus import checked_prime
from ...contract.request import Request
from ...contract.roles import Modulus, Operand
from ...contract.runtime_modulus import width_of
from ..limb.parameters import UnitParameters, derive_unit
from ..limb.units import R64
from .parameters import UNITS, CoreParameters, values_of

WIDEST = 521
"""Bits of the widest modulus, n: those of the prime of P-521."""
SMALLEST_MODULUS = 5
"""Least odd modulus. Formulas need a characteristic above 3: in characteristic 3 a curve has no short Weierstrass form
in general, the only Montgomery curve has an a24 that belongs to no curve, and an Edwards curve has a = 1 and d = -1."""
REGISTERS_IN_GATES = {1: 1, 2: 0}
"""Registers inside the multipliers of gates where the request leaves them open, by the number of multipliers. Tried in
osu018 (180 nm) alone: `ecpm/ladder` for P-256 takes 1.479 ms with one multiplier and a register in it, 1.564 without
one and 1.688 with two; with two multipliers 0.814 ms with a register in each, 0.808 without."""
BAD_MODULUS, OUT_OF_RANGE = 1, 2
"""The first error codes of these cores; where more than one applies, the smallest is reported."""
MODULUS_CAUSE = f"modulus even or below {SMALLEST_MODULUS}"
"""Words for the first error code."""


def is_bad(m: int) -> bool:
    """Whether a modulus is reported."""
    return m % 2 == 0 or m < SMALLEST_MODULUS


class CurveOperands(ABC):
    """Operands of a core with a curve and its field as operands, to be derived from.

    Attributes
    ----------
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    example: Curve | None

    @property
    @abstractmethod
    def n(self) -> int:
        """Bits of the widest modulus."""
        ...

    @property
    @abstractmethod
    def constants_of_modulus(self) -> tuple[Field, ...]:
        """Operands that follow from the modulus."""
        ...

    @cached_property
    @abstractmethod
    def i(self) -> Payload:
        """Payload of the input stream."""
        ...

    @cached_property
    @abstractmethod
    def o(self) -> Payload:
        """Payload of the output stream."""
        ...

    def constants_of(self, m: int) -> dict[str, int]:
        """Values of the operands that follow from an odd modulus."""
        return values_of(self.constants_of_modulus, m)

    def modulus_field(self) -> Field:
        """The modulus, an operand."""
        return Field(
            "m", self.n, role=Modulus(SMALLEST_MODULUS), more=f"else error {BAD_MODULUS}; a prime, which is not checked"
        )

    def reduced_fields(self, names: Iterable[str], also: str = "") -> tuple[Field, ...]:
        """Operands that are compared with the modulus, with words behind their range."""
        more = "; ".join(filter(None, (f"else error {OUT_OF_RANGE}", also)))
        return tuple(Field(name, self.n, role=Operand(name), more=more) for name in names)


@dataclass(frozen=True)
class CurveParameters(CoreParameters, CurveOperands):
    """Constants of a core with a curve and its field as operands.

    Parameters
    ----------
    core, unit, macs
        See `FieldParameters`.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    example: Curve | None = field(default=None, kw_only=True)

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {"bits": self.n, "macs": self.macs, "iterations": self.iterations}


Made = TypeVar("Made", covariant=True)


class Making(Protocol[Made]):
    """A class of parameters with no constants of their own."""

    def __call__(self, core: str, unit: UnitParameters, macs: int, *, example: Curve | None) -> Made:
        """Parameters of a core."""
        ...


def derived(make: Making[Made], request: Request, form: str, width: int) -> Made:
    """Parameters for a curve of a form, or for a number of bits, of which a message suggests `width`.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is of another form.
    ParameterError
        For a modulus that is too wide.
    """
    curve = curve_of(request, form)
    unit = unit_of(request, width_of(request, width))
    return make(request.core, unit, request.options["macs"], example=curve)


def curve_of(request: Request, form: str) -> Curve | None:
    """The curve of a request; None for one that has a modulus or a number of bits alone.

    Raises
    ------
    UsageError
        For a curve of another form.
    ParameterError
        For a modulus that is not a prime of at least `SMALLEST_MODULUS`.
    """
    curve = request.curve
    if request.modulus is not None:
        checked_prime(request.core, request.modulus.value, SMALLEST_MODULUS, f"a prime from {SMALLEST_MODULUS} on")
    if curve is not None and curve.form != form:
        known = ", ".join(curve.name for curve in curves() if curve.form == form)
        raise UsageError(
            f"{request.core} works on {form.capitalize()} curves, and {curve.name} is of the {curve.form} form", known
        )
    return curve


def unit_of(request: Request, n: int) -> UnitParameters:
    """Parameters of the multipliers for a modulus of n bits, from the options of the request."""
    options = request.options
    kind, registers = options.get("unit"), options.get("registers")
    if kind is None:
        return derive_unit(R64.core, n, options["limb"], request.target)
    if registers is None:
        registers = REGISTERS_IN_GATES[options["macs"]] if request.target == "asic" else 0
    return derive_unit(UNITS[kind].core, n, options["limb"], request.target, registers=registers)
