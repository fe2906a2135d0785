# SPDX-License-Identifier: Apache-2.0
"""Widths of an EdDSA core, and what makes it right: the arithmetic's conditions (`engines.ladder`), for p and for the
order alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....catalog import Curve, curves
from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, NegInverse, Operand, Power, Result, Scalar
from ....contract.runtime_modulus import width_of
from ....engines.ladder.parameters import UNITS, FieldParameters
from ....engines.limb.parameters import derive_unit
from ....engines.limb.units import PRODUCT, SQUARE
from .plan.formulas import BASE, CURVE, PUBLIC

BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE, UNVERIFIED = 1, 2, 3, 4
ERRORS = {
    BAD_MODULUS: Errors.BAD_MODULUS,
    OUT_OF_RANGE: Errors.NOT_REDUCED,
    OFF_CURVE: Errors.NOT_ON_CURVE,
    UNVERIFIED: Errors.UNVERIFIED,
}
"""Error codes of the result; where more than one applies, the smallest."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""
SMALLEST_MODULUS, SMALLEST_ORDER = 5, 3
"""Least prime for which a, a square, and d, none, are not 1 and -1 alone; and least odd order of a base point."""
WIDEST = 521
"""Bits of the widest modulus, n."""
ORDER = "order"
"""Operand that is the second modulus."""


@dataclass(frozen=True)
class EddsaParameters(FieldParameters):
    """Every constant of one core.

    Parameters
    ----------
    core, unit, macs
        As in `FieldParameters`.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    example: Curve | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Products and squares; no sum of products is reduced once."""
        return (PRODUCT, SQUARE)

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
        point = f"of P, {reduced}; on the curve, else error {OFF_CURVE}"
        order = f"a multiple of the base point's order, odd; even or below 3: error {BAD_MODULUS}"
        scalars = {
            "key": "the secret scalar, any number; for signing",
            "k": "any number, for combining; the scalar of R, for signing",
            "h": "the hash modulo the order, any number",
        }
        modulus = f"p, a prime; even or below 5: error {BAD_MODULUS}"
        s = "for verifying; not below the order, the signature is not valid"
        return Payload(
            (
                Field("m", n, note=modulus, role=Modulus(SMALLEST_MODULUS)),
                *(Field(name, n, note=reduced, role=Operand(name)) for name in CURVE),
                Field(ORDER, n, note=order, role=Scalar(ORDER)),
                *(Field(name, n, note=f"of the base point B, {reduced}", role=Operand(name)) for name in BASE),
                Field("op", 2, note="0: combine, 1: sign, 2: verify", role=Scalar("op")),
                *(Field(name, n, note=note, role=Scalar(name)) for name, note in scalars.items()),
                *(Field(name, n, note=point, role=Operand(name)) for name in PUBLIC),
                Field("s", n, note=s, role=Scalar("s")),
                Field("ry", n, note="y of R, for signing and verifying", role=Scalar("ry")),
                Field("rs", 1, note="lowest bit of x of R", role=Scalar("rs")),
                *self.constants_of_modulus,
                *self.constants_of_order,
            )
        )

    @cached_property
    def o(self) -> Payload:
        """The point, S of the signature, or whether it is valid."""
        causes = (
            f"{BAD_MODULUS}: m even or below 5, or order even or below 3; {OUT_OF_RANGE}: {Errors.NOT_REDUCED}; "
            f"{OFF_CURVE}: {Errors.NOT_ON_CURVE}; {UNVERIFIED}: the signature does not fit R and P"
        )
        return Payload(
            (
                Field(
                    "first",
                    self.n,
                    note="x of the point, or S; else 0",
                    role=Result("first"),
                ),
                Field("second", self.n, note="y of the point; else 0", role=Result("second")),
                Field("valid", 1, note="1: the signature is valid", role=Result("valid")),
                Field("error", 3, bound=UNVERIFIED + 1, note=causes, role=ErrorCode(ERRORS)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {"n": self.n, "macs": self.macs, "iterations": self.iterations}


def derive(request: Request) -> EddsaParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the moduli are, or the curve is no Edwards curve.
    ParameterError
        For a modulus that is too wide.
    """
    options, curve = dict(request.options), request.curve
    if curve is not None and curve.form != "edwards":
        known = ", ".join(one.name for one in curves() if one.form == "edwards")
        raise UsageError(f"{request.core} works on Edwards curves, and {curve.name} is of the {curve.form} form", known)
    core, n = UNITS[options["unit"]].core, width_of(request, WIDTH)
    unit = derive_unit(core, n, options["limb"], request.target, registers=options["registers"])
    return EddsaParameters(request.core, unit, options["macs"], curve)
