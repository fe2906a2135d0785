# SPDX-License-Identifier: Apache-2.0
"""Parameters and payloads of a multiplier: those of its unit, operands and results below 4m."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from ....contract import Field, Payload, certified
from ....contract.request import Request
from ....contract.roles import Modulus, Montgomery, Multiple, NegInverse, Operand, Power, Result
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE, error_field, width_of
from ....engines.columns.parameters import DOMAIN, ColumnParameters, derive_unit
from ....plan.tiling import TILE_SIZES

DIGIT = 17
"""Bits b of a digit where the target has no blocks."""


@dataclass(frozen=True)
class LimbColumnParameters(ColumnParameters):
    """Every constant of one multiplier.

    Parameters
    ----------
    example : int or None
        Modulus for edge cases; the hardware does not depend on it.
    """

    example: int | None = None

    @cached_property
    def i(self) -> Payload:
        """Operands in the Montgomery domain, the modulus, and constants that follow from it."""
        operands = (Operand(name, Montgomery(self.T), Multiple(DOMAIN)) for name in "xy")
        return Payload(
            (
                *(Field(r.name, self.operand_bits, role=r, more=f"else error {OUT_OF_RANGE}") for r in operands),
                Field("m", self.n, role=Modulus(), more=f"else error {BAD_MODULUS}"),
                Field("q", self.w, role=NegInverse(self.w)),
                Field("mu", self.n, role=Power(-self.w)),
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The result, and its modulus."""
        role = Result("z", Montgomery(self.T), Multiple(DOMAIN), "x·y")
        return Payload(
            (
                Field("z", self.operand_bits, role=role),
                Field("modulus", self.n, role=Modulus(), more="as it came in"),
                error_field("m is even or below 3", f"an operand is not below {DOMAIN}m"),
            )
        )


def derive(request: Request) -> LimbColumnParameters:
    """Parameters for the modulus, or for the width, of a request.

    Raises
    ------
    UsageError
        When the request has neither a modulus nor `bits`.
    ParameterError
        For a modulus that is wider than `bits`, for digits wider than a block, and for too many limbs.
    """
    options = request.options
    block = TILE_SIZES.get(request.target, (DIGIT, DIGIT))[1]
    unit = derive_unit(
        width_of(request, 256), options["digit"] or block, options["digits"], options["contexts"], request.target
    )
    constants = {field.name: getattr(unit, field.name) for field in fields(unit)}
    example = None if request.modulus is None else request.modulus.value
    return certified(LimbColumnParameters(**constants, example=example), request.core)
