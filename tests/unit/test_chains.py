# SPDX-License-Identifier: Apache-2.0
"""Carry chains with more inputs: the plain form in the simulator, and the tables of the carry cell."""

from itertools import product

from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modwright.rtl.chains import NOTHING, PLUS_OR_MINUS, plus_or_minus


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
