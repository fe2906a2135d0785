# SPDX-License-Identifier: Apache-2.0
"""Widths of a point multiplier on Edwards curves, and what makes it right: the arithmetic's conditions
(`engines.ladder`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....catalog import curves
from ....contract import Field, Payload
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Modulus, Operand, Result, Scalar
from ....contract.runtime_modulus import width_of
from ....engines.ladder.parameters import UNITS, FieldParameters
from ....engines.limb.parameters import derive_unit
from ....engines.limb.units import PRODUCT, SQUARE
from .plan.formulas import CURVE, POINT

BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE = 1, 2, 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, OFF_CURVE: Errors.NOT_ON_CURVE}
"""Error codes of the result; where more than one applies, the smallest."""

WIDTH = 255
"""Bits of a modulus that a message suggests."""
SMALLEST_MODULUS = 5
"""Least prime for which a, a square, and d, none, are not 1 and -1 alone."""
WIDEST = 521
"""Bits of the widest modulus, n."""


@dataclass(frozen=True)
class EdmulParameters(FieldParameters):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core, unit, macs
        As in `FieldParameters`.
    example : tuple of int or None
        Modulus, a, d, order, x and y of a curve to make edge cases for; the hardware does not depend on it.
    """

    example: tuple[int, int, int, int, int, int] | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Products and squares; no sum of products is reduced once."""
        return (PRODUCT, SQUARE)

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, a scalar, a point, and what is computed from the modulus once."""
        n = self.n
        reduced = f"below m, else error {OUT_OF_RANGE}"
        note = dict.fromkeys((*CURVE, *POINT), reduced)
        note["y"] += f"; a·x² + y² = 1 + d·x²·y², else error {OFF_CURVE}"
        fields = [
            Field("m", n, note=f"the modulus, a prime; even or below 5: error {BAD_MODULUS}", role=Modulus(5)),
            *(Field(name, n, note=note[name], role=Operand(name)) for name in CURVE),
            Field("k", n, note="the scalar", role=Scalar("k")),
            *(Field(name, n, note=note[name], role=Operand(name)) for name in POINT),
            *self.constants_of_modulus,
        ]
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The multiple of the point."""
        causes = (
            f"{BAD_MODULUS}: modulus even or below 5; {OUT_OF_RANGE}: {Errors.NOT_REDUCED}; "
            f"{OFF_CURVE}: {Errors.NOT_ON_CURVE}"
        )
        return Payload(
            (
                Field("x", self.n, note="0 with an error", role=Result("rx")),
                Field("y", self.n, note="0 with an error", role=Result("ry")),
                Field("error", 2, note=causes, role=ErrorCode(ERRORS)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {"n": self.n, "macs": self.macs, "iterations": self.iterations}


def derive(request: Request) -> EdmulParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is no Edwards curve.
    ParameterError
        For a modulus that is too wide.
    """
    options, curve = dict(request.options), request.curve
    if curve is not None and curve.form != "edwards":
        known = ", ".join(one.name for one in curves() if one.form == "edwards")
        raise UsageError(f"{request.core} works on Edwards curves, and {curve.name} is of the {curve.form} form", known)
    core, n = UNITS[options["unit"]].core, width_of(request, WIDTH)
    unit = derive_unit(core, n, options["limb"], request.target, registers=options["registers"])
    example = None if curve is None else (curve.p, curve.a, curve.b, curve.order, curve.gx, curve.gy)
    return EdmulParameters(request.core, unit, options["macs"], example)
