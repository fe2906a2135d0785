# SPDX-License-Identifier: Apache-2.0
"""The result queue: proved for its depths, refuted when it loses, reorders or changes a result."""

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring

from modwright.contract.request import Request
from modwright.engines.orup.hardware.waiting import WaitingWords
from modwright.prepared.registry import all_cores, find
from modwright.prove import abc, queue
from modwright.prove.proof import PROVED
from modwright.rtl import streams
from modwright.rtl.control import in_flight
from modwright.rtl.streams import places
from modwright.schedule import Schedule, Step
from tests.toy import ToyCore, ToyParameters


def check(depth, monitor=queue.QueueMonitor):
    return abc.Bench.of(monitor(depth)).check(queue.PROPERTIES, 2 * depth + 2)


def core(latency, interval):
    schedule = Schedule((Step("product", "unit", 0, busy=interval, latency=latency),), latency, "L")
    return ToyCore(ToyParameters(251, latency, interval, False), schedule)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 8, 13, 20])
def test_queues_are_proved(depth):
    assert check(depth) == PROVED


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7])
def test_queues_of_waiting_words_are_proved(depth):
    assert check(depth, queue.WaitingMonitor) == PROVED


class Flawed(streams.ResultQueue):
    """A queue with a flaw by name; its payload has one bit."""

    flaw = ""

    def elaborate(self, platform):
        m = Module()
        content = [Signal(name=f"content_{index}") for index in range(self.depth)]
        filled = Signal(range(self.depth + 1))
        valid = {"always": 1, "bypass": (filled != 0) | self.push}.get(self.flaw, filled != 0)
        m.d.comb += [self.taken.eq(self.o.valid & self.o.ready), self.o.valid.eq(valid)]
        m.d.sync += filled.eq(filled + self.push - self.taken)
        after_taken = [Mux(self.taken, n, c) for c, n in zip(content, [*content[1:], content[-1]], strict=True)]
        place = {"last": 0, "overwrite": Mux(filled == self.depth - 1, 0, filled - self.taken)}
        at = place.get(self.flaw, filled - self.taken)
        for index, register in enumerate(content):
            m.d.sync += register.eq(Mux(self.push & (at == index), self.data.bit, after_taken[index]))
        m.d.comb += self.o.p.bit.eq(~content[0] if self.flaw == "changed" else content[0])
        return m


@pytest.mark.parametrize("flaw", ["", "last", "overwrite", "changed", "always", "bypass"])
def test_flaws_are_refuted(monkeypatch, flaw):
    monkeypatch.setattr(queue, "ResultQueue", Flawed)
    monkeypatch.setattr(Flawed, "flaw", flaw)
    assert check(3).status == ("refuted" if flaw else "proved")


class FlawedWords(WaitingWords):
    """Waiting words with a flaw by name."""

    flaw = ""

    def _slice(self, m, number, word):
        bits = self.places.bit_length()
        bits -= self.flaw == "small"
        store = m.submodules[f"slice_{number}"] = memory.Memory(shape=len(word), depth=1 << bits, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        start = number % (1 << bits)
        last, first = Signal(bits, init=start), Signal(bits, init=start + (self.flaw == "starts" and number == 1))
        m.d.comb += [write.addr.eq(last), write.data.eq(word), write.en.eq(1), read.addr.eq(first)]
        with m.If(self.put & (self.taken if self.flaw == "stuck" else 1)):
            m.d.sync += last.eq(last + 1)
        with m.If(self.taken & (~self.put if self.flaw == "busy" else 1)):
            m.d.sync += first.eq(first + 1)
        return read.data


@pytest.mark.parametrize("flaw", ["", "small", "starts", "stuck", "busy"])
def test_flaws_of_waiting_words_are_refuted(monkeypatch, flaw):
    monkeypatch.setattr(queue, "WaitingWords", FlawedWords)
    monkeypatch.setattr(FlawedWords, "flaw", flaw)
    assert check(4, queue.WaitingMonitor).status == ("refuted" if flaw else "proved")


def test_depths_are_read_from_the_core():
    assert queue.depths(core(20, 2), 11) == [(streams.ResultQueue, 11, 11)]
    assert queue.depths(core(4, 7), 1) == [(streams.ResultQueue, 1, 1)]


@pytest.mark.parametrize("name", ["modmul/orup-interleaved", "modmul/limb-columns"])
def test_cores_with_waiting_words(name):
    found = find(name)
    p = found.derive(Request.from_mapping(found, {"core": name, **found.trials[0].document}))
    s = found.schedule(p)
    results = places(s.latency, s.interval)
    assert queue.depths(found.build(p, s), results) == [(WaitingWords, results, results)]
    assert queue.prove_queue(found.build(p, s), results) == PROVED
    assert queue.prove_queue(found.build(p, s), results + 1).status == "refuted"


def test_a_core_inside_needs_what_its_own_schedule_says():
    """An exponentiator of variable time holds one operation; the queue is its multiplier's."""

    outer = find("modexp/binary-l2r")
    options = {"exponent_bits": 7}
    p = outer.derive(Request.from_mapping(outer, {"core": outer.name, "modulus": "61", "options": options}))
    s, inner = outer.schedule(p), p.multiplier.schedule
    needed = places(inner.latency, inner.interval)
    assert places(s.latency, s.interval) != needed
    assert queue.depths(outer.build(p, s), places(s.latency, s.interval)) == [(streams.ResultQueue, needed, needed)]


@pytest.mark.parametrize(
    ("name", "options"), [("modmul/orup-interleaved", {"digit": 3}), ("modmul/limb-columns", {"digit": 2, "digits": 2})]
)
def test_waiting_words_inside_need_what_their_own_schedule_says(name, options):
    """An exponentiator's latency and interval say nothing of the queues of its multiplier."""
    outer = find(f"{name.replace('modmul', 'modexp')}-l2r")
    document = {"core": outer.name, "modulus": "0x1d", "options": {**options, "exponent_bits": 6}}
    p = outer.derive(Request.from_mapping(outer, document))
    s, inner = outer.schedule(p), p.multiplier.schedule
    needed, results = places(inner.latency, inner.interval), places(s.latency, s.interval) + 1
    assert queue.depths(outer.build(p, s), results) == [(WaitingWords, needed, needed)]
    assert queue.prove_queue(outer.build(p, s), results) == PROVED


def test_a_burst_needs_a_place_for_each_of_its_operations():
    found = find("modmul/rns-hbe-runtime")
    options = {"width": 13, "c": 4, "channels": 8, "slots": 2}
    p = found.derive(Request.from_mapping(found, {"core": found.name, "modulus": "65521", "options": options}))
    s = found.schedule(p)
    assert in_flight(s) == 2 * places(s.latency, s.interval)
    assert queue.depths(found.build(p, s), in_flight(s)) == [(streams.ResultQueue, in_flight(s), in_flight(s))]


@pytest.mark.campaign
@pytest.mark.parametrize("name", all_cores())
def test_no_core_has_a_queue_that_is_too_small(name):
    """Every trial of every core; on each run those above, and the proofs of the cores that other tests have."""
    core = find(name)
    for trial in core.trials:
        p = core.derive(Request.from_mapping(core, {"core": name, **trial.document}))
        s = core.schedule(p)
        assert all(depth >= needed for _, depth, needed in queue.depths(core.build(p, s), in_flight(s)))


def test_a_queue_that_is_too_small_is_refuted():
    enough = places(6, 2)
    assert queue.prove_queue(core(6, 2), enough) == PROVED
    verdict = queue.prove_queue(core(6, 2), enough + 1)
    assert verdict.status == "refuted"
    assert f"{enough + 1} results" in verdict.detail


def test_without_a_queue_there_is_nothing_to_prove():
    class Bare(wiring.Component):
        def __init__(self):
            super().__init__({})

        def elaborate(self, platform):
            return Module()

    assert queue.prove_queue(Bare(), 1).status == "not run"
