# SPDX-License-Identifier: Apache-2.0
"""States of an inverter before one of its steps, and the words that follow from them.

A state is made of words in several cycles, as each slice works a cycle behind the one below it: slice j of f before
step T is in its register in cycle T + j after the first. From the words of such a state, the netlist gives those of the
next one; nothing else of the past may matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

from ..decide import UndecidedError
from ..netlist import Netlist
from ..pieces import Value, constant, reason_of
from ..ternary import Word
from ..unroll import Unrolled
from .forms import Forms, Sums
from .layout import BITS, WORDS, Layout, Place

Key = tuple[int, int]
"""Source and cycle."""


@dataclass(frozen=True)
class State:
    """Words before a step; each has an entry in `at` for every place where the netlist has a part of it.

    Parameters
    ----------
    words : mapping of str to Value
        f, g, d, e, D and the bits of the step's choice and correction.
    at : mapping of Place to Value
    """

    words: Mapping[str, Value]
    at: Mapping[Place, Value]


class Netframe(Unrolled):
    """Words of a netlist of which some are given, by source and cycle."""

    def __init__(self, netlist: Netlist, around: Sequence[Sequence[Word]], alone: Sequence[Sequence[Word]]) -> None:
        super().__init__(netlist, around, alone, words=Sums())
        self._rows = type(self._rows)()  # registers that hold 0 are numbers: no row of adders is looked for

    def given(self, values: Mapping[Key, Value]) -> Netframe:
        """The same netlist with other words given."""
        found = copy(self)
        found._values = dict(values)
        return found

    def source(self, source: int, cycle: int) -> Value:
        """The word of a source."""
        return self.port(((source, 0, self.netlist.widths[source]),), cycle)


@dataclass
class Run:
    """One operation with its control.

    Parameters
    ----------
    netlist : Netlist
    layout : Layout
    frame : Netframe
        Without words that are given.
    first, last : int
        First and last cycle in which slice 0 of the pair takes steps.
    always : mapping of Key to Value
        Words that are given everywhere, as they were proved to be there.
    """

    netlist: Netlist
    layout: Layout
    frame: Netframe
    first: int
    last: int
    always: dict[Key, Value] = field(default_factory=dict[Key, Value])

    @property
    def words(self) -> Sums:
        """Builder of all words."""
        assert isinstance(self.frame.words, Sums)
        return self.frame.words

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.last - self.first + 1

    def forms(self) -> Forms:
        """Linear forms of words."""
        return Forms(self.words)

    def word(self, name: str, bits: int, lowest: int | None = None, top: int | None = None) -> Value:
        """A word that may be any, but for its lowest or top bit where that is given."""
        inner = bits - (lowest is not None) - (top is not None)
        parts = [constant(lowest, 1) if lowest is not None else ()]
        if inner:
            parts.append(self.words.whole(self.words.node("input", inner, name=name)))
        parts.append(constant(top, 1) if top is not None else ())
        return self.words.join([piece for part in parts for piece in part])

    # --- states

    def state(self, given: Mapping[str, Value] | None = None) -> State:
        """A state of any words, but for those that are given."""
        given, layout = given or {}, self.layout
        words: dict[str, Value] = {}
        at: dict[Place, Value] = {}
        for name in WORDS:
            words[name] = given.get(name, self.word(name, layout.width(name)))
            at.update(layout.places(name, words[name], self.words))
        for name, (net, behind) in BITS.items():
            source = layout.source(net)
            words[name] = given.get(name, self.word(name, self.netlist.widths[source]))
            at[source, behind] = words[name]
        for name in "fe":
            top = layout.words[name][-1]
            for ago in range(1, layout.top + 1):
                before = f"{name} {ago} steps ago"
                words[before] = given.get(before, self.word(before, top.bits))
                at[top.register, top.behind - ago] = words[before]
        return State(words, at)

    def before(self, state: State, step: int) -> Netframe:
        """The netlist with the state before a step."""
        cycle = self.first + step
        return self.frame.given(self.always | {(s, cycle + behind): value for (s, behind), value in state.at.items()})

    def at(self, frame: Netframe, name: str, step: int) -> Value:
        """A word before a step, from what is given of the past: after a step with the state before that."""
        cycle = self.first + step
        if name in BITS:
            net, behind = BITS[name]
            return frame.source(self.layout.source(net), cycle + behind)
        found: list[Value] = []
        for part in self.layout.words[name]:
            found.append(frame.source(part.register, cycle + part.behind))
            if part.lowest is not None:
                found.append(frame.source(part.lowest, cycle + part.behind))
        return self.words.join([piece for value in found for piece in value])

    def strobe(self, name: str) -> int:
        """The first cycle in which a bit of control is 1."""
        return self.cycles_of(name)[0]

    def cycles_of(self, name: str) -> list[int]:
        """The cycles in which a bit of control is 1, one after the other."""
        return cycles_of(self.frame.alone, self.layout.source(name), name)


def cycles_of(rows: Sequence[Sequence[Word]], source: int, name: str) -> list[int]:
    """The cycles in which a bit is 1, one after the other."""
    found = [cycle for cycle, row in enumerate(rows) if row[source] == (1, 1)]
    if not found or found != list(range(found[0], found[-1] + 1)):
        raise UndecidedError(f"{name} is not 1 in some cycles, one after the other")
    return found


def known(values: Sequence[Value]) -> Sequence[Value]:
    """Words without an unknown part."""
    reason = reason_of(values)
    if reason is not None:
        raise UndecidedError(reason)
    return values
