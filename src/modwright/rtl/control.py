# SPDX-License-Identifier: Apache-2.0
"""Streams around a data path that runs by a schedule.

Registers of `rounds` and `ring`, counted from the cycle of `load`; v values a round:

    cycle               register that holds the value from this cycle on
    1                   `NAME_k` of `rounds`: value k, k >= v; of `ring`: in unit k, value k + v, modulo their number
    1, after `shift`    the same of the round after
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from ..contract import Field, Payload
from ..contract.roles import Coefficients, Operand, Residues, Result
from ..schedule import Schedule
from .streams import Admission, BurstAdmission, ResultQueue, core_members, places, shape_of


class ScheduledCore(wiring.Component):
    """A core that admits operations by a schedule, and has a place for the result of each one that can be in flight.

    Parameters
    ----------
    i, o : Payload
        Payloads of the streams.
    schedule : Schedule
        The schedule; also that of the core where it is a part of another one.
    """

    def __init__(self, i: Payload, o: Payload, schedule: Schedule) -> None:
        self.payload_i, self.payload_o, self.schedule = i, o, schedule
        super().__init__(core_members(i, o))


class StreamCore(ScheduledCore):
    """A data path behind admission, with a queue for its results.

    Parameters
    ----------
    i, o : Payload
        Payloads of the streams.
    schedule : Schedule
        Schedule of the data path; sets interval, forbidden distances and the depth of the queue.
    datapath : Component
        Data path with `start` (in: the operands are at the inputs in this cycle), an input for each field of `i`,
        `done` (out: the result is at the outputs in this cycle, the one before the schedule's latency) and an output
        for each field of `o`, but for those that are 0 by their bound.
    """

    def __init__(self, i: Payload, o: Payload, schedule: Schedule, datapath: wiring.Component) -> None:
        super().__init__(i, o, schedule)
        self.datapath = datapath

    def elaborate(self, platform: object) -> Module:
        m = Module()
        s, path = self.schedule, self.datapath
        capacity = in_flight(s)
        if s.burst > 1:
            admission: Admission | BurstAdmission = BurstAdmission(s.interval, s.burst_distance, capacity)
        else:
            admission = Admission(s.interval, capacity, s.forbidden)
        m.submodules.admission = admission
        m.submodules.queue = queue = ResultQueue(self.payload_o, capacity)
        m.submodules.datapath = path
        m.d.comb += [
            self.i.ready.eq(admission.ready),
            admission.admit.eq(self.i.valid & admission.ready),
            admission.release.eq(queue.taken),
            path.start.eq(admission.admit),
            queue.push.eq(path.done),
        ]
        for field in self.payload_i.fields:
            m.d.comb += getattr(path, field.name).eq(getattr(self.i.p, field.name))
        for field in self.payload_o.fields:
            always_0 = field.limit == 1 and field.name not in path.signature.members
            m.d.comb += getattr(queue.data, field.name).eq(0 if always_0 else getattr(path, field.name))
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        return m


def in_flight(schedule: Schedule) -> int:
    """Operations whose results can be in flight at once: those of a burst for each interval."""
    return schedule.burst * places(schedule.latency, schedule.interval)


def datapath_members(i: Payload, o: Payload) -> dict[str, Member]:
    """Ports of a data path between `i` and `o`: `start`, operands, `done`, and results but for those always 0.

    Residues are an array, of one element as well, so that a data path of one channel reads them as any other does.
    """
    operands = {field.name: In(_port(field)) for field in i.fields}
    results = {field.name: Out(_port(field)) for field in o.fields if field.limit > 1}
    return {"start": In(1), **operands, "done": Out(1), **results}


def _port(field: Field) -> int | data.ArrayLayout:
    residues = isinstance(field.role, Operand | Result) and isinstance(field.role.domain, Residues | Coefficients)
    return data.ArrayLayout(field.width, field.count) if residues else shape_of(field)


def rounds(
    m: Module, fresh: Sequence[Value], width: int, per_round: int, *, load: Value, shift: Value, name: str
) -> list[Value]:
    """Values that come at once and leave `per_round` at a time.

    The first round passes through in the cycle of `load`; a shift register keeps the others for the cycles of `shift`
    that follow. A round that is not full is filled up with zeros.
    """
    fill = -len(fresh) % per_round
    values = [*fresh, *[Const(0, width)] * fill]
    if len(values) == per_round:
        return values
    kept = [Signal(width, name=f"{name}_{index}") for index in range(per_round, len(values))]
    for index, register in enumerate(kept):
        after = kept[index + per_round] if index + per_round < len(kept) else Const(0, width)
        m.d.sync += register.eq(Mux(load, values[index + per_round], Mux(shift, after, register)))
    return [Mux(load, values[index], kept[index]) for index in range(per_round)]


def ring(
    m: Module, fresh: Sequence[Value], per_round: int, *, load: Sequence[Value], shift: Sequence[Value], name: str
) -> list[list[Value]]:
    """Values that come at once, one from each unit, and pass all units in turn, each from its neighbour.

    Unit j has values j to j + per_round - 1 in the first round, the next `per_round` ones in the one after, and so on,
    modulo their number. The first round passes through in the cycle of `load`; in a cycle of `load` or `shift` the
    registers take the next one. Both have one copy for each unit, so that every wire is short.
    """
    count = len(fresh)
    if count <= per_round:
        return [[fresh[(unit + n) % count] for n in range(per_round)] for unit in range(count)]
    held = [Signal(len(value), name=f"{name}_{unit}") for unit, value in enumerate(fresh)]
    for unit, register in enumerate(held):
        after = (unit + per_round) % count
        with m.If(load[unit]):
            m.d.sync += register.eq(fresh[after])
        with m.Elif(shift[unit]):
            m.d.sync += register.eq(held[after])
    return [
        [Mux(load[unit], fresh[(unit + n) % count], held[(unit + n) % count]) for n in range(per_round)]
        for unit in range(count)
    ]
