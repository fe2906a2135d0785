# SPDX-License-Identifier: Apache-2.0
"""Binary multipliers: certificates against plain integers, both cores against x·y mod p."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.catalog import moduli
from modwright.contract.request import Request
from modwright.cores.modmul.binary.parameters.pipelined import BinaryParameters
from modwright.cores.modmul.binary.parameters.serial import SerialParameters
from modwright.cores.modmul.binary.plan.heap import Heap, Term
from modwright.cores.modmul.binary.plan.levels import Number, plan_levels
from modwright.cores.modmul.binary.plan.product import plan_product
from modwright.cores.modmul.binary.plan.reduction import plan_barrett, plan_reduction
from modwright.deliver.verilog import core_verilog
from modwright.functions import all_functions
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import Stalls, verify

from ..tools import needs

PIPELINED, SERIAL = "modmul/binary", "modmul/binary-serial"
SEED = 20190513
MOST_SUBTRACTIONS = 7
"""Limit of the candidates of a last sum, an expense only: of 3,500 odd moduli two needed 5, the others fewer."""

compiled = needs("compiled-simulator")
odd_moduli = st.integers(1, 1 << 300).map(lambda n: 2 * n + 1)


def derived(tmp_path, core, modulus, target="generic", **options):
    request = Request.make(find(core), modulus=modulus, target=target, options=options)
    return prepare(find(core), request, Store(tmp_path))


def every_pair(width):
    """Every pair of operands, the malformed ones included."""
    return [{"x": x, "y": y} for x, y in product(range(1 << width), repeat=2)]


def drawn(prepared, count):
    rng = random.Random(SEED)
    modulus = prepared.request.modulus
    cases = [all_functions()["modmul"].random(rng, modulus, None) for _ in range(count)]
    full = 1 << modulus.value.bit_length()
    return [*prepared.codec.edges().values(), *cases, *({"x": rng.randrange(full), "y": full - 1} for _ in range(4))]


def passes(prepared, cases, **how):
    result = verify(prepared, cases, **how)
    assert result.failed == []
    assert result.passed == len(cases)
    return result


# --- plans, in plain integers


def reductions(p, product=None, **options):
    """The folds of a number up to (p - 1)^2, which is one row."""
    bound = (p - 1) ** 2
    row = Heap((Term("x", 0, bound.bit_length(), 0),), options.get("segment", 32), bound)
    return plan_reduction(p, product or row, 0, options.get("tables", 0))


def folded(plan, x):
    """Values of the open sums and of the last fold, each with its bound; they are those of the terms and the excess."""
    sources = {"x": x}
    for number, (heap, fold) in enumerate(zip(plan.sums, plan.folds, strict=True)):
        whole = heap.run(sources)
        looked_up = fold.looked_up({plan.name(number): whole})
        value = sum(term.value({plan.name(number): whole}) for term in heap.result(plan.name(number)))
        assert value == heap.value(sources) + heap.excess + heap.constant
        yield value, heap.largest
        sources = {plan.name(number): whole, **looked_up}
        assert sum(term.value(sources) for term in fold.terms) == fold.apply(sources)
    yield fold.apply(sources) + plan.offset, plan.result


@given(odd_moduli, st.sampled_from([8, 32]), st.integers(0, 40), st.data())
def test_folds_keep_the_class_and_their_bounds(p, segment, tables, data):
    plan = reductions(p, segment=segment, tables=tables)
    bound = (p - 1) ** 2
    x = data.draw(st.one_of(st.integers(0, bound), st.just(bound)))
    for value, largest in folded(plan, x):
        assert 0 <= value <= largest
    assert (value - x - plan.surplus) % p == 0
    assert plan.surplus % p == 0
    assert plan.result // p <= MOST_SUBTRACTIONS


@given(odd_moduli, st.data())
def test_barrett_is_at_most_one_too_small(p, data):
    plan = plan_barrett(p, (p - 1) ** 2)
    q = data.draw(st.integers(0, p - 2))
    near = st.sampled_from([q * p, q * p + p - 1, (p - 1) ** 2])
    x = data.draw(st.one_of(near, st.integers(0, (p - 1) ** 2)))
    r = plan.apply(x)
    assert 0 <= r <= plan.result < 2 * p
    assert (r - x) % p == 0


@pytest.mark.parametrize("p", range(3, 64, 2))
def test_reductions_for_every_product(p):
    """All (p-1)^2 + 1 values of every odd modulus below 64, in segments of 3 bits, with and without a table."""
    plans, barrett = [reductions(p, segment=3, tables=n) for n in (0, 1)], plan_barrett(p, (p - 1) ** 2)
    for x in range((p - 1) ** 2 + 1):
        for plan in plans:
            for value, largest in folded(plan, x):
                assert 0 <= value <= largest
            assert value % p == x % p
        assert barrett.apply(x) in (x % p, x % p + p)


@given(st.integers(1, 400), st.integers(0, 2), st.sampled_from([8, 32]), st.data())
def test_limb_products_add_up(width, karatsuba, segment, data):
    plan = plan_product(width, karatsuba, segment)
    x, y = (data.draw(st.integers(0, (1 << width) - 1)) for _ in "xy")
    for pair in plan.contributions:
        for value, part in zip((x, y), pair, strict=True):
            assert (
                sum(value >> low & ((1 << high - low) - 1) for low, high in map(plan.limb_slice, part))
                < 1 << plan.factor
            )
    heap = Heap(plan.terms("p"), segment, (1 << 2 * width) + max(0, plan.excess("ecp5")))
    for target in ("generic", "ecp5"):
        sources = plan.run(x, y, "p", target)
        assert heap.value(sources) == x * y + plan.excess(target)
        whole = {"sum": heap.run(sources)}
        assert sum(t.value(whole) for t in heap.result("sum")) == x * y + plan.excess(target) + heap.excess


def test_karatsuba_makes_256_bits_fit_the_device():
    """156 blocks on the largest ECP5, of which router1 takes 60 %."""
    assert [plan_product(256, k).blocks for k in (0, 1, 2)] == [160, 120, 90]


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 40), st.booleans()), min_size=1, max_size=30))
def test_rows_hold_every_term_once_and_never_overlap(slices):
    terms = tuple(Term("x", 0, width, shift, 1 if plus else -1) for shift, width, plus in slices)
    heap = Heap(terms, 16, 0, width=100)
    bits = [t for t in terms if t.width == 1 and t.shift in (16, 32, 48, 64, 80)]
    rest = [t.cut(0, 100) for t in terms if t.shift < 100 and t not in bits]
    for (start, end), rows in zip(heap.segments, heap.rows, strict=True):
        placed = [term for row in rows for term in row]
        inside = [t.cut(start, end) for t in rest if t.shift < end and t.end > start]
        assert sorted(map(repr, placed)) == sorted(map(repr, inside))
        for row in rows:
            assert all(a.end <= b.shift and a.sign == b.sign for a, b in pairwise(row))
        highest = [
            max(sum(t.shift <= at < t.end for t in placed if t.sign == sign) for at in range(start, end))
            for sign in (1, -1)
        ]
        assert len(rows) == sum(highest)


def run_program(p, x, y):
    """Result of the serial program, limb by limb, in plain integers: accumulators digit by digit, within bounds."""
    words = {}
    x, y = (p.limbs_of(value, p.limbs) for value in (x, y << p.shift))
    read = {"x": x.__getitem__, "y": y.__getitem__, "word": words.__getitem__, "constant": int}
    count, digit, surplus = p.columns.digits, p.columns.digit, p.columns.surplus
    inside = digit - surplus
    result = []
    for one in p.passes:
        digits, over, carry = [0] * (2 * count), 0, 0
        for column in one.columns:
            digits = [high << surplus for high in digits[count:]] + [0] * count
            for a, b in column.products:
                added = p.columns.apply(read[a.kind](a.value), read[b.kind](b.value))
                digits = [before + more for before, more in zip(digits, added, strict=True)]
            assert all(value <= bound for value, bound in zip(digits, p.digit_bounds, strict=True))
            top, below = digits[count - 1], sum(value << digit * k for k, value in enumerate(digits[: count - 1]))
            total = carry + over + below + ((top & ((1 << inside) - 1)) << p.limb - inside)
            over = top >> inside
            limb, carry = total & ((1 << p.limb) - 1), total >> p.limb
            assert carry <= p.carry_bound
            if column.address is not None:
                words[column.address] = limb
            if one is p.passes[-1]:
                result.append(limb)
    return sum(limb << p.limb * n for n, limb in enumerate(result))


@given(odd_moduli, st.integers(1, 6), st.sampled_from(["folding", "barrett"]), st.data())
def test_the_program_gives_the_product(p, limbs, reduction, data):
    limbs = min(limbs, p.bit_length() // 2)
    parameters = SerialParameters(p, "generic", reduction, limbs)
    assume(parameters.certificate.failing is None)  # folding does not end for every modulus
    x, y = (data.draw(st.one_of(st.integers(0, p - 1), st.just(p - 1))) for _ in "xy")
    r = run_program(parameters, x, y)
    assert 0 <= r <= parameters.last_bound
    assert r % parameters.normal == (x * y % p) << parameters.shift


@pytest.mark.parametrize("name", [m.name for m in moduli()])
@pytest.mark.parametrize("core", [PIPELINED, SERIAL])
def test_every_modulus_of_the_catalog(core, name):
    request = Request.make(find(core), field=name)
    parameters = find(core).derive(request)
    assert parameters.certificate.failing is None
    schedule = find(core).schedule(parameters)
    assert schedule.constant_time
    assert (schedule.interval == 1) == (core == PIPELINED)


@pytest.mark.parametrize(("field", "cycles"), [("secp256k1", 25), ("secp256r1", 25), ("brainpoolP256r1", 34)])
def test_cycles_at_256_bits(field, cycles):
    core = find(PIPELINED)
    assert core.schedule(core.derive(Request.make(core, field=field))).latency == cycles


@given(st.lists(st.integers(1, 2), min_size=1, max_size=40), st.integers(0, 12))
def test_levels_are_as_few_as_pairs_allow(signs, bits):
    """Numbers of two segments, the second with bits that enter its additions."""
    bits = min(bits, len(signs) - 1)
    numbers = [Number(n, 3 - 2 * sign, 255) for n in (0, 1) for sign in signs]
    levels = plan_levels([*numbers, *(Number(1, 1, 1, bit=True) for _ in range(bits))], (8, 8), is_open=True)
    least = (len(signs) - 1).bit_length()
    assert least <= len(levels.steps) <= least + 2


# --- hardware


@pytest.mark.parametrize("reduction", ["folding", "barrett"])
@pytest.mark.parametrize("p", [3, 5, 61])
def test_pipelined_exhaustively(tmp_path, p, reduction):
    """Every pair of w-bit operands: 16, 64 and 4096 of as many."""
    prepared = derived(tmp_path, PIPELINED, p, reduction=reduction)
    cases = every_pair(p.bit_length())
    assert passes(prepared, cases, simulator="pure").interval == 1


def tables_of(prepared):
    """The tables of the first fold."""
    assert isinstance(prepared.parameters, BinaryParameters)
    return prepared.parameters.folds[0].tables


@pytest.mark.parametrize("p", [31, 61])
def test_a_table_exhaustively(tmp_path, p):
    """Every pair of w-bit operands: 1024 and 4096 of as many, all bits above the modulus in one table."""
    prepared = derived(tmp_path, PIPELINED, p, tables=1)
    (table,) = tables_of(prepared)
    assert table.slice.width >= p.bit_length()
    assert passes(prepared, every_pair(p.bit_length()), simulator="pure").interval == 1


@compiled
@pytest.mark.parametrize(("p", "tables", "blocks"), [("2^40-87", 4, 2), ("2^128-159", 12, 4), ("2^40-87", 4, 0)])
def test_tables_in_memories(tmp_path, p, tables, blocks):
    """300 drawn operands, of 2^80 or 2^256: slices of 9 bits in blocks of ECP5, words cut where it takes no more."""
    prepared = derived(tmp_path, PIPELINED, p, target="ecp5" if blocks else "generic", tables=tables, segment=32)
    names, widths = zip(*((table.name, table.slice.width) for table in tables_of(prepared)), strict=True)
    assert (widths[:3], list(names)) == ((9, 9, 9), sorted(names))
    assert core_verilog(prepared).count("DP16KD ") == tables * blocks
    passes(prepared, drawn(prepared, 300), simulator="compiled")


@pytest.mark.parametrize(("reduction", "rule"), [("folding", "tables <="), ("barrett", "tables = 0 without folds")])
def test_tables_that_a_product_has_not(reduction, rule):
    core = find(PIPELINED)
    with pytest.raises(ParameterError, match=rule):
        core.derive(Request.make(core, modulus=61, options={"tables": 2, "reduction": reduction}))


@pytest.mark.parametrize("reduction", ["folding", "barrett"])
@pytest.mark.parametrize(("p", "limb"), [(3, 4), (5, 4), (13, 4)])
def test_serial_exhaustively(tmp_path, p, limb, reduction):
    """Every pair of w-bit operands: 16, 64 and 256 of as many."""
    prepared = derived(tmp_path, SERIAL, p, reduction=reduction, limb=limb)
    passes(prepared, every_pair(p.bit_length()), simulator="pure")


@pytest.mark.campaign
@compiled
@pytest.mark.parametrize("core", [PIPELINED, SERIAL])
@pytest.mark.parametrize("reduction", ["folding", "barrett"])
@pytest.mark.parametrize("p", [97, 251])
def test_eight_bits_exhaustively(tmp_path, p, reduction, core):
    """Every pair: 16384 and 65536 of as many; several limbs and segments."""
    options = {"karatsuba": 2, "segment": 8} if core == PIPELINED else {"limb": 4}
    prepared = derived(tmp_path, core, p, "generic", reduction=reduction, **options)
    passes(prepared, every_pair(p.bit_length()), simulator="compiled")


@pytest.mark.parametrize("reduction", ["folding", "barrett"])
@pytest.mark.parametrize("karatsuba", [0, 1, 2])
def test_pipelined_in_many_segments(tmp_path, karatsuba, reduction):
    """300 drawn operands of 2^122, with segments of 8 bits, so that carries run through many."""
    prepared = derived(tmp_path, PIPELINED, "2^61-31", reduction=reduction, karatsuba=karatsuba, segment=8)
    passes(prepared, drawn(prepared, 300), simulator="pure")


@pytest.mark.parametrize(
    "field", ["secp160r1", "secp256r1", "curve25519", pytest.param("secp521r1", marks=pytest.mark.campaign)]
)
def test_pipelined_at_full_width(tmp_path, field):
    """60 drawn operands of p^2; with 521 bits, the slowest, in campaigns only: its plan is derived, and the serial
    core runs with it, on every run."""
    prepared = derived(tmp_path, PIPELINED, field)
    passes(prepared, drawn(prepared, 60), simulator="pure")


@pytest.mark.parametrize("field", ["secp160r1", "secp256k1", "secp256r1", "bls12-381", "secp521r1"])
def test_serial_at_full_width(tmp_path, field):
    """20 drawn operands of p^2."""
    prepared = derived(tmp_path, SERIAL, field)
    passes(prepared, drawn(prepared, 20), simulator="pure")


def test_limbs_wider_than_four_blocks(tmp_path):
    """Two limbs of 128 bits, whose columns take a level more than those of narrower ones; 3 drawn operands of p^2."""
    prepared = derived(tmp_path, SERIAL, "secp256k1", limb=144)
    assert prepared.schedule.latency == 41
    passes(prepared, drawn(prepared, 3), simulator="pure")


@pytest.mark.parametrize(("core", "options"), [(PIPELINED, {"segment": 8}), (SERIAL, {"limb": 7})])
def test_stalls_and_chains_change_nothing(tmp_path, core, options):
    prepared = derived(tmp_path, core, "2^31-1", **options)
    cases = drawn(prepared, 100)
    passes(prepared, cases, simulator="pure", stalls=Stalls(7))
    reduced = [case for case in cases if max(case["x"], case["y"]) < 2**31 - 1]
    passes(prepared, reduced, simulator="pure", stalls=Stalls(8), chained=True)


@compiled
@pytest.mark.parametrize("core", [PIPELINED, SERIAL])
def test_blocks_of_ecp5(tmp_path, core):
    """500 drawn operands of 2^60; the instantiated blocks run as the plain product does."""
    options = {"karatsuba": 1, "segment": 16} if core == PIPELINED else {"limb": 15}
    prepared = derived(tmp_path, core, "2^30-35", target="ecp5", **options)
    passes(prepared, drawn(prepared, 500), simulator="compiled")


@pytest.mark.parametrize("core", [PIPELINED, SERIAL])
def test_every_target_has_the_same_cycles(core):
    schedules = []
    options = {"tables": 3} if core == PIPELINED else {}
    for target in ("generic", "ecp5", "xc7", "asic"):
        parameters = find(core).derive(Request.make(find(core), field="secp256k1", target=target, options=options))
        schedules.append(find(core).schedule(parameters))
    assert all(schedule == schedules[0] for schedule in schedules)


def test_blocks_are_those_of_series_7_too(tmp_path):
    """40 drawn operands of 2^88, with the tree of another block size."""
    prepared = derived(tmp_path, PIPELINED, "2^44-17", target="xc7")
    passes(prepared, drawn(prepared, 40), simulator="pure")


# --- requests


@pytest.mark.parametrize("latency", [2, 6, 9])
def test_any_latency_gives_the_same_product(tmp_path, latency):
    prepared = derived(tmp_path, PIPELINED, 61, latency=latency, segment=8, reduction="folding")
    cycles = passes(prepared, drawn(prepared, 40), simulator="pure").cycles
    assert set(cycles.values()) == {latency}


@pytest.mark.parametrize("latency", [2, 400])
def test_a_latency_out_of_range_names_the_range(latency):
    core = find(PIPELINED)
    parameters = core.derive(Request.make(core, modulus=61, options={"latency": latency, "reduction": "barrett"}))
    with pytest.raises(ParameterError, match="<= latency <="):
        core.schedule(parameters)


@pytest.mark.parametrize("core", [PIPELINED, SERIAL])
def test_requests_that_cannot_be(core):
    with pytest.raises(UsageError, match="needs a modulus"):
        find(core).derive(Request.make(find(core)))
    with pytest.raises(ParameterError, match="1024"):
        find(core).derive(Request.make(find(core), modulus="2^1025-1"))


def test_folding_that_does_not_end_is_refused():
    core = find(SERIAL)
    with pytest.raises(ParameterError, match="16 folds are not enough"):
        core.derive(Request.make(core, field="bls12-381", options={"reduction": "folding"}))


@pytest.mark.parametrize("case", [{"x": 64, "y": 0}, {"x": -1, "y": 0}])
def test_operands_that_do_not_fit_are_not_encoded(case):
    core = find(PIPELINED)
    codec = core.codec(core.derive(Request.make(core, modulus=61)))
    with pytest.raises(ValueError, match=r"does not fit 6 bits|not negative"):
        codec.encode(case)
