# SPDX-License-Identifier: Apache-2.0
"""The delivered driver on a soft CPU: results, cycles next to those of the core, and what they may depend on."""

import random

import pytest

from modwright.catalog.points import multiply_point
from modwright.driver import FOLDER, SOURCES
from modwright.emulate import Device

from ..soft_cpu import Modelled, Posted, Program, Simulated, System, TrapError, compile_for, needs_riscv
from .devices import core, needs_verilator

pytestmark = needs_riscv

P256 = {
    "p": 2**256 - 2**224 + 2**192 + 2**96 - 1,
    "a": -3 % (2**256 - 2**224 + 2**192 + 2**96 - 1),
    "b": 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    "order": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "x": 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    "y": 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
}
"""FIPS 186-4, D.1.2.3."""
MOST_POINT, MOST_PRODUCT = 81_000, 1_500
"""Cycles that an operation may take with its modulus kept: 1.25 times the 65,041 of the point in its core, and a
128-bit product."""
FREESTANDING = tuple(name for name in SOURCES if name.endswith(".c") and name != "modwright_linux.c")
CURVE = {"a": 2, "b": 5}
SMALL = 1009


@pytest.mark.parametrize("multiplier", [False, True])
@pytest.mark.parametrize("optimized", ["-O0", "-Os", "-O2"])
def test_it_needs_no_library_and_no_header_of_one(optimized, multiplier, tmp_path):
    """No call is left for a library, of which those with 64 bits take a time that depends on operands."""
    for name in FREESTANDING:
        target = tmp_path / f"{name}.o"
        compile_for(target, [FOLDER / name], [optimized], multiplier=multiplier, linked=False)
        assert not {one for one in Program(target).undefined if not one.startswith("mw_")}


@pytest.fixture(scope="module")
def product(store):
    return core("modmul/r64", store, options={"bits": 128})


@pytest.mark.parametrize("multiplier", [False, True])
@pytest.mark.parametrize("optimized", ["-O2", "-Os"])
def test_products_of_128_bits(optimized, multiplier, product, tmp_path):
    """Six moduli, edges and random operands: as many cycles each, and at -O2 no more than the figure."""
    system = System(product, tmp_path, flags=(optimized,), multiplier=multiplier)
    assert system.opened == 0
    rng = random.Random(1)
    first, again = set(), set()
    for m in (2**127 + 45, 2**128 - 159, *((rng.getrandbits(127) | 1 << 127 | 1) for _ in range(4))):
        pairs = [(rng.randrange(m), rng.randrange(m)), (0, m - 1), (m - 1, m - 1), (1, rng.randrange(m))]
        for number, (x, y) in enumerate(pairs):
            status, (z, _), cycles, of_core = system(4, m, x=x, y=y)
            assert (status, z) == (0, x * y % m)
            (again if number else first).add(cycles)
        assert of_core == 2 * product.schedule.latency
    assert len(again) == 1, "cycles depend on operands"
    assert len(first) <= 2, "cycles of the constants depend on the modulus"  # after none, and after another one
    if optimized == "-O2":
        assert max(again) <= MOST_PRODUCT


@pytest.mark.parametrize("name", ["modmul/booth8-csa", "modmul/limb-fold", "modmul/orup-dsp", "modmul/csa"])
def test_other_representations(name, store, tmp_path):
    """A result below 2·m that is an operand as it is; below 3·m; far above m, of no whole words; below m."""
    options = {"digit": 5, "tile": 8, "limb": 16, "bits": 40} if "orup" in name else {"bits": 64}
    prepared = core(name, store, modulus="0xffffffffc5", options=options) if "orup" in name else None
    prepared = prepared or core(name, store, modulus="0xffffffc5", options={} if "limb" not in name else {"limb": 8})
    system = System(prepared, tmp_path)
    m = prepared.request.modulus.value
    words = -(-m.bit_length() // 32)
    rng = random.Random(name)
    found = []
    for _ in range(6):
        x, y = rng.randrange(m), rng.randrange(m)
        status, (z, _), cycles, _ = system(words, m, x=x, y=y)
        assert (status, z) == (0, x * y % m)
        found.append(cycles)
    assert len(set(found[1:])) == 1
    assert found[0] > found[1]


def moduli_of_a_division(n, K, rng):
    """Odd numbers of at most n bits with the least and the greatest -1/m mod 2^K, short ones, and random ones."""
    factors = [*range(1, 12, 2), (1 << 32) - 1, (1 << K) - 1, (1 << K) - 3]
    found = [-pow(c, -1, 1 << K) % (1 << K) + (rng.getrandbits(n - K) << K) for c in factors]
    found += [(1 << n) - 1, (1 << n) - 159, 3, 5, 2**61 - 1, (1 << (n - 1)) + 1]
    return [m for m in found if m > 2] + [rng.getrandbits(n) | 1 for _ in range(6)]


@pytest.mark.parametrize("shortcut", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("modmul/orup-dsp", {"bits": 128, "digit": 18, "tile": 18}),
        ("modmul/orup-interleaved", {"bits": 64, "digit": 18, "tile": 18}),
    ],
)
def test_a_core_divides(name, options, shortcut, store, tmp_path):
    """Every kind of modulus; operands at the edges, inverses, and out of range. Cycles depend on no operand."""
    prepared = core(name, store, options=options)
    n, K = options["bits"], prepared.parameters.K
    system = System(prepared, tmp_path, Modelled(prepared, swap=not shortcut))  # a bus that swaps has no shortcut
    words, rng = n // 32, random.Random(5)
    for m in moduli_of_a_division(n, K, rng):
        half, some = (m + 1) // 2, rng.randrange(m)
        for x, y in ((half, 2), (2, half), (0, some), (some, 0), (m - 1, m - 1), (1, 1), (some, rng.randrange(m))):
            status, (z, _), *_ = system(words, m, x=x, y=y)
            assert (status, z) == (0, x * y % m), (m, x, y)
        assert system(words, m, x=m, y=1)[0] == system(words, m, x=1, y=m)[0] == -5
    for y in (0, 1, m - 1):
        cycles = {system(words, m, x=x, y=y)[2] for x in (0, 1, m - 1, *(rng.randrange(m) for _ in range(3)))}
        assert len(cycles) == 1, "cycles depend on operands"


@pytest.mark.parametrize("multiplier", [False, True])
def test_a_product_of_128_bits_with_results_far_above_the_modulus(multiplier, store, tmp_path):
    """As delivered for ECP5: no more than the figure, and as many cycles for every modulus and all operands."""
    prepared = core("modmul/orup-dsp", store, target="ecp5", options={"bits": 128})
    system = System(prepared, tmp_path, multiplier=multiplier)
    rng, seen = random.Random(9), set()
    for m in (2**128 - 159, 2**127 + 45, rng.getrandbits(128) | 1):
        for number in range(3):
            x, y = rng.randrange(m), rng.randrange(m)
            status, (z, _), cycles, of_core = system(4, m, x=x, y=y)
            assert (status, z, of_core) == (0, x * y % m, 3 * prepared.schedule.latency)
            if number:
                seen.add(cycles)
    assert len(seen) == 1
    assert max(seen) <= MOST_PRODUCT


@pytest.mark.parametrize("name", ["modinv/binary-divstep", "modinv/binary-divstep-rt"])
@pytest.mark.parametrize("multiplier", [False, True])
def test_an_inverse_modulo_p256(name, multiplier, store, tmp_path):
    """Less than 500 cycles beyond the core's: 16 words to it and from it take 240. Out of range and 0 are errors."""
    prepared = core(name, store, field="P-256") if name.endswith("p") else core(name, store, options={"bits": 256})
    system = System(prepared, tmp_path, multiplier=multiplier)
    m, rng, seen = P256["p"], random.Random(2), set()
    for number, a in enumerate((1, m - 1, *(rng.randrange(1, m) for _ in range(4)))):
        status, (z, _), cycles, of_core = system(8, m, a=a)
        assert (status, z, of_core) == (0, pow(a, -1, m), prepared.schedule.latency)
        if number:
            seen.add(cycles)
    assert len(seen) == 1
    assert max(seen) <= of_core + 500
    assert [system(8, m, a=a)[0] for a in (m, 2**256 - 1, 0, 2)] == [-5, -5, -7, 0]
    other = 2**255 - 19
    expected = (0, pow(3, -1, other)) if name.endswith("rt") else (-6, 0)
    status, (z, _), *_ = system(8, other, a=3)
    assert (status, z) == expected


def test_an_exponentiation_of_1024_bits(store, tmp_path):
    """A half of RSA-2048: at most 1.25 times the core with the modulus kept."""
    prepared = core("modexp/orup-dsp-window", store, target="ecp5", options={"bits": 1024})
    system = System(prepared, tmp_path)
    rng = random.Random(4)
    m = rng.getrandbits(1024) | 1 << 1023 | 1
    for _ in range(2):
        base, exponent = rng.randrange(m), rng.getrandbits(1024)
        status, (z, _), cycles, of_core = system(32, m, base=base, exponent=exponent)
        assert (status, z) == (0, pow(base, exponent, m))
    assert cycles <= 1.25 * of_core


@pytest.mark.parametrize("multiplier", [False, True])
def test_an_exponentiation_takes_the_same_cycles(multiplier, store, tmp_path):
    """Whatever base and exponent are, and whatever the modulus is once it is kept; a prime of RSA is a secret, too."""
    prepared = core("modexp/orup-dsp-window", store, target="generic", options={"bits": 40, "digit": 5, "tile": 8})
    system = System(prepared, tmp_path, multiplier=multiplier)
    seen, first = set(), []
    for m in (2**40 - 87, 2**39 + 7, 0xC1_2345_6789, 2**40 - 87):
        for number, (base, exponent) in enumerate(((0, 0), (1, 1), (m - 1, 2**40 - 1), (m // 3, 2**39))):
            status, (z, _), cycles, of_core = system(2, m, base=base, exponent=exponent)
            assert (status, z) == (0, pow(base, exponent, m))
            if number:
                seen.add(cycles - of_core)
            else:
                first.append(cycles - of_core)
    assert len(seen) == 1
    assert first[1] == first[2] == first[3]  # the first of all has no modulus to forget


def test_what_belongs_to_a_modulus_is_sent_once(product, tmp_path):
    """Accesses of the first operation, of those that follow, and after `mw_forget`."""
    device = Modelled(product)
    system = System(product, tmp_path, device)
    counts = []
    for m in (2**127 + 45, 2**127 + 45, 2**127 + 51, 2**127 + 51):
        before = device.accesses
        assert system(4, m, x=3, y=5)[:2] == (0, [15, 0])
        counts.append(device.accesses - before)
    assert counts[0] == counts[2] > 3 * counts[1]
    assert counts[1] == counts[3] == 2 * (4 + 4 + 1 + 1 + 5) + 1  # operands, START, STATUS, result; WIPE
    assert device.keep == 0b1100
    assert device.map.i.unpack(device.operands)["m"] == 2**127 + 51
    system.code = 0
    assert system(4)[0] == 0
    assert (device.keep, device.operands, device.result) == (0, 0, 0)
    rows = system.program.symbols["device"]
    assert (2**127 + 51).to_bytes(16, "little") not in system.machine.memory[rows : rows + 4096]


def test_operands_out_of_range(product, tmp_path):
    """Refused by the fast way, too; then it works."""
    system = System(product, tmp_path)
    m = 2**127 + 45
    for x, y, expected in ((3, 5, 0), (m, 5, -5), (5, m, -5), (2**128 - 1, 0, -5), (m - 1, 2, 0)):
        status, (z, _), *_ = system(4, m, x=x, y=y)
        assert (status, z) == (expected, 0 if expected else x * y % m)
    assert system(4, 2**127, x=1, y=1)[0] == -6
    assert system(4, m, x=3, y=7)[:2] == (0, [21, 0])


def test_a_bus_that_swaps_bytes(product, tmp_path):
    """A big-endian CPU on a bus that keeps bytes in their places; found by the register ID."""
    system = System(product, tmp_path, Modelled(product, swap=True))
    assert (system.opened, system.field(5)) == (0, 1)
    m = 2**128 - 159
    assert system(4, m, x=2**120 + 1, y=2**100 + 7)[:2] == (0, [(2**120 + 1) * (2**100 + 7) % m, 0])


def test_posted_writes(product, tmp_path):
    """With the barrier the second START is waited for; without it the state before is taken for its own."""
    system = System(product, tmp_path, Posted(product))
    m = 2**128 - 159
    for x in range(2, 6):
        assert system(4, m, x=x, y=x)[:2] == (0, [x * x, 0])
    without = System(product, tmp_path, Posted(product), ("-O2", "-DMW_BARRIER()="))
    assert without(4, m, x=3, y=3)[0] != 0


def multiplication(system, words, k, x, y, p, a, b, order):
    status, point, cycles, of_core = system(words, p, k=k, x=x, y=y, a=a, b=b, order=order)
    return status, tuple(point), cycles, of_core


@pytest.mark.parametrize(
    ("name", "multiplier"), [("ecpm/ladder", True), ("ecpm/ladder", False), ("ecpm/r64-ladder", True)]
)
def test_points_of_a_small_curve(name, multiplier, store, tmp_path):
    """Right, and as many cycles for every scalar; a blinded core draws its numbers."""
    options = {"limb": 6} | ({"blinding": True} if "r64" in name else {})
    system = System(core(name, store, modulus=str(SMALL), options=options), tmp_path, multiplier=multiplier)
    points = [(x, y) for x in range(SMALL) for y in range(SMALL) if (y * y - x**3 - 2 * x - 5) % SMALL == 0]
    order, seen = len(points) + 1, set()
    for number, (x, y) in enumerate(random.Random(3).choices(points, k=8)):
        k = (number * 137 + 1) % order
        status, point, cycles, of_core = multiplication(system, 1, k, x, y, SMALL, 2, 5, order)
        assert (status, point) == (0, multiply_point(k, (x, y), SMALL, 2))
        if number:
            seen.add(cycles - of_core)
    if "blinding" not in options:
        assert len(seen) == 1
    assert multiplication(system, 1, order, x, y, SMALL, 2, 5, order)[:2] == (1, (0, 0))
    assert multiplication(system, 1, 3, x, (y + 1) % SMALL, SMALL, 2, 5, order)[:2] == (-7, (0, 0))
    assert multiplication(system, 1, 3, x, y, SMALL, SMALL, 5, order)[0] == -5


def test_a_point_of_p256(store, tmp_path):
    """At most 1.25 times the core with the curve kept, for every scalar as long."""
    prepared = core("ecpm/ladder", store, field="P-256")
    system = System(prepared, tmp_path)
    curve = {name: P256[name] for name in ("p", "a", "b", "order")}
    found = []
    for k in (2, 2**255 + 12345):
        status, point, cycles, of_core = multiplication(system, 8, k, P256["x"], P256["y"], **curve)
        assert (status, point) == (0, multiply_point(k, (P256["x"], P256["y"]), P256["p"], P256["a"]))
        found.append((cycles, of_core))
    assert found[1][0] <= min(MOST_POINT, 1.25 * found[1][1])


@needs_verilator
@pytest.mark.campaign
def test_a_point_of_p256_on_the_wrapper(store, tmp_path):
    """The same on the delivered AXI4-Lite wrapper and its core in Verilator, without a multiplier in the CPU, too."""
    prepared = core("ecpm/ladder", store, field="P-256")
    curve = {name: P256[name] for name in ("p", "a", "b", "order")}
    for multiplier in (True, False):
        with Device(prepared) as device:
            system = System(prepared, tmp_path, Simulated(device), multiplier=multiplier)
            found = [multiplication(system, 8, k, P256["x"], P256["y"], **curve) for k in (3, 5, P256["order"] - 1)]
        assert [row[0] for row in found] == [0, 0, 0]
        assert found[2][1] == (P256["x"], P256["p"] - P256["y"])
        assert found[1][2] == found[2][2] <= MOST_POINT


@needs_verilator
def test_products_on_the_wrapper(product, tmp_path):
    """As many cycles of the core, and the figure holds on the delivered AXI4-Lite wrapper with its bus in Verilator."""
    with Device(product) as device:
        system = System(product, tmp_path, Simulated(device))
        rng, seen = random.Random(8), set()
        m = 2**128 - 159
        for number in range(5):
            x, y = rng.randrange(m), rng.randrange(m)
            status, (z, _), cycles, of_core = system(4, m, x=x, y=y)
            assert (status, z, of_core) == (0, x * y % m, 2 * product.schedule.latency)
            if number:
                seen.add(cycles)
        assert len(seen) == 1
        assert max(seen) <= MOST_PRODUCT


def test_a_device_that_is_not_there_ends_in_a_trap(product, tmp_path):
    """The CPU has no bus at another address; the model does not answer for it."""
    with pytest.raises(TrapError):
        System(product, tmp_path, flags=("-O2", "-DDEVICE=0x3f000000u"))
