# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by all states of control, with operations at any distance and any data.

The states of core and mutant together are found by `states`: their control, which no operand reaches, is the key, and
data are unknown bits with a mark of what may differ (`marks`). In each of them all handshakes and resets are tried.
Core and mutant are equivalent when `i.ready` and `o.valid` are never marked, nor a result while it counts. So several
operations at a time are allowed, at all distances that the core admits, and registers that differ while nothing
reads them.

Where results wait in memories, both are cut in front of them, see `queue`, and a word counts in the cycle in which a
memory keeps it; `waiting` shows that no other is read. Their addresses, and what counts waiting results, are
not in the key, as they would only multiply the states: they are unknown bits with marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product

from ..base.store import Store
from .marks import Marks
from .resets import quiet
from .states import MEMORY, Latch, Rest, States, TooManyError, always
from .ternary import KNOWN, SAME, UNKNOWN, Bit, initial_bit
from .twins import RESET, Copy, Twins, Whole, literal_of, needed
from .waiting import Queued, addressing, counted, only_kept_are_read

MOST_CHOICES = 8
"""Most bits that are free in every cycle."""
MOST_AFTER_RESET = 1 << 20
"""Most states in which there is a difference since a reset."""
MOST_TIMES = 8
"""Most states of core and mutant for each of the core: two counters that differ give several."""

Holder = tuple[int, Copy]
"""A latch of core or mutant."""


class Overlapping:
    """The core and the mutants of one design.

    Parameters
    ----------
    design : callable
        Graph of the design with all mutants, see `schemata.merged` and `twins.once`; where results wait in memories,
        cut by `queue.cut`.
    store : Store
    memory : int
        See `States`.
    """

    def __init__(self, design: Callable[[], Whole], store: Store, memory: int = MEMORY) -> None:
        self._made, self._store, self._memory = design, store, memory

    @cached_property
    def _design(self) -> Queued:
        return Queued(self._made())

    def decide(self, number: int) -> str:
        """The statement that proves a mutant equivalent; empty when it was not."""
        if not self._kept:
            return ""
        pair = _Pair(self._design, number)
        zeros = quiet(pair.twins, self._design.watched)
        if zeros is not None and (found := self._counted(pair, zeros)):
            return f"no result differs in {found} states between a reset and the last difference, whatever the data are"
        found = self._counted(pair, None) if self._room else None
        return f"no result differs in {found} states of control, whatever the data are" if found else ""

    def _counted(self, pair: _Pair, zeros: set[int] | None) -> int | None:
        """The number of states; None where a difference can show, or where there are too many states."""
        try:
            return self._states(pair, zeros)
        except TooManyError:
            return None

    @cached_property
    def _kept(self) -> bool:
        """Whether no words are read that do not count."""
        return only_kept_are_read(self._design, self._store)

    @cached_property
    def _room(self) -> int:
        """Most states of core and mutant; 0 where the core has too many."""
        try:
            return MOST_TIMES * self._of_core()
        except TooManyError:
            return 0

    def _of_core(self) -> int:
        """The number of states of the core's control."""
        pair = _Pair(self._design, 0)
        cycle = pair.twins.symbolic.core
        seen = [literal_of(cycle, literal) for literal in self._design.watched]
        key, choices = pair.key_of([k for k, _ in needed(pair.twins, seen)])
        states = States(pair.twins.circuit, pair.latches(key), (), (), self._store, memory=self._memory)
        return states.count(choices) or 0

    def _states(self, pair: _Pair, zeros: set[int] | None) -> int | None:
        """The number of states; None where a difference can show. `zeros`: see `resets.quiet`."""
        held = needed(pair.twins, pair.seen)
        key, choices = pair.key_of([k for k, _ in held])
        inputs = choices[0].keys()
        others = [holder for holder in held if holder not in key and pair.literal(holder) not in inputs]
        key = [holder for holder in held if holder in key]
        marks = Marks(pair.twins, [k for k, copy in held if copy is Copy.MUTANT], pair.words, pair.own)
        marked = [Latch(literal, marks.following[k], SAME) for k, literal in marks.latches.items()]
        never = [always(mark) for mark in marks.own] + list(zip(marks.results, pair.counts, strict=True))
        every, store = [*pair.latches(others), *marked], self._store
        states = States(pair.twins.circuit, pair.latches(key), every, never, store, marks.made, self._memory)
        if zeros is None:
            return states.count(choices, self._room)
        followed = [k for k, _ in (*key, *others)]
        rest = _rest(followed, zeros, len(marked))
        if not rest.zeros or not {k for k, _ in held} & zeros <= set(followed):
            return None
        return states.count(choices, MOST_AFTER_RESET, rest)


def _rest(followed: Sequence[int], zeros: set[int], marks: int) -> Rest:
    """States in which nothing differs, and some latches are 0: those of a row of latches and marks."""
    places = [place for place, k in enumerate(followed) if k in zeros]
    every = [KNOWN[0] if k in zeros else UNKNOWN for k in followed] + [SAME] * marks
    return Rest([*places, *range(len(followed), len(every))], every)


class _Pair:
    """A core and a mutant.

    Attributes
    ----------
    twins : Twins
    own : list of int
        Variables of the graph for which the mutant takes the value of the core.
    words, counts : list of int
        Literals of the graph, the bits of results that may differ; and literals that are 1 where they count.
    seen : list of int
        Literals on which these depend.
    """

    def __init__(self, design: Queued, number: int) -> None:
        self.twins = twins = Twins(design, number)
        core, mutant, own = twins.symbolic.core, twins.symbolic.mutant, twins.symbolic.own
        self.own = [variable for variable, literal in own.items() if literal != core[variable]]
        self.words: list[int] = []
        self.counts: list[int] = []
        for word, counts in counted(twins):
            differing = [bit for bit in word if literal_of(core, bit) != literal_of(mutant, bit)]
            self.words += differing
            self.counts += [counts] * len(differing)
        both = [literal_of(values, bit) for bit in self.words for values in (core, mutant)]
        self.seen = list(dict.fromkeys([*(own[variable] for variable in self.own), *both, *self.counts]))
        self._following = twins.following(twins.symbolic)

    def literal(self, holder: Holder) -> int:
        """The literal of a latch."""
        k, copy = holder
        return self.twins.state[copy][k]

    def latches(self, holders: Sequence[Holder]) -> list[Latch]:
        """Latches with what follows them."""
        initial = self.twins.design.graph.latches
        return [Latch(self.literal((k, c)), self._following[k][c], initial_bit(initial[k][1])) for k, c in holders]

    def key_of(self, latches: Sequence[int]) -> tuple[list[Holder], list[dict[int, Bit]]]:
        """Choose the key among some latches, in core and mutant, and list the combinations of what else it depends on.

        Raises
        ------
        TooManyError
            When there are too many combinations.
        """
        design, circuit = self.twins.design, self.twins.circuit
        left_out = self._counters() if design.queues else set[int]()
        of = {literal: k for k, both in enumerate(zip(*self.twins.state, strict=True)) for literal in both[::-1]}
        while True:
            chosen = [k for k in dict.fromkeys(latches) if k in design.control - left_out]
            key = [(k, Copy.CORE) for k in chosen] + [(k, Copy.MUTANT) for k in chosen if k in self.twins.tainted]
            read = set(circuit.support([self._following[k][copy] for k, copy in key]))
            free = read - {self.literal(holder) for holder in key}
            # what differs in the mutant cannot be a free bit: it is the same as the core's in most states
            more = {of[literal] for literal in free if literal in of and of[literal] in self.twins.tainted}
            if not more:
                return key, list(self._combinations(sorted(free)))
            latches = [*latches, *more]
            left_out -= more

    def _counters(self) -> set[int]:
        """Latches that read `o.ready`, and addresses of memories in which results wait."""
        design = self.twins.design
        ready = self._input("o__ready")
        counting = {k for k, both in enumerate(self._following) if ready in self.twins.circuit.support(both)}
        addresses = (k for queue in design.queues for _, k in addressing(self.twins, [*queue.write, *queue.read]))
        return counting.union(k for k in addresses if k is not None)

    def _input(self, name: str) -> int:
        return self.twins.inputs[self.twins.design.inputs.index(name)]

    def _combinations(self, free: Sequence[int]) -> Iterator[dict[int, Bit]]:
        """All values of the free bits; in a reset those of the others do not matter, and are unknown."""
        reset = self._input(RESET)
        others = [literal for literal in free if literal != reset]
        if len(others) > MOST_CHOICES:
            raise TooManyError
        for values in product(KNOWN, repeat=len(others)):
            yield {**dict(zip(others, values, strict=True)), reset: KNOWN[0]}
        yield {**dict.fromkeys(others, UNKNOWN), reset: KNOWN[1]}
