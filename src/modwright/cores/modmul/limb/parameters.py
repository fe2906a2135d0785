# SPDX-License-Identifier: Apache-2.0
"""Payloads of a limb unit behind streams; widths and bounds are those of the unit (`engines.limb.parameters`)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, error_field, width_of
from ....engines.limb.parameters import UnitParameters, derive_unit
from ....engines.limb.units import PRODUCT, SUM


@dataclass(frozen=True)
class LimbParameters(UnitParameters):
    """Every constant of one core.

    Parameters
    ----------
    example : int or None
        A modulus to make edge cases for; the hardware does not depend on it.
    kind : str
        What the core computes, one of `units.KINDS`.
    """

    example: int | None = None
    kind: str = PRODUCT

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the operands of the stream core's kind."""
        return ("x", "y", "x2", "y2") if self.kind == SUM else ("x", "y")

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """Operands in the Montgomery domain, the modulus, and what is computed from it once."""
        note = f"0 <= {{}} < m, else error {OUT_OF_RANGE}"
        fields = [Field(name, self.n, note=note.format(name)) for name in self.operands]
        fields.append(Field("m", self.n, note=f"the modulus; even or below 3: error {BAD_MODULUS}"))
        fields.append(Field("q", self.w, note=f"-m^-1 mod 2^{self.w}; not checked"))
        if self.unit.folds:
            fields.append(Field("mu", self.n, note=f"2^-{self.w} mod m; not checked"))
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The result, and the modulus that it belongs to."""
        multiple = self.multiple(self.kind)
        value = "(x·y + x2·y2)" if self.kind == SUM else "x·y"
        return Payload(
            (
                Field("z", self.result_bits, note=f"{value}·2^-{self.T} (mod m), z < {multiple}m; 0 with an error"),
                Field("modulus", self.n, note="m, as it came in"),
                error_field("m is even or below 3", "an operand is not below m"),
            )
        )

    def describe(self) -> dict[str, Any]:
        """Every constant."""
        return super().describe() | {"multiple": self.multiple(self.kind)}


def derive(request: Request) -> LimbParameters:
    """The unit for the modulus, or for the width, that a request has.

    Raises
    ------
    UsageError
        When neither a modulus nor `bits` says how wide the modulus is.
    ParameterError
        For a modulus that is wider than `bits`, for too many limbs, and for more multipliers than can work at once.
    """
    options = request.options
    unit = derive_unit(
        request.core,
        width_of(request, 256),
        options["limb"],
        request.target,
        registers=options.get("registers", 0),
        macs=options.get("macs", 1),
    )
    constants = {field.name: getattr(unit, field.name) for field in fields(unit)}
    return LimbParameters(**constants, example=None if request.modulus is None else request.modulus.value)
