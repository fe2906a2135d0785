# SPDX-License-Identifier: Apache-2.0
"""Memories with an output register: contents of the block RAM, its addresses, and the plain form in the simulator."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modwright.rtl.block_memory import ENTRIES, HALF, LINE, PLACE, BlockMemory, constant_words, contents_of


@pytest.mark.parametrize("size", [36, 18, 9])
def test_contents_are_the_words_one_after_the_other(size):
    """As the cell reads them: entries of 18 bits in 20 of a parameter each, and words across or inside of them."""
    rng = random.Random(size)
    words = [rng.getrandbits(size) for _ in range(ENTRIES * HALF // size)]
    lines = [line.value for line in contents_of(words, size)]
    entries = [lines[at // LINE] >> PLACE * (at % LINE) & (1 << HALF) - 1 for at in range(ENTRIES)]
    whole = sum(entry << HALF * at for at, entry in enumerate(entries))
    assert len(lines) == 64 and max(lines) >> 320 == 0
    assert [whole >> size * at & (1 << size) - 1 for at in range(len(words))] == words


def test_a_memory_without_contents_has_no_parameters():
    assert contents_of((), 36) == []


def run(module, bench):
    simulator = Simulator(module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_words_come_two_cycles_after_their_address():
    """A word read in the cycle after that of its write, each address once."""
    unit, seen = BlockMemory(5, 4, "generic"), []

    async def bench(ctx):
        for address in range(4):
            ctx.set(unit.into, address)
            ctx.set(unit.word, 7 * address)
            ctx.set(unit.write, 1)
            await ctx.tick()
            ctx.set(unit.write, 0)
            ctx.set(unit.read, address)
            await ctx.tick()
            ctx.set(unit.read, address ^ 1)
            await ctx.tick()
            seen.append(ctx.get(unit.found))

    run(unit, bench)
    assert seen == [0, 7, 14, 21]


def test_constant_words_come_two_cycles_after_their_address():
    m, address, found, seen = Module(), Signal(2), Signal(4), []
    m.d.comb += found.eq(constant_words(m, address, [3, 1, 4, 15], 4, "generic"))

    async def bench(ctx):
        for at in (2, 0, 3, 1, 0, 0):
            ctx.set(address, at)
            await ctx.tick()
            seen.append(ctx.get(found))

    run(m, bench)
    assert seen[1:] == [4, 3, 15, 1, 3]
