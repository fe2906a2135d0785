# SPDX-License-Identifier: Apache-2.0
"""Tiled multipliers: the tiling in plain integers, and the pipeline in simulation, cycle by cycle."""

import random
from itertools import combinations

import pytest
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from modwright.plan.columns import ColumnTiling
from modwright.plan.tiling import TILE_SIZES, DigitTiling, Tiling
from modwright.rtl.multiplier import ColumnMultiplier, DigitMultiplier, TiledMultiplier

TARGETS = ("ecp5", "xc7", "generic")


@given(st.integers(1, 80), st.integers(1, 80), st.sampled_from(TARGETS), st.data())
def test_the_tiles_make_the_product(a_width, b_width, target, data):
    tiling = Tiling(a_width, b_width, target)
    a = data.draw(st.integers(0, (1 << a_width) - 1))
    b = data.draw(st.integers(0, (1 << b_width) - 1))
    parts = [(a >> t.a_low) % (1 << t.a_width) * ((b >> t.b_low) % (1 << t.b_width)) << t.offset for t in tiling.tiles]
    assert sum(parts) == a * b
    if target in TILE_SIZES:
        for t in tiling.tiles:
            assert sorted((t.a_width, t.b_width)) <= sorted(TILE_SIZES[target])
            assert t.b_width <= max(TILE_SIZES[target])


@given(st.integers(1, 90), st.integers(1, 90), st.sampled_from(TARGETS))
def test_the_rows_hold_every_tile_once_and_none_overlap(a_width, b_width, target):
    tiling = Tiling(a_width, b_width, target)
    assert sorted(index for row in tiling.packing for index in row) == list(range(len(tiling.tiles)))
    for row in tiling.packing:
        spans = [(tiling.tiles[i].offset, tiling.tiles[i].offset + tiling.tiles[i].width) for i in row]
        assert all(a[1] <= b[0] or b[1] <= a[0] for a, b in combinations(spans, 2))


def test_the_number_of_rows_is_the_least():
    """No column of bits can do with fewer rows than the tiles that lie over it."""
    for target in ("ecp5", "xc7"):
        for width in range(10, 90, 7):
            tiling = Tiling(width, width, target)
            depth = max(sum(t.offset <= bit < t.offset + t.width for t in tiling.tiles) for bit in range(2 * width))
            assert len(tiling.packing) == depth


@pytest.mark.parametrize(
    ("width", "target", "pairs", "blocks"),
    [(66, "ecp5", 1, 16), (66, "xc7", 1, 12), (48, "xc7", 1, 6), (48, "ecp5", 2, 18), (66, "generic", 1, 0)],
)
def test_blocks_are_counted(width, target, pairs, blocks):
    """12 and 16 blocks for 66 x 66 were measured; 36 and 54 bits are whole multiples of 18."""
    assert Tiling(width, width, target, pairs).blocks == blocks


def simulated(tiling, registers, rows):
    """Both rows of the result, `1 + sum(registers)` cycles after each pair of operands, one a cycle."""
    unit = TiledMultiplier(tiling, registers)
    results = []

    async def bench(ctx):
        for cycle in range(len(rows) + 1 + sum(registers)):
            a, b = rows[min(cycle, len(rows) - 1)]
            for index in range(tiling.pairs):
                ctx.set(unit.a[index], a[index])
                ctx.set(unit.b[index], b[index])
            if cycle > sum(registers):
                results.append((ctx.get(unit.p), ctx.get(unit.q)))
            await ctx.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


def operands(tiling, count):
    source = random.Random(tiling.a_width)
    top = [((1 << tiling.a_width) - 1,) * tiling.pairs, ((1 << tiling.b_width) - 1,) * tiling.pairs]
    rows = [top, [(0,) * tiling.pairs, top[1]]]
    for _ in range(count):
        a = tuple(source.getrandbits(tiling.a_width) for _ in range(tiling.pairs))
        rows.append([a, tuple(source.getrandbits(tiling.b_width) for _ in range(tiling.pairs))])
    return rows


@pytest.mark.parametrize(
    ("tiling", "registers"),
    [
        (Tiling(66, 66, "xc7"), None),
        (Tiling(66, 66, "xc7", open_rows=2), None),
        (Tiling(48, 52, "xc7", pairs=2), None),
        (Tiling(30, 19, "xc7", pairs=3, open_rows=2), None),
        (Tiling(66, 66, "generic"), (0,)),
        (Tiling(20, 20, "generic", pairs=3), (2, 1, 0)),
        (Tiling(18, 1, "ecp5"), (1,)),
    ],
)
def test_sums_of_products_come_after_their_cycles(tiling, registers):
    """Drawn operands, the largest and zero; every level with and without registers."""
    rows = operands(tiling, 20)
    expected = [sum(x * y for x, y in zip(a, b, strict=True)) for a, b in rows]
    levels = 1 + tiling.levels
    alternating = tuple(level % 2 for level in range(levels))
    for chosen in [registers] if registers else [(0,) * levels, (1,) * levels, alternating, (3,) + (0,) * (levels - 1)]:
        found = simulated(tiling, chosen, rows)
        assert [p + q for p, q in found] == expected
        if tiling.open_rows == 1:
            assert not any(q for _, q in found)
        assert expected[0].bit_length() == tiling.sum_width


def test_a_wrong_number_of_registers_is_refused():
    with pytest.raises(ValueError, match="places for registers"):
        TiledMultiplier(Tiling(66, 66, "xc7"), (1,))


# --- columns of digits


@given(st.integers(1, 150), st.data())
def test_columns_make_the_product_within_their_bounds(width, data):
    tiling = ColumnTiling(width)
    a, b = (data.draw(st.one_of(st.integers(0, (1 << width) - 1), st.just((1 << width) - 1))) for _ in "ab")
    columns = tiling.apply(a, b)
    assert sum(column << tiling.digit * k for k, column in enumerate(columns)) == a * b
    assert all(column <= bound for column, bound in zip(columns, tiling.bounds, strict=True))
    assert all(max(tile.a_width, tile.b_width) <= 18 for tile in tiling.tiles)
    assert tiling.blocks <= Tiling(width, width, "ecp5").blocks


def test_levels_of_columns():
    """7 halves in the fullest column of 4 digits, 15 of 8."""
    assert [ColumnTiling(width).levels for width in (18, 36, 54, 72, 144)] == [0, 1, 2, 2, 3]


@pytest.mark.parametrize(("width", "target"), [(2, "ecp5"), (4, "generic"), (40, "generic"), (66, "xc7")])
def test_columns_come_after_their_cycles(width, target):
    """Drawn operands and the largest, one pair a cycle."""
    tiling = ColumnTiling(width)
    unit = ColumnMultiplier(tiling, target)
    source = random.Random(width)
    pairs = [((1 << width) - 1,) * 2, *((source.getrandbits(width), source.getrandbits(width)) for _ in range(12))]
    found = []

    async def bench(ctx):
        for cycle in range(len(pairs) + tiling.latency):
            a, b = pairs[min(cycle, len(pairs) - 1)]
            ctx.set(unit.a, a)
            ctx.set(unit.b, b)
            if cycle >= tiling.latency:
                found.append([ctx.get(unit.columns[k]) for k in range(len(tiling.columns))])
            await ctx.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert [sum(c << tiling.digit * k for k, c in enumerate(columns)) for columns in found] == [a * b for a, b in pairs]
    assert all(c <= bound for columns in found for c, bound in zip(columns, tiling.bounds, strict=True))


# --- products with a digit


def digit_products(tiling, registers, word, digits):
    """The products of each digit, `1 + registers` cycles after it; what is at `word` afterwards is not loaded."""
    unit = DigitMultiplier(tiling, registers)
    results = []

    async def bench(ctx):
        ctx.set(unit.load, 1)
        ctx.set(unit.word, word)
        await ctx.tick()
        ctx.set(unit.load, 0)
        ctx.set(unit.word, ~word & ((1 << tiling.width) - 1))
        for cycle in range(len(digits) + 1 + registers):
            ctx.set(unit.digit, digits[min(cycle, len(digits) - 1)])
            if cycle > registers:
                results.append([ctx.get(unit.products[j]) for j in range(len(tiling.tiles))])
            await ctx.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


@pytest.mark.parametrize("registers", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "tiling", [DigitTiling(64, 17, 24, "xc7"), DigitTiling(50, 5, 7, "generic"), DigitTiling(19, 18, 18, "ecp5")]
)
def test_tiles_times_a_digit_come_after_their_cycles(tiling, registers):
    """Drawn operands and the largest ones; on ECP5 in the second tile only, which is too narrow for a block."""
    source = random.Random(registers)
    largest = [(1 << tiling.digit) - 1, (1 << tiling.width) - 1]
    digits = [largest[0], 0, *(source.getrandbits(tiling.digit) for _ in range(10))]
    for word in (largest[1], source.getrandbits(tiling.width)):
        expected = [[(word >> t.a_low) % (1 << t.a_width) * digit for t in tiling.tiles] for digit in digits]
        found = digit_products(tiling, registers, word, digits)
        simulated = [j for j, t in enumerate(tiling.tiles) if t.in_logic or tiling.target != "ecp5"]
        assert [[row[j] for j in simulated] for row in found] == [[row[j] for j in simulated] for row in expected]
        assert simulated


def test_tiles_of_a_word_and_their_blocks():
    """The last tile is as narrow as what is left, and made of logic where that is not worth a block."""
    assert DigitTiling(603, 18, 18, "ecp5").blocks == len(DigitTiling(603, 18, 18, "ecp5").tiles) == 34
    narrow = DigitTiling(37, 18, 18, "ecp5")
    assert [(t.a_low, t.width) for t in narrow.tiles] == [(0, 36), (18, 36), (36, 19)]
    assert narrow.blocks == 2
    assert DigitTiling(64, 17, 17, "generic").blocks == 0
