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
from ....contract import Composite, Field, Inequality, Part, Payload
from ....contract.request import Request
from ....contract.roles import (
    Blind,
    ErrorCode,
    Errors,
    Flag,
    Modulus,
    NegInverse,
    Operand,
    Power,
    Result,
    Scalar,
)
from ....contract.runtime_modulus import width_of
from ....engines.limb.parameters import UnitParameters, derive_unit
from ....engines.limb.units import L1, L2, L3, PRODUCT, R64, SQUARE, SUM
from .plan.formulas import BLIND, CURVE, POINT

BAD_MODULUS, OUT_OF_RANGE, OFF_CURVE = 1, 2, 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, OFF_CURVE: Errors.NOT_ON_CURVE}
"""Error codes of the result; where more than one applies, the smallest."""

UNITS = {"l1": L1, "l2": L2, "l3": L3}
UNIT_ALIASES = tuple((unit.title.removeprefix("limb-"), name) for name, unit in UNITS.items())
WIDTH = 256
"""Bits of a modulus that a message suggests."""
SMALLEST, WIDEST = 4, 521
"""Bits of the widest modulus, n. The field of five elements needs three; limbs of two bits hold four."""


@dataclass(frozen=True)
class EcpmParameters(Composite):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core : str
        Name of the core.
    unit : UnitParameters
        Of each multiplier.
    macs : int
        Multipliers side by side.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    blinding : bool
        Whether the first Z is multiplied by a number that comes in.
    example : tuple of int or None
        Modulus, a, b, order, x and y of a curve to make edge cases for; the hardware does not depend on it.
    """

    core: str
    unit: UnitParameters
    macs: int
    order_bits: int
    blinding: bool
    example: tuple[int, int, int, int, int, int] | None = None

    @property
    def modulus(self) -> None:
        """None: the modulus is an operand."""
        return None

    @property
    def n(self) -> int:
        """Bits of the widest modulus."""
        return self.unit.n

    @property
    def T(self) -> int:
        """R = 2^T."""
        return self.unit.T

    @property
    def iterations(self) -> int:
        """Exponent of 2 in the result of the inversion: 2T, so that it is of the Montgomery domain."""
        return 2 * self.T

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of operation of the multipliers, in the order of their numbers."""
        return (PRODUCT,) if self.unit.unit is R64 else (PRODUCT, SQUARE, SUM)

    @property
    def sums(self) -> bool:
        """Whether a sum of two products is one operation."""
        return SUM in self.kinds

    @property
    def forwards(self) -> bool:
        """Two multipliers wait for each other's results, so these go to operand registers as they are written."""
        return self.macs > 1

    # --- registers

    @property
    def multiple(self) -> int:
        """A result of the multipliers is below this multiple of m."""
        return max(self.unit.multiple(kind) for kind in self.kinds)

    @property
    def word_bits(self) -> int:
        """Bits of a word, of A, and of U, V, R and S of the inversion; U and V have a sign."""
        return self.n + 1

    @property
    def sum_bits(self) -> int:
        """Bits of both sums and of the first one's register, which has its sign next to it."""
        return self.n + 2

    @property
    def scalar_bits(self) -> int:
        """Bits of r with its sign, in the reduction of the scalar."""
        return self.order_bits + 1

    # --- certificate

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multipliers, whose conditions make the products right."""
        return (("product", self.unit),)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Ranges of sums, of the inversion and of the scalar."""
        return (*self._sums(), *self._inversion(), *self._scalar())

    def _sums(self) -> tuple[Inequality, ...]:
        """Ranges of the words and the two sums, for every m < 2^n."""
        m, multiple = (1 << self.n) - 1, self.multiple
        return (
            Inequality(
                "reduced",
                "multiples of m in a result - 1 <= 3",
                multiple - 1,
                "<=",
                3,
                "z - m is in [-m, 3m): the second sum leaves it below 2m; a sum of two products is reduced once more",
                "no kind of any unit gives more than 4m, so no parameters can break it",
            ),
            Inequality(
                "first-operand",
                "multiple·m <= 2^b, b bits of the first sum",
                multiple * m,
                "<=",
                1 << self.sum_bits,
                "a result of a multiplier is an operand of the first sum",
            ),
            Inequality(
                "first-sum",
                "(multiple - 1)·m <= 2^b, b bits of the first sum",
                (multiple - 1) * m,
                "<=",
                1 << self.sum_bits,
                "from -m to 3m - 1, a negative one with a flag: the register is the sum modulo 2^b",
                "first-operand implies it",
            ),
            Inequality(
                "word",
                "2m <= 2^b, b bits of a word",
                2 * m,
                "<=",
                1 << self.word_bits,
                "the second sum subtracts m where it can: what it leaves is below 2m",
            ),
        )

    def _inversion(self) -> tuple[Inequality, ...]:
        """Iterations, and what U, V, R and S hold; while V is not 0, |U|·S + |V|·R = m."""
        m = (1 << self.n) - 1
        return (
            Inequality(
                "inversion",
                "2n <= iterations",
                2 * self.n,
                "<=",
                self.iterations,
                "|U·V| < 2^(2n) at the start and is halved each time, so V = 0 at the end",
                "U·V is below m^2 and is often more than halved; the iterations have to be 2T for another reason, "
                "as 2^iterations is R^2",
            ),
            Inequality(
                "inversion-domain",
                "iterations = 2T",
                self.iterations,
                "=",
                2 * self.T,
                "the result is ±2^iterations / d: with d = D·R it is the inverse of D in the Montgomery domain",
            ),
            Inequality(
                "inversion-signed",
                "m < 2^(b-1), b bits of U and V",
                m,
                "<",
                1 << (self.word_bits - 1),
                "U and V are from -m to m",
            ),
            Inequality(
                "inversion-double",
                "2m <= 2^b, b bits of R",
                2 * m,
                "<=",
                1 << self.word_bits,
                "R < 2m: below m until V is 0, and doubled once by the iteration that makes it so",
            ),
            Inequality(
                "inversion-sum",
                "3m <= 2^b, b bits of the second sum",
                3 * m,
                "<=",
                1 << self.sum_bits,
                "R + S < 2m + m",
                "while V is not 0, R + S <= |U|·S + |V|·R = m; the second sum has the bits of the first one",
            ),
        )

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
        n, w = self.n, self.unit.w
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
            Field("q", w, role=NegInverse(w)),
        ]
        if self.unit.unit.folds:
            fields.append(Field("mu", n, role=Power(-w)))
        fields.append(Field("r2", n, role=Power(2 * self.T)))
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
