# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs: programs, constants, model, hardware of the units and of the stream cores.

What every core must keep is tested in tests/contract.
"""

import dataclasses
import random
from pathlib import Path

import pytest

import modwright.cores.modmul.limb
from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.cores.modmul.limb.model import (
    result,
)
from modwright.engines.limb.schedule import make_schedule
from modwright.engines.limb.slots import slots_of
from modwright.engines.limb.units import FOLD, FOLD_KARATSUBA, KINDS, PRODUCT, SCAN, SQUARE, SUM, UNITS
from modwright.engines.limb.work import chain, most_multipliers, products
from modwright.prepared.registry import find

from .limb_cases import EACH_KIND, KIND_IDS, NAMES, SEVERAL, allowed, make, parameters

FAMILY = Path(modwright.cores.modmul.limb.__file__).parent


FORMULAS = {
    ("r64", PRODUCT): lambda s: 2 * s * s + s,
    ("limb-scan", PRODUCT): lambda s: 2 * s * s + s,
    ("limb-scan", SQUARE): lambda s: (3 * s * s + 3 * s) // 2,
    ("limb-scan", SUM): lambda s: 3 * s * s + s,
    ("limb-fold", PRODUCT): lambda s: 2 * s * s + 1,
    ("limb-fold", SQUARE): lambda s: (3 * s * s + s) // 2 + 1,
    ("limb-fold", SUM): lambda s: 3 * s * s + 1,
    ("limb-fold-karatsuba", PRODUCT): lambda s: s * s + 2 * s,
    ("limb-fold-karatsuba", SQUARE): lambda s: s * s + 2 * s,
    ("limb-fold-karatsuba", SUM): lambda s: (3 * s * s + 5 * s) // 2,
}
"""Cycles between two operations, with s limbs and no registers inside the multiplier; 3 limbs or more."""


@pytest.mark.parametrize(
    ("name", "intervals", "latencies"),
    [
        ("r64", [36], [40]),
        ("limb-scan", [36, 30, 52], [39, 33, 55]),
        ("limb-fold", [33, 27, 49], [36, 30, 52]),
        ("limb-fold-karatsuba", [24, 24, 34], [27, 27, 37]),
    ],
)
def test_four_limbs(name, intervals, latencies):
    p = parameters(name, 256, limb=64)
    schedules = [make_schedule(p, kind) for kind in p.unit.kinds]
    assert p.s == 4
    assert [s.interval for s in schedules] == intervals
    assert [s.latency for s in schedules] == latencies
    assert all(s.constant_time for s in schedules)
    assert all(s.burst == 1 for s in schedules)


def test_a_burst_of_r64_takes_36_cycles_a_product_and_one():
    """The paper counts from the first product to the one addition that follows the last: 36k + 1."""
    p = parameters("r64", 256)
    schedule = make_schedule(p, PRODUCT)
    last = max(step.start for step in schedule.steps if step.control)
    first = min(step.start for step in schedule.steps if step.control)
    addition = last + 1
    for k in (1, 2, 10):
        assert (k - 1) * schedule.interval + addition - first + 1 == 36 * k + 1
    # the rest is the operand registers of streams and multiplier, and the queue
    assert schedule.latency == 37 + 3


@pytest.mark.parametrize("s", [3, 4, 5, 6, 8, 9, 17, 33, 34])
@pytest.mark.parametrize(("unit", "kind"), EACH_KIND, ids=KIND_IDS)
def test_no_cycle_of_the_multiplier_is_left_free_from_three_limbs_on(unit, kind, s):
    p = parameters(unit.name, 16 * s, limb=16)
    schedule = make_schedule(p, kind)
    used = [step.start for step in schedule.steps if step.resource == "multiplier"]
    assert sorted(used) == list(range(1, schedule.interval + 1))
    assert schedule.interval == FORMULAS[unit.name, kind](s)


def test_two_limbs():
    """r64 waits a cycle before its second round for the lowest limb of z, and Karatsuba's one for its only quotient."""
    found = [[make_schedule(parameters(u.name, 128, limb=64), k).interval for k in u.kinds] for u in UNITS]
    assert found == [[11], [10, 9, 14], [9, 8, 13], [9, 9, 12]]


@pytest.mark.parametrize(
    ("registers", "intervals"),
    [
        (1, {"limb-scan": [37, 32, 52], "limb-fold": [33, 28, 49], "limb-fold-karatsuba": [27, 27, 34]}),
        (2, {"limb-scan": [40, 38, 53], "limb-fold": [34, 29, 49], "limb-fold-karatsuba": [32, 32, 38]}),
    ],
)
def test_registers_inside_the_multiplier_cost_cycles(registers, intervals):
    for name, expected in intervals.items():
        p = parameters(name, 256, registers=registers)
        assert [make_schedule(p, kind).interval for kind in KINDS] == expected
        assert [products(p.unit, 4, kind) for kind in KINDS] == [FORMULAS[name, kind](4) for kind in KINDS]


@pytest.mark.parametrize(
    ("name", "s", "intervals"),
    [
        ("limb-scan", 2, [[10, 9, 14], [7, 7, 8]]),
        ("limb-fold", 2, [[9, 8, 13], [6, 6, 7], [6, 6, 6]]),
        ("limb-fold-karatsuba", 2, [[9, 9, 12], [8, 8, 10]]),
        ("limb-scan", 4, [[36, 30, 52], [18, 16, 26], [15, 15, 18], [15, 15, 15]]),
        ("limb-fold", 4, [[33, 27, 49], [17, 14, 25], [12, 12, 17], [12, 12, 13], [12, 12, 12]]),
        ("limb-fold-karatsuba", 4, [[24, 24, 34], [16, 16, 20]]),
        ("limb-fold-karatsuba", 6, [[48, 48, 69], [26, 26, 36], [24, 24, 31]]),
    ],
)
def test_cycles_of_one_two_and_more_multipliers(name, s, intervals):
    for macs, expected in enumerate(intervals, 1):
        p = parameters(name, 64 * s, macs=macs)
        assert [make_schedule(p, kind).interval for kind in KINDS] == expected
    with pytest.raises(ParameterError, match="more multipliers") as refused:
        parameters(name, 64 * s, macs=len(intervals) + 1)
    assert (refused.value.left, refused.value.right) == (len(intervals) + 1, len(intervals))


def cycles_table():
    """The table of the README: cycles between operations, from the schedules."""
    rows = ["| unit | limbs | 1 multiplier | 2 | 4 | most |", "|---|---|---|---|---|---|"]
    for unit in (SCAN, FOLD, FOLD_KARATSUBA):
        for s in (4, 6, 9):
            most = most_multipliers(unit, s, 1)
            cells = []
            for macs in (1, 2, 4):
                cycles = "refused"
                if macs <= most:
                    p = parameters(unit.name, 64 * s, macs=macs)
                    cycles = ", ".join(str(make_schedule(p, kind).interval) for kind in KINDS)
                cells.append(cycles)
            name = unit.name.removeprefix("limb-")
            rows.append(f"| {' | '.join([name, str(s), *cells, str(most)])} |")
    return "\n".join(rows)


def test_the_readme_has_the_cycles_of_the_schedules(monkeypatch):
    text = (FAMILY / "README.md").read_text(encoding="utf-8")
    between = text.partition("<!-- from the schedule;")[2].partition("<!-- end -->")[0].partition("-->")[2]
    assert between.strip() == cycles_table()
    assert "With four limbs and d = 1: 15; 12; 16, 16, 20." in text
    assert [chain(SCAN, 4, 1, kind) for kind in KINDS] == [15, 15, 15]
    assert [chain(FOLD, 4, 1, kind) for kind in KINDS] == [12, 12, 12]
    assert [chain(FOLD_KARATSUBA, 4, 1, kind) for kind in KINDS] == [16, 16, 20]
    assert [most_multipliers(FOLD_KARATSUBA, s, 1) for s in (2, 3, 4, 5, 6)] == [2, 2, 2, 2, 3]
    monkeypatch.setattr("modwright.engines.limb.slots._Placement._choose_ahead", lambda *_: None)
    assert "two multipliers would take 20, 18 and 28 cycles in scan with four limbs" in text
    assert [make_schedule(parameters("limb-scan", 256, macs=2), kind).interval for kind in KINDS] == [20, 18, 28]


@pytest.mark.parametrize("registers", [0, 1, 4])
@pytest.mark.parametrize(("unit", "kind"), EACH_KIND[1:], ids=KIND_IDS[1:])
def test_no_schedule_beats_its_bounds_and_more_multipliers_are_not_slower(unit, kind, registers):
    """And none takes more than both bounds together."""
    for s in (2, 3, 4, 5, 6, 9, 17):
        most = most_multipliers(unit, s, 1 + registers)
        cycles = []
        for macs in range(1, most + 1):
            p = parameters(unit.name, 16 * s, limb=16, registers=registers, macs=macs)
            work, order = -(-products(unit, s, kind) // macs), chain(unit, s, p.delay, kind)
            cycles.append(make_schedule(p, kind).interval)
            assert max(work, order) <= cycles[-1] <= work + order
        assert cycles == sorted(cycles, reverse=True)


@pytest.mark.parametrize("registers", [0, 2])
@pytest.mark.parametrize(("unit", "kind"), EACH_KIND[1:], ids=KIND_IDS[1:])
def test_multipliers_without_end_take_the_longest_chain(unit, kind, registers):
    """Its length from the programs, as no cycle is then short of multipliers."""
    for s in (2, 3, 4, 7):
        p = dataclasses.replace(parameters(unit.name, 16 * s, limb=16, registers=registers), macs=4 * s)
        assert make_schedule(p, kind).interval == chain(unit, s, p.delay, kind)


@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_slots_of_several_multipliers(unit, kind, macs, registers):
    """All products of one multiplier, each once; what only the first can do is done there; columns in their order."""
    for s in (3, 4, 5, 9):
        one = slots_of(parameters(unit.name, 16 * s, limb=16), kind)
        if not allowed(unit, s, macs, registers):
            continue
        slots = slots_of(parameters(unit.name, 16 * s, limb=16, macs=macs, registers=registers), kind)
        assert {slot.product: slot.column for slot in slots} == {slot.product: slot.column for slot in one}
        assert len(slots) == len(one) == len({(slot.cycle, slot.lane) for slot in slots})
        assert all(slot.lane == 0 for slot in slots if slot.product.alone)
        closing = {slot.column: slot.cycle for slot in slots if slot.closes}
        assert list(closing) == list(range(2 * s - 1))
        for slot in slots:
            if slot.product.quotient is None:
                before = closing.get(slot.column - 1, 0)
                assert slot.ahead == (slot.cycle <= before)
                assert slot.cycle <= closing[slot.column]
                assert slot.cycle > closing.get(slot.column - 2, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", [SCAN, FOLD, FOLD_KARATSUBA], ids=NAMES[1:])
def test_products_add_up_to_a_multiple_of_the_modulus_plus_the_operands(unit, kind):
    """The places of all products, as polynomials in 2^w with random limbs, give x·y plus what the reduction adds."""
    rng = random.Random(1)
    for s in (2, 3, 4, 7):
        p = parameters(unit.name, 8 * s, limb=8)
        banks = {name: [rng.getrandbits(8) for _ in range(s)] for name in ("x", "y", "x2", "y2", "m", "mu", "t")}
        if kind == SQUARE:
            banks["y"] = banks["x"]
        whole = {name: sum(limb << (8 * k) for k, limb in enumerate(limbs)) for name, limbs in banks.items()}

        def value(factor, banks=banks):
            minus = 0 if factor.minus is None else banks[factor.minus.bank][factor.minus.index]
            return banks[factor.limb.bank][factor.limb.index] - minus

        total = 0
        for slot in slots_of(p, kind):
            product = slot.product
            if product.quotient is None and not product.chain:
                column = slot.column - product.high
                total += value(product.a) * value(product.b) * (2 if product.double else 1) << (8 * column)
        D = [banks["x"][i] * banks["y"][i] for i in range(s)]
        if kind == SUM:
            D = [d + banks["x2"][i] * banks["y2"][i] for i, d in enumerate(D)]
        if unit is FOLD_KARATSUBA:
            E = [banks["t"][i] * banks["mu"][i] for i in range(s - 1)]
            U = [sum(D[: c + 1]) + sum(E[:c]) for c in range(s)]
            V = [u + e for u, e in zip(U, E, strict=False)]
            total += sum(u << (8 * c) for c, u in enumerate(U))
            total += sum(U[-1] - v << (8 * (s + k)) for k, v in enumerate(V))
        last = banks["t"][-1] << (8 * (s - 1))
        added = ((whole["t"] - last) * whole["mu"] << 8) + last * whole["m"] if unit.folds else whole["t"] * whole["m"]
        assert total == whole["x"] * whole["y"] + (whole["x2"] * whole["y2"] if kind == SUM else 0) + added


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("n", "limb"), [(6, 2), (12, 3), (128, 16), (256, 64), (384, 64), (521, 64), (521, 16), (521, 128)]
)
def test_certificates_hold_and_less_does_not(name, n, limb):
    p = parameters(name, n, limb=limb)
    assert p.certificate.failing is None
    changed = [({"n": p.T + 1}, "result"), ({"s": 1, "n": p.w}, "limbs"), ({"s": 35}, "program")]
    changed.append(({"accumulator": p.accumulator - 1}, "reg1" if name == "r64" else "accumulator"))
    for change, rule in changed:
        assert dataclasses.replace(p, **change).certificate.failing.name == rule


@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_the_accumulator_holds_a_column_and_what_is_ahead(unit, kind, macs, registers):
    """All products at their largest in the order of the program; differences at either end of their range."""
    top = 255**2
    for s in (3, 4, 5, 9):
        if not allowed(unit, s, macs, registers):
            continue
        p = parameters(unit.name, 8 * s, limb=8, macs=macs, registers=registers)
        assert p.certificate.failing is None
        narrower = dataclasses.replace(p, accumulator=p.accumulator - 1)
        assert narrower.certificate.failing.name == "accumulator"
        slots = slots_of(p, kind)
        closing = {slot.column: slot.cycle for slot in slots if slot.closes}
        ahead = dict.fromkeys(closing, 0)
        for slot in slots:
            if slot.ahead:
                ahead[slot.column - 1] += 1 + slot.product.double
        assert any(ahead.values())
        assert (p.largest_column(kind) + (max(ahead.values()) * top << p.w)) < 1 << (p.accumulator - p.signed)
        assert max(ahead.values()) * top << p.w <= p.largest_sum(kind)


@pytest.mark.parametrize(("unit", "kind"), EACH_KIND[1:], ids=KIND_IDS[1:])
def test_largest_columns(unit, kind):
    """The bound of the accumulator against the program with all limbs at their largest."""
    p = parameters(unit.name, 5 * 8, limb=8)
    top, carry, largest = 255, 0, 0
    for column in range(2 * p.s - 1):
        inside = [slot.product for slot in slots_of(p, kind) if slot.column == column and slot.product.quotient is None]
        high = sum(product.high for product in inside)
        if unit is FOLD_KARATSUBA:  # a difference counts as the two products that it stands for, with the squares
            count = sum(2 for product in inside if product.a.minus)
            count += sum(1 for product in inside if not product.a.minus and not product.high and not product.chain)
            count += (2 if kind == SUM else 1) * (column % 2 == 0)
            count += column % 2 == 1 and (column - 1) // 2 < p.s - 1
        else:
            count = sum(1 + product.double for product in inside if not product.high)
        total = carry + count * top * top + high * top
        largest, carry = max(largest, total), total >> 8
    assert largest == p.largest_column(kind)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"modulus": "0xffff1", "options": {"bits": 16}}, ParameterError),
        ({}, UsageError),
        ({"options": {"bits": 521, "limb": 15}}, ParameterError),
        ({"options": {"bits": 256, "limb": 129}}, UsageError),
        ({"options": {"bits": 256, "macs": 36}}, UsageError),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_requests_that_cannot_be_met(name, change, error):
    core = find(f"modmul/{name}")
    with pytest.raises(error):
        core.derive(Request.make(core, **change))


def test_codec_refuses_what_has_no_montgomery_form(store):
    codec = make("limb-fold", 8, store, limb=4).codec
    for modulus in (0, 1, 2, 100, 257):
        with pytest.raises(ValueError, match="modulus"):
            codec.encode({"x": 1, "y": 1, "modulus": modulus})
    with pytest.raises(ValueError, match="negative"):
        codec.encode({"x": -1, "y": 1, "modulus": 101})


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_results_of_chained_operands_are_operands(unit):
    """Every pair of operands below D·m, for all moduli of four bits: z is in its class and below D·m again."""
    core = find(unit.core)
    request = Request.make(core, options={"bits": 4, "limb": 2})
    p = core.derive(dataclasses.replace(request, options={**request.options, "chained": True}))
    assert p.certificate.failing is None
    assert (p.s, p.domain) == ((4, 4) if unit.folds else (3, 2))
    for m in range(3, 16, 2):
        fixed = {"m": m, "q": -pow(m, -1, 4) % 4, "mu": pow(4, -1, m)}
        for x in range(p.domain * m):
            for y in range(x + 1):
                z = result(p, {"x": x, "y": y, **fixed}, PRODUCT)
                assert z < p.domain * m
                assert (z << p.T) % m == x * y % m
