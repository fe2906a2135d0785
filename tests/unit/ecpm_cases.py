# SPDX-License-Identifier: Apache-2.0
"""Cores of point multiplication for tests."""

from amaranth.sim import Simulator

from modwright.catalog.points import add_points, multiply_point, small_curve_points
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.microcode import make_plan
from modwright.engines.ladder.control import unit_schedules
from modwright.functions.cases import encode_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find

from .control_words import send

LADDER, PAPER = find("ecpm/ladder"), find("ecpm/r64-ladder")


def make(core=LADDER, curve=None, **options):
    return prepare(core, Request.make(core, curve=curve, target="generic", options=options))


def plan_of(p):
    return make_plan(p, unit_schedules(p))


def whole_field(p, *, infinity):
    """Every curve, point and scalar from 0 to 2N + 1, N the order, with its multiple."""
    for a in range(p):
        for b in range(p):
            if (4 * a**3 + 27 * b * b) % p == 0:
                continue
            points = small_curve_points(p, a, b)
            order = len(points) + 1
            for x, y in [*points, *([(None, None)] if infinity else [])]:
                point, total = (None if x is None else (x, y)), None
                for k in range(2 * order + 2):
                    result = {"infinity": True} if total is None else {"rx": total[0], "ry": total[1]}
                    yield {"modulus": p, "a": a, "b": b, "order": order, "k": k, "x": x, "y": y} | result
                    total = add_points(total, point, p, a)


def small_orders_and_narrow_curves():
    """For a core of 61 bits: points of curves over 13 and 61 with scalars around multiples of the order, and a point of
    order 2 over a prime of 61 bits."""
    cases, p = [], (1 << 61) - 1
    for m, a, b in ((13, 2, 3), (61, 2, 3)):
        points = small_curve_points(m, a, b)
        for x, y in points[::9]:
            for k in (0, 1, len(points), len(points) + 1, len(points) + 2, 12345):
                cases.append({"modulus": m, "a": a, "b": b, "order": len(points) + 1, "x": x, "y": y, "k": k})
    x = 3
    for k in (0, 1, 2, 3, 4, 5, p - 1):  # (x, 0) is of order 2
        cases.append({"modulus": p, "a": 5, "b": -(x**3 + 5 * x) % p, "order": 2, "x": x, "y": 0, "k": k})
    return cases


def agrees_with_sums(prepared, cases):
    """Whether the model has the multiples of all cases."""
    for case, payload in zip(cases, encode_cases(prepared, cases), strict=True):
        found = prepared.codec.decode(prepared.model.run(payload).payload)
        names = [name for name in ("rx", "ry", "infinity") if name in case]
        if {name: found.get(name) for name in names} != {name: case[name] for name in names}:
            return False
    return True


def exchanged(prepared, names, begin=1):
    """Cycles whose control word lets a flag exchange an address; the first word is active in cycle `begin`."""
    words = prepared.schedule.microcode.issued()
    return {cycle for cycle, word in enumerate(words, begin) if any(word.get(name) for name in names)}


def traces(prepared, cases, read):
    """What `read` gives of a core in every cycle of each of several operations, one after the other, whose results are
    compared with the sums of points."""
    core, seen = prepared.core.build(prepared.parameters, prepared.schedule), []

    async def bench(ctx):
        ctx.set(core.o.ready, 1)
        for case in cases:
            await send(ctx, core, prepared.codec.encode(case))
            seen.append([()])
            while not ctx.get(core.o.valid):
                seen[-1].append(read(ctx, core))
                await ctx.tick()
            x, y = multiply_point(case["k"], (case["x"], case["y"]), case["modulus"], case["a"]) or (0, 0)
            assert (ctx.get(core.o.p.x), ctx.get(core.o.p.y)) == (x, y)

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen
