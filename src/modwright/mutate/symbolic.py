# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by one operation on symbols, for a core that has one operation at a time.

Ternary simulation forgets what unknown bits have to do with each other: a word that is read by another address of the
same place, or subtracted from itself. So each bit that is not known when an operation is admitted is a symbol here, and
the bits of all cycles are gates of these symbols, equal ones only once; core and mutant share the symbols of what is
the same in both. After each cycle, a register whose gates have few symbols before them is compared for all their
values. The idle states, and everything between operations, are those of `alone`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..base.store import Store
from .alone import Alone
from .circuit import FALSE, TRUE, Circuit
from .lockstep import MOST_CYCLES, Lockstep, UndecidedError
from .offers import Offers
from .packed import Pair
from .ternary import KNOWN, SAME, UNKNOWN, Bit, State, gathered, joined, spread
from .twins import RESET, Copy, Twins, Whole

MOST_GATES = 1 << 25
"""Most gates that are made in an operation; a core with more is left to other methods."""
MOST_AT_ONCE = 1 << 19
"""Gates of a circuit until registers that are not constants become symbols again."""
MOST_RUNS = 24
"""Most operations for a mutant: idle states that are searched for are not worth more."""
_NEAR, _SYMBOLS = 300, 12
"""Most gates, and symbols before them, of registers that are compared for all values."""


class Symbols(Lockstep):
    """A core and a mutant whose operations are on symbols."""

    def __init__(self, twins: Twins[Whole], store: Store) -> None:
        super().__init__(twins, store)
        self._twins = twins
        self._done: dict[tuple[Bit, ...], tuple[State, State, int]] = {}
        design = twins.design
        outputs = [design.outputs[name][0] for name in ("i__ready", "o__valid")]
        latches = dict.fromkeys(k for k, copy in self.copies if copy is not Copy.MARK)
        self._gates = _cone(design, [*outputs, *(design.graph.latches[k][0] for k in latches)])
        self._next = {k: design.graph.latches[k][0] for k in latches}
        self._handshakes = outputs

    def operations(self, idle: Sequence[State], offers: Offers) -> tuple[list[State], int, int]:
        """Operations as in `Lockstep`, on any payload, with a lane for each idle state."""
        ends, cycles = list[State](), 0
        for state in idle:
            end, met, count = self._operated(state, offers.part(0, 1))
            self.met = joined([self.met, met])
            ends.append(end)
            cycles = max(cycles, count)
        offers = offers.part(0, 1).repeated(len(ends))
        waiting = self._waiting(spread(ends, 1), offers, cycles)
        return [self._taken(place, offers, cycles) for place in waiting], offers.lanes, cycles

    def _operated(self, idle: State, offers: Offers) -> tuple[State, State, int]:
        """The state in which the result is valid, one that contains those before, and the cycles until then."""
        if (found := self._done.get(tuple(idle))) is None:
            if len(self._done) == MOST_RUNS:
                raise UndecidedError
            admission = self.cycle(idle, 1, offers, i__valid=KNOWN[1])
            found = self._done[tuple(idle)] = self._run(gathered(admission.after))
        return found

    def _run(self, state: State) -> tuple[State, State, int]:
        circuit = Circuit()
        values = self._symbols(circuit, state)
        met, made, equal = state, 0, dict[Pair, bool]()
        for cycles in range(MOST_CYCLES):
            size = circuit.size
            core, mutant = self._frame(circuit, values)
            ready, valid = ((_literal(core, bit), _literal(mutant, bit)) for bit in self._handshakes)
            if ready != (FALSE, FALSE) or valid not in ((FALSE, FALSE), (TRUE, TRUE)):
                raise UndecidedError
            if valid[0] == TRUE:
                return self._state(values), met, cycles
            made += circuit.size - size
            if made > MOST_GATES:
                raise UndecidedError
            values = {k: (_literal(core, bit), _literal(mutant, bit)) for k, bit in self._next.items()}
            for k, pair in values.items():
                if pair[0] != pair[1] and _equal(circuit, pair, equal):
                    values[k] = pair[0], pair[0]
            met = joined([met, self._state(values)])
            if circuit.size > MOST_AT_ONCE:
                circuit, values, equal = *_again(values), dict[Pair, bool]()
        raise UndecidedError

    def _symbols(self, circuit: Circuit, state: State) -> dict[int, Pair]:
        """The latches in core and mutant: constants, and a symbol for each unknown bit, shared by what is the same."""
        bits = dict(zip(self.copies, state, strict=True))
        found = {}
        for k in self._next:
            core = _symbol(circuit, bits.get((k, Copy.CORE), UNKNOWN))
            marked = (k, Copy.MUTANT) in bits and bits[k, Copy.MARK] != SAME
            found[k] = core, _symbol(circuit, bits[k, Copy.MUTANT]) if marked else core
        return found

    def _state(self, values: dict[int, Pair]) -> State:
        """The ternary state of latches."""
        return [_bit(values[k], copy) for k, copy in self.copies]

    def _frame(self, circuit: Circuit, values: dict[int, Pair]) -> tuple[list[int], list[int]]:
        """Literals by variable of the graph in core and mutant; all inputs but a reset are symbols."""
        design, select = self._twins.design, self._twins.select
        core = [FALSE] * (design.first_latch + len(design.latches) + len(design.graph.gates))
        for position, name in enumerate(design.inputs, 1):
            if position - 1 not in select and name != RESET:
                core[position] = circuit.fresh()
        mutant = list(core)
        for position, value in select.items():
            mutant[position + 1] = value
        for k, pair in values.items():
            core[design.first_latch + k], mutant[design.first_latch + k] = pair
        both = circuit.both
        for variable, a, b, x, y in self._gates:
            one, other, here, there = core[a] ^ x, core[b] ^ y, mutant[a] ^ x, mutant[b] ^ y
            core[variable] = value = both(one, other)
            mutant[variable] = value if one == here and other == there else both(here, there)
        return core, mutant


class Symbolic(Alone):
    """The core and the mutants of one design, by one operation on symbols; see `Alone`."""

    def _pair(self, number: int) -> Symbols:
        return Symbols(Twins(self._design, number), self._store)


def _cone(design: Whole, literals: Sequence[int]) -> list[tuple[int, int, int, int, int]]:
    """The gates that lead to some literals within a cycle: a variable, and the variables and signs of both inputs."""
    first = design.first_latch + len(design.latches)
    found, waiting = set[int](), [literal >> 1 for literal in literals]
    while waiting:
        variable = waiting.pop()
        if variable >= first and variable not in found:
            found.add(variable)
            waiting += [literal >> 1 for literal in design.graph.gates[variable - first]]
    gates = ((variable, *design.graph.gates[variable - first]) for variable in sorted(found))
    return [(variable, a >> 1, b >> 1, a & 1, b & 1) for variable, a, b in gates]


def _literal(values: Sequence[int], literal: int) -> int:
    return values[literal >> 1] ^ literal & 1


def _symbol(circuit: Circuit, bit: Bit) -> int:
    return circuit.fresh() if bit == UNKNOWN else bit[0]


def _bit(pair: Pair, copy: Copy) -> Bit:
    if copy is Copy.MARK:
        return SAME if pair[0] == pair[1] else UNKNOWN
    return KNOWN[pair[copy]] if pair[copy] in (FALSE, TRUE) else UNKNOWN


def _again(values: dict[int, Pair]) -> tuple[Circuit, dict[int, Pair]]:
    """A new circuit with a symbol for each literal that is not a constant."""
    circuit, of = Circuit(), {0: FALSE}
    for pair in values.values():
        for literal in pair:
            if literal >> 1 not in of:
                of[literal >> 1] = circuit.fresh()
    return circuit, {k: (of[a >> 1] ^ a & 1, of[b >> 1] ^ b & 1) for k, (a, b) in values.items()}


def _equal(circuit: Circuit, pair: Pair, known: dict[Pair, bool]) -> bool:
    """Whether two literals with few gates and symbols before them are the same for all values."""
    if pair not in known:
        known[pair] = _compared(circuit, *pair)
    return known[pair]


def _compared(circuit: Circuit, a: int, b: int) -> bool:
    cone, waiting = set[int](), [a >> 1, b >> 1]
    symbols = list[int]()
    while waiting:
        variable = waiting.pop()
        if variable in cone:
            continue
        cone.add(variable)
        gate = circuit.gate(variable)
        if gate is not None:
            waiting += [literal >> 1 for literal in gate]
        elif variable:
            symbols.append(2 * variable)
        if len(cone) > _NEAR or len(symbols) > _SYMBOLS:
            return False
    lanes = 1 << len(symbols)
    ones = (1 << lanes) - 1
    values = {literal: ones // ((1 << (1 << k)) + 1) << (1 << k) for k, literal in enumerate(symbols)}
    one, other = circuit.evaluated_in(sorted(cone), [a, b], values, lanes)
    return one == other
