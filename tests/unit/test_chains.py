# SPDX-License-Identifier: Apache-2.0
"""Carry chains with more inputs: the plain form in the simulator, and the tables of the carry cell."""

from itertools import product

from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modwright.rtl.chains import (
    BOTH_SIGNED,
    EITHER_PLUS_EITHER,
    GATED_OR_FIRST,
    NOTHING,
    PLUS_OR_MINUS,
    SIGNED_AND_GATED,
    WITH_BOTH_BELOW,
    WITH_ONE_BELOW,
    either_plus_either,
    plus_bit,
    plus_few,
    plus_or_first,
    plus_or_minus,
    signed_plus,
    signed_sum,
)


def test_sums_and_differences_of_all_operands():
    """Four bits and three: 512 cases of 512 possible."""
    m, a, b, minus, carry, total, seen = Module(), Signal(4), Signal(3), Signal(), Signal(), Signal(6), []
    m.d.comb += total.eq(plus_or_minus(m, a, b, minus, carry, "generic"))

    async def bench(ctx):
        for values in product(range(16), range(8), range(2), range(2)):
            for signal, value in zip((a, b, minus, carry), values, strict=True):
                ctx.set(signal, value)
            await ctx.delay(1e-6)
            x, y, negative, one = values
            seen.append(ctx.get(total) == x + (7 - y if negative else y) + one)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == [True] * 512


def test_the_table_of_a_bit_is_that_of_a_full_adder():
    """The cell passes the carry where its table gives 1, and else takes the table's entry of A and B alone."""
    for a, b, minus, carry in product(range(2), repeat=4):
        passes = PLUS_OR_MINUS >> (a + 2 * b + 4 * minus + 8) & 1
        out = carry if passes else PLUS_OR_MINUS >> (a + 2 * b) & 1
        assert (passes ^ carry) + 2 * out == a + (b ^ minus) + carry
        assert NOTHING == 0, "of any inputs: the carry is the bit, and none leaves"


def table_is_right(table, first, second):
    """For all inputs: the carry passes where the bits differ, and else it is theirs."""
    for a, b, c, d in product(range(2), repeat=4):
        x, y = first(a, b, c, d), second(a, b, c, d)
        passes, alone = table >> (a + 2 * b + 4 * c + 8 * d) & 1, table >> (a + 2 * b) & 1
        if passes != x ^ y or (not passes and alone != x):
            return False
    return True


def test_the_other_tables():
    """Two terms with signs; one with a sign and one that may not count; one, and one that may not count or begins."""
    assert table_is_right(BOTH_SIGNED, lambda a, b, c, d: a ^ b, lambda a, b, c, d: c ^ d)
    assert table_is_right(SIGNED_AND_GATED, lambda a, b, c, d: a ^ b, lambda a, b, c, d: c & d)
    assert table_is_right(GATED_OR_FIRST, lambda a, b, c, d: a, lambda a, b, c, d: b & c | d)
    assert table_is_right(EITHER_PLUS_EITHER, lambda a, b, c, d: a | b, lambda a, b, c, d: c | d)
    assert table_is_right(WITH_BOTH_BELOW, lambda a, b, c, d: a & b, lambda a, b, c, d: c ^ d)
    assert table_is_right(WITH_ONE_BELOW, lambda a, b, c, d: a, lambda a, b, c, d: c ^ d)
    assert not table_is_right(BOTH_SIGNED, lambda a, b, c, d: a, lambda a, b, c, d: b ^ c ^ d)


def test_the_other_sums_of_all_operands():
    """Three bits and two, every sign and carry, against integers."""
    m, seen = Module(), []
    a, b, c, one, two, carry = Signal(3), Signal(2), Signal(3), Signal(), Signal(), Signal()
    found = [Signal(5) for _ in range(6)]
    m.d.comb += [
        found[0].eq(signed_sum(m, ((a, one), (b, two)), carry, 5, "generic")),
        found[1].eq(signed_plus(m, b, one, a, two, carry, "generic")),
        found[2].eq(plus_or_first(m, b, a, one, c, carry, "generic")),
        found[3].eq(either_plus_either(m, (a, b), (c, one), "generic")),
        found[4].eq(plus_few(m, a, c, b, "generic")),
        found[5].eq(plus_bit(m, a, one, two, "generic")),
    ]

    async def bench(ctx):
        for values in product(range(8), range(4), range(8), range(2), range(2), range(2)):
            for signal, value in zip((a, b, c, one, two, carry), values, strict=True):
                ctx.set(signal, value)
            await ctx.delay(1e-6)
            x, y, z, p, q, k = values
            expected = ((x ^ -p) + (y ^ -q) + k & 31, (y ^ 3 * p) + x * q + k, (y + (x * p | z) + k) & 7)
            expected += ((x | y) + (z | p), x + y + z, (x + p * q) & 7)
            seen.append(tuple(map(ctx.get, found)) == expected)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == [True] * 2048
