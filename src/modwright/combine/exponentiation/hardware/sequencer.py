# SPDX-License-Identifier: Apache-2.0
"""One exponentiation: registers, limb unit, table, and a state for each instruction of the program.

Which state follows depends on the exponent in the methods that say so, and on nothing else: the ladder and the window
move data by the exponent's bits, never the control.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..parameters import STREAM, ModexpParameters
from ..plan.program import (
    BACK,
    ONE,
    A,
    B,
    Both,
    Instruction,
    Label,
    Look,
    Loop,
    Multiply,
    Pass,
    Program,
    Rest,
    Set,
    Skip,
    V,
    Wait,
    places_of,
)
from .unit import LimbUnit, strobes

IDLE, DONE = "idle", "done"


class Sequencer(wiring.Component):
    """One exponentiation at a time.

    Attributes
    ----------
    start : in
        The operands are at the inputs in this cycle; only while not `busy`.
    base, exponent, m, square, unit, inverse : in
        The operands; the last four where the payload has them.
    busy : out
        From the cycle after `start` to that of `take`.
    finished : out
        The result is at `z` and `error`, until `take`.
    take : in
        The result leaves in this cycle.
    issue_k, ready_k : out, in
        A product for multiplier k is at `x_k`, `y_k`; it is taken in a cycle with both.
    done_k : in
        Its result is at `z_k`, `error_k` in this cycle.
    reduces_by, held_m : out
        2^-k modulo M, or M, and M; with a runtime modulus.
    held_inverse : out
        -M^-1 mod 2^w, where the multiplier takes it.
    """

    control: list[Signal]
    """Signals that say what happens in a cycle, once the engine is elaborated: alike for all operands of window and
    ladder."""

    def __init__(self, p: ModexpParameters, program: Program) -> None:
        self.p, self.program, self.places = p, program, places_of(program)
        w, e = p.multiplier.width, p.multiplier.error.width
        members: dict[str, Any] = {"start": In(1), "busy": Out(1), "finished": Out(1), "take": In(1)}
        members |= {"base": In(p.base.width), "exponent": In(p.exponent_bits)}
        members |= {name: In(p.n) for name in ("m", "square", "unit") if name in p.i.offsets}
        members |= {"inverse": In(p.inverse)} if "inverse" in p.i.offsets else {}
        members |= {"z": Out(p.n if p.multiplier.domain else w), "error": Out(e)}
        for k in range(p.ports):
            members |= {f"issue_{k}": Out(1), f"ready_{k}": In(1), f"x_{k}": Out(w), f"y_{k}": Out(w)}
            members |= {f"done_{k}": In(1), f"z_{k}": In(w), f"error_{k}": In(e)}
        if p.multiplier.domain:
            members |= {"reduces_by": Out(p.n), "held_m": Out(p.n)}
            members |= {"held_inverse": Out(p.inverse)} if p.inverse else {}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        w = p.multiplier.width
        self._a, self._b = Signal(w, name="A"), Signal(w, name="B")
        self._e = Signal(p.exponent_places, name="exponent_left")
        self._count = Signal(max((1, *self._counts())).bit_length(), name="count")
        self._issued, self._got = Signal(2, name="issued"), Signal(2, name="got")  # of the products of an instruction
        self._look = Signal(name="look")
        self._v: Value = Const(0, w)
        if p.multiplier.domain:
            m.submodules.limbs = self._unit = LimbUnit(p, self.program, max(w, p.n))
            self._v = self._unit.v
            self._modulus(m)
        self._table(m)
        self._collect_errors(m)
        self.control = [self.issue_0, self.done_0, self._issued, self._got, self._look, self._count, self.finished]
        if p.multiplier.domain:
            self.control += [self._unit.go, self._unit.busy, self._unit.load]
        with m.FSM(init=IDLE):
            self._idle(m)
            for at, instruction in enumerate(self.program):
                if not isinstance(instruction, Label):
                    self._state(m, at, instruction)
            with m.State(DONE):
                m.d.comb += self.finished.eq(1)
                with m.If(self.take):
                    m.d.sync += self.busy.eq(0)
                    m.next = IDLE
        m.d.comb += self.z.eq(Mux(self.error == 0, self._v if p.multiplier.domain else self._a, 0))
        return m

    # --- registers

    def _counts(self) -> list[int]:
        return [one.count for one in self.program if isinstance(one, Set) and one.count is not None]

    def _register(self, name: str) -> Value:
        """A register or constant as an operand."""
        constants = {ONE: 1, BACK: 1 << self.p.guard}
        if name in constants:
            return Const(constants[name], self.p.multiplier.width)
        return {A: self._a, B: self._b, V: self._v}[name]

    def _write(self, m: Module, name: str, value: Value) -> None:
        if name == V:
            m.d.comb += [self._unit.load.eq(1), self._unit.value.eq(value)]
        else:
            m.d.sync += self._register(name).eq(value)

    @property
    def _bit(self) -> Value:
        """The exponent's next bit."""
        return self._e[0] if self.p.from_right else self._e[-1]

    def _shift(self, m: Module, places: int) -> None:
        if places:
            m.d.sync += self._e.eq(self._e >> places if self.p.from_right else self._e << places)

    def _modulus(self, m: Module) -> None:
        """M, and what follows from it: 2^-k modulo M and -M^-1 from the limb unit or the stream."""
        p, unit = self.p, self._unit
        m.d.comb += [self.held_m.eq(unit.held_m), unit.start.eq(self.start), unit.m.eq(self.m)]
        if p.inverse and p.constants == STREAM:
            self._inverse = Signal(p.inverse, name="inverse_register")
            m.d.comb += self.held_inverse.eq(self._inverse)
        elif p.inverse:
            m.d.comb += self.held_inverse.eq(unit.inverse)
        if not p.scaled:
            m.d.comb += self.reduces_by.eq(unit.held_m)
            return
        self._reduces_by = Signal(p.n, name="reduces_by_register")
        m.d.comb += self.reduces_by.eq(self._reduces_by)

    def _collect_errors(self, m: Module) -> None:
        """The first error of any product stays."""
        seen = [Mux(getattr(self, f"done_{k}"), getattr(self, f"error_{k}"), 0) for k in range(self.p.ports)]
        with m.If(self.start):
            m.d.sync += self.error.eq(0)
        with m.Elif(self.error == 0):
            first = seen[0] if len(seen) == 1 else Mux(seen[0] != 0, seen[0], seen[1])
            m.d.sync += self.error.eq(first)

    def _table(self, m: Module) -> None:
        """Powers of the base; a look-up reads every entry and keeps, by a mask, the one that the digit names."""
        p = self.p
        if p.window == 1 and not any(isinstance(one, Look) for one in self.program):
            return
        entries, w = 1 << p.window, p.multiplier.width
        m.submodules.table = table = memory.Memory(shape=w, depth=entries, init=[])
        write, read = table.write_port(), table.read_port()
        self._store = write.en
        place, address = Signal(range(entries)), Signal(range(entries + 1))
        reading, chosen = Signal(), Signal()  # an entry is being read; the one at `read.data` is the digit's
        m.d.comb += [write.addr.eq(place), write.data.eq(self._a), read.addr.eq(address), read.en.eq(1)]
        m.d.sync += chosen.eq(reading & (address == self._e[-p.window :]))
        with m.If(self.start):
            m.d.sync += place.eq(0)
        with m.Elif(write.en):
            m.d.sync += place.eq(place + 1)
        with m.If(self._look):
            m.d.sync += [reading.eq(1), address.eq(0), self._b.eq(0)]
        with m.Elif(reading):
            m.d.sync += [
                self._b.eq(self._b | (read.data & chosen.replicate(w))),
                address.eq(address + 1),
                reading.eq(address != entries),
            ]
        self._looking = reading

    # --- states

    def _idle(self, m: Module) -> None:
        p = self.p
        with m.State(IDLE), m.If(self.start):
            m.d.sync += [self.busy.eq(1), self._b.eq(self.base), self._e.eq(self.exponent)]
            if p.multiplier.domain is None:
                m.d.sync += self._a.eq(p.multiplier.one)
            elif p.constants == STREAM:
                self._write(m, V, self.square)
                if p.scaled:
                    m.d.sync += self._reduces_by.eq(self.unit)
                if p.inverse:
                    m.d.sync += self._inverse.eq(self.inverse)
            m.next = self._name(0)

    def _name(self, at: int) -> str:
        """State of the instruction at or behind a place."""
        program = self.program
        while at < len(program) and isinstance(program[at], Label):
            at += 1
        return f"{at}_{type(program[at]).__name__.lower()}" if at < len(program) else DONE

    def _at(self, label: str) -> str:
        return self._name(self.places[label])

    def _state(self, m: Module, at: int, instruction: Instruction) -> None:
        then = self._name(at + 1)
        if isinstance(instruction, Pass):
            self._pass(m, at, instruction, then)
            return
        with m.State(self._name(at)):
            match instruction:
                case Multiply():
                    self._multiply(m, instruction, then)
                case Both():
                    self._both(m, instruction, then)
                case Set():
                    self._set(m, instruction)
                    m.next = then
                case Look():
                    m.d.comb += self._look.eq(1)
                    m.next = then
                case Wait():
                    with m.If(~self._looking):
                        m.next = then
                case Skip():
                    self._skip(m, instruction, then)
                case Rest():
                    m.next = self._at(instruction.end)
                    with m.If(self._e.any()):
                        m.next = then
                case Loop():
                    self._loop(m, instruction, then)

    def _pass(self, m: Module, at: int, one: Pass, then: str) -> None:
        unit, waiting = self._unit, f"{self._name(at)}_wait"
        double, halve = strobes(one.operation)
        with m.State(self._name(at)):
            m.d.comb += [
                unit.go.eq(1),
                unit.count.eq(one.count),
                unit.fresh.eq(one.fresh),
                unit.double.eq(double),
                unit.halve.eq(halve),
            ]
            m.next = waiting
        with m.State(waiting), m.If(~unit.busy):
            m.next = then

    def _set(self, m: Module, one: Set) -> None:
        if one.store:
            m.d.comb += self._store.eq(1)
        if one.copy and one.copy[0] == "m":
            m.d.sync += self._reduces_by.eq(self._v)
        elif one.copy:
            self._write(m, one.copy[0], self._register(one.copy[1]))
        if one.swap:
            self._swap(m, self._bit)
        if one.count is not None:
            m.d.sync += self._count.eq(one.count)
        self._shift(m, one.shift)

    def _swap(self, m: Module, condition: Value) -> None:
        m.d.sync += [self._a.eq(Mux(condition, self._b, self._a)), self._b.eq(Mux(condition, self._a, self._b))]

    def _skip(self, m: Module, skip: Skip, then: str) -> None:
        with m.If(self._bit):
            m.next = then
        with m.Else():
            m.d.sync += self._count.eq(self._count - 1)
            self._shift(m, 1)
            with m.If(self._count == 1):
                m.next = self._at(skip.end)

    def _loop(self, m: Module, loop: Loop, then: str) -> None:
        if loop.store:
            m.d.comb += self._store.eq(1)
        if loop.swap:
            following = self._e[-2] if self.p.exponent_places > 1 else Const(0, 1)
            self._swap(m, self._bit ^ following)
        self._shift(m, loop.shift)
        m.next = self._at(loop.back)
        if loop.counted:
            m.d.sync += self._count.eq(self._count - 1)
            with m.If(self._count == 1):
                m.next = then

    # --- products

    def _offer(self, m: Module, port: int, wanted: Value, operands: Sequence[Value]) -> Value:
        """A product at a port; whether it is taken in this cycle."""
        issue = getattr(self, f"issue_{port}")
        m.d.comb += [issue.eq(wanted), getattr(self, f"x_{port}").eq(operands[0])]
        m.d.comb += getattr(self, f"y_{port}").eq(operands[1])
        return issue & getattr(self, f"ready_{port}")

    def _operands(self, one: Multiply) -> list[Value]:
        return [self._register(one.x), self._register(one.y)]

    def _finish(self, m: Module, then: str) -> None:
        m.d.sync += [self._issued.eq(0), self._got.eq(0)]
        m.next = then

    def _multiply(self, m: Module, one: Multiply, then: str) -> None:
        left_out = ~self._bit if one.when_bit else Const(0, 1)
        taken = self._offer(m, 0, ~self._issued[0] & ~left_out, self._operands(one))
        with m.If(taken):
            m.d.sync += self._issued[0].eq(1)
            if one.look:
                m.d.comb += self._look.eq(1)
        with m.If(self.done_0):
            self._write(m, one.to, self.z_0)
            self._finish(m, then)
        if one.when_bit:
            with m.If(left_out):
                m.next = then

    def _both(self, m: Module, both: Both, then: str) -> None:
        wanted = self._bit if both.second.when_bit else Const(1, 1)
        if self.p.ports == 2:
            self._side_by_side(m, both, wanted, then)
        else:
            self._in_turn(m, both, wanted, then)

    def _side_by_side(self, m: Module, both: Both, wanted: Value, then: str) -> None:
        ended: list[Value] = []
        for k, (one, condition) in enumerate(((both.first, Const(1, 1)), (both.second, wanted))):
            with m.If(self._offer(m, k, condition & ~self._issued[k], self._operands(one))):
                m.d.sync += self._issued[k].eq(1)
            done = getattr(self, f"done_{k}")
            with m.If(done):
                self._write(m, one.to, getattr(self, f"z_{k}"))
                m.d.sync += self._got[k].eq(1)
            ended.append(self._got[k] | done | ~condition)
        with m.If(ended[0] & ended[1]):
            self._finish(m, then)

    def _in_turn(self, m: Module, both: Both, wanted: Value, then: str) -> None:
        """Through one multiplier, the first one first; its results come in that order."""
        second = self._issued[0]
        pairs = zip(self._operands(both.second), self._operands(both.first), strict=True)
        operands = [Mux(second, later, first) for later, first in pairs]
        with m.If(self._offer(m, 0, ~second | (wanted & ~self._issued[1]), operands)):
            m.d.sync += self._issued.eq(Cat(Const(1, 1), second))
        with m.If(self.done_0):
            m.d.sync += self._got[0].eq(1)
            with m.If(self._got[0]):
                self._write(m, both.second.to, self.z_0)
                self._finish(m, then)
            with m.Else():
                self._write(m, both.first.to, self.z_0)
                with m.If(~wanted):
                    self._finish(m, then)
