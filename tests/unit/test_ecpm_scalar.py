# SPDX-License-Identifier: Apache-2.0
"""The scalar of the point multipliers with limb multipliers: every order and every k, in simulation."""

from functools import partial

import pytest
from amaranth.sim import Simulator

from modwright.cores.ecpm.ladder.hardware.lifted import LiftedScalar
from modwright.cores.ecpm.ladder.hardware.scalar import SerialScalar
from modwright.cores.ecpm.ladder.plan.ladder import ADD, CARRY, COUNT, lifted_scalar, reduced_scalar, scalar_steps

from .ecpm_cases import LADDER, PAPER, make

SIZES = [(4, 4), (4, 5), (5, 5), (5, 6)]
"""Bits of the modulus and of the order; k has a bit more than the modulus."""


def every_case(n, bits):
    return [(k, order) for order in range(1 << bits) for k in range(1 << (n + 1))]


async def bench(ctx, *, unit, steps, cases, seen):
    """Bits of the scalar as the ladder takes them, and whether the order is 0, for each of the cases in turn."""
    for k, order in cases:
        for name, value in (("start", 1), ("k", k), ("order", order)):
            ctx.set(getattr(unit, name), value)
        await ctx.tick()
        for name in ("start", "k", "order"):
            ctx.set(getattr(unit, name), 0)
        for step in steps:
            ctx.set(unit.reduce, step)
            await ctx.tick()
        ctx.set(unit.reduce, 0)
        bits = 0
        ctx.set(unit.begin, 1)
        for _ in range(unit.p.order_bits):
            bits = 2 * bits + ctx.get(unit.bit)
            await ctx.tick()
        ctx.set(unit.begin, 0)
        seen.append((bits, ctx.get(unit.zero)))


def found(unit, steps, cases):
    seen = []
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(partial(bench, unit=unit, steps=steps, cases=cases, seen=seen))
    simulator.run()
    return seen


@pytest.mark.parametrize(
    ("core", "unit", "scalar"),
    [(LADDER, SerialScalar, reduced_scalar), (PAPER, LiftedScalar, lifted_scalar)],
    ids=["reduced", "lifted"],
)
@pytest.mark.parametrize(("n", "bits"), SIZES)
def test_scalars_of_every_order(core, unit, scalar, n, bits):
    """All orders of at most N bits, 0 and 1 among them, and all k of n + 1 bits."""
    p, cases = make(core, bits=n, order_bits=bits, limb=2).parameters, every_case(n, bits)
    seen = found(unit(p), scalar_steps(bits, p.lifts_scalar), cases)
    assert [zero for _, zero in seen] == [order == 0 for _, order in cases]
    rows = [(made, k, order) for (made, _), (k, order) in zip(seen, cases, strict=True) if order]
    assert [made for made, _, _ in rows] == [scalar(k, order, bits) for _, k, order in rows]
    # what the ladder needs: congruent to k
    assert all(((1 << bits) + made - k) % order == 0 for made, k, order in rows)


def test_a_lifted_scalar_needs_each_of_its_steps():
    """Left out, one at a time: some scalar is wrong, or the order 0 is not seen."""
    p = make(PAPER, bits=4, limb=2).parameters
    cases = [(k, order) for k, order in every_case(4, 4) if order in (0, 1, 5, 8)]
    steps = scalar_steps(4, lifts=True)
    assert steps == (COUNT,) * 2 + ((ADD,) * 2 + (CARRY,)) * 2

    def is_right(row, k, order):
        return row == (lifted_scalar(k, order, 4), 0) if order else row[1] == 1

    for left_out in range(len(steps)):
        seen = found(LiftedScalar(p), steps[:left_out] + steps[left_out + 1 :], cases)
        assert not all(is_right(row, *case) for row, case in zip(seen, cases, strict=True)), left_out


def test_the_set_up_lasts_until_the_scalar_is_there():
    """At 256 bits the scalar takes longer than the set-up's formulas, and the first bit is taken right behind it."""
    for core, cycles in ((LADDER, 256), (PAPER, 3 * 128 + 2)):
        prepared = make(core, bits=256, order_bits=256)
        words = list(prepared.schedule.microcode.issued())
        reduces = [cycle for cycle, word in enumerate(words) if word.get("reduce")]
        assert reduces == list(range(cycles))
        assert next(cycle for cycle, word in enumerate(words) if word.get("begin")) >= cycles
