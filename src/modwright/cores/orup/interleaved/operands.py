# SPDX-License-Identifier: Apache-2.0
"""Memories with the operands of each slot: Y and m whole, X by digits. They are read in the cycle of their address."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .parameters import InterleavedParameters


class SlotOperands(wiring.Component):
    """Operands of the slots, written once an operation and read in the turn of the slot.

    An operation is written over the one before in its slot, whose last reads lie before: those of its last step are at
    least FIRST - 1 - P <= 0 cycles from the start, the first write takes effect after cycle 1.

    Attributes
    ----------
    store : in
        Y and m are written, to `place`.
    place : in
        Slot of the operation that is written.
    y, m : in
    put : in, a bit for each slot
        A digit of X is written to its place.
    put_place : in
        Number of that digit.
    x_digit : in, k bits
    turn : in
        Slot whose digit is read, one cycle after `index`; Y of the slot of `turn` is read in the same cycle, m in the
        cycle after.
    index : in
        Number of the digit of X that is read for the slot of the next `turn`.
    zero : in
        The digit is 0, and `index` does not count.
    digit, y_word, m_word : out
        Digit and Y, in the cycle after that of `turn`, and m, one cycle later.
    """

    def __init__(self, p: InterleavedParameters) -> None:
        self.p = p
        super().__init__(
            {"store": In(1), "place": In(range(p.slots)), "y": In(p.operand_bits), "m": In(p.n)}
            | {"put": In(p.slots), "put_place": In(range(p.N)), "x_digit": In(p.k)}
            | {"turn": In(range(p.slots)), "index": In(range(p.N)), "zero": In(1)}
            | {"digit": Out(p.k), "y_word": Out(p.operand_bits), "m_word": Out(p.n)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        turn = Signal(range(p.slots))
        m.d.sync += turn.eq(self.turn)
        words = ((self.y, self.turn, self.y_word, "y"), (self.m, turn, self.m_word, "m"))
        for value, place, result, name in words:
            m.submodules[name] = store = memory.Memory(shape=len(value), depth=p.slots, init=[])
            write, read = store.write_port(), store.read_port(domain="comb")
            m.d.comb += [
                write.en.eq(self.store),
                write.addr.eq(self.place),
                write.data.eq(value),
                read.addr.eq(place),
            ]
            m.d.sync += result.eq(read.data)
        self._choose_digit(m, [self._digits(m, slot) for slot in range(p.slots)])
        return m

    def _digits(self, m: Module, slot: int) -> Value:
        """The digit of a slot: a memory of its own, with a register behind, in front of the choice."""
        p = self.p
        m.submodules[f"x_{slot}"] = store = memory.Memory(shape=p.k, depth=p.N, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        digit = Signal(p.k, name=f"digit_{slot}", reset_less=True)
        m.d.comb += [
            write.en.eq(self.put[slot]),
            write.addr.eq(self.put_place),
            write.data.eq(self.x_digit),
            read.addr.eq(self.index),
        ]
        with m.If(self.zero):
            m.d.sync += digit.eq(0)
        with m.Else():
            m.d.sync += digit.eq(read.data)
        return digit

    def _choose_digit(self, m: Module, digits: list[Value]) -> None:
        with m.Switch(self.turn):
            for slot, digit in enumerate(digits):
                with m.Case(slot):
                    m.d.sync += self.digit.eq(digit)
