# SPDX-License-Identifier: Apache-2.0
"""Bursts, initial state and resets: what they reach, what runs in each pattern, and the faults that only they find."""

from itertools import pairwise
from typing import Any

import pytest
from amaranth.hdl import Fragment, Module, Signal
from amaranth.lib import memory, wiring

from modwright.base.errors import UsageError
from modwright.functions.cases import random_cases
from modwright.rtl.streams import places
from modwright.rtl.verilog import emit
from modwright.simulate import Stalls, Stimulus, run, verify
from modwright.simulate.initial import random_state, without_initial_values
from modwright.simulate.patterns import Moment, moments, patterns, stretches, victims
from modwright.simulate.simulator import open_session
from modwright.simulate.stimulus import SEEDS, bursts, stalled

from .pattern_cases import DEEP, SIMULATORS, needs_compiler, toy, words

# --- bursts


@pytest.mark.parametrize("options", [DEEP, {"latency": 7, "interval": 3}, {"latency": 2, "interval": 9}], ids=str)
def test_bursts_fill_every_place_from_every_start(store, options):
    """With c places: never more than c operations, c of them again and again, and begun at every place of the queue."""
    prepared = toy(store, **options)
    c = places(prepared.schedule.latency, prepared.schedule.interval)
    trace = run(prepared, Stimulus(words(prepared, c * (2 * c + 1)), bursts(prepared.schedule, 1)), "pure")
    changes = sorted([(cycle, 1) for cycle in trace.accepted] + [(cycle, -1) for cycle in trace.taken])
    held, taken, starts, full = 0, 0, set(), 0
    for _, change in changes:
        if not held:
            starts.add(taken % c)
        held += change
        taken += change < 0
        full += held == c and change > 0
    assert starts == set(range(c))
    assert full >= 2 * c


def test_a_full_core_is_left_alone_for_longer_than_anything_takes(store):
    prepared = toy(store, **DEEP)
    stalls = bursts(prepared.schedule, 1)
    trace = run(prepared, Stimulus(words(prepared, 40), stalls), "pure")
    first = trace.accepted[7]
    assert trace.accepted[8] > first + stalls.quiet > first + prepared.schedule.latency + prepared.schedule.interval
    assert min(trace.taken) >= first + stalls.quiet


def test_quiet_cycles_out_of_range():
    with pytest.raises(UsageError, match="quiet"):
        Stalls(1, quiet=-1)


# --- what runs


def test_free_runs_every_case_and_the_others_a_quarter(store):
    free, held, burst = patterns(toy(store).schedule, 1000, seed=3)
    assert (free.name, held.name, burst.name) == ("free", "stalled", "bursts")
    assert free.indices == range(1000)
    assert [len(held.indices), len(burst.indices)] == [250, 250]
    assert set(held.indices) != set(burst.indices)
    schedule = toy(store).schedule
    assert (free.stalls, held.stalls, burst.stalls) == (None, stalled(schedule, 3), bursts(schedule, 3))
    assert {p.resets for p in (free, held, burst)} == {15, 8}
    assert [p.initial for p in (free, held, burst)] == [3, 4, 5]
    assert patterns(toy(store).schedule, 9, seed=SEEDS + 3) == patterns(toy(store).schedule, 9, seed=3)


def test_a_long_run_has_more_resets(store):
    schedule = toy(store).schedule
    assert [p.resets for p in patterns(schedule, 3200)] == [50, 12, 12]
    assert [p.resets for p in patterns(schedule, 100_000)] == [64, 64, 64]


def test_few_cases_come_round_again_until_the_core_was_filled_and_drained(store):
    schedule = toy(store, **DEEP).schedule
    free, held, burst = patterns(schedule, 3)
    assert [list(p.indices) for p in (free, held)] == [[0, 1, 2]] * 2
    assert len(burst.indices) == 2 * 1 + 8 + 8 + 1
    assert set(burst.indices) == {0, 1, 2}
    assert [p.resets for p in (free, held, burst)] == [1, 1, 1]
    assert [len(p.indices) for p in patterns(schedule, 0)] == [0, 0, 0]


def test_patterns_that_are_none(store):
    schedule = toy(store).schedule
    with pytest.raises(UsageError, match="free, stalled, bursts, all"):
        patterns(schedule, 1, which="calm")
    with pytest.raises(UsageError, match="1 to 99"):
        patterns(schedule, 1, which="stalled", share=0)


def test_moments_are_early_and_late_short_and_long(store):
    schedule = toy(store, **DEEP).schedule
    drawn = list(moments(schedule, 1, 8))
    assert [m.cycles > 8 for m in drawn] == [False, True] * 4
    assert all(1 <= m.cycles <= 16 for m in drawn)
    assert [m.reset > 1 for m in drawn] == [False, False, True, True] * 2
    assert [m.state is None for m in drawn] == [True] * 4 + [False] * 4
    assert [m.pause for m in drawn[::4]] == [0, 0]
    assert [m.pause for m in drawn[3::4]] == [8, 8]
    assert all(1 <= m.pause <= 8 for n in (1, 2) for m in drawn[n::4])
    assert drawn != list(moments(schedule, 2, 8))


def test_the_cases_after_the_last_reset_run_without_one():
    first, second = Moment(5, 1, None, 0), Moment(9, 2, 7, 3)
    given = iter([first, second])
    assert list(stretches(3, given)) == [(slice(0, 2), first), (slice(2, 3), second)]
    assert list(stretches(40, given)) == [(slice(0, 40), None)]


def test_victims_are_not_what_follows_them(store):
    schedule = toy(store, **DEEP).schedule
    assert victims([1, 2, 3], schedule, 5) == [3, 2, 1, 3, 2, 1, 3]
    assert len(victims([1], schedule, 10**9)) == 1024


# --- resets


def test_operations_far_apart_meet_at_every_distance_within_the_latency(store):
    """Which those that come close together do not."""
    prepared = toy(store, latency=20, interval=3)
    assert stalled(prepared.schedule, 1).sparse == 90
    reached = {}
    for stalls in (Stalls(1), stalled(prepared.schedule, 1)):
        trace = run(prepared, Stimulus(words(prepared, 600), stalls), "pure")
        reached[stalls.sparse] = {b - a for a, b in pairwise(trace.accepted)}
    assert set(range(3, 21)) <= reached[90]
    assert max(reached[0]) < 20
    assert stalled(toy(store, latency=7, interval=7).schedule, 1).sparse == 0
    assert stalled(prepared.schedule, 1, 95).sparse == 0


@needs_compiler
@pytest.mark.parametrize("options", [{"latency": 1, "interval": 1}, {"latency": 7, "interval": 3}, DEEP], ids=str)
@pytest.mark.parametrize("chained", [False, True])
def test_simulators_agree_in_every_pattern_with_resets(store, options, chained):
    prepared = toy(store, **options)
    given = words(prepared, 90)
    for stalls in (None, Stalls(1, sparse=90), bursts(prepared.schedule, 2), bursts(prepared.schedule, 3, 95)):
        seen = []
        for simulator in ("pure", "compiled"):
            with open_session(prepared, simulator, stalls=stalls, chained=chained, initial=5) as session:
                traces: list[Any] = [session.feed(given[:30])]
                for m in moments(prepared.schedule, 4, 8):
                    traces.append(session.interrupt(given[30:60], m.cycles, m.reset, m.state))
                    session.idle(m.pause)
                    traces.append(session.feed(given[60:]))
                session.idle(30)
            seen.append(traces)
        assert seen[0] == seen[1]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_reset_drops_what_waits_and_what_is_in_flight(store, simulator):
    prepared = toy(store, **DEEP)
    with open_session(prepared, simulator, stalls=bursts(prepared.schedule, 1), initial=1) as session:
        window = session.interrupt(words(prepared, 20), 11, 2)
        assert (window.trace.words, window.lost, window.waiting) == ([], 8, True)
        window = session.interrupt(words(prepared, 20), 5, 1)
        assert (window.trace.words, window.lost, window.waiting) == ([], 5, False)
        assert session.feed(words(prepared, 1)).accepted == [11 + 2 + 5 + 1]


def test_a_window_may_end_before_its_cycles(store):
    prepared = toy(store)
    with open_session(prepared, "pure") as session:
        window = session.interrupt(words(prepared, 2), 100, 1)
    assert (len(window.trace.words), window.lost, window.waiting) == (2, 0, False)


@pytest.mark.parametrize("chained", [False, True])
@pytest.mark.parametrize("options", [{"latency": 2, "interval": 9}, DEEP], ids=str)
def test_all_is_right_after_resets(store, options, chained):
    """An interval above the latency, too: the distance to an operation before the reset does not count."""
    prepared = toy(store, **options)
    cases = random_cases(prepared, 40, 1)
    for stalls in (None, Stalls(2), bursts(prepared.schedule, 2)):
        found = verify(prepared, cases, simulator="pure", stalls=stalls, chained=chained, resets=8)
        assert (found.failed, found.passed, found.resets) == ([], 40, 8)
        assert found.lost >= 1


# --- initial state

ROM_AND_RAM = """module top(clk, rst, a, z);
  reg \\$auto$verilog_backend.cc:2505:dump_module$1  = 0;
  input [1:0] a;
  reg [7:0] \\$2 ;
  reg free = 1'h1;
  reg [3:0] \\wait  = 4'h0;
  (* keep *)
  reg [7:0] rom [1:0];
  initial begin
    rom[0] = 8'h07;
    rom[1] = 8'h09;
  end
  always @(posedge clk)
    \\wait  <= 4'h3;
  reg [7:0] \\the.ram  [1:0];
  initial begin
    \\the.ram [0] = 8'h00;
    \\the.ram [1] = 8'h00;
  end
  always @(posedge clk) begin
    if (free)
      \\the.ram [a] <= z;
  end
endmodule
"""


def test_initial_values_go_and_roms_stay():
    left = without_initial_values(ROM_AND_RAM)
    gone = set(ROM_AND_RAM.splitlines()) - set(left.splitlines())
    assert {line.strip() for line in gone} == {
        "reg free = 1'h1;",
        "reg [3:0] \\wait  = 4'h0;",
        "\\the.ram [0] = 8'h00;",
        "\\the.ram [1] = 8'h00;",
    }
    assert "  reg free;\n" in left
    assert "  reg [3:0] \\wait ;\n" in left
    assert "rom[1] = 8'h09;\n  end\n" in left


class Memories(wiring.Component):
    """A table that is read in the next cycle, and a memory that is written."""

    def __init__(self):
        super().__init__({"z": wiring.Out(8)})

    def elaborate(self, platform):
        m = Module()
        at = Signal(1)
        m.submodules.rom = rom = memory.Memory(shape=8, depth=2, init=[7, 9])
        m.submodules.ram = ram = memory.Memory(shape=8, depth=2, init=[])
        fixed, read, write = rom.read_port(), ram.read_port(domain="comb"), ram.write_port()
        m.d.comb += [fixed.addr.eq(at), fixed.en.eq(1), read.addr.eq(at), write.addr.eq(at), write.data.eq(fixed.data)]
        m.d.comb += [write.en.eq(1), self.z.eq(read.data)]
        m.d.sync += at.eq(~at)
        return m


def test_both_simulators_set_the_same_registers():
    """A register, the output of the table, and two words of the memory; nothing of the table."""
    state = list(random_state(Fragment.get(Memories(), None), 1))
    assert sorted(len(place) for place, _ in state) == [1, 8, 8, 8]
    assert [value for _, value in state] != [v for _, v in random_state(Fragment.get(Memories(), None), 2)]
    verilog = emit(Memories(), "top")
    left = without_initial_values(verilog)
    assert [verilog.count(f"ram[{n}] = 8'h00;") for n in (0, 1)] == [1, 1]
    assert "8'h00" not in left and "__addr  = 1'h0" not in left
    assert [line for line in left.splitlines() if "8'h07;" in line or "8'h09;" in line]
