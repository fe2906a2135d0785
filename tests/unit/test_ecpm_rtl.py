# SPDX-License-Identifier: Apache-2.0
"""Point multiplication in hardware: small fields in full, vectors, curves of every size, errors, constant control.

Runs on the compiled simulator; without a C++ compiler only what is small.
"""

import json
import random
from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator
from cryptography.hazmat.primitives.asymmetric import ec

from modwright.catalog import curves as catalog
from modwright.catalog import resolve_curve
from modwright.catalog.points import add_points, multiply_point, small_curve_points
from modwright.contract.request import Request
from modwright.engines.ladder.control import ITERATE, LOAD, MINUS, MODULUS, PLUS, RESULT
from modwright.engines.ladder.hardware.alone import arithmetic_of
from modwright.engines.ladder.inversion import invert
from modwright.functions import vectors
from modwright.functions.cases import edge_cases, random_cases
from modwright.simulate import verify
from modwright.simulate.runs import Run, simulate_file

from ..tools import needs
from .conftest import CommandLine
from .ecpm_hardware import LADDER, PAPER, make

DATA = Path(__file__).parents[1] / "data" / "vectors"
compiled = needs("compiled-simulator", why="a point multiplication has 65,000 cycles")


def small_curves(p):
    for a in range(p):
        for b in range(p):
            if (4 * a**3 + 27 * b * b) % p:
                yield a, b, small_curve_points(p, a, b)


def expected(point):
    return {"infinity": True} if point is None else {"rx": point[0], "ry": point[1]}


# --- the adder and the inversion alone


def adder(prepared, bench):
    """Runs a bench on the arithmetic of a core."""
    unit = arithmetic_of(prepared.parameters)
    m = Module()
    m.submodules.unit = unit

    async def process(ctx):
        await bench(ctx, unit)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()


ADDERS = [(LADDER, "generic"), (LADDER, "asic"), (PAPER, "generic")]
ADDER_NAMES = ["three sums", "two sums", "alone"]


@pytest.mark.parametrize(("core", "target"), ADDERS, ids=ADDER_NAMES)
@pytest.mark.parametrize("m", [5, 7, 11, 13, 15])
def test_sums_of_all_residues(store, m, core, target):
    """Sums, differences and reductions of all operands, products below 2m or 4m: all cases."""
    prepared, cases = make(store, core, target=target, bits=4, limb=2), 0
    multiple = prepared.parameters.multiple

    async def bench(ctx, unit):
        nonlocal cases
        ctx.set(unit.m, m)
        for a in range(m):
            ctx.set(unit.filled, a)
            ctx.set(unit.load_a, 1)
            await ctx.tick()
            ctx.set(unit.load_a, 0)
            for b in range(m):
                for code, value in ((PLUS, a + b), (MINUS, a - b)):
                    ctx.set(unit.read, b)
                    ctx.set(unit.second, code)
                    await ctx.tick()
                    assert ctx.get(unit.w) == value % m
                    assert ctx.get(unit.negative) == (value < 0)
                    cases += 1
        ctx.set(unit.second, MODULUS)
        for a in range(2 * m):
            ctx.set(unit.filled, a)
            ctx.set(unit.load_a, 1)
            await ctx.tick()
            await ctx.tick()
            assert ctx.get(unit.w) == a % m
            cases += 1
        ctx.set(unit.first, 1)
        for z in range(multiple * m):
            ctx.set(unit.z_0, z)
            await ctx.tick()
            assert ctx.get(unit.w) == (z % m if z < 3 * m else z - 2 * m)
            cases += 1

    adder(prepared, bench)
    assert cases == 2 * m * m + (2 + multiple) * m


@pytest.mark.parametrize(("core", "target"), ADDERS, ids=ADDER_NAMES)
@pytest.mark.parametrize("m", [5, 7, 9, 11, 13, 15])
def test_inversion_of_all_residues(store, m, core, target):
    """2T iterations of every residue, bit for bit as in plain integers, one a cycle: m cases of m possible."""
    prepared = make(store, core, target=target, bits=4, limb=2)
    iterations = prepared.parameters.iterations

    async def bench(ctx, unit):
        ctx.set(unit.m, m)
        for d in range(m):
            ctx.set(unit.filled, d)
            ctx.set(unit.inverse, LOAD)
            await ctx.tick()
            ctx.set(unit.inverse, ITERATE)
            for _ in range(iterations):
                await ctx.tick()
            ctx.set(unit.inverse, RESULT)
            await ctx.delay(1e-8)
            found = ctx.get(unit.w)
            await ctx.tick()
            assert (found, bool(ctx.get(unit.inv_sign))) == invert(d, m, iterations)

    adder(prepared, bench)


# --- small fields in full


def whole_field(prepared, p):
    """Every curve, point (that at infinity too) and scalar from 0 to 2N + 1; the number of cases."""
    cases = []
    for a, b, points in small_curves(p):
        order = len(points) + 1
        for x, y in [*points, (None, None)]:
            point, total = (None if x is None else (x, y)), None
            for k in range(2 * order + 2):
                given = {"modulus": p, "a": a, "b": b, "order": order, "k": k, "x": x, "y": y}
                cases.append(given | expected(total))
                total = add_points(total, point, p, a)
    found = verify(prepared, cases, oracle=False)
    assert found.failed == []
    assert set(found.cycles.values()) == {prepared.schedule.latency}
    return found.passed


def possible(p):
    return sum((len(points) + 1) * (2 * len(points) + 4) for _, _, points in small_curves(p))


FULL = [
    (LADDER, {}),
    (LADDER, {"macs": 2, "blinding": True}),
    (PAPER, {}),
    (LADDER, {"unit": "scan", "target": "asic"}),
]
FULL_NAMES = ["one", "two, blinded", "r64", "scan in gates"]


@compiled
@pytest.mark.parametrize(
    ("core", "options", "p"),
    [
        pytest.param(*row, p, id=f"{p}-{name}", marks=[] if p == every_run else [pytest.mark.campaign])
        for row, name, every_run in zip(FULL, FULL_NAMES, (7, 5, 7, 5), strict=True)
        for p in (5, 7)
    ],
)
def test_all_curves_points_and_scalars(store, core, options, p):
    """Modulo 5, 1,872 cases of 1,872 possible; modulo 7, 6,624 of 6,624."""
    prepared = make(store, core, bits=4, limb=2, order_bits=5, **options)
    assert whole_field(prepared, p) == possible(p) == {5: 1872, 7: 6624}[p]


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize(("core", "options"), FULL, ids=FULL_NAMES)
@pytest.mark.parametrize("p", [11, 13, 17, 19])
def test_all_curves_points_and_scalars_of_larger_fields(store, core, options, p):
    """All cases of all possible."""
    prepared = make(store, core, bits=5, limb=3, order_bits=5 if p < 19 else 6, **options)
    assert whole_field(prepared, p) == possible(p)


# --- vectors and curves of the catalog


EVERY_RUN = [("ecpm/ladder", "P-256"), ("ecpm/r64-ladder", "secp256k1"), ("ecpm/ladder", "rand257order")]
LONG_RUN = [("ecpm/r64-ladder", "P-256"), ("ecpm/ladder", "secp256k1"), ("ecpm/r64-ladder", "rand257order")]


@compiled
@pytest.mark.parametrize(
    ("core", "name"), [*EVERY_RUN, *(pytest.param(*row, marks=pytest.mark.campaign) for row in LONG_RUN)]
)
def test_vectors_on_the_command_line(core, name, capsys):
    """The files of tests/data/vectors, with orders of 256 and 257 bits."""
    command = CommandLine(capsys)
    path = DATA / f"ecpm-{name}.json"
    cases = len(json.loads(path.read_text(encoding="utf-8"))["cases"])
    assert command("simulate", core, "--vectors", path, "--pattern", "free", "--json") == 0
    assert (command.json["cases"], command.json["passed"], command.json["failed"]) == (cases, cases, [])


@compiled
def test_wrong_vectors_fail(tmp_path):
    """Every expected x of a file changed in its lowest bit, on a curve over 13 elements; right vectors are above."""
    p, a, b = 13, 2, 3
    points, cases = small_curve_points(p, a, b), []
    order = len(points) + 1
    for x, y in points[::5]:
        for k in range(order + 1):
            rx, ry = multiply_point(k, (x, y), p, a) or (None, None)
            result = {"infinity": True} if rx is None else {"rx": hex(rx), "ry": hex(ry)}
            cases.append({"k": hex(k), "x": hex(x), "y": hex(y), **result})
    path, curve = tmp_path / "vectors.json", {"p": hex(p), "a": hex(a), "b": hex(b), "order": hex(order)}
    path.write_text(json.dumps({"function": "ecpm", "curve": curve, "cases": cases}))
    file = vectors.load(path)
    wrong = [case for case in file.cases if "rx" in case]
    for case in wrong:
        case["rx"] ^= 1
    options = {"bits": 4, "limb": 2, "order_bits": 5, "unit": "scan"}
    found = simulate_file(LADDER, Request.make(LADDER, target="generic", options=options), file, Run(pattern="free"))
    assert 0 < len(wrong) < len(cases)
    assert len({failure.index for failure in found.failed}) == len(wrong)


def test_vectors_over_the_smallest_field_find_the_width_of_a_ladder(tmp_path):
    """y² = x³ + 3·x + 2 modulo 5 has five points; the narrowest ladder is one of 4 bits, whose orders have 4 or 5."""
    case = {"k": "0x2", "x": "0x1", "y": "0x1", "rx": "0x2", "ry": "0x1"}
    curve = {"p": "0x5", "a": "0x3", "b": "0x2", "order": "0x5"}
    (tmp_path / "v.json").write_text(json.dumps({"curve": curve, "cases": [case]}))
    file = vectors.load(tmp_path / "v.json")
    request = Request.make(LADDER, modulus=5, target="generic", options={"limb": 2, "unit": "scan"})
    assert simulate_file(LADDER, request, file, Run(pattern="free")).failed == []


WEIERSTRASS = [curve.name for curve in catalog() if curve.form == "weierstrass" and curve.p.bit_length() <= 521]
ALWAYS = ("brainpoolP256r1",)
"""On every run, next to the vectors above; the unit at 384 and 521 bits is in `test_limb_rtl`."""


@compiled
@pytest.mark.parametrize(
    ("name", "macs"),
    [
        pytest.param(name, macs, marks=[] if name in ALWAYS and macs == 1 else pytest.mark.campaign)
        for name in WEIERSTRASS
        for macs in (1, 2)
    ],
)
def test_curves_of_the_catalog(store, name, macs):
    """Edge scalars and random ones on every Weierstrass curve of up to 521 bits, against sums of points."""
    bits = resolve_curve(name).p.bit_length()
    prepared = make(store, bits=bits, macs=macs, order_bits=max(bits, resolve_curve(name).order.bit_length()))
    on_curve = make(store, curve=name, macs=macs)
    cases = random.Random(macs).sample(edge_cases(on_curve), 4) + random_cases(on_curve, 2, seed=macs)
    curve = resolve_curve(name)
    constants = {"modulus": curve.p, "a": curve.a, "b": curve.b, "order": curve.order}
    found = verify(prepared, [constants | case for case in cases])
    assert found.failed == []
    assert found.passed == len(cases)


@compiled
def test_a_wide_core_takes_narrow_curves(store):
    """P-192 and curves of 13 and 61 on a core of 256 bits."""
    prepared = make(store, bits=256)
    p192 = resolve_curve("P-192")
    cases = [{"modulus": p192.p, "a": p192.a, "b": p192.b, "order": p192.order, "x": p192.gx, "y": p192.gy}]
    for p in (13, 61):
        points = small_curve_points(p, 2, 3)
        x, y = points[3]
        cases.append({"modulus": p, "a": 2, "b": 3, "order": len(points) + 1, "x": x, "y": y})
    found = verify(prepared, [{**case, "k": k} for case in cases for k in (0, 1, 2, 12345)])
    assert found.failed == []


def composite(bits):
    """y² = x³ + 2 over a prime p = 2 (mod 3): its group is cyclic of order p + 1, which has small divisors."""
    p = (1 << bits) - 1
    while p % 3 != 2 or any(pow(base, p - 1, p) != 1 for base in (2, 3, 5, 7)):
        p -= 2
    return p


@compiled
def test_points_of_small_order(store):
    """Points of order d on a group of p + 1, for every divisor d from 2 to 60 with a prime of 64 bits where 60 divides
    p + 1, and scalars around multiples of d."""
    p = composite(64)
    while (p + 1) % 60 or any(pow(base, p - 1, p) != 1 for base in (2, 3, 5, 7, 11, 13)):
        p -= 2
    rng, cases = random.Random(3), []
    for d in (d for d in range(2, 61) if 60 % d == 0):
        x, y = point_of_order(rng, p, 2, d)
        for k in (0, 1, d - 1, d, d + 1, 2 * d - 1, rng.randrange(p), p, p + 1, p + 2):
            cases.append({"modulus": p, "a": 0, "b": 2, "order": p + 1, "k": k, "x": x, "y": y})
    found = verify(make(store, bits=64, limb=16, order_bits=65), cases)
    assert found.failed == []
    assert found.passed == 110


def point_of_order(rng, p, b, d):
    """On y² = x³ + b, with p = 2 (mod 3): every y has one x."""
    while True:
        y = rng.randrange(p)
        x = pow(y * y - b, (2 * p - 1) // 3, p)
        point = multiply_point((p + 1) // d, (x, y), p, 0)
        divisors = (e for e in range(1, d) if d % e == 0)
        if point is not None and all(multiply_point(e, point, p, 0) is not None for e in divisors):
            return point


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("name", ["P-256", "secp256k1"])
@pytest.mark.parametrize("macs", [1, 2])
def test_random_keys_against_cryptography(store, name, macs):
    """5,000 random scalars on each core, 10,000 on each curve, with points of random scalars, by `cryptography`."""
    curve, rng = resolve_curve(name), random.Random(f"{name} {macs}")
    group = ec.SECP256R1() if name == "P-256" else ec.SECP256K1()

    def public(k):
        numbers = ec.derive_private_key(k, group).public_key().public_numbers()
        return numbers.x, numbers.y

    cases = []
    for _ in range(5000):
        j, k = rng.randrange(1, curve.order), rng.randrange(1, curve.order)
        (x, y), (rx, ry) = public(j), public(j * k % curve.order)
        cases.append({"k": k, "x": x, "y": y, "rx": rx, "ry": ry})
    found = verify(make(store, curve=name, macs=macs), cases, oracle=False)
    assert found.failed == []
    assert found.passed == 5000
