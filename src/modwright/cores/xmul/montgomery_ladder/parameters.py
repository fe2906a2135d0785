# SPDX-License-Identifier: Apache-2.0
"""Widths of a multiplier of x-coordinates, and what makes it right: the arithmetic's conditions (`engines.ladder`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....catalog import curves
from ....contract import Field, Inequality, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, Operand, Result, Scalar
from ....contract.runtime_modulus import width_of
from ....engines.ladder.parameters import UNITS, FieldParameters
from ....engines.limb.parameters import derive_unit
from ....engines.limb.units import PRODUCT, SQUARE
from ....functions.xmul import a24_of, clamp_of

BAD_MODULUS, OUT_OF_RANGE, ZERO = 1, 2, 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, ZERO: Errors.ZERO}
"""Error codes of the result; where more than one applies, the smallest."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""
SMALLEST_MODULUS = 5
"""In characteristic 3 the only curve of the form has A = 0, and its a24 is -1, 0 or 1 as that of none."""
WIDEST = 521
"""Bits of the widest modulus, n."""
BYTE = 8
CLAMP_BITS = 2
"""Bits of `clamp`: cofactors 4 and 8, and 0 for none."""
SMEARED = 3
"""Places by which a cycle of the set-up widens the mask of the modulus: a LUT of four inputs takes three of them."""


@dataclass(frozen=True)
class XmulParameters(FieldParameters):
    """Every constant of one multiplier of x-coordinates.

    Parameters
    ----------
    core, unit, macs
        As in `FieldParameters`.
    example : tuple of int or None
        Modulus, a24, clamp and u of a base point to make edge cases for; the hardware does not depend on it.
    """

    example: tuple[int, int, int, int] | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Products and squares; no sum of products is reduced once."""
        return (PRODUCT, SQUARE)

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
            Field("m", n, note=f"the modulus, a prime; even or below 5: error {BAD_MODULUS}", role=Modulus(5)),
            Field(
                "a24", n, note=f"(A + 2) / 4, neither 0 nor 1; not below m: error {OUT_OF_RANGE}", role=Operand("a24")
            ),
            Field("clamp", CLAMP_BITS, note=clamp, role=Scalar("clamp")),
            Field("k", bits, note=f"the scalar; its {n} lowest bits count", role=Scalar("k")),
            Field("u", bits, note="its N lowest bits count, modulo m", role=Scalar("u")),
            *self.constants_of_modulus,
        ]
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The multiple's x-coordinate."""
        causes = (
            f"{BAD_MODULUS}: modulus even or below 5; {OUT_OF_RANGE}: {Errors.NOT_REDUCED}; "
            f"{ZERO}: {Errors.ZERO}, u of a point of small order"
        )
        return Payload(
            (
                Field("z", self.n, note="0 with an error", role=Result("z")),
                Field("error", 2, note=causes, role=ErrorCode(ERRORS)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {"n": self.n, "macs": self.macs, "iterations": self.iterations, "mask_cycles": self.mask_cycles}


def derive(request: Request) -> XmulParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is no Montgomery curve.
    ParameterError
        For a modulus that is too wide.
    """
    options, curve = dict(request.options), request.curve
    if curve is not None and curve.form != "montgomery":
        known = ", ".join(one.name for one in curves() if one.form == "montgomery")
        raise UsageError(f"{request.core} works on Montgomery curves, and {curve.name} is a {curve.form} curve", known)
    core, n = UNITS[options["unit"]].core, width_of(request, WIDTH)
    unit = derive_unit(core, n, options["limb"], request.target, registers=options["registers"])
    example = None if curve is None else (curve.p, a24_of(curve), clamp_of(curve), curve.gx)
    return XmulParameters(request.core, unit, options["macs"], example)
