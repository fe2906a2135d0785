# SPDX-License-Identifier: Apache-2.0
"""The driver in C: what it is told of a core, and operations on Verilated cores behind their registers."""

import random
import re
import subprocess

import pytest

from modwright.bus import Response, register_map
from modwright.driver import FOLDER, SOURCES, bind, description, unbound
from modwright.driver.binding import Form, operand_names
from modwright.functions import all_functions, find_function
from modwright.prepared.registry import all_cores

from .devices import HOST, STRICT, Host, core, driver_objects, emulated, host_program, needs_verilator, sanitizers
from .driver_cases import multiplications, operations

E_BUS, E_TIMEOUT, E_IDENTITY, E_FUNCTION, E_RANGE, E_MODULUS, E_CORE, E_UNSUPPORTED, E_RANDOM = range(-1, -10, -1)

CORES = {
    "ecpm": ("ecpm/ladder", {"modulus": "1009", "options": {"limb": 6}}),
    "xmul": ("xmul/montgomery-ladder", {"modulus": "1009", "options": {"limb": 6}}),
    "edmul": ("edmul/double-add", {"modulus": "1009", "options": {"limb": 6}}),
    "edmul built in": ("edmul/comb", {"modulus": "13", "options": {"limb": 3}}),
    "ecdsa": ("ecdsa/joint", {"modulus": "13", "options": {"limb": 3}}),
    "eddsa": ("eddsa/joint", {"modulus": "13", "options": {"limb": 3}}),
    "blinded": ("ecpm/r64-ladder", {"modulus": "1009", "options": {"limb": 6, "blinding": True}}),
    "limb": ("modmul/limb-fold", {"modulus": "0xfffffffb", "options": {"limb": 8}}),
    "window": ("modexp/booth8-csa-window", {"modulus": "0x3ffffffffb", "options": {"window": 2}}),
    "sum": ("modadd/carry", {"modulus": "2^127-1"}),
    "xmul built in": ("xmul/pseudo-mersenne-ladder", {"modulus": "8191"}),
    "inverse": ("modinv/binary-divstep-rt", {"modulus": "0xfffffffb"}),
}
LATER = {
    "orup": ("modmul/orup-dsp", {"modulus": "0xfffffffb", "options": {"digit": 5, "tile": 8, "limb": 16, "bits": 40}}),
    "binary": ("modmul/binary", {"modulus": "2^127-1"}),
    "sor": ("modmul/sor-lean", {"field": "secp256k1", "options": {"io": "binary"}}),
    "serial": ("modexp/binary-serial-ladder", {"modulus": "0xfffffffb"}),
    "inverse built in": ("modinv/binary-divstep", {"field": "secp256k1"}),
    "csa": ("modmul/csa", {"modulus": "2^255-19"}),
}
EVERY = [*CORES, *(pytest.param(name, marks=pytest.mark.campaign) for name in LATER)]


def test_the_driver_wants_no_library(tmp_path, c_compiler):
    """Undefined symbols of the driver without its Linux part."""
    for name in SOURCES:
        if not name.endswith(".c") or name == "modwright_linux.c":
            continue
        target = tmp_path / f"{name}.o"
        subprocess.run([*c_compiler, *STRICT, "-O2", "-ffreestanding", "-c", FOLDER / name, "-o", target], check=True)
        symbols = subprocess.run(["nm", "-u", target], capture_output=True, text=True, check=True).stdout
        assert [one for one in re.findall(r"U (\w+)", symbols) if not one.startswith("mw_")] == []


def test_every_file_is_c99_without_a_warning(tmp_path, c_compiler):
    for name in SOURCES:
        command = [*c_compiler, *STRICT, "-Wconversion", "-Wshadow", "-c", "-x", "c", FOLDER / name]
        if name in ("modwright_done.h", "modwright_product.h", "modwright_division.h", "modwright_inverse.h"):
            places = {
                "X": 16,
                "Y": 20,
                "Z": 32,
                "POWER": 28,
                "WORDS": 4,
                "LONG": 7,
                "MORE": 1,
                "CHECKED": 0,
                "CYCLES": 0,
            }
            command += [
                f"-DPRODUCT_{key}={value}u" for key, value in places.items()
            ]  # as the description of a core does
        if name.endswith(".h"):
            command += ["-Wno-unused-function"]
        subprocess.run([*command, "-o", tmp_path / "object.o"], check=True)


@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
def test_nothing_secret_is_left_on_the_stack(optimized, store, tmp_path, c_compiler):
    """After an exponentiation by 128-bit numbers; for the CRT of RSA the modulus, too, is a secret."""
    prepared = core("modexp/booth8-csa-window", store, options={"bits": 128, "window": 2})
    (tmp_path / "core.c").write_text(description(prepared))
    sources = [HOST.with_name("stack.c"), tmp_path / "core.c", FOLDER / "modwright.c"]
    flags = [*STRICT, optimized, f"-I{FOLDER}", f"-DCORE={prepared.top}_core", "-pthread"]
    subprocess.run([*c_compiler, *flags, *sources, "-o", tmp_path / "stack"], check=True)
    shown = subprocess.run([tmp_path / "stack"], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["status", "0", "modulus", "0", "base", "0", "exponent", "0"]


def quick_requests():
    """The first small request of every core of one multiplier, or none."""
    known = all_cores().items()
    return [(name, core.trials[0].document) for name, core in known if core.function != "modexp" or "booth8" in name]


@pytest.mark.parametrize(
    ("name", "document", "reason"),
    [
        ("ecpm/word-ladder", {"curve": "secp160k1"}, "q is an inverse of 85 bits, and the driver computes up to 64"),
        ("ecpm/word-ladder", {"curve": "secp160k1", "options": {"digits": 3}}, None),
        ("unit/adder", {"modulus": "97"}, "it has no call for unit"),
        ("modmul/sor-lean", {"field": "P-256"}, "its streams carry residues"),
    ],
)
def test_a_core_without_a_binding_has_a_reason(name, document, reason, store):
    """The README.md of its package says it; it said of each that its streams carry residues."""
    prepared = core(name, store, **document)
    assert (bind(prepared) is None) is (reason is not None)
    assert reason is None or unbound(prepared) == reason


@pytest.mark.parametrize(("name", "document"), quick_requests(), ids=lambda v: v if isinstance(v, str) else "")
def test_a_binding_does_what_the_codec_does(name, document, store):
    """Its forms in Python, on 40 more random cases; a core of residues or without prototype has none."""
    prepared = core(name, store, **document)
    p = prepared.parameters
    binding = bind(prepared)
    residues = any(f.count > 1 for f in (*p.i.fields, *p.o.fields))
    if residues or find_function(prepared.core.function).c_prototype is None:
        assert binding is None
        assert description(prepared) is None
        return
    assert binding is not None
    rng = random.Random(99)
    function, operands = find_function(prepared.core.function), operand_names(prepared)
    bits = (p.modulus or prepared.request.modulus.value).bit_length()
    for _ in range(40):
        m = p.modulus or rng.getrandbits(bits) | 5
        scalars = {operands[f.operand]: f.name for f in binding.fields if f.form is Form.SCALAR}
        limits = {name: min(m, 1 << p.i[field].width) for name, field in scalars.items()}
        missing = function.operands[binding.operands :]
        built_in = {*missing, *function.constants} if missing else set()
        case = {name: rng.randrange(limits.get(name, m)) for name in operands if name not in built_in}
        case |= {name: value | 5 for name, value in case.items() if name == "order"}
        values = {}
        for bound in binding.fields:
            plain = case[operands[bound.operand]]
            scaled = plain * pow(2, bound.power, m) % m if bound.power else plain
            of = case[operands[len(function.operands) + bound.of - 1]] if bound.of else m
            values[bound.name] = {
                Form.OPERAND: scaled,
                Form.SCALAR: plain,
                Form.ZERO: 0,
                Form.MODULUS: m,
                Form.POWER: pow(2, bound.power, of),
                Form.NEGINV: -pow(of, -1, 1 << p.i[bound.name].width) % (1 << p.i[bound.name].width),
                Form.RANDOM: rng.randrange(1, m),
            }[bound.form]
        drawn = {f.name: values[f.name] for f in binding.fields if f.form is Form.RANDOM}
        assert values == prepared.codec.encode({**case, **drawn, "modulus": m})


def test_every_function_is_bound_somewhere():
    """Each function of the driver has a core, and one of the cores with an emulated device."""
    offered = {name for name, function in all_functions().items() if function.c_prototype is not None}
    assert {core.function for core in all_cores().values()} >= offered
    assert {name.partition("/")[0] for name, _ in CORES.values()} == offered


# --- on Verilated cores


@pytest.fixture(scope="module")
def made(store, tmp_path_factory, c_compiler):
    """A core by its short name, with its program."""
    kept, shared = {}, tmp_path_factory.mktemp("driver")
    flags = sanitizers(c_compiler, shared)
    objects = driver_objects(c_compiler, shared, flags)

    def make(name):
        if name not in kept:
            known, request = (CORES | LATER)[name]
            prepared = core(known, store, **request)
            folder = tmp_path_factory.mktemp("host")
            kept[name] = prepared, Host(host_program(prepared, c_compiler, folder, objects, flags))
        return kept[name]

    return make


@needs_verilator
@pytest.mark.parametrize("how", ["wait", "poll"])
@pytest.mark.parametrize("name", EVERY)
def test_operations(name, how, made, tmp_path):
    """30 operations of each core, identities and extremes among them; under the sanitizers that are here."""
    prepared, host = made(name)
    lines, expected = operations(prepared, random.Random(name), 30)
    with emulated(prepared, tmp_path, pauses=2 if how == "poll" else 0) as address:
        status, rows = host(address, lines, how)
    assert status == 0
    assert len(rows) == len(lines)
    for line, (code, error, cycles, *values), wanted in zip(lines, rows, expected, strict=True):
        found = tuple(int(value, 16) for value in values)
        if wanted is None:
            assert (int(code), sum(found)) == (E_CORE, 0), line
            assert int(error) > 0
            continue
        assert (int(code), int(error)) == (wanted[0], 0), line
        assert found == tuple(wanted[1]), line
        conversions = 2 if bind(prepared).power else 1
        assert 0 < int(cycles) <= conversions * prepared.schedule.latency


@needs_verilator
def test_what_is_refused(made, tmp_path):
    """Operands and moduli out of range, and another function; then the device still works."""
    prepared, host = made("window")
    lines = {
        "modexp 2 7 5 6": E_MODULUS,
        "modexp 2 0 5 1": E_MODULUS,
        "modexp 2 0 5 ffffffffffffffff": E_MODULUS,
        "modexp 2 0 5 -": E_MODULUS,
        "modexp 2 7 5 7": E_RANGE,
        "modexp 2 ffffffffffffffff 5 7": E_RANGE,
        "modexp 2 3 ffffffffffffffff 7": E_RANGE,
        "modmul 2 3 5 7": E_FUNCTION,
        "modexp 2 3 5 7": 0,
    }
    with emulated(prepared, tmp_path) as address:
        status, rows = host(address, lines)
    assert status == 0
    assert [int(row[0]) for row in rows] == list(lines.values())
    assert all(int(row[3], 16) == 0 for row in rows[:-1])
    assert int(rows[-1][3], 16) == 3**5 % 7


@needs_verilator
@pytest.mark.parametrize(
    ("name", "line", "other"),
    [
        ("edmul built in", "edmul_base 1 5", "edmul 1 5 0 1 1 2 d"),
        ("edmul", "edmul 1 5 0 1 9 b 3f1", "edmul_base 1 5"),
    ],
)
def test_a_point_that_is_built_in_has_a_call_of_its_own(name, line, other, made, tmp_path):
    prepared, host = made(name)
    with emulated(prepared, tmp_path) as address:
        status, rows = host(address, [other, line])
    assert status == 0
    assert [int(row[0]) for row in rows] == [E_FUNCTION, 0]
    assert int(rows[0][3], 16) == int(rows[0][4], 16) == 0


class Altered:
    """A device with other words at some offsets, and with accesses that fail."""

    def __init__(self, device, words=None, broken=()):
        self.device, self.words, self.broken = device, words or {}, broken

    def __getattr__(self, name):
        return getattr(self.device, name)

    def read(self, offset):
        if offset in self.broken:
            return 0, Response.SLVERR
        return (self.words[offset], Response.OKAY) if offset in self.words else self.device.read(offset)


@needs_verilator
@pytest.mark.parametrize("register", ["ID", "VERSION", "FUNCTION", "DIGEST0", "DIGEST3"])
def test_another_core_is_refused(register, made, tmp_path):
    prepared, host = made("window")
    offset = register_map(prepared).register(register).offset
    with emulated(prepared, tmp_path, lambda device: Altered(device, {offset: 0x12345678})) as address:
        status, _ = host(address, [])
    assert status == E_IDENTITY


@needs_verilator
def test_a_bus_error_is_reported(made, tmp_path):
    prepared, host = made("window")
    registers = register_map(prepared)
    for name in ("STATUS", "CYCLES"):
        broken = (registers.register(name).offset,)
        with emulated(prepared, tmp_path, lambda device, broken=broken: Altered(device, broken=broken)) as address:
            _, rows = host(address, ["modexp 2 3 5 7"])
        assert int(rows[0][0]) == E_BUS
        assert int(rows[0][3], 16) == 0


class Watched:
    """A device that remembers what was written into a window."""

    def __init__(self, device, offset):
        self.device, self.offset, self.written = device, offset, []

    def __getattr__(self, name):
        return getattr(self.device, name)

    def write(self, offset, value, strobes=0xF):
        if offset == self.offset:
            self.written.append(value)
        return self.device.write(offset, value, strobes)


@needs_verilator
def test_every_blinded_operation_has_a_number_of_its_own(made, tmp_path):
    """60 operations: numbers from 1 to m - 1, from both halves, hardly one twice; none without a source of them."""
    prepared, host = made("blinded")
    offset = register_map(prepared).window("I_BLIND").offset
    lines, _ = multiplications(random.Random(5), 60)
    kept = []

    def watched(device):
        kept.append(Watched(device, offset))
        return kept[-1]

    with emulated(prepared, tmp_path, watched) as address:
        host(address, lines)
    assert len(kept[0].written) == 60
    assert all(0 < value < 1009 for value in kept[0].written)
    assert min(kept[0].written) < 504 < max(kept[0].written)
    assert len(set(kept[0].written)) > 40
    with emulated(prepared, tmp_path) as address:
        _, rows = host(address, lines[:2], "wait", 1000, "none")
    assert [(int(code), int(x, 16), int(y, 16)) for code, _, _, x, y in rows] == [(E_RANDOM, 0, 0)] * 2


class Slow:
    """A device whose cycle stands for its first operations."""

    def __init__(self, device, operations):
        self.device, self.left = device, operations

    def __getattr__(self, name):
        return getattr(self.device, name)

    @property
    def irq(self):
        return self.device.irq

    def run(self, cycles=0):
        return False if self.left else self.device.run(cycles or 1000)

    def write(self, offset, value, strobes=0xF):
        if offset == 0x20 and value & 4 and self.left:
            self.left -= 1
        return self.device.write(offset, value, strobes)


@needs_verilator
@pytest.mark.parametrize("how", ["wait", "poll"])
def test_a_time_out_resets_the_core(how, made, tmp_path):
    """The first operation does not end in time; the second one does."""
    prepared, host = made("window")
    # `mw_open` resets once, and so does the time-out
    with emulated(prepared, tmp_path, lambda device: Slow(device, 2)) as address:
        status, rows = host(address, ["modexp 2 3 5 7", "modexp 2 3 5 7"], how, 20 if how == "poll" else 200)
    assert status == 0
    assert [int(row[0]) for row in rows] == [E_TIMEOUT, 0]
    assert [int(row[3], 16) for row in rows] == [0, 5]


@needs_verilator
def test_a_core_of_residues_is_refused(made, tmp_path, c_compiler):
    """A description without fields, which nothing generates, gives the code; `description` itself gives none."""
    prepared, _ = made("window")
    text = description(prepared).replace("fields, 2u, 3u", "fields, 0u, 0u")
    assert text != description(prepared)
    (tmp_path / "core.c").write_text(text)
    program = tmp_path / "host"
    sources = [FOLDER / name for name in SOURCES if name.endswith(".c")]
    host_source = FOLDER.parents[3] / "tests" / "data" / "driver" / "host.c"
    flags = [*STRICT, f"-I{FOLDER}", f"-DCORE={prepared.top}_core"]
    subprocess.run([*c_compiler, *flags, host_source, tmp_path / "core.c", *sources, "-o", program], check=True)
    with emulated(prepared, tmp_path) as address:
        _, rows = Host(program)(address, ["modexp 2 3 5 7"])
    assert int(rows[0][0]) == E_UNSUPPORTED
