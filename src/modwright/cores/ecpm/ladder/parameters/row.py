# SPDX-License-Identifier: Apache-2.0
"""Widths of a point multiplier over an interleaved row multiplier, and what makes it right.

The multiplier's own conditions make every product right (`engines.orup`); those here bound every value of the formulas,
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
from .....engines.ladder.dataflow import SCALE
from .....engines.ladder.lazy import largest_of, subtracted
from .....engines.row.parameters import LIFT, RowParameters, constants, limits, row_of
from ..plan.formulas import EXCHANGED, STATE
from ..plan.row.formulas import ACROSS, EXTERNAL, GRAPHS, KEPT
from .operands import WIDTH, SerialOperands, order_bits_of

LIFTED = 8
"""Multiple of M~ in the sums of a batch."""
FIRST_E = 2
"""Limit of e at first, a product with 1 in units of U."""
UNLIFTED = ("batch",)
"""Parts whose sums are not lifted."""
ROUNDS = 8
"""Rounds of a step after which the limits of the state have to stay where they are."""


@dataclass(frozen=True)
class RowLadderParameters(SerialOperands, Composite):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core : str
    bits : int
        n, bits of the widest modulus.
    row : RowParameters
        Parameters of the multiplier.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    core: str
    bits: int
    row: RowParameters
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
        return self.row.target

    @property
    def constants_of_modulus(self) -> tuple[Field, ...]:
        """Operands that follow from the modulus: 2^-K, R² and t."""
        return constants(self.row, self.n)

    @property
    def word_bits(self) -> int:
        """Bits of a word of the memory: those of an operand of the multiplier."""
        return self.row.operand_bits

    # --- certificate

    @cached_property
    def limits(self) -> dict[str, dict[str, Fraction]]:
        """Exclusive limit of every value by part of the program, in units of U = m·2^K."""
        given = dict.fromkeys(EXTERNAL, Fraction(1))
        found = {"set-up": limits(self.row, self.n, GRAPHS["set-up"], given)}
        setup = found["set-up"]
        constant = given | {"shift": Fraction(1)} | {name: setup[name] for name in KEPT}
        state = _exchanged({name: setup[f"{name}0"] for name in STATE})
        for _ in range(ROUNDS):
            found["step"] = limits(self.row, self.n, GRAPHS["step"], constant | state)
            after = {name: max(state[name], found["step"][f"{name}'"]) for name in STATE}
            state = _exchanged(after)
        found["exit"] = limits(self.row, self.n, GRAPHS["exit"], constant | state)
        inverse = {"d": Fraction(0), "e": Fraction(FIRST_E)}
        fixed = {"oneR": constant["oneR"], "zd": Fraction(0), "ze": Fraction(0), "M8": Fraction(LIFTED)}
        for _ in range(ROUNDS):
            found["batch"] = limits(self.row, self.n, GRAPHS["batch"], fixed | inverse, lift=0)
            inverse = {name: max(inverse[name], found["batch"][f"{name}'"]) for name in inverse}
        across = {name: found["exit"][name] for name in ACROSS}
        found["end"] = limits(self.row, self.n, GRAPHS["end"], constant | across | inverse)
        return found

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Limits of the values and of what is subtracted, and ranges of the scalar."""
        found = self.limits
        largest = max(largest_of(values, values) for values in found.values())
        taken = max(subtracted(GRAPHS[label], values) for label, values in found.items() if label not in UNLIFTED)
        state = max(found["step"][f"{name}'"] - found["step"].get(name, Fraction(1 << 30)) for name in STATE[:-1])
        tests = max(largest_of(values, _tests(label)) for label, values in found.items())
        room = Fraction((1 << self.word_bits), 1 << (self.n + self.row.K))
        lifted = (1 << LIFT) - Fraction(1 << LIFT, 1 << self.row.K)
        return (
            Inequality(
                "word-limit",
                "c·U <= 2^b, b bits of a word and of an operand of the multiplier",
                largest,
                "<=",
                room,
                "every value of the program is below c·U, U = m·2^K < 2^(n+K): no sum leaves its word",
                "b is n + K + 9, and c below 83 where T >= n + K + 10, by the headroom: no parameters can break it",
            ),
            Inequality(
                "lift",
                "b·U <= 4·M~, b·U the limit of what is subtracted",
                taken,
                "<=",
                lifted,
                "a difference x - y + 4·M~ is not negative, with M~ = U - 1 and U >= 2^K",
                "b is below 1.5 where T >= n + K + 10, by the headroom, and 4·M~ >= 3·U: no parameters can break it",
            ),
            Inequality(
                "state",
                "limits after a step - limits before it <= 0",
                state,
                "<=",
                0,
                "the limits of the state stay where they are from step to step",
                "they fall where T >= n + K + 10, by the headroom: no parameters can break it",
            ),
            Inequality(
                "test",
                "1 + b·2^(K-ks) <= 2 - 2/U, b the limit of what is tested",
                tests,
                "<=",
                2 - Fraction(2, 1 << self.row.K),
                "t·v·2^-ks mod M~ after s digits of t is at most 2·M~ - 1, so it is 0 or M~ where v is 0 modulo M",
                "2^(ks-K) is at least 2^7, above the limit of every value: no parameters can break it",
            ),
            self._remainder(),
            *self._inverse(),
            *self.scalar_sums(),
        )

    def _remainder(self) -> Inequality:
        """The condition for a least remainder behind the last digit of a coordinate."""
        end, row = self.limits["end"], self.row
        return Inequality(
            "remainder",
            "c·2^(2K-T) <= 2, what becomes a coordinate below c·U",
            largest_of(end, ("xs", "xd", "yp", "yn")) * Fraction(1 << 2 * row.K, 1 << row.T),
            "<=",
            2,
            "times 2^K it is at most c·U·2^(K-T) + t·M, and with q·M below 2^(K+1)·M, as U <= (M - 1)·2^K, and t and q "
            "are below 2^K: so x + M at most is left of it",
            "2K - T is at most -4, by the headroom, and c below 11: no parameters can break it",
        )

    def _inverse(self) -> tuple[Inequality, ...]:
        """Divsteps of all batches, what they begin with, and sums of the batches."""
        batch, start = self.limits["batch"], self.limits["exit"]["S"]
        taken = max(batch["ud"] + batch["ve"], batch["qd"] + batch["re"])
        n, row = self.n, self.row
        return (
            Inequality(
                "divsteps",
                "K·B >= 1 + steps",
                row.K * self.batches,
                ">=",
                1 + steps_for_twice(n),
                f"g is 0 after the last batch for every odd M of n bits; steps by {source_of_twice(n)}",
                "B is made from it: no parameters can break it",
            ),
            Inequality(
                "divsteps-begin",
                "c <= 2, S below c·U",
                start,
                "<=",
                2,
                "g begins with at most (c + 1)·M, and the first divstep, which exchanges nothing, leaves at most 2·M",
                "S is below 1.6·U where T >= n + K + 10, by the headroom: no parameters can break it",
            ),
            Inequality(
                "batch-sum",
                "c·U <= 8·M~, c the limit of two products of a batch",
                taken,
                "<=",
                LIFTED - Fraction(LIFTED, 1 << row.K),
                "d and e are not negative before they are reduced",
                "c is below 6 where T >= n + K + 10, by the headroom, and 8·M~ >= 6·U: no parameters can break it",
            ),
            Inequality(
                "divsteps-word",
                "max(2K, n + K + 2) <= b, b the top bit of a word",
                max(2 * row.K, n + row.K + 2),
                "<=",
                self.word_bits - 1,
                "2^K·f and 2^K·g lie within ±2^b, with |f| < 2^n and g <= 3·M; what divsteps take is below 2^b",
                "the headroom is at least 8 and K - n: no parameters can break it",
            ),
        )

    @property
    def batches(self) -> int:
        """B, batches of K divsteps each."""
        return -(-(1 + steps_for_twice(self.n)) // self.row.K)

    @property
    def divsteps(self) -> int:
        """Divsteps of one inverse."""
        return self.row.K * self.batches

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multiplier, whose conditions make the products right."""
        return (("product", self.row),)

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the multiplier's."""
        return {"bits": self.n, "order_bits": self.order_bits, "word_bits": self.word_bits}


def _tests(label: str) -> list[str]:
    """Values of a part that tell whether another is 0."""
    return [operation.name for operation in GRAPHS[label].operations if operation.kind == SCALE]


def _exchanged(state: dict[str, Fraction]) -> dict[str, Fraction]:
    """Limits of a state of which pairs may be exchanged."""
    largest = {name: max(state[member] for member in pair) for pair in EXCHANGED for name in pair}
    return state | largest


def derive_row(request: Request) -> RowLadderParameters:
    """Parameters for a curve, or for a number of bits.

    Raises
    ------
    UsageError
        When nothing says how wide the modulus is, or the curve is not a Weierstrass curve.
    ParameterError
        For a modulus or an order that is too wide, and for digits or tiles that do not fit each other or a block.
    """
    curve = curve_of(request, "weierstrass")
    n = width_of(request, WIDTH)
    contexts = request.options["contexts"]
    row = row_of(request, n, request.options["slots"] * contexts, contexts)
    p = RowLadderParameters(request.core, n, row, order_bits_of(request, n, curve), example=curve)
    return certified(p, f"{request.core} with digits of {row.k} bits", "no `digit`")
