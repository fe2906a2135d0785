# SPDX-License-Identifier: Apache-2.0
"""The scalar of the point multipliers with limb multipliers: every order and every k, in simulation."""

from functools import partial

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator

from modwright.cores.ecpm.ladder.hardware.lifted import LiftedScalar
from modwright.cores.ecpm.ladder.hardware.scalar import SerialScalar
from modwright.cores.ecpm.ladder.plan.ladder import ADD, CARRY, COUNT, lifted_scalar, reduced_scalar, scalar_steps

from .ecpm_cases import LADDER, PAPER, make

SIZES = [(4, 4), (4, 5), (5, 5), (5, 6)]
"""Bits of the modulus and of the order; k has a bit more than the modulus."""


def every_case(n, bits):
    return [(k, order) for order in range(1 << bits) for k in range(1 << (n + 1))]


INPUTS = ("start", "k", "order", "reduce", "begin")


def inputs_of(case, steps, bits):
    """Inputs that are not 0, by cycles: the case, the steps, each bit that the ladder takes, and one cycle more."""
    k, order = case
    return [{"start": 1, "k": k, "order": order}, *({"reduce": step} for step in steps), *[{"begin": 1}] * bits, {}]


def packed(unit, word):
    """Inputs of one cycle as one number, the first one in its low bits."""
    value = 0
    for name in reversed(INPUTS):
        value = value << len(getattr(unit, name)) | word.get(name, 0)
    return value


async def bench(ctx, *, given, result, words, seen):
    ctx.set(given, last := next(words))
    async for *_, found in ctx.tick().sample(result):
        seen.append(found)
        if (word := next(words, None)) is None:
            return
        if word != last:
            ctx.set(given, last := word)


def found(unit, steps, cases):
    """Bits of the scalar as the ladder takes them, and whether the order is 0, for each of the cases in turn.

    The simulator sees one input and one result: to set or to look at a signal costs it more than a cycle of the unit.
    """
    bits, seen, design = unit.p.order_bits, [], Module()
    inputs, given, result = Cat(getattr(unit, name) for name in INPUTS), Signal(32), Signal(2)
    assert len(inputs) <= len(given)
    design.submodules.unit = unit
    design.d.comb += [inputs.eq(given), result.eq(Cat(unit.bit, unit.zero))]
    words = (packed(unit, word) for case in cases for word in inputs_of(case, steps, bits))
    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(partial(bench, given=given, result=result, words=words, seen=seen))
    simulator.run()
    rows = batched(seen, len(steps) + bits + 2)
    return [(int("".join(str(both & 1) for both in row[-bits - 1 : -1]), 2), row[-1] >> 1) for row in rows]


def batched(items, length):
    return [items[start : start + length] for start in range(0, len(items), length)]


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
