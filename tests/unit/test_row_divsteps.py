# SPDX-License-Identifier: Apache-2.0
"""Divsteps on the lowest bits: the matrix, the unit, and the inverse that a program makes of it."""

import random
from itertools import product
from math import gcd

import pytest
from amaranth.sim import Simulator

from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.row.formulas import BATCH_CARRIED, GRAPHS
from modwright.engines.divsteps import divstep
from modwright.engines.row.divsteps import MATRIX, SIGNS, Divsteps
from modwright.engines.row.hardware.divsteps import DivstepUnit
from modwright.engines.row.model import RowField
from modwright.prepared.registry import find

CORE = find("ecpm/row-ladder")
SMALL = {"bits": 4, "order_bits": 5, "digit": 3, "tile": 4}


@pytest.mark.parametrize("distance", range(-3, 4))
def test_divsteps_of_all_lowest_bits(distance):
    """K = 4, every odd f and every g of four bits: the matrix of the model, its words and signs; 128 cases of 128."""
    unit, model = DivstepUnit(4, 14, 8, "generic"), Divsteps(4, 14)
    cases, seen = list(product(range(1, 16, 2), range(16))), []

    async def pulse(ctx, signal, cycles=1):
        ctx.set(signal, 1)
        await ctx.tick().repeat(cycles)
        ctx.set(signal, 0)

    async def bench(ctx):
        for f, g in cases:
            await pulse(ctx, unit.reset)
            await ctx.tick()
            for register, value in (
                (unit.distances, distance),
                (unit.above, distance > 0),
                (unit.below, distance < -1),
            ):
                ctx.set(register, value)
            for strobe, value in ((unit.take_f, f), (unit.take_g, g)):
                await pulse(ctx, strobe)
                ctx.set(unit.found, 1 << 13 | value << 4)
                await ctx.tick()
            await ctx.tick()
            await pulse(ctx, unit.step, 4)
            await ctx.tick()
            words = [ctx.get(unit.matrix[number]) for number in range(len(MATRIX))]
            seen.append((words, ctx.get(unit.signs), ctx.get(unit.distances), ctx.get(unit.negative)))

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    for (f, g), (words, signs, D, negative) in zip(cases, seen, strict=True):
        model.D = distance
        assert not model.take_f(1 << 13 | f << 4) and not negative
        model.take_g(1 << 13 | g << 4)
        model.run()
        assert words == [model.words[name] for name in MATRIX]
        assert signs == sum(model.flags[name] << k for k, name in enumerate(SIGNS))
        assert D == model.D


def test_matrices_are_those_of_divsteps():
    """Entries times f and g are what K divsteps make of any numbers with these lowest bits, and fit their words."""
    rng, K = random.Random(1), 5
    for low, distance in product(range(1 << 2 * K), range(-2, 3)):
        f, g = (low & 31 | 1) + 32 * rng.randrange(-9, 9), (low >> K) + 32 * rng.randrange(-9, 9)
        unit = Divsteps(K, 24)
        unit.D = distance
        for take, value in ((unit.take_f, f), (unit.take_g, g)):
            take((value << K) + (1 << 23))
        unit.run()
        D, one, other = distance, f, g
        for _ in range(K):
            D, one, other, *_ = divstep(D, one, other)
        u, v, q, r = unit.matrix
        assert (D, -(u * f + v * g), -(q * f + r * g)) == (unit.D, one << K, other << K)
        assert all(-(1 << K) <= entry < 1 << K for entry in unit.matrix)
        assert abs(u) + abs(v) <= 1 << K and abs(q) + abs(r) <= 1 << K


def test_inverses_of_all_numbers():
    """Modulo every odd number of four bits from 5 on, every S from 0 to 2U - 1 that has an inverse."""
    p, count = CORE.derive(Request.make(CORE, target="generic", options=SMALL)), 0
    for m in range(5, 16, 2):
        given = p.constants_of(m)
        field = RowField(p.row, m, (given["mk"] << p.row.K) - 1)
        field.values = {"t": given["t"], "x1": 0, "tilde": field.multiple}
        field.given = {"one": 1, "r2": given["r2"]}
        w, oneR = field.product(1, given["r2"], digits=p.row.d + 1), field.product(given["r2"], 1)
        for S in range(2 * (field.multiple + 1)):
            if gcd(S, m) > 1:
                continue
            field.values |= {"S": S, "e": w, "oneR": oneR}
            field.unlifted()
            field.run(GRAPHS["prepare"])
            field.values["e"] = w
            for _ in range(p.batches):
                field.run(GRAPHS["batch"], {made: name for name, made in BATCH_CARRIED.items()})
            sign = -1 if field.values["f"] >> p.word_bits - 1 == 0 else 1
            assert (field.values["d"] * sign * S - pow(2, 2 * p.row.T, m)) % m == 0
            assert field.values["g"] == 1 << p.word_bits - 1, "g is 0"
            count += 1
    assert count > 2000
