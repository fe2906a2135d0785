# SPDX-License-Identifier: Apache-2.0
"""Planted faults that only bursts, resets and random initial states find."""

import dataclasses
from itertools import pairwise

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring

from modwright.base.errors import VerificationError
from modwright.functions.cases import random_cases
from modwright.rtl.streams import Admission, ResultQueue, core_members
from modwright.simulate import verify
from modwright.simulate.runs import Run, simulate_random
from modwright.simulate.simulator import open_session

from .. import toy as toy_module
from ..toy import TOY
from .pattern_cases import DEEP, SIMULATORS, toy, words


class Shallow(ResultQueue):
    """One place too few."""

    def __init__(self, payload, depth):
        super().__init__(payload, depth - 1)


class Generous(Admission):
    """Admits one operation when all places are taken."""

    def __init__(self, interval, capacity, forbidden=frozenset()):
        super().__init__(interval, capacity + 1, forbidden)


class Late(ResultQueue):
    """A pointer, or both, goes one place too far before it wraps; a place more is there for it."""

    ports = (True, True)

    def _elaborate_memory(self, m):
        bits = len(self.data.as_value())
        m.submodules.memory = store = memory.Memory(shape=bits, depth=2 * self.depth, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        filled = Signal(range(self.depth + 1))
        m.d.comb += [write.en.eq(self.push), write.data.eq(self.data), self.o.payload.eq(read.data)]
        m.d.comb += self.o.valid.eq(filled != 0)
        m.d.sync += filled.eq(filled + self.push - self.taken)
        for port, step, late in ((write, self.push, self.ports[0]), (read, self.taken, self.ports[1])):
            last = self.depth if late else self.depth - 1
            with m.If(step):
                m.d.sync += port.addr.eq(Mux(port.addr == last, 0, port.addr + 1))


class LateWrite(Late):
    """The write pointer alone."""

    ports = (True, False)


class LateRead(Late):
    """The read pointer alone."""

    ports = (False, True)


def found_by(prepared, simulator="pure", **how):
    """Whether `simulate --random 20` fails."""
    try:
        return bool(simulate_random(prepared, 20, Run(simulator, **how)).failed)
    except VerificationError:
        return True


def planted(store, monkeypatch, **parts):
    for name, part in parts.items():
        monkeypatch.setattr(toy_module, name, part)
    return toy(store, dataclasses.replace(TOY, name=f"modmul/{next(iter(parts.values())).__name__.lower()}"), **DEEP)


@pytest.mark.parametrize("fault", [{"ResultQueue": Shallow}, {"Admission": Generous}], ids=["shallow", "generous"])
def test_places_and_admission_are_judged_by_bursts(store, monkeypatch, fault):
    """And by no free run: a reader that is always ready never needs the places."""
    prepared = planted(store, monkeypatch, **fault)
    assert found_by(prepared)
    assert found_by(prepared, pattern="bursts")
    assert not found_by(prepared, pattern="free")


@pytest.mark.parametrize("queue", [LateWrite, LateRead])
def test_a_pointer_that_wraps_late_is_found(store, monkeypatch, queue):
    assert found_by(planted(store, monkeypatch, ResultQueue=queue))


def test_two_pointers_that_wrap_late_make_a_deeper_queue(store, monkeypatch):
    """With room for it; it is no fault, and none is found."""
    assert not found_by(planted(store, monkeypatch, ResultQueue=Late))


class Forgetful(wiring.Component):
    """The toy's product, one operation at a time in two cycles, with one of three registers or words not reset.

    flag: a result is due. sum: what the first cycle adds to, 0 after every result. memory: a word that never changes.
    Or it gives a result by itself (idle), when two cycles after a reset nothing was offered yet.
    """

    def __init__(self, p, fault):
        self.p, self.fault = p, fault
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform):
        m = Module()
        m.submodules.admission = admission = Admission(2, 2)
        m.submodules.queue = queue = ResultQueue(self.p.o, 2)
        m.submodules.memory = ram = memory.Memory(shape=8, depth=2, init=[])
        write, read = ram.write_port(), ram.read_port(domain="comb")
        accept, bad = self.i.valid & self.i.ready, Signal()
        flag = Signal(reset_less=self.fault == "flag")
        total = Signal(16, reset_less=self.fault == "sum")
        m.d.comb += [self.i.ready.eq(admission.ready), admission.admit.eq(accept), admission.release.eq(queue.taken)]
        m.d.sync += flag.eq(accept)
        with m.If(accept):
            m.d.sync += [
                total.eq(total + self.i.p.x * self.i.p.y + (read.data if self.fault == "memory" else 0)),
                bad.eq((self.i.p.x >= self.p.modulus) | (self.i.p.y >= self.p.modulus)),
            ]
        with m.If(flag):
            m.d.sync += total.eq(0)
        idle = Signal(3)
        m.d.sync += idle.eq(Mux(accept, 7, idle + (idle < 6)))
        m.d.comb += [write.en.eq(flag), write.addr.eq(1), queue.push.eq(flag | (self.fault == "idle") & (idle == 2))]
        m.d.comb += [queue.data.z.eq(Mux(bad, 0, total % self.p.modulus)), queue.data.error.eq(bad)]
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        return m


def forgetful(store, fault):
    core = dataclasses.replace(TOY, name=f"modmul/forgets-{fault}", build=lambda p, s: Forgetful(p, fault))
    return toy(store, core, latency=2, interval=2)


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("fault", ["flag", "sum", "memory"])
def test_state_that_no_reset_clears_is_found(store, simulator, fault):
    assert found_by(forgetful(store, fault), simulator, pattern="free")


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_resets_find_a_random_state(store, simulator):
    """Also where the simulation starts from zeros."""
    prepared = forgetful(store, "memory")
    cases = random_cases(prepared, 40, 1)
    assert verify(prepared, cases, simulator=simulator, initial=None, resets=8).failed
    assert not verify(prepared, cases, simulator=simulator, initial=None, resets=4).failed


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_result_that_comes_while_nothing_is_offered_is_found(store, simulator):
    prepared = forgetful(store, "idle")
    with pytest.raises(VerificationError, match="that belongs to no operation"):
        simulate_random(prepared, 20, Run(simulator, pattern="free"))


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_the_same_core_with_all_its_resets_passes(store, simulator):
    assert not found_by(forgetful(store, "nothing"), simulator)


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("fault", ["flag", "sum"])
def test_stale_state_is_found_by_resets_alone(store, simulator, fault):
    """From initial values that hide the fault; without a reset on the way nothing is seen."""
    prepared = forgetful(store, fault)
    cases = random_cases(prepared, 32, 1)
    assert verify(prepared, cases, simulator=simulator, initial=None).failed == []
    try:
        found = verify(prepared, cases, simulator=simulator, initial=None, resets=8).failed
    except VerificationError as error:
        assert "a result in cycle" in str(error) and "the last reset ended in cycle" in str(error)
    else:
        assert {failure.level for failure in found} == {"value", "bits"}


def test_the_error_names_the_pattern(store, monkeypatch):
    prepared = planted(store, monkeypatch, Admission=Generous)
    with pytest.raises(VerificationError, match=r"\(bursts that fill the core\)"):
        simulate_random(prepared, 20, Run("pure", pattern="bursts"))


def test_operations_follow_at_the_interval_between_resets(store):
    prepared = toy(store, **DEEP)
    with open_session(prepared, "pure", initial=1) as session:
        session.interrupt(words(prepared, 9), 4, 1)
        accepted = session.feed(words(prepared, 9)).accepted
    assert all(b - a == 1 for a, b in pairwise(accepted))
