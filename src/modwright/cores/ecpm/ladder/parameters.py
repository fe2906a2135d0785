# SPDX-License-Identifier: Apache-2.0
"""Widths of a point multiplier, and what makes it right.

The multipliers' own conditions make every product right (`engines.limb.parameters`); those here make its reduced
result an operand, the sums exact, and the inversion complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....contract import Field, Inequality, Payload
from ....contract.request import Request
from ....contract.roles import (
    Blind,
    ErrorCode,
    Errors,
    Flag,
    Modulus,
    Operand,
    Result,
    Scalar,
)
from ....contract.runtime_modulus import width_of
from ....engines.ladder.parameters import UNITS, FieldParameters
from ....engines.limb.parameters import derive_unit
from ....engines.limb.units import R64
from .plan.formulas import BLIND, CURVE, POINT

BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE = 1, 2, 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, OFF_CURVE: Errors.NOT_ON_CURVE}
"""Error codes of the result; where more than one applies, the smallest."""

WIDTH = 256
"""Bits of a modulus that a message suggests."""
SMALLEST, WIDEST = 4, 521
"""Bits of the widest modulus, n. The field of five elements needs three; limbs of two bits hold four."""


@dataclass(frozen=True)
class EcpmParameters(FieldParameters):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core, unit, macs
        As in `FieldParameters`.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    blinding : bool
        Whether the first Z is multiplied by a number that comes in.
    example : tuple of int or None
        Modulus, a, b, order, x and y of a curve to make edge cases for; the hardware does not depend on it.
    """

    order_bits: int
    blinding: bool
    example: tuple[int, int, int, int, int, int] | None = None

    @property
    def scalar_bits(self) -> int:
        """Bits of r with its sign, in the reduction of the scalar."""
        return self.order_bits + 1

    # --- certificate

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Ranges of sums, of the inversion and of the scalar."""
        return (*super().own_inequalities(), *self._scalar())

    def _scalar(self) -> tuple[Inequality, ...]:
        """The reduction of the scalar, a bit at a time, for every order q of N bits."""
        N, q = self.order_bits, (1 << self.order_bits) - 1
        return (
            Inequality(
                "scalar",
                "q - 1 < 2^(b-1), b bits of r",
                q - 1,
                "<",
                1 << (self.scalar_bits - 1),
                "r is from -1 to q - 1; k' = 2^N + ((k - 2^N) mod q) has N + 1 bits, the first of them 1",
            ),
            Inequality(
                "scalar-begin",
                "2^(n+1) <= 2^(N+1)",
                1 << (self.n + 1),
                "<=",
                1 << (N + 1),
                "r begins with 0 or -1: bit N of k, less 1; k has n + 1 bits",
            ),
        )

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, a point, a scalar, and what is computed from the modulus once."""
        n = self.n
        reduced = f"below m, else error {OUT_OF_RANGE}"
        note = {"x": reduced, "y": reduced, "a": reduced, "b": reduced}
        order = f"a multiple of the order of the point; 0: error {BAD_MODULUS}"
        note["b"] += f"; y² = x³ + a·x + b, else error {OFF_CURVE}"
        infinity = "the point is that at infinity; x and y are not checked then"
        fields = [
            Field("m", n, note=f"the modulus, a prime; even or below 5: error {BAD_MODULUS}", role=Modulus(5)),
            *(Field(name, n, note=note[name], role=Operand(name)) for name in CURVE),
            Field("order", self.order_bits, note=order, role=Scalar("order")),
            Field("k", n + 1, note="the scalar; counts modulo the order", role=Scalar("k")),
            *(Field(name, n, note=note[name], role=Operand(name)) for name in POINT),
            Field("infinity", 1, note=infinity, role=Flag("infinity")),
            *self.constants_of_modulus,
        ]
        if self.blinding:
            note[BLIND] = f"any number from 1 to m - 1, else error {OUT_OF_RANGE}"
            fields.append(Field(BLIND, n, note=note[BLIND], role=Blind(BLIND)))
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The multiple of the point."""
        infinity = "the result is the point at infinity; 0 with an error"
        causes = (
            f"{BAD_MODULUS}: modulus even or below 5, or order zero; "
            f"{OUT_OF_RANGE}: {Errors.NOT_REDUCED}; {OFF_CURVE}: {Errors.NOT_ON_CURVE}"
        )
        return Payload(
            (
                Field("x", self.n, note="0 for the point at infinity, and with an error", role=Result("rx")),
                Field("y", self.n, note="as x", role=Result("ry")),
                Field("infinity", 1, note=infinity, role=Flag("infinity")),
                Field("error", 2, note=causes, role=ErrorCode(ERRORS)),
            )
        )

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multipliers'."""
        return {
            "n": self.n,
            "order_bits": self.order_bits,
            "macs": self.macs,
            "blinding": self.blinding,
            "iterations": self.iterations,
        }


def derive(request: Request) -> EcpmParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is no Weierstrass curve.
    ParameterError
        For a modulus or an order that is too wide.
    """
    options, curve = dict(request.options), request.curve
    if curve is not None and curve.form != "weierstrass":
        raise UsageError(f"{request.core} works on Weierstrass curves, and {curve.name} is a {curve.form} curve")
    unit = R64 if "unit" not in options else UNITS[options["unit"]]
    registers = options.get("registers", 0)
    p = derive_unit(unit.core, width_of(request, WIDTH), options["limb"], request.target, registers=registers)
    order = 0 if curve is None else curve.order
    # Hasse: an order has at most n + 1 bits
    bits = options["order_bits"] or (p.n + 1 if curve is None else max(p.n, order.bit_length()))
    if not p.n <= bits <= p.n + 1:
        raise ParameterError(
            f"{request.core}: a ladder for orders of {p.n} or {p.n + 1} bits",
            rule="n <= order_bits <= n + 1",
            left=bits,
            right=p.n if bits < p.n else p.n + 1,
            hint="shorter orders are taken as well",
        )
    if order.bit_length() > bits:
        raise ParameterError(
            f"{request.core}: the order of {curve.name if curve else 'the curve'} does not fit",
            rule="bits of the order <= order_bits",
            left=order.bit_length(),
            right=bits,
            hint="order_bits one more, or not given",
        )
    example = None if curve is None else (curve.p, curve.a, curve.b, curve.order, curve.gx, curve.gy)
    return EcpmParameters(request.core, p, options.get("macs", 1), bits, options["blinding"], example)
