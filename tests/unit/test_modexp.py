# SPDX-License-Identifier: Apache-2.0
"""Exponentiation over the multipliers: programs, cycles, values, hardware.

What every core must keep is tested in tests/contract.
"""

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from modwright.base.errors import ParameterError
from modwright.combine import exponentiation as modexp
from modwright.combine.exponentiation.parameters import METHODS, ModexpParameters
from modwright.combine.exponentiation.plan.execution import Execution, start
from modwright.combine.exponentiation.plan.in_turn import program_in_turn, started
from modwright.combine.exponentiation.plan.multiplier import Multiplier
from modwright.combine.exponentiation.plan.program import DOUBLE, HALVE, Pass, Product, program_of
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores
from modwright.rtl.streams import layout
from modwright.statistics.sampling import distribution_of

from .modexp_cases import RUNTIME, make

VARIABLE = {"r2l", "l2r"}


def multiplier_of(name, n, **options):
    """A multiplier with a modulus of n bits at run time."""
    core = all_cores()[f"modmul/{name}"]
    return Multiplier.derive(core, Request.make(core, target="generic", options={"bits": n, **options}))


# --- squares on the way to R²


@pytest.mark.parametrize(("name", "bits"), [("booth8-csa", 67), ("vlm3", 167), ("csa", 167), ("orup-dsp", 61)])
def test_squares_are_halved_whatever_they_are(name, bits, monkeypatch):
    """V fits the limb unit for moduli next to 2^bits, and the powers are right, also after a square above M."""
    halved, moduli = [], [(1 << bits) - 1 - 2 * random.Random(k).getrandbits(bits - 5) for k in range(24)]
    passed = Execution._passed

    def watched(self, one, v):
        after = passed(self, one, v)
        assert not self.modulus or max(v, after).bit_length() <= self.p.value_bits
        if one.operation == HALVE and one.count == 1:
            halved.append(0 < self.modulus < v)
        return after

    monkeypatch.setattr(Execution, "_passed", watched)
    prepared = make(f"{name}-window", bits=bits, exponent_bits=3)
    p, codec = prepared.parameters, prepared.codec
    for m in moduli:
        case = {"base": m // 3, "exponent": 5, "modulus": m}
        result = codec.decode(p.o.unpack(p.o.pack(prepared.model.run(codec.encode(case)).payload)))
        assert result["z"] == pow(m // 3, 5, m)
    assert any(halved)


# --- cycles that vary


@pytest.mark.parametrize("bits", [1, 2, 7])
@pytest.mark.parametrize("name", ["booth8-csa-l2r", "csa-r2l", "orup-dsp-l2r", "binary-r2l"])
def test_exact_cycles_over_all_exponents(name, bits):
    """Mean, variance and range over every exponent; the products are the model's own."""
    prepared = make(
        name,
        modulus=251 if name.startswith("binary") else None,
        exponent_bits=bits,
        **({} if name.startswith("binary") else {"bits": 8}),
    )
    statistic, model, codec = prepared.statistic, prepared.model, prepared.codec
    assert statistic is not None and statistic.exact is not None
    counts = Counter(
        model.run(codec.encode({"base": 77, "exponent": exponent, "modulus": 251})).cycles
        for exponent in range(1 << bits)
    )
    assert statistic.exact == distribution_of(counts)
    assert statistic.exact.most == prepared.schedule.latency


def test_no_theory_of_the_cycles_of_products_that_vary():
    statistic = make("vlm3-l2r", bits=8, exponent_bits=4).statistic
    assert statistic is not None and statistic.exact is None
    assert make("booth8-csa-ladder", bits=8, exponent_bits=4).statistic is None


# --- programs, with products in plain integers


def plain(p, m):
    """x·y / 2^T modulo m in the domain of a multiplier, in 7 cycles."""
    back = pow(1 << p.multiplier.domain.T, -1, m)
    return lambda x, y: (x * y * back % m, 7, 0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_programs_compute_powers(data):
    """Any method, modulus, base and exponent, with products that are plain arithmetic."""
    method = data.draw(st.sampled_from(METHODS))
    constants = data.draw(st.sampled_from(["hardware", "stream"]))
    n, E = data.draw(st.integers(4, 40)), data.draw(st.integers(1, 20))
    window = data.draw(st.integers(2, 6)) if method == "window" else 1
    name = data.draw(st.sampled_from(["booth8-csa", "radix2", "orup-dsp"]))
    p = ModexpParameters(method, multiplier_of(name, n), E, window, constants)
    m = data.draw(st.integers(1, (1 << (n - 1)) - 1)) * 2 + 1
    base, exponent = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, (1 << E) - 1))
    square = pow(2, 2 * p.multiplier.domain.T, m)
    done = start(p, plain(p, m), base=base, exponent=exponent, modulus=m, square=square).run()
    assert done.registers["V"] == pow(base, exponent, m)
    assert done.error == 0


@pytest.mark.parametrize("constants", ["hardware", "stream"])
@pytest.mark.parametrize("name", ["r64-l2r", "limb-scan-window", "limb-fold-ladder", "limb-fold-karatsuba-r2l"])
def test_limb_units_give_every_power(name, constants):
    """All bases and exponents of three bits, all moduli of four, with the constants computed or given."""
    prepared = make(name, bits=4, limb=2, exponent_bits=3, constants=constants)
    model, codec = prepared.model, prepared.codec
    for m in range(3, 16, 2):
        for base in range(m):
            for exponent in range(8):
                case = {"base": base, "exponent": exponent, "modulus": m}
                assert codec.decode(model.run(codec.encode(case)).payload) == {"z": base**exponent % m, "error": None}


def run_program(p, cycles, exponent):
    return start(p, lambda _x, _y: (0, cycles, 0), base=0, exponent=exponent).run().cycle


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["booth8-csa", "vlm3", "orup-dsp"])
def test_only_the_papers_methods_take_cycles_by_the_exponent(name, method):
    """64 exponents of 12 bits, products of equal cycles."""
    p = ModexpParameters(method, multiplier_of(name, 16), 12, 3 if method == "window" else 1)
    cycles = {run_program(p, 50, exponent * 65) for exponent in range(64)}
    assert (len(cycles) > 1) == (method in VARIABLE)


@pytest.mark.parametrize(
    ("method", "products"), [("r2l", 1024), ("l2r", 2048), ("ladder", 2048), ("window", 31 + 204 * 6 - 1)]
)
def test_products_at_1024_bits(method, products):
    """The cycles that another cycle a product adds, with an exponent of ones, less those of constants and domain."""
    p = ModexpParameters(method, multiplier_of("vlm3", 1024), 1024, 5 if method == "window" else 1)
    own = p.squarings + 3  # R², base and 1 into the domain, out of it
    ones = (1 << 1024) - 1
    assert run_program(p, 501, ones) - run_program(p, 500, ones) == products + own


def test_the_page_says_what_the_schedules_say():
    text = (Path(modexp.__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if row[0] in RUNTIME]
    assert len(rows) == 4
    for name, product, *cycles in rows:
        cores = [all_cores()[f"modexp/{name}-{method}"] for method in METHODS]
        made = [prepare(core, Request.make(core, options={"bits": 1024})) for core in cores]
        assert product == f"{made[0].parameters.multiplier.latency:,}"
        assert cycles == [f"{one.schedule.latency:,}" for one in made]


def test_half_of_an_rsa_2048_with_crt():
    assert make("booth8-csa-window", bits=1024).schedule.latency <= 470_000
    assert make("orup-dsp-window", bits=1024).schedule.latency <= 132_000


def test_both_halves_of_rsa_1024_in_two_slots():
    """Two exponentiations of 512 bits on one multiplier, the second one 37 cycles after the first; the next two are
    admitted from registers, a cycle after the second result has left."""
    schedule = make("orup-interleaved-window", bits=512, slots=2, constants="stream", target="ecp5").schedule
    assert (schedule.latency, schedule.burst, schedule.burst_distance) == (51_392, 2, 37)
    assert schedule.interval == schedule.latency + 2 + 37


@pytest.mark.parametrize(
    ("options", "common"),
    [
        ({"constants": "stream"}, True),
        ({"constants": "stream", "window": 6}, False),  # 64 entries are not read during six squares
        ({"constants": "hardware"}, False),
    ],
)
def test_two_in_turn_have_common_registers_where_a_look_up_fits(options, common):
    p = make("orup-interleaved-window", bits=512, slots=2, target="ecp5", **options).parameters
    assert (p.in_turn is not None) == common
    assert p.certificate.failing is None
    assert ({"look-up", "turns-back"} <= {one.name for one in p.certificate.inequalities}) == common


def test_turns_of_rsa_1024():
    """33 products to the table, 103 digits of six, and one out of the domain, in turns of 78 cycles."""
    p = make("orup-interleaved-window", bits=512, slots=2, constants="stream", target="ecp5").parameters
    steps = program_in_turn(p)
    assert p.in_turn is not None
    assert (p.in_turn.period, p.in_turn.limbs) == (78, 8)
    products = started(p, lambda _x, _y: (0, 78, 0), base=0, exponent=0).run().products[0]
    assert products == 32 + 2 + 103 * 6 + 1
    passes = sum(1 + one.count * p.turn for one in steps if isinstance(one, Pass))
    assert 2 + products * 78 + p.in_turn.streamed + passes == 51_392


def test_constants_take_as_few_cycles_as_can_be():
    p = ModexpParameters("ladder", multiplier_of("booth8-csa", 1024), 1024)

    def cycles_with(squarings):
        q = replace(p)
        q.__dict__["squarings"] = squarings
        passes = sum(one.count for one in program_of(q) if isinstance(one, Pass) and one.operation == DOUBLE)
        return passes * p.turn + sum(isinstance(one, Product) for one in program_of(q)) * p.multiplier.latency

    assert cycles_with(p.squarings) <= min(cycles_with(j) for j in range(10)) * 1.01


def test_exponentiations_that_cannot_be():
    with pytest.raises(ParameterError, match="one product waits"):
        make("booth8-csa-l2r", bits=16, interleave=2)
    with pytest.raises(ParameterError, match="equal cycles"):
        make("vlm3-window", bits=16, interleave=2)
    with pytest.raises(ParameterError, match="two exponentiations are in turn"):
        make("orup-interleaved-window", bits=16, slots=4)
    with pytest.raises(ParameterError, match="multiplies results again") as refused:
        make("rns-kbe-r2l", modulus="478603", output="exact")
    assert refused.value.hint == "output=class"
    with pytest.raises(ParameterError, match="two operands"):
        make("rns-hbe-l2r", modulus="478603", kappa=2)
    with pytest.raises(ParameterError, match="multiplies results again"):
        make("sor-2m-ladder", modulus="secp256k1", io="binary")


@pytest.mark.parametrize("name", ["sor-lean-window", "sor-1m-p-window"])
def test_a_power_of_one_digit_is_a_product(name):
    """Bases up to their limit, which is above the bound of results, to the power of 0 and 1."""
    prepared = make(name, modulus="3613", exponent_bits=1, output="exact")
    drawn = (prepared.codec.draw(random.Random(seed), {"base": seed, "exponent": 1}) for seed in range(200))
    for payload in ({**one, "exponent": exponent} for one in drawn for exponent in (0, 1)):
        power = prepared.codec.read(payload).case["base"] % 3613 if payload["exponent"] else 1
        decoded = prepared.codec.decode(prepared.model.run(payload).payload)
        assert (decoded["z"], decoded["error"]) == (power, None)  # not the error "bound"


def controls_of(prepared, operations):
    """The sequencer's control signals in every cycle of each operation, one after the other on one core."""
    core = prepared.core.build(prepared.parameters, prepared.schedule)
    traces = []

    async def bench(context):
        context.set(core.o.ready, 1)
        for operands in operations:
            context.set(core.i.payload, layout(prepared.parameters.i).const(operands))
            context.set(core.i.valid, 1)
            while not context.get(core.i.ready):
                await context.tick()
            await context.tick()
            context.set(core.i.valid, 0)
            rows = []
            while not context.get(core.o.valid):
                rows.append(tuple(context.get(signal) for signal in core.sequencers[0].control))
                await context.tick()
            traces.append(rows)
            await context.tick()

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return traces


@pytest.mark.parametrize(
    "name",
    [
        *("booth8-csa-ladder", "booth4-csa-window", "booth8-csa-l2r", "radix2-r2l"),
        pytest.param("orup-dsp-window", marks=pytest.mark.campaign),
    ],
)
def test_the_control_of_constant_time_methods_knows_no_operand(name, store):
    """Every control signal in every cycle, of 12 operations with bases, exponents and moduli of all kinds."""
    prepared = make(name, store, bits=8, exponent_bits=6)
    operands = [
        {"base": base, "exponent": exponent, "m": m}
        for base, m in ((0, 251), (1, 3), (200, 201), (255, 255))
        for exponent in (0, 37, 63)
    ]
    traces = controls_of(prepared, operands)
    assert len(traces) == len(operands)
    assert all(len(trace) > 100 for trace in traces[2:3])
    assert all(trace == traces[0] for trace in traces) == prepared.schedule.constant_time
    assert prepared.schedule.constant_time == (name.rpartition("-")[2] not in VARIABLE)


def test_the_control_of_two_in_turn_knows_no_operand(store):
    """Of the first one, in every cycle, for 6 operations; an invalid base or modulus among them."""
    prepared = make("orup-interleaved-window", store, bits=8, exponent_bits=6, slots=2, constants="stream", window=2)
    given = [{"base": b, "exponent": e, "modulus": m} for b, m in ((0, 251), (200, 201)) for e in (0, 37, 63)]
    operands = [prepared.codec.encode(one) for one in given]
    traces = controls_of(prepared, [*operands, operands[0] | {"m": 250}])
    assert len(traces[0]) == prepared.schedule.latency - 1
    assert all(trace[1:] == traces[0][1:] for trace in traces)  # cycles of turns go on in an empty core


@pytest.mark.parametrize("name", RUNTIME)
@pytest.mark.parametrize("n", [8, 64, 521, 4096])
def test_certificates_hold(name, n):
    wide = {"limb": 128} if n == 4096 and re.match("r64|limb-scan|limb-fold", name) else {}  # at most 34 limbs
    wide |= {"width": 24} if n == 4096 and name.startswith("rns") else {}  # 242 moduli of 17 bits are too far apart
    p = make(f"{name}-window", bits=n, **wide).parameters
    assert p.certificate.failing is None
    way = "out-range" if name.startswith("rns") else "limbs"
    assert {way, "entry", "result-width"} <= {one.name for one in p.certificate.inequalities}


# --- the model


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["booth4-csa", "orup-dsp"])
def test_every_power_modulo_small_numbers(name, method, store):
    """All bases and exponents of 4 bits modulo every odd number from 3 to 15: 1008 of 1008 by the model."""
    prepared = make(f"{name}-{method}", store, bits=4, exponent_bits=4, **({"window": 2} if method == "window" else {}))
    checked = 0
    for m in range(3, 16, 2):
        for base in range(m):
            for exponent in range(16):
                payload = prepared.codec.encode({"base": base, "exponent": exponent, "modulus": m})
                found = prepared.codec.decode(prepared.model.run(payload).payload)
                assert found == {"z": pow(base, exponent, m), "error": None}
                checked += 1
    assert checked == 1008
