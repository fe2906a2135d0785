# SPDX-License-Identifier: Apache-2.0
"""Mixed radix digits on rowers: parameters, the factors of the steps, the steps, and the digits in integers.

Rowers have the residues of a number. In step k they multiply by a_k^-1; meanwhile rower k's result goes to the bus,
canonical: it is digit v_k, and v_k·(-a_k^-1) is added.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

from ...base.json import Constant
from ...contract import Obligations
from ...contract.obligation import owed_together
from ...rns import Base, mixed_radix
from ...rns.extension import Extension
from .bases import OnTwoBases
from .engine import CoxrowerEngine
from .obligations import built_folds
from .steps import ADD, ALONE, BUS, RESULT, StepBuilder, Term

TERMS = 2
"""Products of a step: the residue by 1/a, and the digit by -1/a."""


@dataclass(frozen=True)
class DigitFactors:
    """Factors of the steps, and their place among those of an engine.

    Parameters
    ----------
    base : Base
    first : int
        Index of the first of them.
    """

    base: Base
    first: int

    @property
    def values(self) -> tuple[tuple[int, ...], ...]:
        """The factors in every channel: a_k^-1 of each step but the last, -a_k^-1 of each, 0."""
        forward, moduli = mixed_radix.steps(self.base), self.base.moduli
        backward = tuple(tuple(-c % a for c, a in zip(row, moduli, strict=True)) for row in forward)
        return (*forward, *backward, (0,) * self.base.count)

    def forward(self, step: int) -> int:
        """Index of the factor a_k^-1 of a step, counted from 0."""
        return self.first + step

    def backward(self, step: int) -> int:
        """Index of the factor -a_k^-1 of a step, counted from 0."""
        return self.first + self.base.count - 1 + step

    @property
    def nothing(self) -> int:
        """Index of the factor 0."""
        return self.first + 2 * (self.base.count - 1)


@dataclass(frozen=True)
class OnDigits(OnTwoBases):
    """Parameters of a core on the digits of a number, to be derived from.

    Parameters
    ----------
    modulus : int
        Exclusive bound of operands.
    extension : Extension
        The bases; without a cox, as digits need none.
    target, latency, local
        See `OnTwoBases`.
    """

    modulus: int
    extension: Extension

    @property
    def first(self) -> Extension:
        """The extension."""
        return self.extension

    @property
    @abstractmethod
    def entering(self) -> tuple[tuple[int, ...], ...]:
        """Factors of the operands in every channel, whose sum the digits are of."""

    @property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """Weights of the digits in every channel of B; none where no extension follows."""
        return ((),) * self.n

    @abstractmethod
    def own_description(self) -> dict[str, Constant]:
        """Constants of the core alone."""

    @property
    def factors(self) -> DigitFactors:
        """The factors of the steps, behind those of the operands."""
        return DigitFactors(self.A, len(self.entering))

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The rowers: factors of the operands, those of the steps, 0, then the weights."""
        return CoxrowerEngine(
            (self.A, self.B),
            (self.extension,),
            (*self.entering, *self.factors.values),
            (self.weights,),
            ((0,) * self.n,),
            self.target,
            self.latency + int(self.local),
            operands=1,
            initial=False,
            products=len(self.entering),
            rowers=self.n,
            sums_alongside=TERMS,
            local=self.local,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers."""
        return owed_together(built_folds(self.engine))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        engine = self.engine
        return {
            "modulus": self.modulus,
            "channel_bits": self.width,
            "channels": self.n,
            **self.own_description(),
            "factors": engine.factors,
            "multiplier_latency": engine.latency,
            "fold_cycles": engine.fold_cycles,
            "bus_cycles": engine.bus_cycles,
        }


def to_bus(engine: CoxrowerEngine) -> int:
    """Cycles from a rower's result to the register of the bus."""
    return 1 + engine.travel


def place_digits(builder: StepBuilder, factors: DigitFactors, name: str, ready: int) -> int:
    """Place the steps of all digits of the number that the step `name` leaves in the rowers in cycle `ready`; return
    the cycle in which the last digit is in its rower."""
    number, digits = name, factors.base.count
    for step in range(digits):
        builder.add(f"v_{step + 1}", "subtractor", ready, latency=to_bus(builder.engine), after=(name,), digit=step + 1)
        builder.add(f"v_{step + 1}: bus", "bus", ready + to_bus(builder.engine), after=(f"v_{step + 1}",))
        if step + 1 < digits:
            name = f"{number} after {step + 1}"
            ready = builder.sum_of(name, ready, _terms(builder.engine, factors, step), 0)
    return ready


def _terms(engine: CoxrowerEngine, factors: DigitFactors, step: int) -> list[Term]:
    """The products of a step; those by 0 keep the sum until the digit has arrived."""

    def term(mode: int, operand: int, factor: int) -> Term:
        return mode, {"a": operand, "b": engine.factor_address(factor, 0)}

    waits = [term(ADD, BUS, factors.nothing)] * (engine.travel + engine.bus_cycles)
    return [term(ALONE, RESULT, factors.forward(step)), *waits, term(ADD, BUS, factors.backward(step))]


def digits_of_residues(engine: CoxrowerEngine, factors: DigitFactors, residues: tuple[int, ...]) -> tuple[int, ...]:
    """The digits of a number from its residues in the rowers, any representatives, as the rowers find them."""
    found = []
    for step, modulus in enumerate(factors.base.moduli):
        digit = residues[step] % modulus
        found.append(digit)
        if step + 1 < factors.base.count:
            forward, backward = (engine.factors[index(step)] for index in (factors.forward, factors.backward))
            sums = [x * c + digit * d for x, c, d in zip(residues, forward, backward, strict=True)]
            residues = engine.reduce(0, sums)
    return tuple(found)
