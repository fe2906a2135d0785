# SPDX-License-Identifier: Apache-2.0
"""Streams of a core: payload layouts, admission of operations, and the queue that makes back-pressure safe.

A core's pipeline never stalls. An operation is admitted only when a place for its result is free, so every
result finds room and the latency is the schedule's under any pattern of stalls.

Registers, counted from the cycle of the strobe:

    cycle               register that holds the value from this cycle on
    1, after `admit`    `held`: operations in the core; `free`: there is room for one more; `wait` or `blocked`: its
                        distance; `opens`: an operation may come in
    1, after `push`     `memory`, or `o.payload` where there is one place: the result; `filled`; `o.valid`
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ..contract import Field, Payload


def layout(payload: Payload) -> data.StructLayout:
    """The Amaranth layout of a payload, bit for bit that of `Payload.pack`."""
    return data.StructLayout({field.name: shape_of(field) for field in payload.fields})


def shape_of(field: Field) -> int | data.ArrayLayout:
    """Bits of a field of one element; the layout of one of several."""
    return field.width if field.count == 1 else data.ArrayLayout(field.width, field.count)


def core_members(i: Payload, o: Payload) -> dict[str, wiring.Member]:
    """The two streams of every core."""
    return {"i": In(stream.Signature(layout(i))), "o": Out(stream.Signature(layout(o)))}


def places(latency: int, interval: int) -> int:
    """Results that can be in flight at once: with that number of places, admission never waits for a free reader.

    An operation admitted in cycle s holds its place through cycle s + latency, so in cycle s' the earlier
    ones that still hold a place are those with s' - s ≤ latency: floor(latency / interval) of them.
    """
    return latency // interval + 1


class Admission(wiring.Component):
    """Admission of operations at least `interval` cycles apart, while a place for the result is free.

    Parameters
    ----------
    interval : int
        Least distance between two admissions.
    capacity : int
        Places for results.
    forbidden : set of int
        Distances above the interval that are not allowed either; held in a shift register (collision vector).

    Attributes
    ----------
    ready : out
        An operation can be admitted in this cycle; depends on registers only.
    admit : in
        An operation is admitted in this cycle (the transfer of the input stream).
    release : in
        A result leaves in this cycle (the transfer of the output stream).
    """

    def __init__(self, interval: int, capacity: int, forbidden: frozenset[int] = frozenset()) -> None:
        self.interval, self.capacity, self.forbidden = interval, capacity, forbidden
        super().__init__({"ready": Out(1), "admit": In(1), "release": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.ready.eq(_room(m, self.capacity, self.admit, self.release) & self._rested(m))
        return m

    def _rested(self, m: Module) -> Value:
        if self.forbidden:
            return self._collision_vector(m)
        if self.interval == 1:
            return Const(1)
        wait = Signal(range(self.interval))  # cycles until the next operation may be admitted
        rested = Signal(init=1)  # wait == 0
        with m.If(self.admit):
            m.d.sync += [wait.eq(self.interval - 1), rested.eq(0)]
        with m.Elif(~rested):
            m.d.sync += [wait.eq(wait - 1), rested.eq(wait == 1)]
        return rested

    def _collision_vector(self, m: Module) -> Value:
        """Bit d of the register: no admission in d cycles from now."""
        blocked = Signal(max(self.forbidden))
        m.d.sync += blocked.eq(self._blocks(blocked))
        return ~blocked[0]

    def _blocks(self, blocked: Value) -> Value:
        """The register of the next cycle."""
        distances = self.forbidden | set(range(1, self.interval))
        vector = sum(1 << (distance - 1) for distance in distances)
        return (blocked >> 1) | Mux(self.admit, vector, 0)


class RegisteredAdmission(Admission):
    """The same admission with `ready` as a register, from which few levels of logic are left to what an operation
    starts."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        held = Signal(range(self.capacity + 1))
        free = Signal(init=1)
        opens = Signal(init=1)
        room = Signal()
        rests = self._rests(m)
        m.d.comb += [
            self.ready.eq(opens),
            room.eq(self.release | Mux(self.admit, held + 1 < self.capacity, free)),  # a release finds one held
        ]
        m.d.sync += [held.eq(held + self.admit - self.release), free.eq(room), opens.eq(room & rests)]
        return m

    def _rests(self, m: Module) -> Value:
        """Whether an operation may be admitted in the next cycle, by its distance from those before."""
        if self.forbidden:
            blocked = Signal(max(self.forbidden))
            after = Signal.like(blocked)
            m.d.comb += after.eq(self._blocks(blocked))
            m.d.sync += blocked.eq(after)
            return ~after[0]
        if self.interval == 1:
            return Const(1)
        wait = Signal(range(self.interval))
        rested = Signal(init=1)
        rests = Signal()
        m.d.comb += rests.eq(~self.admit & (rested | (wait == 1)))
        m.d.sync += [wait.eq(Mux(self.admit, self.interval - 1, wait - 1)), rested.eq(rests)]
        return rests


class BurstAdmission(wiring.Component):
    """Admission of operations in pairs: the second one `distance` cycles after the first, or not at all, and the next
    first one `interval` cycles after this one, or later.

    Attributes are those of `Admission`.
    """

    def __init__(self, interval: int, distance: int, capacity: int) -> None:
        self.interval, self.distance, self.capacity = interval, distance, capacity
        super().__init__({"ready": Out(1), "admit": In(1), "release": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        since = Signal(range(self.interval))  # cycles from the first one; 0 when another first one may come
        open_ = Signal(init=1)  # `since` is 0 or `distance`
        after = Signal.like(since)
        m.d.comb += after.eq(Mux(since == self.interval - 1, 0, since + ((since != 0) | self.admit)))
        m.d.sync += [since.eq(after), open_.eq((after == 0) | (after == self.distance))]
        m.d.comb += self.ready.eq(_room(m, self.capacity, self.admit, self.release) & open_)
        return m


def _room(m: Module, capacity: int, admit: Value, release: Value) -> Value:
    """Whether a place for one more result is free: a register."""
    held = Signal(range(capacity + 1))  # operations admitted and not yet released
    free = Signal(init=1)  # held < capacity
    count = Signal.like(held)
    m.d.comb += count.eq(held + admit - release)
    m.d.sync += [held.eq(count), free.eq(count < capacity)]
    return free


class ResultQueue(wiring.Component):
    """Queue of results that wait for their reader; a result pushed in cycle t is valid on `o` in cycle t + 1.

    Whatever pushes ensures that there is room (see `Admission`).

    Parameters
    ----------
    payload : Payload
        Payload of the output stream.
    depth : int
        Places, at least 1. From 2 on they are a memory with asynchronous read (LUT RAM on an FPGA).
    """

    def __init__(self, payload: Payload, depth: int) -> None:
        self.depth = depth
        shape = layout(payload)
        super().__init__({"push": In(1), "data": In(shape), "o": Out(stream.Signature(shape)), "taken": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.taken.eq(self.o.valid & self.o.ready)
        if self.depth == 1:
            self._elaborate_register(m)
        else:
            self._elaborate_memory(m)
        return m

    def _elaborate_register(self, m: Module) -> None:
        with m.If(self.push):
            m.d.sync += [self.o.payload.eq(self.data), self.o.valid.eq(1)]
        with m.Elif(self.taken):
            m.d.sync += self.o.valid.eq(0)

    def _elaborate_memory(self, m: Module) -> None:
        bits = len(self.data.as_value())
        m.submodules.memory = store = memory.Memory(shape=bits, depth=self.depth, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        filled = Signal(range(self.depth + 1))  # results waiting
        count = Signal.like(filled)
        m.d.comb += [
            write.en.eq(self.push),
            write.data.eq(self.data),
            self.o.payload.eq(read.data),
            count.eq(filled + self.push - self.taken),
        ]
        m.d.sync += [filled.eq(count), self.o.valid.eq(count != 0)]
        for port, step in ((write, self.push), (read, self.taken)):
            with m.If(step):
                m.d.sync += port.addr.eq(Mux(port.addr == self.depth - 1, 0, port.addr + 1))
