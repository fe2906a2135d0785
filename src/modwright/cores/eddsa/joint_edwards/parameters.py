# SPDX-License-Identifier: Apache-2.0
"""Widths of an EdDSA core, and what makes it right: the arithmetic's conditions (`engines.ladder`), for p and for the
order alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, derived
from ....engines.ladder.joint.parameters import ACCEPTED, MODULI_CAUSE, JointParameters
from .plan.formulas import BASE, CURVE, PUBLIC

OFF_CURVE, UNVERIFIED = 3, 4
ERRORS = {
    BAD_MODULUS: Errors.BAD_MODULUS,
    OUT_OF_RANGE: Errors.NOT_REDUCED,
    OFF_CURVE: Errors.NOT_ON_CURVE,
    UNVERIFIED: Errors.UNVERIFIED,
}
"""Error codes of the result."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""


@dataclass(frozen=True)
class EddsaParameters(JointParameters):
    """Every constant of one core."""

    reduces_sums = False

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, an operation, its numbers, and what is computed from p and from the order once."""
        scalars = {
            "key": "the secret scalar, any number; for signing",
            "k": "any number, for combining; the scalar of R, for signing",
            "h": "the hash modulo the order, any number",
        }
        signature = {
            "s": "for verifying; not below the order, the signature is not valid",
            "ry": "y of R, for signing and verifying",
        }
        return Payload(
            (
                self.modulus_field(),
                *self.reduced_fields(CURVE),
                self.order_field("a multiple of the base point's order, odd"),
                *self.reduced_fields(BASE, "of the base point B"),
                *self.scalar_fields({"op": "0: combine, 1: sign, 2: verify"}, 2),
                *self.scalar_fields(scalars),
                *self.reduced_fields(PUBLIC, f"of P, on the curve, else error {OFF_CURVE}"),
                *self.scalar_fields(signature),
                *self.scalar_fields({"rs": "lowest bit of x of R"}, 1),
                *self.constants_of_modulus,
                *self.constants_of_order,
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The point, S of the signature, or whether it is valid."""
        causes = {BAD_MODULUS: MODULI_CAUSE, UNVERIFIED: "the signature does not fit R and P"}
        return Payload(
            (
                self.number_field("first", "x of the point, or S; else 0"),
                self.number_field("second", "y of the point; else 0"),
                ACCEPTED,
                Field("error", 3, bound=UNVERIFIED + 1, role=ErrorCode(ERRORS, causes)),
            )
        )


def derive(request: Request) -> EddsaParameters:
    """Parameters for an Edwards curve, or for a number of bits; the errors are those of `derived`."""
    return derived(EddsaParameters, request, "edwards", WIDTH)
