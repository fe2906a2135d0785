# SPDX-License-Identifier: Apache-2.0
"""Widths of an ECDSA core, and what makes it right: the arithmetic's conditions (`engines.ladder`), for p and for the
order alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import ParameterError
from ....base.json import Constant
from ....catalog import Curve, require_prime_order
from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors
from ....contract.runtime_modulus import width_of
from ....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE, curve_of, unit_of
from ....engines.ladder.joint.parameters import ACCEPTED, MODULI_CAUSE, JointParameters
from .plan.formulas import BASE, CURVE, PUBLIC

OFF_CURVE, ZERO, UNVERIFIED = 3, 4, 5
ERRORS = {
    BAD_MODULUS: Errors.BAD_MODULUS,
    OUT_OF_RANGE: Errors.NOT_REDUCED,
    OFF_CURVE: Errors.NOT_ON_CURVE,
    ZERO: Errors.ZERO,
    UNVERIFIED: Errors.UNVERIFIED,
}
"""Error codes of the result."""

WIDTH = 256
"""Bits of a modulus that a message suggests."""


@dataclass(frozen=True)
class EcdsaParameters(JointParameters):
    """Every constant of one core.

    Parameters
    ----------
    core, unit, macs, example
        See `CurveParameters`.
    check : bool
        Whether a result is verified before it leaves.
    """

    check: bool

    @property
    def passes(self) -> int:
        """Runs of the program for one operation."""
        return 2 if self.check else 1

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, an operation, its numbers, and what is computed from p and from the order once."""
        between = f"from 1 to order - 1, else error {OUT_OF_RANGE}"
        secret = {
            "d": f"the private key, {between}; not for verifying",
            "e": "the hash, of n bits; counts modulo the order",
            "k": f"the nonce, {between}; for signing",
        }
        signature = {
            "r": "for verifying; from 1 to order - 1, else the signature is not valid",
            "s": "for verifying; as r",
        }
        public = f"on the curve, else error {OFF_CURVE}; for verifying{', and for the check' * self.check}"
        return Payload(
            (
                self.modulus_field(),
                *self.reduced_fields(CURVE),
                self.order_field("the order of the curve, an odd prime"),
                *self.reduced_fields(BASE, "of the base point"),
                *self.scalar_fields({"op": "0: make a key, 1: sign, 2: verify"}, 2),
                *self.scalar_fields(secret),
                *self.reduced_fields(PUBLIC, also=public),
                *self.scalar_fields(signature),
                *self.constants_of_modulus,
                *self.constants_of_order,
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The public key, the signature, or whether it is valid."""
        causes = {BAD_MODULUS: MODULI_CAUSE, ZERO: "r or s is 0: sign with another nonce"}
        codes = {code: name for code, name in ERRORS.items() if self.check or code != UNVERIFIED}
        return Payload(
            (
                self.number_field("first", "x of the public key, or r; 0 when verifying"),
                self.number_field("second", "y of the public key, or s; 0 when verifying"),
                ACCEPTED,
                Field("error", 3, bound=max(codes) + 1, role=ErrorCode(codes, causes)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {**super().own_description(), "check": self.check}


def derive(request: Request) -> EcdsaParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the moduli are, or the curve is not a Weierstrass curve of prime order.
    ParameterError
        For a modulus or an order that is too wide.
    """
    curve, n = curve_of(request, "weierstrass"), width_of(request, WIDTH)
    if curve is not None:
        require_prime_order(request.core, curve)
        n = _width_for(request, curve, n)
    options = request.options
    return EcdsaParameters(request.core, unit_of(request, n), options["macs"], options["check"], example=curve)


def _width_for(request: Request, curve: Curve, n: int) -> int:
    """Bits for the order as well, which may have one more than p."""
    least = curve.order.bit_length()
    if request.options["bits"] is not None and n < least:
        raise ParameterError(
            f"{request.core}: the order of {curve.name} does not fit",
            rule="bits of the order <= bits",
            left=least,
            right=n,
            hint="a larger `bits`, or none",
        )
    return max(n, least)
