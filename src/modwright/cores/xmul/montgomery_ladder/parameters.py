# SPDX-License-Identifier: Apache-2.0
"""Widths of a multiplier of x-coordinates, and what makes it right: the arithmetic's conditions (`engines.ladder`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Field, Inequality, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Operand, Result, Scalar
from ....engines.ladder.curve import (
    BAD_MODULUS,
    MODULUS_CAUSE,
    OUT_OF_RANGE,
    CurveParameters,
    derived,
)

ZERO = 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, ZERO: Errors.ZERO}
"""Error codes of the result."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""
BYTE = 8
CLAMP_BITS = 2
"""Bits of `clamp`: cofactors 4 and 8, and 0 for none."""
SMEARED = 3
"""Places by which a cycle of the set-up widens the mask of the modulus: a LUT of four inputs takes three of them."""


@dataclass(frozen=True)
class XmulParameters(CurveParameters):
    """Every constant of one multiplier of x-coordinates."""

    reduces_sums = False

    @property
    def operand_bits(self) -> int:
        """Bits of k and u in the payload: whole bytes."""
        return -(-self.n // BYTE) * BYTE

    @property
    def mask_cycles(self) -> int:
        """Cycles in which the mask 2^N - 1 is made of a modulus of N <= n bits."""
        return -(-(self.n - 2) // SMEARED)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of the arithmetic, of the unreduced u, and of the mask."""
        return (
            *super().own_inequalities(),
            Inequality(
                "mask",
                "n - 2 <= 3c, c cycles",
                self.n - 2,
                "<=",
                SMEARED * self.mask_cycles,
                "the first bit of the modulus reaches bit 1 of the mask; bit 0 is there, as m is odd",
            ),
            Inequality(
                "first-product",
                "2^n <= R",
                1 << self.n,
                "<=",
                1 << self.T,
                "u < 2^n times R² mod m is below R·m, as for two operands below m: the product is reduced as any other",
                "the multiplier's `result` is the same inequality",
            ),
        )

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, a scalar, an x-coordinate, and what is computed from the modulus once."""
        n, bits = self.n, self.operand_bits
        clamp = (
            "c > 0: of k the bits below N count, the c lowest are 0, bit N - 1 is 1, with N bits of m; 0: k as it is"
        )
        fields = [
            self.modulus_field(),
            Field("a24", n, role=Operand("a24"), more=f"else error {OUT_OF_RANGE}; (A + 2) / 4, neither 0 nor 1"),
            Field("clamp", CLAMP_BITS, role=Scalar("clamp"), more=clamp),
            Field("k", bits, role=Scalar("k"), more=f"the scalar; its {n} lowest bits count"),
            Field("u", bits, role=Scalar("u"), more="its N lowest bits count, modulo m"),
            *self.constants_of_modulus,
        ]
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The multiple's x-coordinate."""
        causes = {BAD_MODULUS: MODULUS_CAUSE, ZERO: "u of a point of small order"}
        return Payload((Field("z", self.n, role=Result("z")), Field("error", 2, role=ErrorCode(ERRORS, causes))))

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {**super().own_description(), "mask_cycles": self.mask_cycles}


def derive(request: Request) -> XmulParameters:
    """Parameters for a Montgomery curve, or for a number of bits; the errors are those of `derived`."""
    return derived(XmulParameters, request, "montgomery", WIDTH)
