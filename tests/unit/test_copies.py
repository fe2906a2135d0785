# SPDX-License-Identifier: Apache-2.0
"""Copies of control signals: what they do in each cycle, and that synthesis keeps each of them."""

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from modwright.rtl.copies import copied, held_copy, level_copy, pulse_copy
from modwright.rtl.pipeline import delayed
from modwright.rtl.verilog import emit
from modwright.synthesize.counts import resources

COPIES = 5


class Copies(wiring.Component):
    """Five copies of each kind; or five plain registers."""

    begin: In(1)
    end: In(1)
    out: Out(3 * COPIES)

    def __init__(self, kept):
        self.kept = kept
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        copies = []
        for k in range(COPIES):
            if self.kept:
                copies.append(pulse_copy(m, self.begin, f"pulse_{k}"))
                copies.append(level_copy(m, self.begin, self.end, f"level_{k}", init=1))
                copies.append(held_copy(m, self.begin, self.end, f"held_{k}"))
            else:
                copies += [delayed(m, self.begin, 1, f"{name}_{k}") for name in ("a", "b", "c")]
        m.d.comb += self.out.eq(Cat(copies))
        return m


def _simulate(core, bench):
    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_copies_follow_a_cycle_later():
    core, seen = Copies(kept=True), []

    async def bench(ctx):
        for begin, end in ((0, 1), (1, 0), (0, 0), (1, 1), (0, 1), (0, 0)):
            ctx.set(Cat(core.begin, core.end), begin | end << 1)
            await ctx.tick()
            words = [ctx.get(core.out) >> 3 * k & 7 for k in range(COPIES)]
            assert len(set(words)) == 1
            seen.append(tuple(words[0] >> place & 1 for place in range(3)))

    _simulate(core, bench)
    assert seen == [(0, 0, 0), (1, 1, 0), (0, 1, 0), (1, 1, 1), (0, 0, 1), (0, 0, 1)]


class Cleared(wiring.Component):
    """A copy of two bits, which a strobe clears."""

    value: In(2)
    clear: In(1)
    out: Out(2)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.out.eq(copied(m, self.value, "generic", "copy", reset=False, clear=self.clear))
        return m


def test_a_copy_is_cleared_in_place_of_a_value():
    core, seen = Cleared(), []

    async def bench(ctx):
        for value, clear in ((3, 0), (3, 1), (2, 0), (1, 1)):
            ctx.set(core.value, value)
            ctx.set(core.clear, clear)
            await ctx.tick()
            seen.append(ctx.get(core.out))

    _simulate(core, bench)
    assert seen == [3, 0, 2, 0]


class Both(wiring.Component):
    """Copies and plain registers of the same signals in one design."""

    begin: In(1)
    end: In(1)
    out: Out(6 * COPIES)

    def elaborate(self, platform):
        m = Module()
        parts = Copies(kept=True), Copies(kept=False)
        for part in parts:
            m.submodules += part
            m.d.comb += [part.begin.eq(self.begin), part.end.eq(self.end)]
        m.d.comb += self.out.eq(Cat(part.out for part in parts))
        return m


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_synthesis_keeps_every_copy_and_no_plain_register(target, store):
    """Fifteen registers for fifteen copies, and one for fifteen plain registers."""
    assert resources(emit(Both(), "both"), "both", target, store=store).ff == 3 * COPIES + 1
