# SPDX-License-Identifier: Apache-2.0
"""Limbs of a point multiplier on columns, and what makes it right.

The columns' own conditions make every product right (`engines.word`); those here bound every value of the formulas,
which are never reduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from .....base.json import Constant
from .....catalog import Curve
from .....contract import Composite, Field, Inequality, Part, certified
from .....contract.request import Request
from .....contract.runtime_modulus import width_of
from .....engines.ladder.curve import curve_of
from .....engines.ladder.dataflow import ZERO
from .....engines.ladder.lazy import largest_of, subtracted
from .....engines.word.parameters import LIFT, TESTED, WordParameters, constants, derive_words, limits
from .....plan.tiling import TILE_SIZES
from ..plan.formulas import EXCHANGED, STATE
from ..plan.word.formulas import ACROSS, EXTERNAL, GRAPHS, KEPT
from .operands import WIDTH, SerialOperands, order_bits_of

DIGIT = 17
"""Bits of a digit where the target has no blocks."""
GRAIN = 64
"""Limits of what a loop carries are multiples of 1/64."""
ROUNDS = 8
"""Rounds of a step after which the limits of the state have to stay where they are."""


@dataclass(frozen=True)
class WordLadderParameters(SerialOperands, Composite):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core : str
    bits : int
        n, bits of the widest modulus.
    words : WordParameters
        Parameters of limbs and columns.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    core: str
    bits: int
    words: WordParameters
    order_bits: int
    example: Curve | None = field(default=None, kw_only=True)

    @property
    def blinding(self) -> bool:
        """False: Z begins with 2y."""
        return False

    @property
    def n(self) -> int:
        """Bits of the widest modulus."""
        return self.bits

    @property
    def target(self) -> str:
        """Device family."""
        return self.words.target

    @property
    def constants_of_modulus(self) -> tuple[Field, ...]:
        """Operands that follow from the modulus."""
        return constants(self.words)

    @property
    def exponent_limbs(self) -> int:
        """Limbs of the exponent m - 2."""
        return -(-self.n // self.words.w)

    # --- certificate

    @cached_property
    def limits(self) -> dict[str, dict[str, Fraction]]:
        """Exclusive limit of every value by part of the program, in units of m."""
        p, given = self.words, dict.fromkeys(EXTERNAL, Fraction(1))
        found = {"set-up": limits(p, GRAPHS["set-up"], given)}
        setup = found["set-up"]
        constant = {"one": Fraction(1), **{name: setup[name] for name in KEPT if name in setup}}
        state = _exchanged({name: setup[f"{name}0"] for name in STATE})
        for _ in range(ROUNDS):
            found["step"] = limits(p, GRAPHS["step"], state)
            after = {name: max(state[name], found["step"][f"{name}'"]) for name in STATE}
            state = {name: _above(limit) for name, limit in _exchanged(after).items()}
        found["exit"] = limits(p, GRAPHS["exit"], constant | state)
        power = {"base": found["exit"]["S"], "acc": found["exit"]["acc"]}
        for _ in range(ROUNDS):
            found["power"] = limits(p, GRAPHS["power"], {"oneR": constant["oneR"]} | power)
            power = {name: _above(max(power[name], found["power"][f"{name}'"])) for name in power}
        across = {name: found["exit"][name] for name in ACROSS}
        found["end"] = limits(p, GRAPHS["end"], constant | across | {"acc": power["acc"]})
        return found

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Limits of the values and of what is subtracted, and ranges of the scalar."""
        found, p = self.limits, self.words
        largest = max(largest_of(values, values) for values in found.values())
        taken = max(subtracted(GRAPHS[label], values) for label, values in found.items())
        state = max(found["step"][f"{name}'"] - found["step"][name] for name in STATE[:-1])
        power = max(found["power"][f"{name}'"] - found["power"][name] for name in ("acc", "base"))
        tests = max(largest_of(values, _tests(label)) for label, values in found.items())
        room = Fraction(1 << p.T, 1 << self.n)
        return (
            Inequality(
                "word-limit",
                "c·2^n <= 2^(ws)",
                largest,
                "<=",
                room,
                "every value of the program is below c·m, m < 2^n, so no sum leaves its limbs; and a product of one "
                "with 1 is below 2m",
                "c is below 48, and the headroom makes the room at least 2^10: no parameters can break it",
            ),
            Inequality(
                "lift",
                f"b <= {LIFT}, b the limit of what is subtracted",
                taken,
                "<=",
                LIFT,
                "a difference x - y + 4m is not negative",
                "b is that of products, below 3 by the headroom: no parameters can break it",
            ),
            Inequality(
                "state",
                "limits after a step - limits before it <= 0",
                max(state, power),
                "<=",
                0,
                "the limits of the state, and of the power, stay where they are from round to round",
                "they are those of products and of sums of them, by the headroom: no parameters can break it",
            ),
            Inequality(
                "test",
                f"b <= {TESTED}, b the limit of what is tested",
                tests,
                "<=",
                TESTED,
                "a product that is 0 modulo m is 0, m or 2m",
                "b is that of products, below 3 by the headroom: no parameters can break it",
            ),
            *self.scalar_sums(),
        )

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The columns, whose conditions make the products right."""
        return (("product", self.words),)

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the columns'."""
        return {"bits": self.n, "order_bits": self.order_bits, "word_bits": self.words.T}


def _above(limit: Fraction) -> Fraction:
    """A limit of few digits, which stays where it is."""
    return Fraction(-(-limit.numerator * GRAIN // limit.denominator), GRAIN)


def _tests(label: str) -> list[str]:
    """Values of a part that are tested for 0."""
    graph = GRAPHS[label]
    return [operation.operands[0].value for operation in graph.operations if operation.kind == ZERO]


def _exchanged(state: dict[str, Fraction]) -> dict[str, Fraction]:
    """Limits of a state of which pairs may be exchanged."""
    largest = {name: max(state[member] for member in pair) for pair in EXCHANGED for name in pair}
    return state | largest


def derive_word(request: Request) -> WordLadderParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is not a Weierstrass curve.
    ParameterError
        For a modulus or an order that is too wide, and for digits that do not fit a block.
    """
    curve, options = curve_of(request, "weierstrass"), request.options
    n = width_of(request, WIDTH)
    block = TILE_SIZES.get(request.target, (DIGIT, DIGIT))[1]
    words = derive_words(n, options["digit"] or block, options["digits"], request.target)
    p = WordLadderParameters(request.core, n, words, order_bits_of(request, n, curve), example=curve)
    return certified(p, f"{request.core} with digits of {words.b} bits", "no `digit`")
