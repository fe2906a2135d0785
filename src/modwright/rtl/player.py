# SPDX-License-Identifier: Apache-2.0
"""Players: hardware that steps through microcode, a control word each cycle.

    code                                     kept in    starts
    one, operations overlap                  logic      any distance >= its interval; a counter for each operation
    one or several, no overlap               logic      any distance >= the interval of the code before
    the same, with `fetch`                   memory     any distance >= the interval of the code before
    one with loops, no overlap               memory     while `ready`
    several that may be in progress at once  logic      `PlayerGroup`: each as if it were alone
    words of unknown length, with jumps      logic      `StepPlayer` of `step_player`: `next` ends a word

Every word leaves a register, so that it adds no delay to what it controls.

Registers, counted from the cycle of `start`:

    cycle             register that holds the value from this cycle on
    t                 `word`, with overlap `word_l` of lane l: the t-th word of the code; `step` or `step_l`: the
                      number of the next
    t, with a loop    `word`: the same, from the memory, whose address `at` is two words ahead, or more (`fetch`,
                      `ahead`); `left`: rounds to come
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..schedule import ControlWord, Loop, Microcode, Word
from .block_memory import constant_words
from .walk import walk


class Player(wiring.Component):
    """Player of microcode: in cycle t >= 1 after a start, every field has the value of the t-th word; then all are 0.

    Parameters
    ----------
    codes : Microcode
        One code, or without `overlap` several, of which `kind` chooses. Loops need a code of their own and no
        `overlap`.
    overlap : bool
        A start may come while words of the operation before are still to be issued. The fields of both are OR-ed,
        which the schedule makes safe: a field belongs to a resource, and no resource has two users in one cycle.
    fetch : bool
        A register behind the memory of a code with loops, whose first two words have no fields then; or without
        `overlap` and loops, behind that of all words but the first of each code, which are in logic.
    ahead : bool
        With `fetch`: a further register behind that one, and so three words without fields (`coming`).
    shared : bool
        With `fetch`: one counter serves all loops (`walk`).
    target : str
        Device family; on ECP5 that register is the block RAM's own.

    Attributes
    ----------
    start : in
        An operation starts in this cycle, at least the code's interval after the start before it.
    kind : in
        Number of the operation's code, with `start`; without `overlap` and without a loop.
    ready : out
        `start` may be set; with a loop.
    word : out, a register
        The active word; without `overlap`.
    <field> : out
        Each field of the word; with `overlap`.
    """

    def __init__(
        self,
        *codes: Microcode,
        overlap: bool = True,
        fetch: bool = False,
        ahead: bool = False,
        shared: bool = False,
        target: str = "",
    ) -> None:
        self.codes, self.overlap, self.shared, self.target = codes, overlap, shared, target
        self.fetch, self._ahead = fetch, fetch and ahead
        self._begin = 1 + fetch + self._ahead  # words before this one are not read: at a start they would come too late
        self.looped = any(code.loops for code in codes)
        if (overlap or self.looped) and len(codes) > 1:
            raise ValueError("a player of several codes has neither overlap nor loops")
        if not overlap and any(code.cycles > code.interval for code in codes):
            raise ValueError("without overlap, the words of a code lie in cycles 1 to its interval")
        for code in codes if self.looped else ():
            _check_loops(code, overlap, fetch, self._begin)
        self.control = ControlWord.of(word for code in codes for word in code.words)
        self.layout = data.StructLayout(self.widths)
        self._next_word = Signal(self.control.bits, name="next_word", reset_less=True)
        super().__init__({"start": In(1), **self._members()})

    def _members(self) -> Mapping[str, wiring.Member]:
        if self.overlap:
            return {name: Out(width) for name, width in self.widths.items()}
        if self.looped:
            return {"ready": Out(1), "word": Out(self.layout)}
        return {"kind": In(max(1, (len(self.codes) - 1).bit_length())), "word": Out(self.layout)}

    def coming(self, name: str) -> Value:
        """Read a field of the word of the next cycle, with `ahead`; it does not count where no word is active then."""
        return data.View(self.layout, self._next_word)[name] if name in self.widths else Const(0, 1)

    @property
    def widths(self) -> Mapping[str, int]:
        """Fields of a word and their widths in bits."""
        return self.control.widths

    def field(self, name: str) -> Value:
        """Read a field of the active word; 0 where no word has it."""
        if name not in self.widths:
            return Const(0, 1)
        return getattr(self, name) if self.overlap else self.word[name]

    @property
    def lanes(self) -> int:
        """Operations that can be active at once, with `overlap`."""
        return -(-(len(self.codes[0].words) + 1) // self.codes[0].interval)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.overlap:
            self._overlapping(m)
        elif self.looped:
            self._loop(m)
        else:
            self._one_of_several(m)
        return m

    def _word(self, word: Word) -> Const:
        return Const(self.control.pack(word), self.control.bits)

    # --- operations that overlap

    def _overlapping(self, m: Module) -> None:
        """Lanes take turns; their words are OR-ed and split into fields."""
        turn = Signal(range(self.lanes))  # the lane that takes the next operation
        with m.If(self.start):
            m.d.sync += turn.eq(Mux(turn == self.lanes - 1, 0, turn + 1))
        issued: Value = Const(0, self.control.bits)
        for lane in range(self.lanes):
            issued = issued | self._lane(m, lane, self.start & (turn == lane))
        low = 0
        for name, width in self.widths.items():
            m.d.comb += getattr(self, name).eq(issued[low : low + width])
            low += width

    def _lane(self, m: Module, lane: int, chosen: Value) -> Signal:
        """A counter and its ROM; the word read ahead is registered.

        A start reaches the word behind the ROM, not through it, as it comes late in its cycle.
        """
        code = self.codes[0]
        end = len(code.words) + 1  # words at 1 to end - 1, none at 0 and at the end
        rom = Array(self._word(word) for word in ({}, *code.words, {}))
        step = Signal(range(1, max(end, 2) + 1), init=end, name=f"step_{lane}")  # next word to issue
        word = Signal(self.control.bits, name=f"word_{lane}")
        m.d.sync += word.eq(Mux(chosen, rom[1], rom[step]))
        with m.If(chosen):
            m.d.sync += step.eq(min(2, end))
        with m.Elif(step < end):
            m.d.sync += step.eq(step + 1)
        return word

    # --- one of several, which do not overlap

    def _one_of_several(self, m: Module) -> None:
        """One counter and one memory with the words of all, a word of zeros behind those of each."""
        words: list[int] = []
        begins, ends = [], []
        for code in self.codes:
            begins.append(len(words))
            words += [self.control.pack(word) for word in code.words]
            ends.append(len(words))
            words.append(0)
        step = Signal(range(len(words)), init=ends[0])  # the word that follows; an end stays where it is
        first = Signal.like(step, init=0)
        m.d.comb += first.eq(Array(Const(at, len(first)) for at in begins)[self.kind])
        ended = Cat(step == end for end in ends).any()
        following: Value = first + 1
        if self.fetch:
            self._behind_memory(m, words, begins, Mux(self.start, following, step), self.start | ~ended)
            behind = (min(begin + 2, end) for begin, end in zip(begins, ends, strict=True))
            following = Array(Const(at, len(first)) for at in behind)[self.kind]
        else:
            rom = Array(Const(word, self.control.bits) for word in words)
            m.d.sync += self.word.as_value().eq(rom[Mux(self.start, first, step)])
        with m.If(self.start):
            m.d.sync += step.eq(following)
        with m.Elif(~ended):
            m.d.sync += step.eq(step + 1)

    def _behind_memory(self, m: Module, words: Sequence[int], begins: Sequence[int], at: Value, reads: Value) -> None:
        """The word read in the cycle before, or the first one of a code, in a register."""
        m.submodules.memory = store = memory.Memory(shape=self.control.bits, depth=len(words), init=words)
        port, follows = store.read_port(), Signal()
        firsts = Array(Const(words[begin], self.control.bits) for begin in begins)
        m.d.comb += [port.addr.eq(at), port.en.eq(1)]
        m.d.sync += [
            follows.eq(reads),
            self.word.as_value().eq(Mux(self.start, firsts[self.kind], Mux(follows, port.data, 0))),
        ]

    # --- loops

    def _loop(self, m: Module) -> None:
        """A memory that is read two cycles ahead, so that a long program takes no logic; with `fetch`, three.

        In the cycle of the last word, `at` is as far behind the program's end; the memory has words up to there.
        """
        code = self.codes[0]
        begin = self._begin
        at = Signal(range(len(code.words)), init=begin)
        depth = min(len(code.words) + begin + 1, 1 << len(at))  # where `at` wraps around, it reads the first words
        packed = [self.control.pack(word) for word in code.words]
        if self.fetch:
            self._fetch(m, at, [*packed, *[0] * (depth - len(packed))][:depth])
            return
        m.submodules.memory = store = memory.Memory(shape=self.control.bits, depth=depth, init=packed)
        port = store.read_port()
        rounds = [(loop, self._rounds(loop, number)) for number, loop in enumerate(code.loops)]
        playing = Signal()
        last = self.word[END]
        m.d.comb += [port.addr.eq(at), port.en.eq(self.start | playing), self.ready.eq(~playing)]
        first = self._word(code.words[0])
        m.d.sync += self.word.as_value().eq(Mux(self.start, first, Mux(playing & ~last, port.data, 0)))
        with m.If(playing & last):
            m.d.sync += [playing.eq(0), at.eq(begin)]
            m.d.sync += [left.eq(loop.count - 1) for loop, left in rounds]
        with m.Elif(port.en):
            m.d.sync += [playing.eq(1), at.eq(at + 1)]
            for loop, left in rounds:
                with m.If((at == loop.first + loop.length - 1) & (left != 0)):
                    m.d.sync += [at.eq(loop.first), left.eq(left - 1)]

    @staticmethod
    def _rounds(loop: Loop, number: int) -> Signal:
        """Rounds of a loop after this one."""
        return Signal(range(loop.count), init=loop.count - 1, name=f"left_{number}" if number else "left")

    def _fetch(self, m: Module, at: Signal, words: Sequence[int]) -> None:
        """The words behind the register of their memory."""
        playing, last = Signal(), self.word[END]
        m.d.comb += self.ready.eq(~playing)
        self._fetched(m, constant_words(m, at, words, self.control.bits, self.target), last, playing)
        if not self.shared:
            self._walk_ahead(m, at, self._begin, playing, last)
            return
        walk(m, at, self.codes[0].loops, self._begin, going=self.start | playing, ends=playing & last)
        with m.If(playing & last):
            m.d.sync += playing.eq(0)
        with m.Elif(self.start):
            m.d.sync += playing.eq(1)

    def _walk_ahead(self, m: Module, at: Signal, begin: int, playing: Signal, last: Value) -> None:
        """The address, with registers that say whether it is that of a loop's last word, and whether rounds follow."""
        loops = self.codes[0].loops
        ends = [loop.first + loop.length - 1 for loop in loops]
        at_end = [Signal(name=f"at_end_{k}", init=begin == end) for k, end in enumerate(ends)]
        rounds = [self._rounds(loop, k) for k, loop in enumerate(loops)]
        more = [Signal(name=f"more_{k}", init=loop.count > 1) for k, loop in enumerate(loops)]
        with m.If(playing & last):
            m.d.sync += [
                playing.eq(0),
                at.eq(begin),
                *(here.eq(begin == end) for here, end in zip(at_end, ends, strict=True)),
            ]
            for loop, left, follow in zip(loops, rounds, more, strict=True):
                m.d.sync += [left.eq(loop.count - 1), follow.eq(loop.count > 1)]
        with m.Elif(self.start | playing):
            m.d.sync += [playing.eq(1), at.eq(at + 1)]
            m.d.sync += [here.eq(at == end - 1) for here, end in zip(at_end, ends, strict=True)]
            for k, loop in enumerate(loops):
                with m.If(at_end[k] & more[k]):
                    m.d.sync += [at.eq(loop.first), rounds[k].eq(rounds[k] - 1), more[k].eq(rounds[k] != 1)]
                    m.d.sync += [here.eq(loop.first == end) for here, end in zip(at_end, ends, strict=True)]

    def _fetched(self, m: Module, fetched: Value, last: Value, playing: Value) -> None:
        """The active word, behind the register of the memory, whose output comes late in its cycle."""
        valid = Signal(self._begin)  # what is in the memory's output, and in `fetched`, is a word of this operation
        end = playing & last
        if self._ahead:
            m.d.sync += self._next_word.eq(fetched)
            fetched = self._next_word
        m.d.sync += [
            valid.eq(Mux(end, 0, Cat(self.start | playing, valid[:-1]))),
            self.word.as_value().eq(Mux(valid[-1] & ~last, fetched, 0)),
        ]


END = "end"
"""Field that the last word of a code with a loop has, and no other word."""


def _check_loops(code: Microcode, overlap: bool, fetch: bool, begin: int) -> None:
    """Refuse a code that `Player._loop` cannot issue."""
    last = len(code.words) - 1
    if overlap:
        raise ValueError("a code with a loop runs without overlap")
    if [k for k, word in enumerate(code.words) if END in word] != [last]:
        raise ValueError(f"of a code with a loop, the last word alone has the field {END!r}")
    if not all(begin < loop.first + loop.length <= last for loop in code.loops):
        raise ValueError("the loop of a code ends behind word 0 and before the last word")
    if fetch and any(any(word.values()) for word in code.words[:begin]):
        raise ValueError(f"the first {begin} words of a code that is fetched have no fields")


class PlayerGroup(wiring.Component):
    """Players of several codes, each run when it is started; no two of them set a field in the same cycle.

    Parameters
    ----------
    codes : mapping of str to Microcode

    Attributes
    ----------
    start_<code> : in
        The code starts: its first word is active in the next cycle.
    field_<name> : out
        Field of the active words of all codes.
    """

    def __init__(self, codes: Mapping[str, Microcode]) -> None:
        self.players = {name: Player(code) for name, code in codes.items()}
        self.control = ControlWord.of(word for code in codes.values() for word in code.words)
        starts = {f"start_{name}": In(1) for name in codes}
        super().__init__(starts | {f"field_{name}": Out(width) for name, width in self.widths.items()})

    def start(self, code: str) -> Signal:
        """Name the input that starts a code."""
        return getattr(self, f"start_{code}")

    @property
    def widths(self) -> Mapping[str, int]:
        """Fields of the words and their widths in bits."""
        return self.control.widths

    def field(self, name: str) -> Value:
        """Read a field of the active words; 0 where no word has it."""
        return getattr(self, f"field_{name}") if name in self.widths else Const(0, 1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, player in self.players.items():
            m.submodules[name] = player
            m.d.comb += player.start.eq(self.start(name))
        for name in dict.fromkeys(name for player in self.players.values() for name in player.widths):
            value: Value = Const(0, self.widths[name])
            for player in self.players.values():
                if name in player.widths:
                    value = value | player.field(name)
            m.d.comb += self.field(name).eq(value)
        return m
