# SPDX-License-Identifier: Apache-2.0
"""The theorem of a whole operation: proved, never where a bug is planted; and the checker of its log."""

import re
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from modwright.base.errors import UsageError
from modwright.bus import Ports
from modwright.contract.request import Request
from modwright.deliver.theorem import theorem_files
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, proof_of, prove_verilog
from modwright.prove.theorem.decide import UndecidedError, decide
from modwright.prove.theorem.idle import control_registers, idle_bits
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of, read
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.stretches import known_bit
from modwright.prove.theorem.ternary import Simulation, after_reset

from .planted_bugs import KINDS, with_error_of_a_word
from .small_theorems import SMALL, WITH_MEMORY, claim, operation, small, small_netlist

# --- theorems


@pytest.mark.parametrize("name", [*SMALL, *WITH_MEMORY])
def test_the_claim_of_an_operation_is_decided(name):
    one = small(name)
    found = operation(one, small_netlist(name))
    decide(claim(one), found)
    assert [case.code for case in found.cases].count(0) == 1


@pytest.mark.parametrize(
    "name", ["modadd/carry", *(pytest.param(n, marks=pytest.mark.campaign) for n in [*SMALL, *WITH_MEMORY][1:])]
)
def test_the_theorem_of_a_core_is_proved(name):
    one = small(name)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail, found.operands) == (PROVED, "", {})


# --- control at input transfers

LONG = "0x1fffffffffffffffd"
"""A modulus of 65 bits: blakley's latency is above the 64 cycles up to which the monitor has a register for each, and
more control bits are assumed than `FEW_PROBES`, so that some are taken to be the same at every input transfer."""


@cache
def long():
    core = find("modmul/blakley")
    return prepare(core, Request.make(core, modulus=LONG, target="generic"))


def transfers(netlist, second, reader):
    """Control registers at two input transfers: in cycle 0, and the first possible from a given cycle on."""
    registers = control_registers(netlist)
    simulation, found, count = Simulation(netlist, after_reset(netlist, "rst")), [], 0
    for cycle in range(second + 4):
        due = cycle == 0 or (cycle >= second and len(found) == 1)
        inputs = {"i_valid": (int(due), 1), "o_ready": (reader, 1), "rst": (0, 1)}
        values = simulation.settle(inputs, {})
        count += known_bit(netlist.outputs["o_valid"], values) or 0
        if due and known_bit(netlist.outputs["i_ready"], values):
            found.append({source: values[source] for source in registers})
        simulation.clock()
    return found, count


def test_what_is_taken_to_hold_at_every_input_transfer_holds_when_a_result_comes_with_it():
    one = long()
    netlist = read(core_verilog(one), one.top)
    latency = one.schedule.latency
    idle = idle_bits(netlist, latency, one.schedule.interval)
    assert latency > 64
    assert idle
    for second, reader in product(range(latency - 2, latency + 3), (0, 1)):
        found, waiting = transfers(netlist, second, reader)
        assert len(found) == 2
        assert waiting
        for row, (source, (value, known)) in product(found, idle.items()):
            assert row[source][0] & known == value, netlist.names[source]


@pytest.mark.campaign
def test_the_theorem_of_a_long_operation_is_proved():
    one = long()
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail) == (PROVED, "")
    assert len(found.probes) > 64


def test_a_given_verilog_is_refuted_with_operands_that_fail(monkeypatch):
    one = small("modmul/limb-scan")
    verilog, count = re.subn(r"(\bx\b\[7:4\] \+ \\\$\d+ ) ?;", r"\1 + 1'h1;", core_verilog(one))
    assert count == 1
    found = prove_verilog(one, verilog)
    assert found.status == REFUTED
    assert set(found.operands) == {"x", "y", "m", "q"}


def test_an_accumulator_one_bit_short_is_refuted():
    """The bug of a published operand-scanning (FIOS) multiplier: the sum of a column loses its top carry."""
    one = small("modmul/r64")

    def short(p, schedule):
        return Ports(one.core.build(replace(p, accumulator=p.accumulator - 1), schedule), p.i, p.o)

    found = prove_verilog(one, one.verilog_of("ports with an accumulator one bit short", short, one.top))
    assert found.status == REFUTED
    assert set(found.operands) == {"x", "y", "m", "q"}


def test_a_claim_that_is_not_stated_is_not_proved():
    core = find("modmul/vlm3")
    one = prepare(core, Request.make(core, modulus="0x3d", target="generic"))
    found = prove_verilog(one, "")
    assert (found.status, found.detail) == (NOT_PROVED, "the latency depends on operand values")


QUICK = ["lost carry", "lost top bit", "swapped limbs", "sum for difference", "one operand for both"]


@pytest.mark.parametrize("bug", QUICK)
def test_the_claim_of_a_netlist_with_a_bug_is_not_decided(bug):
    """The first that fails in simulation; those in control are left to the proof of the streams."""
    one = small("modmul/r64")
    for module in KINDS[bug](dict(small_netlist("modmul/r64").module)):
        netlist = netlist_of(module)
        if find_failure(netlist, claim(one), one.schedule.latency, 0.05)[0] and not decided(one, netlist):
            return
    pytest.fail("no bug of this kind shows")


def test_an_error_code_that_depends_on_a_word_is_not_decided():
    one = small("modmul/r64")
    netlist = netlist_of(with_error_of_a_word(small_netlist("modmul/r64").module))
    with pytest.raises(UndecidedError, match=r"the error code depends on .*, a word and not a test"):
        decide(claim(one), operation(one, netlist))


def decided(one, netlist):
    """Whether the claim of an operation is decided."""
    try:
        decide(claim(one), operation(one, netlist))
    except (UndecidedError, UnsupportedError):
        return False
    return True


# --- in the package and the report


def test_a_package_has_no_log_where_the_theorem_is_not_proved():
    core = find("modmul/vlm3")
    with pytest.raises(UsageError, match="the theorem of modmul/vlm3 is not proved: "):
        theorem_files(prepare(core, Request.make(core, modulus="0x3d", target="generic")))


def test_the_theorem_is_a_row_of_the_proofs():
    one = small("modadd/carry")
    row = proof_of(one, core_verilog(one))
    assert (row.name, row.status, row.detail) == ("theorem", "proved", "")
    assert "x + y (mod m)" in row.statement
