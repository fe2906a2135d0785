# SPDX-License-Identifier: Apache-2.0
"""Widths of a point multiplier on Edwards curves, and what makes it right: the arithmetic's conditions
(`engines.ladder`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Result, Scalar
from ....engines.ladder.curve import (
    BAD_MODULUS,
    MODULUS_CAUSE,
    OUT_OF_RANGE,
    CurveParameters,
    derived,
)
from .plan.formulas import CURVE, POINT

OFF_CURVE = 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, OFF_CURVE: Errors.NOT_ON_CURVE}
"""Error codes of the result."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""


@dataclass(frozen=True)
class EdmulParameters(CurveParameters):
    """Every constant of one point multiplier."""

    reduces_sums = False

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, a scalar, a point, and what is computed from the modulus once."""
        on_curve = f"a·x² + y² = 1 + d·x²·y², else error {OFF_CURVE}"
        return Payload(
            (
                self.modulus_field(),
                *self.reduced_fields(CURVE),
                Field("k", self.n, role=Scalar("k"), more="the scalar, any value"),
                *self.reduced_fields(POINT, also=on_curve),
                *self.constants_of_modulus,
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The multiple of the point."""
        return Payload(
            (
                Field("x", self.n, role=Result("rx")),
                Field("y", self.n, role=Result("ry")),
                Field("error", 2, role=ErrorCode(ERRORS, {BAD_MODULUS: MODULUS_CAUSE})),
            )
        )


def derive(request: Request) -> EdmulParameters:
    """Parameters for an Edwards curve, or for a number of bits; the errors are those of `derived`."""
    return derived(EdmulParameters, request, "edwards", WIDTH)
