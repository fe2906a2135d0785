# SPDX-License-Identifier: Apache-2.0
"""Limbs in redundant digits: constants, places of the products, every product of small moduli, columns in hardware.

What every core must keep is tested in tests/contract.
"""

import dataclasses
import random
import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from amaranth.sim import Simulator

import modwright.cores.modmul.limb_columns
from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from modwright.cores.modmul.limb_columns import LIMB_COLUMNS, MOST_CONTEXTS
from modwright.cores.modmul.limb_columns.model import addends, columns, result
from modwright.engines.columns.cycles import CLOSE_TO_FIRST, LAST_READ, WORD
from modwright.engines.columns.digits import MOST_DIGITS, NOTHING, DigitLayout
from modwright.engines.columns.hardware.halves import HalfProducts
from modwright.engines.columns.hardware.products import DigitProducts
from modwright.engines.columns.placement import ends, place
from modwright.engines.columns.program import program
from modwright.engines.columns.schedule import ring_of
from modwright.prepared import prepare
from modwright.simulate import Stimulus, run

TINY = {"digit": 2, "digits": 2}
"""Limbs of four bits."""


def parameters(n, target="ecp5", **options):
    return LIMB_COLUMNS.derive(Request.make(LIMB_COLUMNS, target=target, options={"bits": n, **options}))


def payload(p, x, y, m):
    """Operands for a modulus; constants of an even one are those of the next."""
    odd = m | 1
    return {"x": x, "y": y, "m": m, "q": -pow(odd, -1, 1 << p.w) % (1 << p.w), "mu": pow(2, -p.w, odd)}


# --- constants


@pytest.mark.parametrize(
    ("n", "contexts", "limbs", "blocks", "interval", "latency"),
    [
        (160, 4, 2, 15, 12, 59),
        (256, 1, 3, 15, 57, 71),
        (256, 3, 3, 15, 23, 83),
        (256, 4, 3, 15, 20, 85),
        (384, 4, 5, 15, 52, 151),
        (521, 4, 6, 15, 76, 276),
        (2048, 1, 23, 15, 1178, 1193),
        (4096, 1, 46, 15, 4444, 4459),
    ],
)
def test_constants(n, contexts, limbs, blocks, interval, latency):
    p = parameters(n, contexts=contexts)
    schedule = LIMB_COLUMNS.schedule(p)
    assert p.certificate.failing is None
    assert (p.s, p.blocks, schedule.interval, schedule.latency) == (limbs, blocks, interval, latency)
    assert schedule.constant_time


@pytest.mark.parametrize("s", [2, 3, 5, 12])
def test_products_of_limbs(s):
    """2s² + 1 products, and a column without one."""
    assert sum(len(column.products) for column in program(s)) == 2 * s * s + 1
    assert sum(column.cycles for column in program(s)) == 2 * s * s + 2


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({}, UsageError),
        ({"modulus": 0xFFFF1, "options": {"bits": 16}}, ParameterError),
        ({"options": {"bits": 64, "digit": 19}, "target": "ecp5"}, ParameterError),
        ({"options": {"bits": 64, "digits": MOST_DIGITS + 1}}, UsageError),
        ({"options": {"bits": 64, "contexts": MOST_CONTEXTS + 1}}, UsageError),
        ({"options": {"bits": 4096, **TINY}}, ParameterError),
    ],
)
def test_requests_that_are_refused(change, error):
    with pytest.raises(error):
        LIMB_COLUMNS.derive(Request.make(LIMB_COLUMNS, **change))


def test_the_page_has_the_schedules_cycles():
    page = (Path(modwright.cores.modmul.limb_columns.__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d,]+) \| (\d+) \| ([\d,]+) \| (.*) \|$", page, flags=re.MULTILINE)
    assert len(rows) == 8
    for bits, limbs, products, cells in rows:
        n = int(bits.replace(",", ""))
        for contexts, cell in enumerate(cells.split(" | "), 1):
            p = parameters(n, contexts=contexts)
            if n > 521:
                continue  # long programs take longest to place; test_constants has two
            schedule = LIMB_COLUMNS.schedule(p)
            assert cell == f"{schedule.latency:,}, {schedule.interval:,}"
        assert p.s == int(limbs)
        assert sum(len(column.products) for column in program(p.s)) == int(products.replace(",", ""))


# --- places of the products


@pytest.mark.parametrize("s", [2, 3, 4, 7])
@pytest.mark.parametrize("contexts", [1, 2, 4, MOST_CONTEXTS])
def test_products_never_meet_and_never_read_too_early(s, contexts):
    cols = program(s)
    placed = place(cols, contexts)
    busy = [start + k for start, column in zip(placed.starts, cols, strict=True) for k in range(column.cycles)]
    assert len({cycle % placed.interval for cycle in busy}) == len(busy)
    assert ends(cols, placed.starts) + LAST_READ <= contexts * placed.interval
    left, closed = {}, None
    for start, column in zip(placed.starts, cols, strict=True):
        last = start + column.cycles - 1
        if column.opening is not NOTHING:
            assert start >= closed + CLOSE_TO_FIRST
        for k, (a, _) in enumerate(column.products):
            assert a.bank == "x" or start + k >= left[a] + WORD
        closed = last if column.stores else closed
        left[column.leaves] = last
    assert all(first < second for first, second in pairwise(placed.starts))


def test_four_contexts_fill_all_cycles_of_three_limbs():
    schedule = LIMB_COLUMNS.schedule(parameters(256, contexts=4))
    ring = ring_of(schedule)
    assert schedule.interval == len(ring.words) == 2 * 3 * 3 + 2
    assert all(ring.words)
    assert all(distance % schedule.interval for distance in schedule.forbidden)


# --- every product of small moduli


@pytest.mark.parametrize("m", range(16))
def test_model_exhaustively(m):
    """Every operand of four bits of modulus, those that are refused too; columns give the result in one piece."""
    p = parameters(4, "generic", **TINY)
    model = LIMB_COLUMNS.model(p, LIMB_COLUMNS.schedule(p))
    bad = m % 2 == 0 or m < 3
    for x, y in product(range(0, 1 << p.operand_bits, 1 + 10 * bad), repeat=2):
        given = payload(p, x, y, m)
        found = model.run(given).payload
        error = BAD_MODULUS if bad else OUT_OF_RANGE if max(x, y) >= 4 * m else 0
        assert found["error"] == error
        if error:
            assert found["z"] == 0
            continue
        assert found["z"] < 4 * m
        assert ((found["z"] << p.T) - x * y) % m == 0
    if not bad:
        last = list(columns(p, given := payload(p, 4 * m - 1, 4 * m - 2, m)))[-p.s :]
        assert sum(state.word << (p.w * k) for k, state in enumerate(last)) == result(p, given)


def exhaust(prepared, moduli):
    """Every product of operands below 4m by the hardware, against integers."""
    p = prepared.parameters
    cases = [payload(p, x, y, m) for m in moduli for x, y in product(range(4 * m), repeat=2)]
    results = run(prepared, Stimulus([p.i.pack(case) for case in cases])).words
    for given, word in zip(cases, results, strict=True):
        found = p.o.unpack(word)
        assert (found["error"], found["modulus"]) == (0, given["m"])
        assert found["z"] < 4 * given["m"]
        assert ((found["z"] << p.T) - given["x"] * given["y"]) % given["m"] == 0


@pytest.mark.parametrize(
    "moduli",
    [
        pytest.param((3, 13), id="some"),
        pytest.param(range(3, 16, 2), marks=pytest.mark.campaign, id="all"),
    ],
)
def test_hardware_exhaustively(moduli, store):
    request = Request.make(LIMB_COLUMNS, target="generic", options={"bits": 4, **TINY})
    exhaust(prepare(LIMB_COLUMNS, request, store), moduli)


@pytest.mark.campaign
@pytest.mark.parametrize("contexts", [1, 3])
def test_hardware_exhaustively_at_five_bits(contexts, store):
    request = Request.make(LIMB_COLUMNS, target="generic", options={"bits": 5, "contexts": contexts, **TINY})
    exhaust(prepare(LIMB_COLUMNS, request, store), range(3, 32, 2))


def test_an_operation_may_follow_at_any_distance_that_is_not_forbidden():
    """Its words are not issued again for the operation before, whose age counts on: its last word ends that."""
    p = parameters(14, "generic", contexts=2, **TINY)
    schedule = LIMB_COLUMNS.schedule(p)
    ring = ring_of(schedule)
    assert any("late" in word for word in ring.words)
    least = max(schedule.forbidden) + 1
    assert least < ring.ages * schedule.interval, "an age of the operation before has not passed"
    assert (schedule.span - 1) % schedule.interval > schedule.words.index(next(filter(None, schedule.words)))
    core, given = LIMB_COLUMNS.build(p, schedule), payload(p, 1000, 1001, 16383)
    found, starts = [], []

    async def drive(ctx):
        for name, value in given.items():
            ctx.set(getattr(core.i.p, name), value)
        for distance in range(least, ring.ages * schedule.interval + 1):
            for wait in (distance, 3 * schedule.latency):
                ctx.set(core.i.valid, 1)
                assert ctx.get(core.i.ready)
                starts.append(len(starts))
                await ctx.tick()
                ctx.set(core.i.valid, 0)
                await ctx.tick().repeat(wait - 1)

    async def watch(ctx):
        ctx.set(core.o.ready, 1)
        async for _, _, valid, z in ctx.tick().sample(core.o.valid, core.o.p.z):
            if valid:
                found.append(z)

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.add_testbench(watch, background=True)
    simulator.run()
    assert found == [result(p, given)] * len(starts)


# --- hardware of the parts


@pytest.mark.parametrize("chained", [False, True])
@pytest.mark.parametrize(("b", "D"), [(2, 2), (3, 5), (2, 6), (4, 3), (2, 8), (5, 8)])
def test_sums_of_products_of_digits(b, D, chained):
    """E_e by Karatsuba's method, of eight digits in halves, is that of the definition, for limbs at their ends and
    others."""
    p = DigitLayout(b, D, "generic")
    drawn, top = random.Random(2), (1 << p.w) - 1
    given = [(top, top), (0, top), (top ^ ((1 << b) - 1), top >> b)]
    given += [(drawn.randrange(top + 1), drawn.randrange(top + 1)) for _ in range(60)]
    products, found = (HalfProducts if p.in_halves else DigitProducts)(p, chained=chained), []

    async def drive(ctx):
        for a, b in given:
            ctx.set(products.a, a)
            ctx.set(products.b, b)
            await ctx.tick()

    async def watch(ctx):
        for _ in range(p.sums_cycles):
            await ctx.tick()
        for _ in given:
            found.append([ctx.get(products.e[e]) for e in range(2 * D - 1)])
            await ctx.tick()

    simulator = Simulator(products)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.add_testbench(watch)
    simulator.run()
    mask = (1 << b) - 1
    for (x, y), sums in zip(given, found, strict=True):
        i_of = [[value >> (b * i) & mask for i in range(D)] for value in (x, y)]
        assert sums == [sum(i_of[0][i] * i_of[1][e - i] for i in p.diagonals(e)) for e in range(2 * D - 1)]


def test_addends_stay_within_their_bound():
    p = parameters(32, "generic", digit=3, digits=4)
    top = (1 << p.w) - 1
    assert tuple(addends(p, top, top)) <= p.largest_addends
    assert all(addend <= most for addend, most in zip(addends(p, top, top), p.largest_addends, strict=True))


def test_a_bit_less_breaks_the_certificate():
    p = parameters(256)
    assert p.certificate.failing is None
    for change, name in (
        ({"n": p.T - 2}, "chain"),
        ({"digit_bits": p.digit_bits - 1}, "digit"),
        ({"carry_bits": p.carry_bits - 1}, "carry"),
    ):
        assert dataclasses.replace(p, **change).certificate.failing.name == name
