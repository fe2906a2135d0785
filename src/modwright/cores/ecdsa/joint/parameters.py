# SPDX-License-Identifier: Apache-2.0
"""Widths of an ECDSA core, and what makes it right: the arithmetic's conditions (`engines.ladder`), for p and for the
order alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....catalog import Curve, curves
from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, NegInverse, Operand, Power, Result, Scalar
from ....contract.runtime_modulus import width_of
from ....engines.ladder.parameters import UNITS, FieldParameters
from ....engines.limb.parameters import derive_unit
from ....engines.limb.units import PRODUCT, SQUARE, SUM
from .plan.formulas import BASE, CURVE, PUBLIC

BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE, ZERO, UNVERIFIED = 1, 2, 3, 4, 5
ERRORS = {
    BAD_MODULUS: Errors.BAD_MODULUS,
    OUT_OF_RANGE: Errors.NOT_REDUCED,
    OFF_CURVE: Errors.NOT_ON_CURVE,
    ZERO: Errors.ZERO,
    UNVERIFIED: Errors.UNVERIFIED,
}
"""Error codes of the result; where more than one applies, the smallest."""

WIDTH = 256
"""Bits of a modulus that a message suggests."""
SMALLEST_MODULUS, SMALLEST_ORDER = 5, 3
"""The formulas need a characteristic above 3, and an odd order."""
WIDEST = 521
"""Bits of the widest modulus, n."""
ORDER = "order"
"""Operand that is the second modulus."""


@dataclass(frozen=True)
class EcdsaParameters(FieldParameters):
    """Every constant of one core.

    Parameters
    ----------
    core, unit, macs
        As in `FieldParameters`.
    check : bool
        Whether a result is verified before it leaves.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    check: bool
    example: Curve | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of operation of the multipliers, in the order of their numbers."""
        return (PRODUCT, SQUARE, SUM)

    @property
    def passes(self) -> int:
        """How often the program is played for one operation."""
        return 2 if self.check else 1

    @property
    def constants_of_order(self) -> tuple[Field, ...]:
        """Operands that follow from the order, as others do from the modulus."""
        w, n = self.unit.w, self.n
        folds = (Field("order_mu", n, role=Power(-w, of=ORDER)),) if self.unit.unit.folds else ()
        inverse = Field("order_q", w, role=NegInverse(w, of=ORDER))
        return inverse, *folds, Field("order_r2", n, role=Power(2 * self.T, of=ORDER))

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, an operation, its numbers, and what is computed from p and from the order once."""
        n = self.n
        reduced = f"below m, else error {OUT_OF_RANGE}"
        public = f"{reduced}; on the curve, else error {OFF_CURVE}; for verifying{', and for the check' * self.check}"
        between = f"from 1 to order - 1, else error {OUT_OF_RANGE}"
        order = f"the order of the curve, an odd prime; even or below 3: error {BAD_MODULUS}"
        scalars = {
            "d": f"the private key, {between}; not for verifying",
            "e": "the hash, of n bits; counts modulo the order",
            "k": f"the nonce, {between}; for signing",
            "r": "for verifying; from 1 to order - 1, else the signature is not valid",
            "s": "for verifying; as r",
        }
        return Payload(
            (
                Field("m", n, note=f"p, a prime; even or below 5: error {BAD_MODULUS}", role=Modulus(SMALLEST_MODULUS)),
                *(Field(name, n, note=reduced, role=Operand(name)) for name in CURVE),
                Field(ORDER, n, note=order, role=Scalar(ORDER)),
                *(Field(name, n, note=f"of the base point, {reduced}", role=Operand(name)) for name in BASE),
                Field("op", 2, note="0: make a key, 1: sign, 2: verify", role=Scalar("op")),
                *(Field(name, n, note=scalars[name], role=Scalar(name)) for name in ("d", "e", "k")),
                *(Field(name, n, note=public, role=Operand(name)) for name in PUBLIC),
                *(Field(name, n, note=scalars[name], role=Scalar(name)) for name in ("r", "s")),
                *self.constants_of_modulus,
                *self.constants_of_order,
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The public key, the signature, or whether it is valid."""
        causes = [
            f"{BAD_MODULUS}: m even or below 5, or order even or below 3",
            f"{OUT_OF_RANGE}: {Errors.NOT_REDUCED}",
            f"{OFF_CURVE}: {Errors.NOT_ON_CURVE}",
            f"{ZERO}: r or s is 0, sign with another nonce",
            *([f"{UNVERIFIED}: the check failed"] if self.check else []),
        ]
        codes = {code: name for code, name in ERRORS.items() if self.check or code != UNVERIFIED}
        note = "; 0 when verifying, and with an error"
        return Payload(
            (
                Field("first", self.n, note=f"x of the public key, or r{note}", role=Result("first")),
                Field("second", self.n, note=f"y of the public key, or s{note}", role=Result("second")),
                Field("valid", 1, note="1: the signature is valid", role=Result("valid")),
                Field("error", 3, bound=max(codes) + 1, note="; ".join(causes), role=ErrorCode(codes)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {"n": self.n, "macs": self.macs, "iterations": self.iterations, "check": self.check}


def derive(request: Request) -> EcdsaParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the moduli are, or the curve is none of prime order in Weierstrass form.
    ParameterError
        For a modulus or an order that is too wide.
    """
    options, curve = dict(request.options), request.curve
    n = width_of(request, WIDTH)
    if curve is not None:
        _require_prime_order(request.core, curve)
        n = _width_for(request, curve, n)
    unit = derive_unit(UNITS[options["unit"]].core, n, options["limb"], request.target, registers=options["registers"])
    return EcdsaParameters(request.core, unit, options["macs"], options["check"], curve)


def _require_prime_order(core: str, curve: Curve) -> None:
    if curve.form == "weierstrass" and curve.cofactor == 1:
        return
    known = ", ".join(one.name for one in curves() if one.form == "weierstrass" and one.cofactor == 1)
    what = f"of the {curve.form} form" if curve.form != "weierstrass" else f"of cofactor {curve.cofactor}"
    raise UsageError(f"{core} works on Weierstrass curves of prime order, and {curve.name} is {what}", known)


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
