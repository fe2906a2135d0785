# SPDX-License-Identifier: Apache-2.0
"""Latency, admission and constant latency of whole cores: proved for sound ones, refuted for every planted fault."""

import re
from dataclasses import replace

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from modwright.prove import abc, cone, streams
from modwright.prove.proof import PROVED
from modwright.rtl.streams import Admission, ResultQueue, core_members, places
from modwright.schedule import Schedule, Step
from tests.toy import ToyCore, ToyParameters


def toy(latency, interval):
    p = ToyParameters(251, latency, interval, False)
    step = Step("product", "multiplier", 0, busy=interval, latency=latency)
    return p, Schedule((step,), latency, "L")


class Faulty(wiring.Component):
    """A pipeline of one register a cycle, with a fault by name."""

    def __init__(self, schedule, fault, capacity=None):
        self.schedule, self.fault = schedule, fault
        self.capacity = capacity or places(schedule.latency, schedule.interval)
        self.p = ToyParameters(251, schedule.latency, schedule.interval, False)
        super().__init__(core_members(self.p.i, self.p.o))

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        forbidden = frozenset() if self.fault == "collision" else s.forbidden
        m.submodules.admission = admission = Admission(s.interval, self.capacity, forbidden)
        m.submodules.queue = queue = ResultQueue(self.p.o, self.capacity)
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        x = self.i.p.x
        kept = Signal(8)
        m.d.sync += kept.eq(x)
        ready = {
            "payload": admission.ready & (x != 3),
            "register": admission.ready & (kept != 3),
            "valid": admission.ready & self.i.valid,
            "reader": admission.ready & self.o.ready,
        }
        accept = self.i.valid & self.i.ready
        m.d.comb += [
            self.i.ready.eq(ready.get(self.fault, admission.ready)),
            admission.admit.eq(accept),
            admission.release.eq(queue.taken),
        ]
        valid = accept
        for cycle in range(1, s.latency):
            flag = Signal(name=f"valid_{cycle}")
            m.d.sync += flag.eq(valid & (kept != 3) if self.fault == "slow" and cycle == 2 else valid)
            valid = flag
        push = {"drop": valid & ~queue.taken, "double": valid | (queue.taken & (kept == 0))}
        m.d.comb += queue.push.eq(push.get(self.fault, valid))
        if self.fault == "through":
            m.d.comb += self.o.valid.eq(queue.o.valid & self.o.ready)
        return m


def bench(core, schedule):
    return abc.Bench.of(streams.Monitor(core, schedule))


@pytest.mark.parametrize(("latency", "interval"), [(1, 1), (2, 1), (3, 2), (20, 1), (20, 2), (6, 6), (4, 7), (19, 11)])
def test_a_core_keeps_its_schedule(latency, interval):
    p, schedule = toy(latency, interval)
    made = bench(ToyCore(p, schedule), schedule)
    assert streams.prove_streams(made, schedule) == PROVED
    assert cone.prove_independent(made) == PROVED
    assert cone.prove_registered(made) == PROVED


@pytest.mark.parametrize("latency", [1, 3, 12])
def test_a_later_schedule_is_refuted(latency):
    p, schedule = toy(latency, 1)
    claimed = replace(schedule, latency=latency + 1)
    verdict = streams.prove_streams(bench(ToyCore(p, schedule), claimed), claimed)
    assert verdict.status == "refuted"
    assert f"o_valid_late_or_early in cycle {latency}" in verdict.detail


def test_an_earlier_schedule_is_refuted():
    p, schedule = toy(4, 2)
    claimed = toy(3, 2)[1]
    assert streams.prove_streams(bench(ToyCore(p, schedule), claimed), claimed).status == "refuted"


def test_another_interval_is_refuted():
    p, schedule = toy(6, 2)
    claimed = replace(schedule, minimum_interval=3)
    verdict = streams.prove_streams(bench(ToyCore(p, schedule), claimed), claimed)
    assert verdict.status == "refuted"
    assert "i_ready_wrong" in verdict.detail


def collision():
    """Steps at 0 and 3 on one resource: every second cycle is free, but not the third."""
    steps = (Step("a", "unit", 0), Step("b", "unit", 3, latency=2))
    return Schedule(steps, 5, "5")


def test_forbidden_distances_are_proved_and_refuted():
    schedule = collision()
    assert (schedule.interval, schedule.forbidden) == (2, frozenset({3}))
    assert streams.prove_streams(bench(Faulty(schedule, ""), schedule), schedule) == PROVED
    verdict = streams.prove_streams(bench(Faulty(schedule, "collision"), schedule), schedule)
    assert verdict.status == "refuted"


@pytest.mark.parametrize("fault", ["drop", "double", "slow", "payload", "register", "valid", "reader", "through"])
def test_faults_of_the_streams_are_refuted(fault):
    schedule = toy(3, 1)[1]
    verdict = streams.prove_streams(bench(Faulty(schedule, fault), schedule), schedule)
    assert verdict.status == "refuted"
    assert "in cycle" in verdict.detail


@pytest.mark.parametrize("more", [-1, 1])
def test_another_number_of_places_is_refuted(more):
    schedule = toy(5, 1)[1]
    core = Faulty(schedule, "", places(5, 1) + more)
    assert streams.prove_streams(bench(core, schedule), schedule).status == "refuted"


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        ("payload", r"i_payload\[\d\] -> .*i_ready"),
        ("register", r"i_payload\[\d\] -> core.kept -> .*i_ready"),
        ("slow", r"i_payload\[\d\] -> core.kept -> .*o_valid"),
    ],
)
def test_control_that_depends_on_data_is_refuted_with_its_path(fault, path):
    schedule = toy(3, 1)[1]
    verdict = cone.prove_independent(bench(Faulty(schedule, fault), schedule))
    assert verdict.status == "refuted"
    assert re.search(path, verdict.detail)


@pytest.mark.parametrize(
    ("fault", "refuted"),
    [("valid", True), ("reader", True), ("payload", True), ("through", True), ("register", False), ("drop", False)],
)
def test_handshakes_that_pass_through_are_refuted(fault, refuted):
    schedule = toy(3, 1)[1]
    verdict = cone.prove_registered(bench(Faulty(schedule, fault), schedule))
    assert (verdict.status == "refuted") is refuted


def test_reachability_proves_what_correspondence_leaves_open(monkeypatch):
    monkeypatch.setattr(abc, "merge", lambda folder, outputs: set())
    p, schedule = toy(3, 2)
    assert streams.prove_streams(bench(ToyCore(p, schedule), schedule), schedule) == PROVED


@pytest.mark.parametrize(("latency", "interval"), [(6, 6), (5, 4), (9, 9)])
def test_long_latencies_are_counted(monkeypatch, latency, interval):
    monkeypatch.setattr(streams, "LONGEST_REGISTER", 3)
    p, schedule = toy(latency, interval)
    assert streams.prove_streams(bench(ToyCore(p, schedule), schedule), schedule) == PROVED
    claimed = replace(schedule, latency=latency + 1)
    assert streams.prove_streams(bench(ToyCore(p, schedule), claimed), claimed).status == "refuted"


def test_no_answer_is_not_run(monkeypatch):
    monkeypatch.setattr(abc, "merge", lambda folder, outputs: set())
    monkeypatch.setattr(abc, "search", lambda folder, ports, command, timeout=0: None)
    p, schedule = toy(2, 1)
    assert streams.prove_streams(bench(ToyCore(p, schedule), schedule), schedule).status == "not run"
