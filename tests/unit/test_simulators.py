# SPDX-License-Identifier: Apache-2.0
"""Both simulators: equal traces, the stall generator, and cores that break the rules of their streams."""

import dataclasses
import random
from types import SimpleNamespace

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import UsageError, VerificationError
from modwright.contract import Certificate, Field, Payload
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl.streams import ResultQueue, core_members
from modwright.schedule import Schedule, Step
from modwright.simulate import Stalls, Stimulus, run
from modwright.simulate.pure import without_cells
from modwright.simulate.simulator import open_session
from modwright.simulate.stimulus import Copy, StallGenerator, feedback_copies, timeout_cycles

from ..toy import TOY
from .simulator_cases import needs_compiler, toy, words

SIMULATORS = ["pure", pytest.param("compiled", marks=needs_compiler)]


# --- stalls


def test_generator_is_marsaglias():
    """The first numbers from the state that the paper's example starts with."""
    generator = StallGenerator(Stalls(0))
    generator.state = 88172645463325252
    seen = []
    for _ in range(2):
        generator.step()
        seen.append(generator.state)
    assert seen == [8748534153485358512, 3040900993826735515]


@pytest.mark.parametrize(("i", "o"), [(0, 0), (50, 0), (0, 99), (30, 70)])
def test_share_of_stalls(i, o):
    """20 000 cycles: the standard deviation of a share is at most 0.36 per cent."""
    generator = StallGenerator(Stalls(4, i, o))
    seen = [generator.step() for _ in range(20_000)]
    for side, share in enumerate((i, o)):
        assert abs(sum(stalls[side] for stalls in seen) / 200 - share) < 2


def test_neighbouring_seeds_differ():
    """64 cycles of 100 seeds: no two sequences are equal."""
    sequences = set()
    for seed in range(100):
        generator = StallGenerator(Stalls(seed))
        sequences.add(tuple(generator.step() for _ in range(64)))
    assert len(sequences) == 100


@pytest.mark.parametrize(("seed", "i", "o"), [(-1, 0, 0), (2**64 - 1, 0, 0), (1, 100, 0), (1, 0, -1)])
def test_stalls_out_of_range(seed, i, o):
    with pytest.raises(UsageError):
        Stalls(seed, i, o)


def test_the_timeout_covers_long_runs_of_stalls(store):
    schedule = toy(store).schedule
    assert timeout_cycles(schedule, None) == 50 * (schedule.latency + schedule.interval)
    longest = timeout_cycles(schedule, Stalls(1, 0, 99)) - timeout_cycles(schedule, None)
    assert 0.99**longest <= 2.0**-64 < 0.99 ** (longest - 1)


# --- feedback


@given(st.integers(0, 2**40 - 1), st.integers(0, 2**40 - 1), st.integers(0, 30), st.integers(0, 30))
def test_copy_moves_its_bits_and_no_others(output, word, source, target):
    moved = f"{Copy(source, target, 10).apply(output, word):040b}"[::-1]
    assert moved[target : target + 10] == f"{output:040b}"[::-1][source : source + 10]
    rest = f"{word:040b}"[::-1]
    assert moved[:target] + moved[target + 10 :] == rest[:target] + rest[target + 10 :]


def test_feedback_of_unequal_fields_is_refused():
    o = Payload((Field("z", 8),))
    with pytest.raises(UsageError, match="1 x 8 bits against 2 x 8"):
        feedback_copies(o, Payload((Field("x", 8, count=2),)), [("z", "x")])


# --- traces


@needs_compiler
@pytest.mark.parametrize("options", [{"latency": 1, "interval": 1}, {"latency": 7, "interval": 3}], ids=str)
@pytest.mark.parametrize("chained", [False, True])
def test_traces_are_equal(store, options, chained):
    prepared = toy(store, **options)
    for stalls in (None, Stalls(1), Stalls(2, 0, 97), Stalls(3, 97, 0), Stalls(2**63, 20, 10)):
        stimulus = Stimulus(words(60), stalls, chained)
        trace = run(prepared, stimulus, "compiled")
        assert trace == run(prepared, stimulus, "pure")
        assert len(trace.words) == len(trace.accepted) == len(trace.valid) == len(trace.taken) == 60


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_trace_without_stalls(store, simulator):
    prepared = toy(store, latency=7, interval=3)
    i, o = prepared.parameters.i, prepared.parameters.o
    trace = run(prepared, Stimulus([i.pack({"x": x, "y": 7}) for x in (5, 60, 61)]), simulator)
    assert [o.unpack(word) for word in trace.words] == [
        {"z": 35, "error": 0},
        {"z": 60 * 7 % 61, "error": 0},
        {"z": 0, "error": 1},
    ]
    assert (trace.accepted, trace.valid, trace.taken) == ([0, 3, 6], [7, 10, 13], [7, 10, 13])


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_chained_operations_take_the_result_before(store, simulator):
    prepared = toy(store)
    i, o = prepared.parameters.i, prepared.parameters.o
    offered = [i.pack({"x": 2, "y": 3})] + [i.pack({"x": 200, "y": 3})] * 4
    trace = run(prepared, Stimulus(offered, chained=True), simulator)
    assert [o.unpack(word)["z"] for word in trace.words] == [2 * 3**k % 61 for k in range(1, 6)]
    assert all(a > t for a, t in zip(trace.accepted[1:], trace.taken, strict=False))


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_batches_go_on_where_the_last_one_ended(store, simulator):
    prepared = toy(store)
    for chained in (False, True):
        with open_session(prepared, simulator, stalls=Stalls(5), chained=chained) as session:
            parts = [session.feed(words(20)[:7]), session.feed([]), session.feed(words(20)[7:])]
        whole = run(prepared, Stimulus(words(20), Stalls(5), chained), simulator)
        assert parts[1].words == []
        assert parts[0].words + parts[2].words == whole.words
        assert parts[2].accepted[0] > parts[0].taken[-1]
        assert parts[0].taken == whole.taken[:7]


@needs_compiler
def test_device_cells_are_simulated(store):
    """A core that instantiates MULT18X18D, against its generic form in Amaranth's simulator."""
    core = find("modmul/sor-1m-p")
    request = {"modulus": "251", "target": "ecp5", "options": {"width": 9}}
    prepared = prepare(core, Request.from_mapping(core, {"core": core.name, **request}), store)
    assert "MULT18X18D" in prepared.verilog()
    assert without_cells(prepared).request.target == "generic"
    rng = random.Random(3)
    i = prepared.parameters.i
    cases = [{"x": rng.randrange(251), "y": rng.randrange(251)} for _ in range(12)]
    stimulus = Stimulus([i.pack(prepared.codec.encode(case)) for case in cases], Stalls(6, 20, 40))
    assert run(prepared, stimulus, "compiled") == run(prepared, stimulus, "pure")


class WideCore(wiring.Component):
    """Adds y to both elements of x; elements of 70 bits lie across the 64-bit words of the buffers."""

    def __init__(self, p):
        self.p = p
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = ResultQueue(self.p.o, 1)
        free = Signal(init=1)
        accept = self.i.valid & free
        m.d.sync += free.eq(Mux(accept, 0, free | queue.taken))
        m.d.comb += [self.i.ready.eq(free), queue.push.eq(accept)]
        m.d.comb += [queue.data.z[k].eq(self.i.p.x[k] + self.i.p.y) for k in range(2)]
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        return m


WIDE = SimpleNamespace(
    certificate=Certificate(()),
    i=Payload((Field("y", 9), Field("x", 70, count=2))),
    o=Payload((Field("error", 1), Field("z", 70, count=2))),
)


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_wide_results_chain_bit_for_bit(store, simulator):
    step = Step("sum", "adder", 0, control={"go": 1})
    core = dataclasses.replace(
        TOY,
        name="modmul/wide",
        derive=lambda request: WIDE,
        schedule=lambda p: Schedule((step,), 1, "1"),
        build=lambda p, s: WideCore(p),
        codec=lambda p: SimpleNamespace(feedback=lambda: [("z", "x")]),
    )
    prepared = toy(store, core)
    i, o = prepared.parameters.i, prepared.parameters.o
    rng = random.Random(4)
    start, steps = [rng.getrandbits(70), rng.getrandbits(70)], [rng.getrandbits(9) for _ in range(20)]
    offered = [i.pack({"x": (0, 0) if k else tuple(start), "y": y}) for k, y in enumerate(steps)]
    trace = run(prepared, Stimulus(offered, Stalls(8), chained=True), simulator)
    sums = [sum(steps[: k + 1]) for k in range(20)]
    expected = [tuple((x + total) % 2**70 for x in start) for total in sums]
    assert [o.unpack(word)["z"] for word in trace.words] == expected


# --- cores that break the rules


class Rude(wiring.Component):
    """Accepts everything and answers wrongly, in one of four ways."""

    def __init__(self, p, manner):
        self.manner = manner
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform):
        m = Module()
        cycle = Signal(6)
        m.d.sync += cycle.eq(cycle + (cycle != 63))
        m.d.comb += self.i.ready.eq(1)
        if self.manner == "deaf":
            m.d.comb += self.i.ready.eq(0)
        elif self.manner == "eager":
            m.d.comb += self.o.valid.eq(cycle == 9)
        elif self.manner == "fickle":
            m.d.comb += [self.o.valid.eq(cycle >= 3), self.o.p.z.eq(cycle)]
        elif self.manner == "retreating":
            m.d.comb += self.o.valid.eq(cycle == 3)
        elif self.manner == "talkative":
            m.d.sync += self.o.valid.eq((self.i.valid & self.i.ready) | (cycle == 12))
        return m


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize(
    ("manner", "stalls", "offered", "message"),
    [
        ("mute", None, 3, r"no result of operation 0: no transfer for 250 cycles, up to cycle 252"),
        ("deaf", None, 3, r"operation 0 is not accepted: no transfer for 250 cycles"),
        ("eager", Stalls(1, 99, 0), 1, r"a result in cycle 9 that belongs to no operation"),
        ("fickle", Stalls(2, 0, 95), 1, r"the result of operation 0 was withdrawn or changed in cycle 4"),
        ("retreating", Stalls(2, 0, 95), 1, r"the result of operation 0 was withdrawn or changed in cycle 4"),
        ("talkative", None, 9, r"a result in cycle 13 that belongs to no operation \(after 9 operations\)"),
    ],
)
def test_rude_cores_are_reported(store, simulator, manner, stalls, offered, message):
    core = dataclasses.replace(TOY, name=f"modmul/{manner}", build=lambda p, s: Rude(p, manner))
    with pytest.raises(VerificationError, match=f"modmul/{manner}: {message}"):
        run(toy(store, core), Stimulus(words(offered), stalls), simulator)
