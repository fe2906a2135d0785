# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs: programs, constants, model, hardware of the units and of the stream cores.

What every core must keep is tested in tests/contract.
"""

import dataclasses
import random
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from amaranth.sim import Simulator

import modwright.cores.modmul.limb
from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from modwright.cores.modmul.limb.model import (
    ColumnState,
    ScanState,
    column_result,
    column_states,
    result,
    scan_result,
    scan_states,
)
from modwright.engines.limb.hardware.multiplier import LimbMultiplier
from modwright.engines.limb.schedule import make_schedule
from modwright.engines.limb.slots import slots_of
from modwright.engines.limb.units import KINDS, L1, L2, L3, PRODUCT, R64, SQUARE, SUM, UNITS
from modwright.engines.limb.work import chain, most_multipliers, products
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import prove
from modwright.simulate import Stimulus, run, verify

from ..tools import needs

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
FAMILY = Path(modwright.cores.modmul.limb.__file__).parent
NAMES = [unit.name for unit in UNITS]
EACH_KIND = [(unit, kind) for unit in UNITS for kind in unit.kinds]
KIND_IDS = [f"{unit.name}-{kind}" for unit, kind in EACH_KIND]


def with_registers(*counts):
    """Each unit and kind with so many registers inside the multiplier; r64 has no room for any."""
    return [
        pytest.param(unit, kind, count, id=f"{unit.name}-{kind}-{count}")
        for unit, kind in EACH_KIND
        for count in (counts if unit is not R64 else (0,))
    ]


SEVERAL = [
    pytest.param(unit, kind, macs, registers, id=f"{unit.name}-{kind}-{macs}-{registers}")
    for unit, kind in EACH_KIND[1:]
    for macs, registers in ((2, 0), (2, 1), (3, 0))
]
"""Kinds with several multipliers, and registers inside them."""

SEVERAL_CORES = [("limb-l1", 2), ("limb-l1", 3), ("limb-l2", 2), ("limb-l2", 5), ("limb-l3", 2)]
"""Cores with several multipliers: what four limbs allow."""
MORE_SEVERAL = (("limb-l1", 2), ("limb-l2", 2))
ALONE_AND_SEVERAL = [
    *((name, 1) for name in NAMES[1:]),
    *(pytest.param(*core, marks=[pytest.mark.campaign] if core in MORE_SEVERAL else []) for core in SEVERAL_CORES),
]
"""Each unit alone and with the most multipliers on every run; with fewer in the long run only."""


def allowed(unit, s, macs, registers=0):
    """Whether so many multipliers can work at once."""
    return macs <= most_multipliers(unit, s, 1 + registers)


FORMULAS = {
    ("r64", PRODUCT): lambda s: 2 * s * s + s,
    ("limb-l1", PRODUCT): lambda s: 2 * s * s + s,
    ("limb-l1", SQUARE): lambda s: (3 * s * s + 3 * s) // 2,
    ("limb-l1", SUM): lambda s: 3 * s * s + s,
    ("limb-l2", PRODUCT): lambda s: 2 * s * s + 1,
    ("limb-l2", SQUARE): lambda s: (3 * s * s + s) // 2 + 1,
    ("limb-l2", SUM): lambda s: 3 * s * s + 1,
    ("limb-l3", PRODUCT): lambda s: s * s + 2 * s,
    ("limb-l3", SQUARE): lambda s: s * s + 2 * s,
    ("limb-l3", SUM): lambda s: (3 * s * s + 5 * s) // 2,
}
"""Cycles between two operations, with s limbs and no registers inside the multiplier; 3 limbs or more."""


def parameters(name, n, kind=PRODUCT, target="generic", **options):
    """Parameters; nothing is built."""
    core = find(f"modmul/{name}")
    found = core.derive(Request.make(core, target=target, options={"bits": n, **options}))
    return dataclasses.replace(found, kind=kind)


def make(name, n, store, kind=PRODUCT, modulus=None, target="generic", **options):
    """A core; one whose streams carry another kind than a product needs a store of its own."""
    core = find(f"modmul/{name}")
    request = Request.make(core, modulus=modulus, target=target, options={"bits": n, **options})
    if kind != PRODUCT:
        core = dataclasses.replace(core, derive=lambda r: dataclasses.replace(find(r.core).derive(r), kind=kind))
        store = Store(store.root / kind)
    return prepare(core, request, store)


def constants(p, m):
    """Constants of an odd modulus."""
    found = {"m": m, "q": -pow(m, -1, 1 << p.w) % (1 << p.w)}
    return found | ({"mu": pow(1 << p.w, -1, m)} if p.unit.folds else {})


def operands(p, kind, m, draw):
    """Operands for a kind, y = x for a square."""
    x = draw(m)
    found = {"x": x, "y": x if kind == SQUARE else draw(m)}
    return found | ({"x2": draw(m), "y2": draw(m)} if kind == SUM else {}) | constants(p, m)


def drawn(rng, m):
    """Half of the time an end of the range or runs of bits."""
    ones = (1 << (m.bit_length() - 1)) - 1
    return rng.choice([rng.randrange(m), rng.randrange(m), rng.randrange(m), 0, 1, m - 1, ones, ones // 3])


def moduli(p, rng, count):
    """Odd moduli: of all sizes, all ones, with a lowest limb of 1 and of ones, and 3."""
    w, n = p.w, p.n
    some = [(1 << n) - 1, 3, 1 << (n - 1) | 1, (1 << n) - (1 << w) + 1, 1 << (n - 1) | ((1 << w) - 1)]
    return [m for m in some + [rng.getrandbits(rng.randint(3, n)) | 1 for _ in range(count)] if 3 <= m < 1 << n]


def check(p, kind, given, z):
    """A result against plain integers."""
    total = given["x"] * given["y"] + (given["x2"] * given["y2"] if kind == SUM else 0)
    assert ((z << p.T) - total) % given["m"] == 0
    assert 0 <= z < p.multiple(kind) * given["m"]


# --- programs and constants


@pytest.mark.parametrize(
    ("name", "intervals", "latencies"),
    [
        ("r64", [36], [40]),
        ("limb-l1", [36, 30, 52], [39, 33, 55]),
        ("limb-l2", [33, 27, 49], [36, 30, 52]),
        ("limb-l3", [24, 24, 34], [27, 27, 37]),
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
    """r64 waits a cycle before its second round for the lowest limb of z, and L3 one for its only quotient."""
    found = [[make_schedule(parameters(u.name, 128, limb=64), k).interval for k in u.kinds] for u in UNITS]
    assert found == [[11], [10, 9, 14], [9, 8, 13], [9, 9, 12]]


@pytest.mark.parametrize(
    ("registers", "intervals"),
    [
        (1, {"limb-l1": [37, 32, 52], "limb-l2": [33, 28, 49], "limb-l3": [27, 27, 34]}),
        (2, {"limb-l1": [40, 38, 53], "limb-l2": [34, 29, 49], "limb-l3": [32, 32, 38]}),
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
        ("limb-l1", 2, [[10, 9, 14], [7, 7, 8]]),
        ("limb-l2", 2, [[9, 8, 13], [6, 6, 7], [6, 6, 6]]),
        ("limb-l3", 2, [[9, 9, 12], [8, 8, 10]]),
        ("limb-l1", 4, [[36, 30, 52], [18, 16, 26], [15, 15, 18], [15, 15, 15]]),
        ("limb-l2", 4, [[33, 27, 49], [17, 14, 25], [12, 12, 17], [12, 12, 13], [12, 12, 12]]),
        ("limb-l3", 4, [[24, 24, 34], [16, 16, 20]]),
        ("limb-l3", 6, [[48, 48, 69], [26, 26, 36], [24, 24, 31]]),
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
    for unit in (L1, L2, L3):
        for s in (4, 6, 9):
            most = most_multipliers(unit, s, 1)
            cells = []
            for macs in (1, 2, 4):
                cycles = "refused"
                if macs <= most:
                    p = parameters(unit.name, 64 * s, macs=macs)
                    cycles = ", ".join(str(make_schedule(p, kind).interval) for kind in KINDS)
                cells.append(cycles)
            rows.append(f"| {' | '.join([unit.name[-2:].upper(), str(s), *cells, str(most)])} |")
    return "\n".join(rows)


def test_the_readme_has_the_cycles_of_the_schedules(monkeypatch):
    text = (FAMILY / "README.md").read_text(encoding="utf-8")
    between = text.partition("<!-- from the schedule;")[2].partition("<!-- end -->")[0].partition("-->")[2]
    assert between.strip() == cycles_table()
    assert "With four limbs and d = 1: 15; 12; 16, 16, 20." in text
    assert [chain(L1, 4, 1, kind) for kind in KINDS] == [15, 15, 15]
    assert [chain(L2, 4, 1, kind) for kind in KINDS] == [12, 12, 12]
    assert [chain(L3, 4, 1, kind) for kind in KINDS] == [16, 16, 20]
    assert [most_multipliers(L3, s, 1) for s in (2, 3, 4, 5, 6)] == [2, 2, 2, 2, 3]
    monkeypatch.setattr("modwright.engines.limb.slots._Placement._choose_ahead", lambda *_: None)
    assert "two multipliers would take 20, 18 and 28 cycles in L1 with four limbs" in text
    assert [make_schedule(parameters("limb-l1", 256, macs=2), kind).interval for kind in KINDS] == [20, 18, 28]


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
@pytest.mark.parametrize("unit", [L1, L2, L3], ids=NAMES[1:])
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
        if unit is L3:
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
        if unit is L3:  # a difference counts as the two products of limbs that it stands for, with the squares
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
    codec = make("limb-l2", 8, store, limb=4).codec
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


# --- the model, cycle by cycle


def states(p, schedule, given, state=None):
    """Contents of the registers after each cycle."""
    play = scan_states if p.unit is R64 else column_states
    return [snapshot(found) for found in play(p, schedule, given, state)]


def snapshot(state):
    """A copy of registers: numbers, and lists of numbers."""
    values = vars(state).items()
    return type(state)(**{name: value[:] if isinstance(value, list) else value for name, value in values})


@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_registers_of_several_multipliers_end_with_the_result(unit, kind, macs, registers):
    """40 operations or more for each width that has so many multipliers; against plain integers."""
    rng = random.Random(macs)
    for n, limb in ((4, 2), (6, 2), (8, 2), (12, 3), (64, 16), (256, 64), (521, 64)):
        if not allowed(unit, -(-n // limb), macs, registers):
            continue
        p = parameters(unit.name, n, limb=limb, macs=macs, registers=registers)
        schedule, before = make_schedule(p, kind), None
        for m in moduli(p, rng, 40):
            given = operands(p, kind, m, partial(drawn, rng))
            found = states(p, schedule, given, before)
            before = snapshot(found[-1])
            z = value_of(p, before)
            assert z == result(p, given, kind)
            check(p, kind, given, z)


def value_of(p, state):
    return (scan_result if p.unit is R64 else column_result)(p, state)


@pytest.mark.parametrize(("unit", "kind", "registers"), with_registers(0, 1, 3))
def test_registers_end_with_the_result(unit, kind, registers):
    """40 operations or more for each of 7 widths, against plain integers; the bounds of all registers."""
    rng = random.Random(registers)
    options = {} if unit is R64 else {"registers": registers}
    for n, limb in ((4, 2), (6, 2), (8, 2), (12, 3), (64, 16), (256, 64), (521, 64)):
        p = parameters(unit.name, n, limb=limb, **options)
        schedule, before = make_schedule(p, kind), None
        for m in moduli(p, rng, 40):
            given = operands(p, kind, m, partial(drawn, rng))
            found = states(p, schedule, given, before)
            before = snapshot(found[-1])
            z = value_of(p, before)
            assert z == result(p, given, kind)
            check(p, kind, given, z)
            for state in found:
                if isinstance(state, ScanState):
                    assert state.reg1 >> p.accumulator == state.reg2 >> (2 * p.w) == state.c >> (p.w + 1) == 0
                    assert [limb >> p.w for limb in state.z[:-1]] == [0] * (p.s - 1)
                    assert state.z[-1] >> (p.w + 1) == 0
                else:
                    assert isinstance(state, ColumnState)
                    assert all(limb >> p.w == 0 for limb in state.t)


# --- the units in hardware


def simulate_unit(unit, starts, cycles, look):
    """Play operations on a unit: `starts` maps a cycle to (kind, operands). Operands are held as long as the contract
    says, and are junk at all other times. Returns what `look` sees in each cycle."""
    p, rng, seen = unit.p, random.Random(9), []
    ports = [*unit.operands, "q"]

    async def bench(context):
        until = 0
        for cycle in range(cycles):
            started = cycle in starts
            context.set(unit.start, started)
            if started:
                kind, given = starts[cycle]
                index = unit.kinds.index(kind)
                context.set(unit.kind, index)
            if cycle - 1 in starts:
                kind, given = starts[cycle - 1]
                until = cycle - 1 + make_schedule(p, kind).interval
                for name in ports:
                    context.set(getattr(unit, name), given.get(name, 0))
            elif cycle > until:
                for name in ports:
                    context.set(getattr(unit, name), rng.getrandbits(p.w if name == "q" else p.n))
            seen.append(look(context))
            await context.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def registers_of(unit, context):
    """The state of a unit as the model has it."""
    own = unit.accumulator
    if unit.p.unit is R64:
        return ScanState(
            [context.get(limb) for limb in own.limbs], *(context.get(r) for r in (own.reg1, own.reg2, own.c, own.t[0]))
        )
    karatsuba = unit.p.unit.karatsuba
    kept = [context.get(r) for r in own.kept] if karatsuba else [0] * (unit.p.s - 1)
    chain = context.get(own.chain) if karatsuba else 0
    limbs = [context.get(limb) for limb in own.t]
    return ColumnState(context.get(own.accumulator), limbs, chain, kept, context.get(own.nonzero))


@pytest.mark.parametrize("n", [12, 7])
@pytest.mark.parametrize(("unit", "kind", "registers"), with_registers(0, 2))
def test_registers_are_the_models_in_every_cycle(unit, kind, n, registers):
    compare_registers(unit, kind, n, {} if unit is R64 else {"registers": registers})


@pytest.mark.parametrize("n", [12, 7])
@pytest.mark.parametrize(("unit", "kind", "macs", "registers"), SEVERAL)
def test_registers_of_several_multipliers_are_the_models(unit, kind, n, macs, registers):
    if allowed(unit, -(-n // 3), macs, registers):
        compare_registers(unit, kind, n, {"macs": macs, "registers": registers})
    else:
        with pytest.raises(ParameterError, match="more multipliers"):
            parameters(unit.name, n, limb=3, macs=macs, registers=registers)


def multiplier(p, kinds):
    return LimbMultiplier(p, {kind: make_schedule(p, kind) for kind in kinds})


def compare_registers(unit, kind, n, options):
    """10 operations one after the other, in 4 and 3 limbs of 3 bits."""
    p, rng = parameters(unit.name, n, limb=3, **options), random.Random(n)
    hardware = multiplier(p, unit.kinds)
    schedule = make_schedule(p, kind)
    latency = schedule.latency
    cases = [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 12)[:10]]
    starts = {number * latency: (kind, given) for number, given in enumerate(cases)}
    seen = simulate_unit(hardware, starts, latency * len(cases), partial(registers_of, hardware))
    before = None
    for number, given in enumerate(cases):
        expected = states(p, schedule, given, before)
        assert seen[number * latency + 2 : (number + 1) * latency] == expected[: latency - 2]
        before = snapshot(expected[-1])


@pytest.mark.parametrize(
    ("unit", "options"),
    [(unit, {}) for unit in UNITS]
    + [(unit, {"registers": 1}) for unit in (L1, L2, L3)]
    + [(unit, {"macs": 2}) for unit in (L1, L2, L3)]
    + [(L1, {"macs": 3, "registers": 1}), (L2, {"macs": 5}), (L3, {"macs": 2, "registers": 1})],
    ids=str,
)
def test_kinds_in_any_order_as_close_as_they_may_be(unit, options):
    """60 operations of drawn kinds; `done` and z in the cycles of the schedules, `done` in no other."""
    p, rng = parameters(unit.name, 11, limb=3, **options), random.Random(2)
    hardware = multiplier(p, unit.kinds)
    starts, due, cycle = {}, {}, 3
    for m in (moduli(p, rng, 60) * 2)[:60]:
        kind = rng.choice(unit.kinds)
        given = operands(p, kind, m, partial(drawn, rng))
        starts[cycle] = kind, given
        schedule = make_schedule(p, kind)
        due[cycle + schedule.latency - 1] = kind, given
        cycle += schedule.interval + rng.choice([0, 0, 0, 1, 2, 7])
    seen = simulate_unit(
        hardware, starts, cycle + 40, lambda context: (context.get(hardware.done), context.get(hardware.z))
    )
    assert [at for at, (done, _) in enumerate(seen) if done] == sorted(due)
    for at, (kind, given) in due.items():
        check(p, kind, given, seen[at][1])


def test_r64_keeps_its_result_while_the_next_product_begins():
    """The paper's result can be read in its cycles 38 to 42 (here a cycle later), because z_0 is left alone."""
    p, rng = parameters("r64", 12, limb=3), random.Random(5)
    hardware = multiplier(p, (PRODUCT,))
    schedule = make_schedule(p, PRODUCT)
    cases = [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 12)[:8]]
    starts = {number * schedule.interval: (PRODUCT, given) for number, given in enumerate(cases)}
    seen = simulate_unit(hardware, starts, 9 * schedule.interval + 9, lambda context: context.get(hardware.z))
    for number, given in enumerate(cases):
        there = number * schedule.interval + schedule.latency - 1
        assert schedule.latency - 1 == 39
        for cycle in range(there, there + 5):
            check(p, PRODUCT, given, seen[cycle])


# --- the stream cores


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(
    ("name", "limb", "options"),
    [(name, 2, {}) for name in NAMES]
    + [(unit.name, 3, {"macs": 2}) for unit in (L1, L2, L3)]
    + [("limb-l2", 2, {"macs": 4})]
    + [
        pytest.param(*row, marks=pytest.mark.campaign)
        for row in (
            *(("r64", 3, {}), ("limb-l3", 3, {}), ("limb-l1", 2, {"macs": 3}), ("limb-l2", 3, {"macs": 3})),
            *((unit.name, 2, {"macs": 2}) for unit in (L1, L2, L3)),
        )
    ],
    ids=str,
)
def test_all_products_of_6_bits(name, limb, options, store):
    """All reduced x and y for all odd moduli of 6 bits at most: 43679 of 43679."""
    prepared = make(name, 6, store, limb=limb, **options)
    cases = [(x, y, m) for m in range(3, 64, 2) for x in range(m) for y in range(m)]
    assert len(cases) == 43679
    compare(prepared, [{"x": x, "y": y} | constants(prepared.parameters, m) for x, y, m in cases])


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "macs"), [(name, 1) for name in NAMES] + SEVERAL_CORES)
def test_all_products_of_8_bits_in_four_limbs(name, macs, store):
    """All reduced x and y for all odd moduli of 8 bits at most: 2796159 of 2796159."""
    prepared = make(name, 8, store, limb=2, **({"macs": macs} if macs > 1 else {}))
    for m in range(3, 256, 2):
        own = constants(prepared.parameters, m)
        compare(prepared, [{"x": x, "y": y} | own for x in range(m) for y in range(m)])


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize("name", NAMES)
def test_all_words_of_4_bits(name, store):
    """All x, y and m, reduced or not, odd or not: 4096 of 4096; q and mu are 1 where there are none."""
    prepared = make(name, 4, store, limb=2)
    p = prepared.parameters
    cases = []
    for m in range(16):
        own = constants(p, m) if m % 2 and m > 1 else {"m": m, "q": 1, "mu": 1}
        own = {field: own[field] for field in p.i.offsets if field in own}
        cases += [{"x": x, "y": y} | own for x in range(16) for y in range(16)]
    assert len(cases) == 4096
    compare(prepared, cases)


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(("n", "limb"), [(8, 2), pytest.param(10, 3, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("name", "macs"), ALONE_AND_SEVERAL)
def test_all_squares(name, macs, n, limb, store):
    """All reduced x for all odd moduli of 8 bits (16383 of 16383) or 10 bits (262143 of 262143) at most."""
    prepared = make(name, n, store, SQUARE, limb=limb, macs=macs)
    cases = [{"x": x, "y": x} | constants(prepared.parameters, m) for m in range(3, 1 << n, 2) for x in range(m)]
    assert len(cases) == (1 << (2 * n - 2)) - 1
    compare(prepared, cases)


@needs("compiled-simulator", why="millions of cycles")
@pytest.mark.parametrize(
    ("unit", "macs"),
    [
        pytest.param(unit, macs, id=f"{unit.name}-{macs}", marks=[] if always else [pytest.mark.campaign])
        for unit, macs, always in (
            (L1, 1, True),
            (L1, 2, False),
            (L2, 1, False),
            (L2, 2, True),
            (L3, 1, False),
            (L3, 2, True),
        )
    ],
)
def test_all_sums_of_two_products_of_4_bits(unit, macs, store):
    """All four reduced operands for all odd moduli of 4 bits at most: 103495 of 103495."""
    prepared = make(unit.name, 4, store, SUM, limb=2, macs=macs)
    cases = [
        {"x": x, "y": y, "x2": x2, "y2": y2} | constants(prepared.parameters, m)
        for m in range(3, 16, 2)
        for x in range(m)
        for y in range(m)
        for x2 in range(m)
        for y2 in range(m)
    ]
    assert len(cases) == 103495
    compare(prepared, cases)


WIDE = [("limb-l1", 1, SQUARE), ("limb-l1", 3, SUM), ("limb-l2", 1, SUM), ("limb-l2", 5, SQUARE)]
WIDE += [("limb-l3", 1, SQUARE), ("limb-l3", 2, SUM)]
"""Each unit with each kind, alone and with the most multipliers; the long run has all three together."""


@needs("compiled-simulator", why="wide operands")
@pytest.mark.parametrize(
    ("name", "macs", "kind"),
    [
        pytest.param(name, macs, kind, marks=[] if (name, macs, kind) in WIDE else [pytest.mark.campaign])
        for name, macs in (*((name, 1) for name in NAMES[1:]), *SEVERAL_CORES)
        for kind in (SQUARE, SUM)
    ],
)
def test_wide_squares_and_sums(name, macs, kind, store):
    """120 operations of 256 bits."""
    prepared = make(name, 256, store, kind, macs=macs)
    p, rng = prepared.parameters, random.Random(8)
    cases = [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 120)]
    compare(prepared, cases)


def compare(prepared, cases, simulator="auto"):
    """Payloads and cycles against the model, values against plain integers."""
    p, model = prepared.parameters, prepared.model
    trace = run(prepared, Stimulus([p.i.pack(case) for case in cases]), simulator)
    assert all(b - a == prepared.schedule.interval for a, b in pairwise(trace.accepted))
    for case, word, accepted, valid in zip(cases, trace.words, trace.accepted, trace.valid, strict=True):
        found, m = p.o.unpack(word), case["m"]
        expected = model.run(case)
        assert found == expected.payload
        assert valid - accepted == expected.cycles
        if m % 2 == 0 or m < 3:
            assert (found["z"], found["error"]) == (0, BAD_MODULUS)
        elif max(case[name] for name in p.operands) >= m:
            assert (found["z"], found["error"]) == (0, OUT_OF_RANGE)
        else:
            assert (found["modulus"], found["error"]) == (m, 0)
            check(p, p.kind, case, found["z"])


@pytest.mark.parametrize(("n", "limb"), [(40, 16), (33, 11), (20, 16)])
@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in NAMES] + [(name, {"macs": 2}) for name in NAMES[1:]], ids=str
)
def test_edges_and_errors(name, options, n, limb, store):
    """Moduli of all sizes, edge operands, broken ones between good ones."""
    prepared = make(name, n, store, limb=limb, **options)
    p, rng = prepared.parameters, random.Random(4)
    cases = [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 6)]
    regular = operands(p, PRODUCT, (1 << n) - 3, rng.randrange)
    m, top = regular["m"], (1 << n) - 1
    broken = [{"m": bad} for bad in (0, 1, 2, m - 1, 1 << (n - 1), 1 << limb)]
    broken += [{name: value} for name in "xy" for value in (m, m + 1, top)]
    broken += [{"x": top, "y": top}, {"x": m, "m": 2}]
    broken += [{"m": 3, "x": 3 << shift, "y": 0} for shift in (0, limb - 1, limb)]
    mixed = [case for bad in broken for case in (regular | bad, regular)]
    compare(prepared, cases + mixed, "pure")


@pytest.mark.parametrize("name", NAMES)
def test_wrong_constants_are_not_noticed(name, store):
    """The result is then the one that the model says, and there is no error: nothing compares q and mu with m."""
    prepared = make(name, 24, store, limb=8)
    p, rng = prepared.parameters, random.Random(6)
    cases = [operands(p, PRODUCT, m, rng.randrange) for m in moduli(p, rng, 20)]
    for case in cases:
        case |= {field.name: rng.getrandbits(field.width) for field in p.i.fields if field.name in ("q", "mu")}
    found = [p.o.unpack(word) for word in run(prepared, Stimulus([p.i.pack(case) for case in cases]), "pure").words]
    assert found == [prepared.model.run(case).payload for case in cases]
    assert {result["error"] for result in found} == {0}
    wrong = [((f["z"] << p.T) - c["x"] * c["y"]) % c["m"] != 0 for f, c in zip(found, cases, strict=True)]
    assert any(wrong)


FIELDS = ("secp192k1", "secp256k1", "ed25519")
AT_256_BITS = [(name, {}) for name in NAMES] + [(name, {"macs": 2}) for name in NAMES[1:]]


@needs("compiled-simulator", why="256 bits")
@pytest.mark.parametrize(
    ("name", "options", "field"),
    [
        pytest.param(*core, field, marks=[] if (row + column) % len(FIELDS) == 0 else [pytest.mark.campaign])
        for row, core in enumerate(AT_256_BITS)
        for column, field in enumerate(FIELDS)
    ],  # on every run each core with a field, and each field with several cores
    ids=str,
)
def test_products_of_an_independent_model(name, options, field, store):
    """On ECP5, through the blocks that are instantiated."""
    file = vectors.load(VECTORS / f"modmul-{field}.json")
    prepared = make(name, 256, store, target="ecp5", **options)
    found = verify(prepared, file.cases_for(prepared.core, prepared.request))
    assert found.failed == []
    assert found.passed == len(file.cases) > 0
    assert found.interval == prepared.schedule.interval


OTHER_WIDTHS = [("r64", 521, 64), ("limb-l3", 521, 64), ("limb-l1", 521, 128), ("limb-l2", 384, 32), ("r64", 128, 64)]
MORE_WIDTHS = [("limb-l1", 521, 64), ("limb-l2", 521, 64)] + [
    (name, n, limb)
    for name in NAMES
    for n, limb in ((521, 16), (521, 128), (384, 32), (128, 64), (256, 100))
    if (name, n, limb) not in OTHER_WIDTHS
]


@needs("compiled-simulator", why="521 bits")
@pytest.mark.parametrize(
    ("name", "n", "limb"),
    OTHER_WIDTHS + [pytest.param(*widths, marks=pytest.mark.campaign) for widths in MORE_WIDTHS],
)
def test_other_widths(name, n, limb, store):
    """30 products each, a modulus of its own for every one."""
    prepared = make(name, n, store, limb=limb)
    p, rng = prepared.parameters, random.Random(n + limb)
    compare(prepared, [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 30)])


@needs("compiled-simulator", why="256 bits")
@pytest.mark.parametrize(
    ("name", "target", "options"),
    [
        ("limb-l2", "ecp5", {"registers": 3}),
        ("limb-l3", "asic", {"registers": 8}),
        ("limb-l1", "ecp5", {"macs": 4}),
        ("limb-l1", "xc7", {"macs": 2, "registers": 2}),
        ("limb-l2", "ecp5", {"macs": 3, "registers": 1}),
        ("limb-l3", "ecp5", {"macs": 3, "limb": 32}),
        *(
            pytest.param(*row, marks=pytest.mark.campaign)
            for row in (
                ("limb-l1", "ecp5", {"registers": 1}),
                ("limb-l3", "ecp5", {"registers": 1}),
                ("limb-l3", "xc7", {"registers": 2}),
                ("limb-l3", "ecp5", {"macs": 2, "registers": 1}),
                ("limb-l3", "asic", {"macs": 2, "registers": 2}),
                ("limb-l2", "xc7", {"macs": 4, "limb": 32}),
            )
        ),
    ],
    ids=str,
)
def test_registers_inside_and_several_multipliers(name, target, options, store):
    """20 products each, a modulus of its own for every one."""
    prepared = make(name, 256, store, target=target, **options)
    p, rng = prepared.parameters, random.Random(5)
    compare(prepared, [operands(p, PRODUCT, m, partial(drawn, rng)) for m in moduli(p, rng, 20)])


@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in NAMES] + [(name, {"macs": 2}) for name in NAMES[1:]], ids=str
)
def test_control_is_proved(name, options, store):
    prepared = make(name, 24, store, limb=8, **options)
    control = [
        "control independent of data",
        "handshakes registered",
        "latency under any stalls",
        "result queue",
        "operands in addresses and enables",
    ]
    found = {proof.name: proof.status for proof in prove(prepared)}
    assert found == {**dict.fromkeys(control, "proved"), "arithmetic": "nothing owed"}


@pytest.mark.campaign
@pytest.mark.parametrize("limb", [16, 32, 64, 128])
@pytest.mark.parametrize(("unit", "kind"), EACH_KIND, ids=KIND_IDS)
def test_random_operations(unit, kind, limb, store):
    """20000 operations of 256 bits, 2000 of 521, each with a modulus of its own."""
    for n, count in ((256, 20_000), (521, 2_000)):
        prepared = make(unit.name, n, store, kind, limb=limb)
        p, rng = prepared.parameters, random.Random(n)
        for _ in range(0, count, 2000):
            compare(prepared, [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 2000)])


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "macs"), SEVERAL_CORES)
def test_random_operations_of_several_multipliers(name, macs, kind, store):
    """20000 operations of 256 bits, each with a modulus of its own."""
    prepared = make(name, 256, store, kind, macs=macs)
    p, rng = prepared.parameters, random.Random(macs)
    for _ in range(0, 20_000, 2000):
        compare(prepared, [operands(p, kind, m, partial(drawn, rng)) for m in moduli(p, rng, 2000)])
