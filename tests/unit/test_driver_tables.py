# SPDX-License-Identifier: Apache-2.0
"""The driver's tables of a runtime modulus in residues: with the model of an exponentiator, and with its RTL."""

import random

import pytest

from modwright.contract.request import Request
from modwright.contract.roles import Table, table
from modwright.driver import bind, description
from modwright.driver.binding import Form
from modwright.prepared import prepare
from modwright.prepared.registry import find

from ..soft_cpu import Modelled, System, needs_riscv
from .devices import Host, core, driver_objects, emulated, host_program, needs_verilator

E_RANGE, E_MODULUS, E_CORE = -5, -6, -7


class Watched(Modelled):
    """The model of a core, and the operands of its last operation."""

    def _start(self, cycle):
        self.given = self.map.i.unpack(self.operands)
        super()._start(cycle)


@pytest.fixture(scope="module")
def narrow(store):
    """Moduli of 40 bits in channels of 12, exponents of 6 bits."""
    options = {"bits": 40, "width": 12, "exponent_bits": 6, "window": 2}
    return core("modexp/rns-kbe-runtime-window", store, options=options)


@needs_riscv
@pytest.mark.parametrize("multiplier", [False, True])
def test_tables_on_a_soft_cpu(multiplier, narrow, tmp_path):
    """All words of f, g and square; the power; cycles that depend on no bit of modulus or operands."""
    device = Watched(narrow)
    system = System(narrow, tmp_path, device, multiplier=multiplier)
    assert system.opened == 0
    rng, fresh, again = random.Random(7), set(), set()
    largest = (1 << 40) - 1
    for number, m in enumerate((3, largest, (1 << 39) + 9, 5, rng.getrandbits(40) | 1)):
        base, exponent = (rng.randrange(m), rng.randrange(64)) if number else (2, 0)
        status, (z, _), cycles, of_core = system(2, m, base=base, exponent=exponent)
        assert (status, z) == (0, pow(base, exponent, m))
        assert of_core == narrow.schedule.latency
        assert device.given == narrow.codec.encode({"base": base, "exponent": exponent, "modulus": m})
        fresh.add(cycles)
        again |= {system(2, m, base=x, exponent=e)[2] for x, e in ((m - 1, 63), (0, 0))}
    assert len(again) == 1
    assert len(fresh) <= 2  # after no modulus, and after another one


@needs_riscv
def test_a_multiple_of_a_channel_is_refused(narrow, tmp_path):
    """By the driver, for each channel of the first base; the next modulus is taken."""
    system = System(narrow, tmp_path)
    for channel in narrow.parameters.multiplier.parameters.A.moduli:
        assert system(2, 3 * channel, base=1, exponent=1)[0] == E_MODULUS
    assert system(2, 4091 * 8, base=1, exponent=1)[0] == E_MODULUS
    assert system(2, 1009, base=1009, exponent=1)[0] == E_RANGE
    status, (z, _), *_ = system(2, 1009, base=3, exponent=5)
    assert (status, z) == (0, 243)


@needs_verilator
def test_operations_on_the_rtl(store, tmp_path, c_compiler):
    """The core of the contract tests, behind its registers: every modulus of 4 bits that no channel divides."""
    one = find("modexp/rns-kbe-runtime-ladder")
    prepared = prepare(one, Request.from_mapping(one, {"core": one.name, **one.trials[0].document}), store)
    host = Host(host_program(prepared, c_compiler, tmp_path, driver_objects(c_compiler, tmp_path)))
    cases = [(3 * k % m, 5 * k % 64, m) for m in range(3, 16, 2) for k in range(3)]
    lines = [f"modexp 1 {base:x} {exponent:x} {m:x}" for base, exponent, m in cases]
    with emulated(prepared, tmp_path) as address:
        status, rows = host(address, [*lines, "modexp 1 1 1 8", "modexp 1 7 1 7"])
    assert status == 0
    for (base, exponent, m), (code, error, cycles, value) in zip(cases, rows, strict=False):
        assert (code, error, int(value, 16)) == ("0", "0", pow(base, exponent, m))
        assert int(cycles) == prepared.schedule.latency
    assert [int(row[0]) for row in rows[len(cases) :]] == [E_MODULUS, E_RANGE]


def test_what_has_a_binding(narrow, store):
    """Exponentiators over residues, whose operands are plain; no multiplier, and no channel of more than 31 bits."""
    binding = bind(narrow)
    assert binding is not None
    fields = {f.name: f for f in binding.fields}
    forms = {name: f.form for name, f in fields.items()}
    assert forms == {"base": Form.OPERAND, "exponent": Form.SCALAR, "m": Form.MODULUS} | dict.fromkeys(
        ("f", "g", "square"), Form.TABLE
    )
    case = {"base": 5, "exponent": 3, "modulus": 1009}
    for name in ("f", "g", "square"):
        role = fields[name].table
        assert isinstance(role, Table)
        assert table(role, 1009) == narrow.codec.encode(case)[name]
    assert description(core("modmul/rns-kbe-runtime", store, options={"bits": 40, "width": 12})) is None
    assert description(core("modexp/rns-kbe-runtime-window", store, options={"bits": 64, "width": 32})) is None
