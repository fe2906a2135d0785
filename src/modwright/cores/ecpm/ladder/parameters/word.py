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
from .....engines.divsteps import source_of_twice, steps_for_twice
from .....engines.ladder.curve import curve_of
from .....engines.ladder.dataflow import ZERO
from .....engines.ladder.lazy import largest_of, subtracted
from .....engines.word.parameters import LIFT, TESTED, WordParameters, constants, derive_words, digit_of, limits
from ..plan.formulas import EXCHANGED, STATE
from ..plan.word.formulas import ACROSS, EXTERNAL, GRAPHS, KEPT
from .operands import WIDTH, SerialOperands, order_bits_of

DIVSTEPS = 18
"""Divsteps of a batch, at most: more make fewer batches, of as many cycles, and cost a dozen LUTs each."""
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
    def K(self) -> int:
        """Divsteps of a batch; an entry of their matrix has a bit more, in a limb."""
        return min(DIVSTEPS, self.words.w - 1)

    @property
    def batches(self) -> int:
        """B, batches of an inverse."""
        return -(-steps_for_twice(self.n) // self.K)

    @property
    def constants_of_program(self) -> dict[str, int]:
        """Values of the words that no operand has."""
        return {"one": 1, "half": 1 << self.words.T - 1, "scale": 1 << self.batches - 1}

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
        found["prepare"] = limits(p, GRAPHS["prepare"], {"S": found["exit"]["S"], "r2": Fraction(1)})
        across = {name: found["exit"][name] for name in ACROSS}
        found["end"] = limits(p, GRAPHS["end"], constant | across | self._of_inverse(found["prepare"]["e"]))
        return found

    def _of_inverse(self, largest: Fraction) -> dict[str, Fraction]:
        """Limits of what the end makes of f and d, from that of d: in the sum of two products, f + 1 and 1 - f are any
        words below R; 2^(B-1) is below 2^n times its own."""
        distance = largest + LIFT
        scale = Fraction(1 << self.batches, 1 << self.n)
        return {"dm": distance, "nm": distance, "rs": 2 + 2 * distance, "scale": scale}

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Limits of the values and of what is subtracted, and ranges of the scalar."""
        found, p = self.limits, self.words
        largest = max(largest_of(values, values) for values in found.values())
        taken = max(subtracted(GRAPHS[label], values) for label, values in found.items())
        state = max(found["step"][f"{name}'"] - found["step"][name] for name in STATE[:-1])
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
                "c is below 64, and the headroom makes the room at least 2^10: no parameters can break it",
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
                state,
                "<=",
                0,
                "the limits of the state stay where they are from round to round",
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
            *self._inverse(),
            *self.scalar_sums(),
        )

    def _inverse(self) -> tuple[Inequality, ...]:
        """Divsteps of all batches, and the words of signed numbers."""
        n, words, e = self.n, self.words, self.limits["prepare"]["e"]
        return (
            Inequality(
                "divsteps",
                "K·B >= steps",
                self.K * self.batches,
                ">=",
                steps_for_twice(n),
                "g is 0 after the last batch for every odd m of n bits, as g begins with a product with 1, below 2m; "
                f"steps by {source_of_twice(n)}",
                "B is made from it: no parameters can break it",
            ),
            Inequality(
                "divsteps-word",
                "n + 3 <= ws",
                n + 3,
                "<=",
                words.T,
                "2f and 2g lie within 2^(ws-1), with |f| and |g| below 2m",
                "the headroom is 10: no parameters can break it",
            ),
            Inequality(
                "divsteps-matrix",
                "K + 1 <= w",
                self.K + 1,
                "<=",
                words.w,
                "an entry with its sign is in a limb",
                "K is made from it: no parameters can break it",
            ),
            Inequality(
                "divsteps-residue",
                "c/2 + 1 <= c, and c <= 4",
                max(e / 2 + 1 - e, e - LIFT),
                "<=",
                0,
                "d and e stay within c·m, the limit with which they begin: a row is half of that, and the quotient "
                "adds less than m; so they lie within 2^(ws-1), and 4m + d and 4m - d are not negative",
                "c is that of a product, above 2 and below 3 by the headroom: no parameters can break it",
            ),
            Inequality(
                "divsteps-scale",
                "B <= ws",
                self.batches,
                "<=",
                words.T,
                "2^(B-1) is in a word",
                "B is below n, and the headroom is 10: no parameters can break it",
            ),
        )

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The columns, whose conditions make the products right."""
        return (("product", self.words),)

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the columns'."""
        return {
            "bits": self.n,
            "order_bits": self.order_bits,
            "word_bits": self.words.T,
            "round_divsteps": self.K,
            "rounds": self.batches,
        }


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
    digit = options["digit"] or digit_of(n, options["digits"], request.target)
    words = derive_words(n, digit, options["digits"], request.target)
    p = WordLadderParameters(request.core, n, words, order_bits_of(request, n, curve), example=curve)
    return certified(p, f"{request.core} with digits of {words.b} bits", "no `digit`")
