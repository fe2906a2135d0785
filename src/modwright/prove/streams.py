# SPDX-License-Identifier: Apache-2.0
"""Proof that the streams keep the schedule, under any pattern of stalls, for all time.

A monitor next to the core sees nothing but the handshakes. Payload outputs are left open, so that the logic that
computes them is removed and the core's control remains.
"""

from __future__ import annotations

from amaranth.hdl import ClockDomain, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..rtl.streams import places
from ..schedule import Schedule
from .abc import Bench
from .proof import Verdict

PROPERTIES = (("o_valid_late_or_early", "o_valid_late_or_early_by_ages"), ("i_ready_wrong", "i_ready_wrong_by_count"))
"""Outputs of the monitor by property: the core is compared with two equivalent references."""

LONGEST_REGISTER = 512
"""Cycles that a reference counts in a shift register; counters take over where that would be longer."""

HANDSHAKES = ("i_ready", "o_valid")
"""Outputs of the core that a monitor passes on."""


class Monitor(wiring.Component):
    """A core with free inputs, and the required values of its handshakes.

    The reference for results is the schedule alone: an operation admitted in cycle t falls due in cycle t + latency,
    and `done` counts those that are due and not taken. `o.valid` must be `done` ≠ 0 in every cycle. As results leave in
    order, this means: the k-th is valid from max(admitted_k + latency, taken_(k-1) + 1) on until it is taken, and as
    many are taken as were admitted and fell due, so none is dropped or doubled.

    The reference for admission: `i.ready` if and only if fewer than `places` operations are in the core and the
    distance to every admission before is allowed. `held` counts those in the core. Neither count wraps: `held` grows
    only below `places`; a result is taken only when `done` ≥ 1; and `done` ≤ `held`.

    Each reference has two forms, one of which counts as the core does: time in a shift register or in
    counters.

    Attributes
    ----------
    clk : in
        Clock. There is no reset: every register starts from its initial value.
    i_valid, o_ready, i_payload : in
        Free inputs.
    i_ready, o_valid : out
        Outputs of the core.
    o_valid_late_or_early, o_valid_late_or_early_by_ages : out
        `o.valid` differs from the reference in this cycle.
    i_ready_wrong, i_ready_wrong_by_count : out
        `i.ready` differs from the reference in this cycle.
    """

    def __init__(self, core: wiring.Component, schedule: Schedule) -> None:
        self.core, self.schedule = core, schedule
        outputs = {name: Out(1) for ways in (*PROPERTIES, HANDSHAKES) for name in ways}
        payload = len(Value.cast(core.i.payload))
        super().__init__({"clk": In(1), "i_valid": In(1), "o_ready": In(1), "i_payload": In(payload)} | outputs)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        core, capacity = self.core, places(self.schedule.latency, self.schedule.interval)
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.submodules.core = core
        admitted, taken = Signal(), Signal()
        m.d.comb += [
            domain.clk.eq(self.clk),
            core.i.valid.eq(self.i_valid),
            core.i.payload.eq(self.i_payload),
            core.o.ready.eq(self.o_ready),
            self.i_ready.eq(core.i.ready),
            self.o_valid.eq(core.o.valid),
            admitted.eq(core.i.valid & core.i.ready),
            taken.eq(core.o.valid & core.o.ready),
        ]
        held = self._count(m, "held", capacity, admitted, taken)
        for name, due in (("", self._due(m, admitted)), ("_by_ages", self._due_by_ages(m, admitted))):
            done = self._count(m, f"done{name}", capacity, due, taken)
            m.d.comb += getattr(self, f"o_valid_late_or_early{name}").eq(core.o.valid != (done != 0))
        for name, rested in (("", self._rested(m, admitted)), ("_by_count", self._rested_by_count(m, admitted))):
            m.d.comb += getattr(self, f"i_ready_wrong{name}").eq(core.i.ready != ((held < capacity) & rested))
        return m

    def _count(self, m: Module, name: str, most: int, up: Value, down: Value) -> Signal:
        count = Signal(range(most + 1), name=name)
        m.d.sync += count.eq(count + up - down)
        return count

    def _due(self, m: Module, admitted: Value) -> Value:
        """Strobe one cycle before an operation falls due: admissions, latency - 1 cycles later."""
        if self.schedule.latency > LONGEST_REGISTER:
            return self._due_by_ages(m, admitted)
        due = admitted
        for age in range(1, self.schedule.latency):
            register = Signal(name=f"age_{age}")
            m.d.sync += register.eq(due)
            due = register
        return due

    def _due_by_ages(self, m: Module, admitted: Value) -> Value:
        """The same strobe with a counter for each operation; operations use in turn as many counters as can be
        needed."""
        latency, interval = self.schedule.latency, self.schedule.interval
        if latency == 1:
            return admitted
        lanes = -(-latency // interval)
        turn = Signal(range(lanes))
        with m.If(admitted):
            m.d.sync += turn.eq(Mux(turn == lanes - 1, 0, turn + 1))
        due: Value = Const(0)
        for lane in range(lanes):
            age = Signal(
                range(1, latency + 1), init=latency, name=f"counter_{lane}"
            )  # in the next cycle; latency: none
            now = Signal.like(age, name=f"now_{lane}")
            last = Signal(name=f"last_{lane}")
            m.d.comb += now.eq(Mux(admitted & (turn == lane), 1, age))
            m.d.sync += last.eq(now == latency - 1)
            with m.If(now < latency):
                m.d.sync += age.eq(now + 1)
            due = due | last
        return due

    def _rested(self, m: Module, admitted: Value) -> Value:
        """Level that is 1 where no admission lies at a forbidden distance: a bit for each distance."""
        distances = self.schedule.forbidden | set(range(1, self.schedule.interval))
        if not distances:
            return Const(1)
        if max(distances) > LONGEST_REGISTER and not self.schedule.forbidden:
            return self._rested_by_count(m, admitted)
        blocked = Signal(max(distances))
        vector = sum(1 << (distance - 1) for distance in distances)
        m.d.sync += blocked.eq((blocked >> 1) | Mux(admitted, vector, 0))
        return ~blocked[0]

    def _rested_by_count(self, m: Module, admitted: Value) -> Value:
        """The same level by a count of cycles, where only the interval matters."""
        if self.schedule.forbidden or self.schedule.interval == 1:
            return self._rested(m, admitted)
        wait = Signal(range(self.schedule.interval))
        with m.If(admitted):
            m.d.sync += wait.eq(self.schedule.interval - 1)
        with m.Elif(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        return wait == 0


def prove_streams(bench: Bench, schedule: Schedule) -> Verdict:
    """Prove every property of the monitor, for all time; counter-examples are searched up to the cycle of a result."""
    return bench.check(PROPERTIES, 2 * (schedule.latency + schedule.interval) + 2)


def describe_streams(schedule: Schedule) -> str:
    """The statement of `prove_streams`."""
    capacity = places(schedule.latency, schedule.interval)
    away = f", and not {', '.join(map(str, sorted(schedule.forbidden)))}" if schedule.forbidden else ""
    return (
        f"under any pattern of stalls, the k-th result is valid from cycle max(admitted_k + {schedule.latency}, "
        "taken_(k-1) + 1) until it is taken, in no other cycle, and none is dropped or doubled; i.ready holds if and "
        f"only if fewer than {capacity} operations are in the core and the ones before were admitted at least "
        f"{schedule.interval} cycles ago{away}"
    )
