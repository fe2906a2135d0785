# SPDX-License-Identifier: Apache-2.0
"""Contexts that take the cycles of one data path in turn, each as if it had a slower clock of its own.

A counter has the number of the context whose turn it is. What a context keeps from one of its cycles to the next is in
registers of its own, which are enabled in these cycles alone (`in_turn`); what passes through the data path needs no
more than a distance that fits. `TurnPlayer` issues one microcode for each of two contexts: a memory of words, and for
each context the address. Registers, counted from the cycle of `start`, in words of that context:

    cycle     register that holds the value in this cycle
    1         `playing`
    2k, k > 0 `silent`: word k does not count
    2k        `next_word`: word k (`coming`)
    2k + 1    `first`: word k
    2k + 2    `word`: word k
"""

from __future__ import annotations

from amaranth.hdl import Const, EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..schedule import ControlWord, Loop, Microcode
from .block_memory import constant_words
from .player import END
from .walk import walk

CONTEXTS = 2
"""Contexts that take turns."""
BEGIN = 1
"""Words before this one have no fields: at a start they would come too late."""


def turns(m: Module, slots: int, late: int, name: str) -> Signal:
    """Number of the turn: cycles since reset, less `late`, modulo the slots.

    Each such counter is fed by itself alone, so synthesis does not merge those that are equal.
    """
    turn = Signal(range(slots), init=-late % slots, name=name)
    m.d.sync += turn.eq(Mux(turn == slots - 1, 0, turn + 1))
    return turn


def in_turn(m: Module, unit: wiring.Component, context: int, name: str) -> Signal:
    """Add a unit whose registers are enabled in the cycles of a context; the enable."""
    enable = Signal(name=f"{name}_enable")
    m.d.comb += enable.eq(turns(m, CONTEXTS, context, f"{name}_turn") == 0)
    m.submodules[name] = EnableInserter(enable)(unit)
    return enable


class _Walker(wiring.Component):
    """Address of one context; see `walk`."""

    def __init__(self, loops: tuple[Loop, ...], words: int) -> None:
        self.loops = loops
        super().__init__({"start": In(1), "ends": In(1), "at": Out(range(words), init=BEGIN), "playing": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ends = self.playing & self.ends
        walk(m, self.at, self.loops, BEGIN, going=self.start | self.playing, ends=ends)
        with m.If(ends):
            m.d.sync += self.playing.eq(0)
        with m.Elif(self.start):
            m.d.sync += self.playing.eq(1)
        return m


class TurnPlayer(wiring.Component):
    """Player of one microcode, a word in each cycle, for two contexts in turn.

    Parameters
    ----------
    code : Microcode
        With loops; words before `BEGIN` have no fields.
    target : str
        Device family.

    Attributes
    ----------
    start : in
        The microcode starts for the context whose turn it is.
    first : out, a register
        The active word, a cycle before the turn of its context.
    word : out, a register
        The active word of the context whose turn it is.
    """

    def __init__(self, code: Microcode, target: str) -> None:
        self.code, self.target = code, target
        self.control = ControlWord.of(code.words)
        self.layout = data.StructLayout(self.control.widths)
        self._next_word = Signal(self.control.bits, name="next_word", reset_less=True)
        words = {"first": Out(self.layout), "word": Out(self.layout)}
        super().__init__({"start": In(1)} | words)

    def field(self, name: str) -> Value:
        """Read a field of the active word; 0 where no word has it."""
        return self.word[name] if name in self.control.widths else Const(0, 1)

    def coming(self, name: str) -> Value:
        """Read a field of the next word of the context whose turn it is."""
        return data.View(self.layout, self._next_word)[name] if name in self.control.widths else Const(0, 1)

    def elaborate(self, platform: object) -> Module:
        m, code = Module(), self.code
        turn = turns(m, CONTEXTS, 0, "turn")
        walkers = [_Walker(code.loops, len(code.words)) for _ in range(CONTEXTS)]
        for k, walker in enumerate(walkers):
            in_turn(m, walker, k, f"walker_{k}")
            m.d.comb += [walker.start.eq(self.start), walker.ends.eq(self.word[END])]
        # a word counts while its context issues words, which changes in its turns alone: so it is known before
        silent = Signal(init=1)
        m.d.sync += silent.eq(~Mux(turn, walkers[0].playing, walkers[1].playing) | self.first[END])
        # the address of the context whose turn comes next: behind the memory, its word comes a cycle before its turn
        at = Mux(turn, walkers[0].at, walkers[1].at)
        words = [*map(self.control.pack, code.words)]
        depth = min(len(words) + BEGIN + CONTEXTS, 1 << len(at))
        fetched = constant_words(m, at, [*words, *[0] * (depth - len(words))][:depth], self.control.bits, self.target)
        m.d.sync += [
            self._next_word.eq(fetched),
            self.first.as_value().eq(Mux(silent, 0, self._next_word)),
            self.word.as_value().eq(self.first.as_value()),
        ]
        return m
