# SPDX-License-Identifier: Apache-2.0
"""Microcode and its players: every word in its cycle, whichever player, and what is refused."""

import random

import pytest
from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from modwright.rtl.counting import CountedPlayer
from modwright.rtl.player import Player, PlayerGroup
from modwright.rtl.step_player import StepPlayer
from modwright.schedule import JUMP, ControlWord, Loop, Microcode, Schedule, Step

WORDS = st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 300)), min_size=1, max_size=9)


def simulate(unit, bench):
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def fields(ctx, unit):
    """Every field of the word in play."""
    return {name: ctx.get(unit.field(name)) for name in unit.widths}


# --- microcode


@given(WORDS)
def test_a_packed_word_has_every_field_in_its_place(words):
    layout = ControlWord.of(words)
    assert list(layout.widths) == sorted({name for word in words for name in word})
    for word in words:
        packed = layout.pack(word)
        for name, width in layout.widths.items():
            assert packed & ((1 << width) - 1) == word.get(name, 0)
            packed >>= width
        assert packed == 0


@pytest.mark.parametrize(("word", "message"), [({"b": 1}, "no such field.*b"), ({"a": 4}, "2 bits, and 4")])
def test_a_word_that_does_not_fit_its_layout_is_refused(word, message):
    with pytest.raises(ValueError, match=message):
        ControlWord({"a": 2}).pack(word)


def test_a_loop_is_played_again_and_again():
    words = tuple({"at": k} for k in range(5))
    code = Microcode(words, 20, (Loop(1, 2, 3),))
    assert [word["at"] for word in code.issued()] == [0, 1, 2, 1, 2, 1, 2, 3, 4]
    assert code.cycles == 9
    assert [*Microcode(words, 20).issued()] == [*words]


@pytest.mark.parametrize("loop", [Loop(4, 2, 1), Loop(0, 0, 2), Loop(0, 1, 0), Loop(-1, 2, 2)])
def test_a_loop_outside_the_words_is_refused(loop):
    with pytest.raises(ValueError, match="within the words"):
        Microcode(tuple({"at": k} for k in range(5)), 20, (loop,))


def test_the_first_word_of_a_schedule_is_empty():
    with pytest.raises(ValueError, match="word 0"):
        _ = Schedule((Step("x", "a", 0, control={"go": 1}), Step("y", "b", 1)), 2, "2").microcode


# --- players


@pytest.mark.parametrize(("start", "busy"), [((1, 4, 6), 1), ((1, 2, 7), 3), ((3,), 9), ((1,), 1)])
def test_operations_that_overlap(start, busy):
    """Operations at drawn distances from the interval on; every field in every cycle."""
    steps = [Step(f"u{s}", f"u{s}", s, busy, 1, {"go": 1, f"value_{s}": s}) for s in start]
    schedule = Schedule(tuple(steps), 20, "20")
    unit = Player(schedule.microcode)
    source = random.Random(busy)

    async def bench(ctx):
        starts = []
        for cycle in range(200):
            begin = (not starts or cycle - starts[-1] >= schedule.interval) and source.random() < 0.6
            ctx.set(unit.start, begin)
            if begin:
                starts.append(cycle)
            expected = {"go": 0} | {f"value_{s}": 0 for s in start}
            for s in starts:
                for name, value in schedule.words[cycle - s].items() if cycle - s < schedule.span else ():
                    expected[name] |= value
            assert fields(ctx, unit) == expected, cycle
            await ctx.tick()

    simulate(unit, bench)


def one_at_a_time(unit, codes, source, *, kinds=True):
    """Operations of drawn codes, as close as they may be or later."""

    async def bench(ctx):
        due, free = {}, 0
        for cycle in range(160):
            begin = cycle >= free and source.random() < 0.6
            ctx.set(unit.start, begin)
            if begin:
                kind = source.randrange(len(codes))
                if kinds:
                    ctx.set(unit.kind, kind)
                free = cycle + codes[kind].interval
                due |= {cycle + 1 + k: word for k, word in enumerate(codes[kind].issued())}
            word = due.get(cycle, {})
            assert fields(ctx, unit) == {name: word.get(name, 0) for name in unit.widths}, cycle
            await ctx.tick()

    simulate(unit, bench)


@pytest.mark.parametrize("fetch", [False, True])
@pytest.mark.parametrize(("count", "least"), [(1, 2), (2, 2), (3, 2), (3, 1)])
def test_one_of_several_codes(count, least, fetch):
    lengths = range(least, least + count)
    codes = [Microcode(tuple({"a": 1 + k, f"own_{n}": 1} for k in range(n)), n) for n in lengths]
    unit = Player(*codes, overlap=False, fetch=fetch)
    one_at_a_time(unit, codes, random.Random(count))


def test_what_a_memory_has_at_its_output_before_a_reset_is_no_word():
    unit = Player(Microcode(({"a": 3},) * 9, 9), overlap=False, fetch=True)
    seen = []

    async def bench(ctx):
        for cycle in range(12):
            ctx.set(unit.start, cycle == 0)
            ctx.set(reset, cycle == 4)
            seen.append(ctx.get(unit.field("a")))
            await ctx.tick()

    reset = Signal()
    simulate(ResetInserter(reset)(unit), bench)
    assert seen == [0, 3, 3, 3, 3, *[0] * 7]


@pytest.mark.parametrize("loop", [Loop(0, 2, 2), Loop(2, 3, 4), Loop(1, 1, 3), Loop(2, 3, 1), Loop(4, 3, 5)])
def test_a_code_with_a_loop(loop):
    words = tuple({"at": 1 + k} | ({"end": 1} if k == 7 else {}) for k in range(8))
    code = Microcode(words, 8 + (loop.count - 1) * loop.length + 2, (loop,))
    unit = Player(code, overlap=False)
    one_at_a_time(unit, [code], random.Random(loop.first), kinds=False)


@pytest.mark.parametrize(
    "loops",
    [
        (),
        (Loop(2, 1, 3),),
        (Loop(0, 3, 2), Loop(3, 1, 4), Loop(5, 2, 1)),
        (Loop(2, 1, 1), Loop(3, 1, 5), Loop(4, 3, 2)),
        (Loop(2, 1, 2), Loop(3, 1, 1), Loop(4, 1, 3), Loop(5, 1, 2)),
        (Loop(0, 4, 1), Loop(4, 2, 3), Loop(6, 1, 2)),
    ],
)
@pytest.mark.parametrize("shared", [False, True])
def test_a_code_with_loops_that_is_fetched(loops, shared):
    words = ({}, {}, *({"at": 1 + k} | ({"end": 1} if k == 5 else {}) for k in range(6)))
    code = Microcode(words, 8 + sum((one.count - 1) * one.length for one in loops) + 2, loops or (Loop(2, 2, 1),))
    unit = Player(code, overlap=False, fetch=True, shared=shared)
    one_at_a_time(unit, [code], random.Random(len(loops)), kinds=False)


@pytest.mark.parametrize("loop", [Loop(3, 2, 3), Loop(5, 1, 4), Loop(2, 6, 2)])
def test_a_code_whose_next_word_is_known(loop):
    """Every word comes as in the cycle before its own, and a cycle later than without that register."""
    code = Microcode(({}, {}, {}, *({"at": 1 + k} | ({"end": 1} if k == 5 else {}) for k in range(6))), 40, (loop,))
    unit, seen = Player(code, overlap=False, fetch=True, ahead=True, shared=True), []

    async def bench(ctx):
        for cycle in range(80):
            ctx.set(unit.start, cycle in (2, 45))
            seen.append((ctx.get(unit.field("at")), ctx.get(unit.coming("at"))))
            await ctx.tick()

    simulate(unit, bench)
    issued = [word.get("at", 0) for word in code.issued()]
    for start in (2, 45):
        words = seen[start + 1 : start + 1 + len(issued)]
        assert [word for word, _ in words] == issued
        assert [coming for _, coming in words[2:-1]] == issued[3:]
    assert unit.coming("none").value == 0


def test_a_group_plays_its_codes_at_once():
    """A field that two codes have is OR-ed; a field that no code has is 0."""
    codes = {"load": Microcode(({"a": 1}, {}, {"b": 2}), 4), "turn": Microcode(({"c": 1}, {"a": 4}), 3)}
    unit = PlayerGroup(codes)

    async def bench(ctx):
        ctx.set(unit.start("load"), 1)
        await ctx.tick()
        ctx.set(unit.start("load"), 0)
        seen = []
        for cycle in range(5):
            ctx.set(unit.start("turn"), cycle == 0)
            seen.append(fields(ctx, unit))
            await ctx.tick()
        assert seen == [
            {"a": 1, "b": 0, "c": 0},
            {"a": 0, "b": 0, "c": 1},
            {"a": 4, "b": 2, "c": 0},
            *[{"a": 0, "b": 0, "c": 0}] * 2,
        ]
        assert ctx.get(unit.field("none")) == 0

    simulate(unit, bench)


def test_what_no_player_can_play_is_refused():
    plain = Microcode(({"a": 1}, {"a": 2}), 2)
    looped = Microcode(({"a": 1}, {}, {"end": 1}), 9, (Loop(0, 2, 2),))
    late = Microcode(({"a": 1}, {"a": 2}), 1)
    early_end = Microcode(({}, {"end": 1}, {"end": 1}), 9, (Loop(0, 2, 2),))
    for codes, overlap, message in (
        ((plain, plain), True, "several codes"),
        ((plain, looped), False, "several codes"),
        ((late,), False, "cycles 1 to its interval"),
        ((looped,), True, "without overlap"),
        ((early_end,), False, "last word alone"),
        ((Microcode(looped.words, 9, (Loop(1, 2, 2),)),), False, "before the last"),
    ):
        with pytest.raises(ValueError, match=message):
            Player(*codes, overlap=overlap)


# --- words that the data path ends


@pytest.mark.parametrize("seed", range(4))
def test_words_are_in_play_until_they_are_ended(seed):
    """Words of 2 to 5 cycles; each third one jumps back or not, as a coin says, in its first cycle; two operations."""
    rng = random.Random(seed)
    words = [{"number": k + 1, **({JUMP: k - 2} if k % 3 == 2 else {})} for k in range(9)]
    player = StepPlayer(words)
    seen, expected = [], []

    async def bench(ctx):
        for _ in range(2):
            at, jumped = 0, 0
            ctx.set(player.start, 1)
            await ctx.tick()
            ctx.set(player.start, 0)
            while at < len(words):
                jumps = JUMP in words[at] and jumped < 5 and rng.random() < 0.5
                jumped += jumps
                cycles = rng.randrange(3 if jumps else 2, 6)
                for cycle in range(cycles):
                    last = cycle == cycles - 1
                    ctx.set(player.jump, jumps and cycle == 0)
                    ctx.set(player.next, last and (jumps or at < len(words) - 1))
                    ctx.set(player.stop, last and not jumps and at == len(words) - 1)
                    seen.append((ctx.get(player.field("number")), ctx.get(player.fresh)))
                    expected.append((at + 1, int(cycle == 0)))
                    await ctx.tick()
                at = words[at][JUMP] if jumps else at + 1
            ctx.set(player.stop, 0)
            assert ctx.get(player.field("number")) == 0

    simulate(player, bench)
    assert seen == expected


# --- counted

RUNS = {"now": range(1, 4), "one": range(4, 5), "later": range(3, 7)}


class CountedFields(wiring.Component):
    """A counter of cycles with the fields of `RUNS`, levels but for `one`."""

    def __init__(self):
        self.code = Microcode.during(RUNS, interval=7)
        super().__init__({"start": In(1), **{name: Out(1) for name in RUNS}})

    def elaborate(self, platform):
        m, cycle = Module(), Signal(range(self.code.cycles + 1))
        with m.If(self.start):
            m.d.sync += cycle.eq(1)
        with m.Elif(cycle != 0):
            m.d.sync += cycle.eq(Mux(cycle == self.code.cycles, 0, cycle + 1))
        player = CountedPlayer(self.code, cycle, self.start)
        for name in RUNS:
            issue = player.strobe if name == "one" else player.level
            m.d.comb += getattr(self, name).eq(issue(m, name, f"is_{name}"))
        return m


@pytest.mark.parametrize("distance", [7, 9])
def test_a_counter_issues_the_words_in_their_cycles(distance):
    """14 or 18 cycles, two operations."""
    unit = CountedFields()
    words = list(unit.code.issued())

    async def bench(ctx):
        for cycle in range(2 * distance):
            ctx.set(unit.start, cycle % distance == 0)
            expected = words[cycle % distance - 1] if 0 < cycle % distance <= len(words) else {}
            assert {name: ctx.get(getattr(unit, name)) for name in RUNS} == {
                name: expected.get(name, 0) for name in RUNS
            }
            await ctx.tick()

    simulate(unit, bench)


def test_runs_are_read_back_and_others_refused():
    code = Microcode.during(RUNS, interval=7)
    assert {name: code.run(name) for name in RUNS} == RUNS
    for word in ({"a": 2}, {}):
        with pytest.raises(ValueError, match="'a' is not 1 in one run"):
            Microcode(({"a": 1}, word, {"a": 1}), 4).run("a")
    with pytest.raises(ValueError, match="'b' is not 1 in one run"):
        code.run("b")
    with pytest.raises(ValueError, match="cycles 1 to 3: not a strobe"):
        CountedPlayer(code, Signal(3), Signal()).strobe(Module(), "now", "now")
