# SPDX-License-Identifier: Apache-2.0
"""The contract of the operation unit: multipliers, and the modular adder with the inversion, cycle by cycle.

What is assumed of the unit is here, and nothing else of it is used:

    product     z ≡ (x·y [+ x2·y2])·2^-T, a given multiple of m at most, in one cycle, some cycles after its start, if x
                and y stay in the cycles in which they are read, and are below m
    adder       a cycle after A + read, A - read, A - m or z - m, `w` has that residue, below m; z - m below 2m where z
                may reach 3m; `negative` is the sign of the first sum, which tells A < m
    inversion   after so many iterations as 2^-2T·(result) needs, `w` is ±2^2T / d, below m, and from the next cycle on
                `inv_sign` its sign; where it is alone in the adder's registers, operand, iterations and result have to
                follow each other, and the adder's fields to be 0 meanwhile; A is lost then
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..decide import UndecidedError
from .expressions import ADD, INVERSE, ONE, PRODUCT, SUBTRACT, Expressions

FROM_A = 0
NOTHING, PLUS, MINUS, MODULUS = 0, 1, 2, 3
LOAD, ITERATE, RESULT = 1, 2, 3
OF_ADDER = ("load_a", "clear_a", "first", "second", "one")
"""Fields that are 0 while an inversion is alone in the adder's registers."""
REDUCED = 3
"""A result that is below so many times m is below m after the sum with -m and one more."""


@dataclass(frozen=True)
class Kind:
    """A kind of operation of the multipliers.

    Parameters
    ----------
    interval : int
        Cycles from its start to the next one, at least.
    latency : int
        The result is valid `latency` - 1 cycles after the start.
    banks : tuple of (str, int, int)
        Operand registers, with the first and last cycle from the start in which they are read.
    multiple : int
        Bound of the result, in multiples of m.
    square : bool
        Only products of equal factors.
    """

    interval: int
    latency: int
    banks: tuple[tuple[str, int, int], ...]
    multiple: int
    square: bool = False


@dataclass(frozen=True)
class Contract:
    """The numbers of the contract.

    Parameters
    ----------
    kinds : tuple of Kind
        By their numbers.
    iterations : int
        Iterations of the inversion, 2T.
    alone : bool
        An inversion works in the registers of the adder.
    """

    kinds: tuple[Kind, ...]
    iterations: int
    alone: bool = False


@dataclass(frozen=True)
class Flight:
    """A product in a multiplier.

    Parameters
    ----------
    kind, age : int
        Number of its kind, and cycles since its start.
    operands : tuple of (str, int or None)
        Contents of the registers when they were read; None for a word that is not known, or changed.
    """

    kind: int
    age: int
    operands: tuple[tuple[str, int | None], ...] = ()


@dataclass(frozen=True)
class UnitState:
    """Words and products in the unit.

    Parameters
    ----------
    a : int or None
        Register A, an expression.
    total : int or None
        The word that leaves the second sum in this cycle.
    tested : int or None
        Operand whose difference from m was the first sum of the cycle before.
    flights : tuple of Flight, for each multiplier
    divisor : int or None
    iterations : int
        Iterations of the inversion since its operand came in; -1 without one.
    signed : bool
        The sign is that of the last inverse.
    """

    a: int | None = None
    total: int | None = None
    tested: int | None = None
    flights: tuple[tuple[Flight, ...], ...] = ()
    divisor: int | None = None
    iterations: int = -1
    signed: bool = False


@dataclass
class Inputs:
    """Ports of the unit in a cycle.

    Parameters
    ----------
    fields : mapping of str to int
        Control: `load_a`, `clear_a`, `first`, `second`, `one`, `inverse`, and `start_k`, `kind_k` of each multiplier.
    words : mapping of str to int or None
        Expressions at `read` and `filled`, and at `x_k`, `y_k` and so on.
    """

    fields: Mapping[str, int]
    words: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])


class Unit:
    """The unit as its contract has it.

    Parameters
    ----------
    contract : Contract
    expressions : Expressions
    state : UnitState
    sign : str
        Sign of the inverse that leaves: "" or "-".
    """

    def __init__(self, contract: Contract, expressions: Expressions, state: UnitState, sign: str) -> None:
        self.contract, self.expressions, self.state, self.sign = contract, expressions, state, sign

    def result(self, inverse: int) -> int | None:
        """The word that leaves in this cycle, for the control field of the inversion."""
        state = self.state
        if inverse == ITERATE:
            return None
        if inverse != RESULT:
            return state.total
        if state.divisor is None or not self.inverted:
            return None
        return self.expressions.make(INVERSE, [state.divisor], self.sign)

    @property
    def inverted(self) -> bool:
        """Whether all iterations of an inversion are done, and its result can leave."""
        return self.state.iterations == self.contract.iterations

    def clock(self, inputs: Inputs) -> None:
        """Take the ports of a cycle.

        Raises
        ------
        UndecidedError
            When a product starts too early.
        """
        fields, words, state = inputs.fields, inputs.words, self.state
        flights = tuple(self._flights(k, row, fields, words) for k, row in enumerate(state.flights))
        total = self._total(fields, words.get("read"), flights)
        a = state.a
        if fields["load_a"]:
            a = None if fields["clear_a"] else words.get("filled")
        cleared = fields["load_a"] and fields["clear_a"]
        tests = fields["second"] == MODULUS and fields["first"] == FROM_A and fields["inverse"] != ITERATE
        self.state = replace(
            state,
            a=self.zero if cleared else a,
            total=total,
            tested=state.a if tests else None,
            flights=tuple(tuple(self._older(flight) for flight in row if self._lasts(flight)) for row in flights),
        )
        self._inversion(fields, words.get("filled"))

    @property
    def zero(self) -> int:
        """The number 0, as A has it when it is cleared."""
        one = self.expressions.make(ONE)
        return self.expressions.make(SUBTRACT, [one, one])

    def _inversion(self, fields: Mapping[str, int], operand: int | None) -> None:
        state, inverse, alone = self.state, fields["inverse"], self.contract.alone
        if inverse == LOAD:
            state = replace(state, divisor=operand if self._is_least(operand) else None, iterations=0, signed=False)
        elif inverse == ITERATE and state.iterations >= 0:
            state = replace(state, iterations=state.iterations + 1)
        elif inverse == RESULT:
            state = replace(state, iterations=-1, signed=self.inverted)
        elif alone:
            state = replace(state, iterations=-1)
        if alone and inverse in (LOAD, ITERATE):
            state = replace(state, a=None, total=None)
            if any(fields[name] for name in OF_ADDER):
                state = replace(state, iterations=-1)
        self.state = state

    def _is_least(self, number: int | None) -> bool:
        return number is not None and self.expressions.bounds[number] == 1

    def _total(
        self, fields: Mapping[str, int], read: int | None, flights: tuple[tuple[Flight, ...], ...]
    ) -> int | None:
        """The second sum in the next cycle, of the first one in this cycle."""
        a, second, make = self.state.a, fields["second"], self.expressions.make
        if fields["inverse"] == ITERATE:
            return None
        if fields["first"] != FROM_A:
            unit = fields["first"] - 1
            if second != MODULUS or fields["one"] or unit >= len(flights):
                return None
            return self._product(flights[unit])
        if a is None:
            return None
        if fields["one"]:
            return make(ONE) if a == self.zero and second == NOTHING else None
        if second == MODULUS:
            return self.expressions.below(a, 1)
        if second == NOTHING or not self._is_least(read) or read is None:
            return None
        if second == PLUS:
            return make(ADD, [a, read]) if self._is_least(a) else None
        return make(SUBTRACT, [a, read])

    # --- products

    def _flights(
        self, k: int, row: tuple[Flight, ...], fields: Mapping[str, int], words: Mapping[str, int | None]
    ) -> tuple[Flight, ...]:
        """Products of a multiplier, with what they read in this cycle."""
        kinds = self.contract.kinds
        if fields[f"start_{k}"]:
            if any(flight.age < kinds[flight.kind].interval for flight in row):
                raise UndecidedError("a product starts before the one before it has read its operands")
            if fields[f"kind_{k}"] >= len(kinds):
                raise UndecidedError("a product is of a kind that is not in the contract")
            row = (*row, Flight(fields[f"kind_{k}"], 0))
        return tuple(self._reading(k, flight, words) for flight in row)

    def _reading(self, k: int, flight: Flight, words: Mapping[str, int | None]) -> Flight:
        held = dict(flight.operands)
        for bank, first, last in self.contract.kinds[flight.kind].banks:
            if first <= flight.age <= last:
                word = words.get(f"{bank}_{k}")
                held[bank] = word if flight.age == first or held[bank] == word else None
        return replace(flight, operands=tuple(sorted(held.items())))

    def _lasts(self, flight: Flight) -> bool:
        return flight.age + 1 < self.contract.kinds[flight.kind].latency

    @staticmethod
    def _older(flight: Flight) -> Flight:
        return replace(flight, age=flight.age + 1)

    def _product(self, row: tuple[Flight, ...]) -> int | None:
        """The result that is valid in this cycle, less m and reduced once."""
        for flight in row:
            kind = self.contract.kinds[flight.kind]
            if flight.age == kind.latency - 1:
                held = dict(flight.operands)
                if kind.square and held.setdefault("y", held.get("x")) != held.get("x"):
                    return None
                factors = [held.get("x"), held.get("y")]
                if "x2" in held:
                    factors += [held.get("x2"), held.get("y2")]
                known = [factor for factor in factors if factor is not None and self._is_least(factor)]
                if len(known) != len(factors):
                    return None
                return self._reduced(known, 1 if kind.multiple <= REDUCED else 2)
        return None

    def _reduced(self, factors: list[int], bound: int) -> int:
        products = [self.expressions.make(PRODUCT, factors[k : k + 2]) for k in range(0, len(factors), 2)]
        if len(products) == 1:
            return self.expressions.below(products[0], bound)
        return self.expressions.make(ADD, products, bound=bound)
