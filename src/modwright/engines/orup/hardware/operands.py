# SPDX-License-Identifier: Apache-2.0
"""Memories with the operands of each slot: Y and m whole, X by digits. They are read in the cycle of their address.

Registers by cycle of an operation; an operand register gives N digits:

    cycle         register that holds the value from this cycle on
    j + 1         `o` of an operand register: the operand without its j lowest digits, j < N
    2             `slice_k` of Y and m: the word of the slot, written from `place_k`, which has the slot in cycle 1
    j + 2         `x_SLOT`: the digits of X up to j
    READ_X + 1    `digit_SLOT`: digit 0 of X; digit n in n·P cycles; with copies, 0 in the turns of other slots
    READ_Y + 1    `out` of Y, and `digit`, or `digit_copy_n`: Y and the digit of the slot of the cycle before
    READ_M + 1    `out` of m
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import WIDE, BlockMemory
from ....rtl.copies import copied
from ....rtl.turns import turns
from ..cycles import OPERANDS_READ
from ..interleaved import InterleavedParameters
from .waiting import SLICE

READ_X, READ_Y, READ_M = OPERANDS_READ - 3, OPERANDS_READ - 2, OPERANDS_READ - 1
"""Cycles in which the first digit, Y and m are read from their memories."""
BLOCKS = 2 * WIDE
"""Bits of a slice in block RAM."""
WIDE_SLICE = 2 * SLICE
"""Bits of an operand register that one flag controls."""


class OperandRegister(wiring.Component):
    """Register of an operand, which loads its input in every cycle until an operation comes in, and then gives a
    digit a cycle.

    Each slice counts the digits itself, as the net of one flag would be long; see `turns`.

    Parameters
    ----------
    width : int
        Bits of the operand.
    step : int
        Bits that leave in a cycle; 0 for an operand that does not shift.
    digits : int
        Number N, at least 2, of cycles after the first one in which the input is ignored.

    Attributes
    ----------
    start, entered : in
        Strobes: an operation comes in, or came in in the cycle before.
    i : in, width bits
    o : out, width bits
        The operand in the cycle of `entered`, a digit less in each of the N - 1 cycles after it.
    """

    def __init__(self, width: int, step: int, digits: int) -> None:
        self.width, self.step, self.digits = width, step, digits
        super().__init__({"start": In(1), "entered": In(1), "i": In(width), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        moved = self.o >> self.step
        for number, low in enumerate(range(0, self.width, WIDE_SLICE)):
            part = slice(low, min(low + WIDE_SLICE, self.width))
            idle = self._idle(m, number)
            m.d.sync += self.o[part].eq(Mux(idle, self.i[part], moved[part]))
        return m

    def _idle(self, m: Module, number: int) -> Signal:
        left = Signal(range(self.digits), name=f"left_{number}")  # N - 1 in cycle 2, 1 in cycle N
        idle = Signal(init=1, name=f"idle_{number}")
        m.d.sync += left.eq(Mux(self.entered, self.digits - 1, Mux(left == 0, 0, left - 1)))
        with m.If(self.start):
            m.d.sync += idle.eq(0)
        with m.Elif(left == 1):
            m.d.sync += idle.eq(1)
        return idle


class SlotWords(wiring.Component):
    """Memory of a word for each slot, in slices with their own address registers.

    A word is written in every cycle: without `start` before, to a place outside of the slots. So no enable is needed.

    Parameters
    ----------
    width : int
        Bits of a word.
    slots : int
        P.
    late : int
        Cycles from the start of an operation to the first one in which its word is read, at least 2; it is read again
        every P cycles.

    Attributes
    ----------
    start : in
        Strobe: the word of an operation is at `word` in the next cycle.
    word : in, width bits
    out : out, width bits
        Word of the slot of the cycle before.
    """

    def __init__(self, width: int, slots: int, late: int) -> None:
        self.width, self.slots, self.late = width, slots, late
        super().__init__({"start": In(1), "word": In(width), "out": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, low in enumerate(range(0, self.width, SLICE)):
            word = self.word[low : low + SLICE]
            m.submodules[f"slice_{number}"] = store = memory.Memory(shape=len(word), depth=self.slots + 1, init=[])
            write, read = store.write_port(), store.read_port(domain="comb")
            place = Signal(range(self.slots + 1), name=f"place_{number}")
            own = turns(m, self.slots, 0, f"slot_{number}")
            m.d.sync += [
                place.eq(Mux(self.start, own, self.slots)),
                self.out[low : low + SLICE].eq(read.data),
            ]
            m.d.comb += [
                write.en.eq(1),
                write.addr.eq(place),
                write.data.eq(word),
                read.addr.eq(turns(m, self.slots, self.late, f"turn_{number}")),
            ]
        return m


class BlockSlotWords(SlotWords):
    """The same in block RAM, which gets its address a cycle sooner."""

    def __init__(self, width: int, slots: int, late: int, target: str) -> None:
        super().__init__(width, slots, late)
        self.target = target

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, low in enumerate(range(0, self.width, BLOCKS)):
            word = self.word[low : low + BLOCKS]
            m.submodules[f"slice_{number}"] = store = BlockMemory(len(word), self.slots + 1, self.target)
            place = Signal(range(self.slots + 1), name=f"place_{number}")
            own = turns(m, self.slots, 0, f"slot_{number}")
            m.d.sync += place.eq(Mux(self.start, own, self.slots))
            m.d.comb += [
                store.write.eq(1),
                store.into.eq(place),
                store.word.eq(word),
                store.read.eq(turns(m, self.slots, self.late - 1, f"turn_{number}")),
                self.out[low : low + BLOCKS].eq(store.found),
            ]
        return m


class SlotOperands(wiring.Component):
    """Operands of the slots, written once an operation and read in the turn of the slot.

    An operation overwrites the previous one of its slot after its last reads: the last step of that one is P cycles
    before the first step of the next, and reads at most READ_M - P <= 0 cycles after the start of the next, which is
    written at the end of cycle 1.

    Attributes
    ----------
    start : in
        Strobe: an operation comes in; its slot is that of this cycle.
    y, m : in
        Operands of that operation, in the next cycle.
    put : in, a bit for each slot
        Strobes: a digit of X is written to its place.
    put_place : in
        Index of that digit, or of the pair of digits.
    x_digit : in, k bits, or as many more
    index : in
        Index of the digit of X that is read, in cycle READ_X of an operation.
    zero : in
        Whether the digit is 0, for any `index`.
    digit, y_word, m_word : out
        Digit of X and Y in cycle READ_Y + 1 of an operation and every P cycles from there, m in the cycles after these.

    Parameters
    ----------
    p : InterleavedParameters
    one_modulus : bool
        Whether all operations have the same m, which is then not stored.
    every_place : bool
        Whether the memory of digits has a place for each value of `index`, not for the N digits alone.
    target : str
        Device family whose block RAM holds Y; empty for a memory that is read in the cycle of its address.
    at_once : int
        Digits of X that are written in a cycle, 1 or 2.
    held : bool
        Whether m is written by a strobe of its own, `start_m`, and stays for the operations after that; `start` writes
        Y alone.
    copies : int
        Copies of the digit that is read, each for a stretch of the row.
    """

    def __init__(
        self,
        p: InterleavedParameters,
        *,
        one_modulus: bool = False,
        every_place: bool = False,
        target: str = "",
        at_once: int = 1,
        held: bool = False,
        copies: int = 1,
    ) -> None:
        self.p, self.one_modulus, self.every_place, self.target = p, one_modulus, every_place, target
        self.at_once, self.held, self.copies = at_once, held, copies
        super().__init__(
            {"start": In(1), "y": In(p.operand_bits), "m": In(p.n)}
            | ({"start_m": In(1)} if held else {})
            | {"put": In(p.slots), "put_place": In(range(-(-p.N // at_once))), "x_digit": In(p.k * at_once)}
            | {"index": In(range(p.N)), "zero": In(1)}
            | {"digit": Out(p.k * copies), "y_word": Out(p.operand_bits), "m_word": Out(p.n)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        words = (("y", self.y, READ_Y, self.y_word), ("m", self.m, READ_M, self.m_word))
        if self.one_modulus:
            m.d.comb += self.m_word.eq(self.m)
        for name, value, late, out in words[: 1 if self.one_modulus else 2]:
            store = BlockSlotWords(len(value), p.slots, late, self.target) if self.target else None
            store = store or SlotWords(len(value), p.slots, late)
            m.submodules[name] = store
            start = self.start_m if self.held and name == "m" else self.start
            m.d.comb += [store.start.eq(start), store.word.eq(value), out.eq(store.out)]
        digits = [self._digits(m, slot) for slot in range(p.slots)]
        if self.copies > 1:
            m.d.comb += self.digit.eq(Cat(self._copy(m, digits, number) for number in range(self.copies)))
            return m
        with m.Switch(turns(m, p.slots, READ_X + 1, "turn")):
            for slot, digit in enumerate(digits):
                with m.Case(slot):
                    m.d.sync += self.digit.eq(digit)
        return m

    def _copy(self, m: Module, digits: list[Value], number: int) -> Value:
        """A copy of the digit of the slot whose turn it is: of one of them, as those of the others are 0."""
        return copied(m, reduce(or_, digits), self.p.target, f"digit_copy_{number}", reset=False)

    def _cleared(self, m: Module, slot: int) -> Value:
        """Whether the digit of a slot is 0 in the next cycle: with copies, also in the turns of the others."""
        if self.copies == 1:
            return self.zero
        return self.zero | (turns(m, self.p.slots, READ_X, f"turn_{slot}") != slot)

    def _digits(self, m: Module, slot: int) -> Value:
        """The digit of a slot: a separate memory, with a register between it and the choice.

        `index` counts beyond the N digits of X, and while the slot is empty; words that are read then are ignored.
        """
        p = self.p
        depth = 1 << len(self.index) if self.every_place else p.N
        two = self.at_once == 2
        shape, depth = (2 * p.k, -(-depth // 2)) if two else (p.k, depth)
        m.submodules[f"x_{slot}"] = store = memory.Memory(shape=shape, depth=depth, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        digit = Signal(p.k, name=f"digit_{slot}", reset_less=True)
        m.d.comb += [
            write.en.eq(self.put[slot]),
            write.addr.eq(self.put_place),
            write.data.eq(self.x_digit),
            read.addr.eq(self.index[1:] if two else self.index),
        ]
        found = Mux(self.index[0], read.data[p.k :], read.data[: p.k]) if two else read.data
        with m.If(self._cleared(m, slot)):
            m.d.sync += digit.eq(0)
        with m.Else():
            m.d.sync += digit.eq(found)
        return digit
