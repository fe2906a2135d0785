# SPDX-License-Identifier: Apache-2.0
"""The theorem of operations in turn: phases, queues, events, results that wait; and what each does not accept."""

import re
from dataclasses import replace
from functools import cache

import pytest

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, prove_verilog, stated
from modwright.prove.theorem.counters import queues_of
from modwright.prove.theorem.in_turn import operation_in_turn
from modwright.prove.theorem.lookups import absorbed
from modwright.prove.theorem.netlist import Cell, read
from modwright.prove.theorem.phases import phases_of
from modwright.prove.theorem.turns import Elsewhere
from modwright.prove.theorem.watching import strobes_of

CORE = "modmul/orup-interleaved"
MODULUS = "0xfffffffffffef"
"""Two limbs of 54 bits in the conversion, so that there is a carry between them; four slots."""


@cache
def core(modulus=MODULUS, digit=18, **options):
    found = find(CORE)
    return prepare(found, Request.make(found, modulus=modulus, target="generic", options={"digit": digit} | options))


@cache
def verilog():
    return core_verilog(core())


@cache
def netlist():
    return read(verilog(), core().top)


@cache
def operation():
    return operation_in_turn(netlist(), stated(core()), core().schedule.latency)


def test_the_theorem_is_proved():
    found = prove_verilog(core(), verilog())
    assert (found.status, found.detail, found.operands) == (PROVED, "", {})


@pytest.mark.campaign
@pytest.mark.parametrize("slots", [2, 3, 4, 5, 7])
def test_the_theorem_is_proved_for_other_slots(slots):
    one = core("0xe9d", 4, slots=slots)
    assert prove_verilog(one, core_verilog(one)).status == PROVED


def test_an_operation_begins_in_a_phase_for_each_slot():
    phases = phases_of(netlist(), strobes_of(netlist()))
    states = phases.states
    assert not phases.counted
    assert len(states) == core().parameters.slots
    assert len({tuple(sorted(state.items())) for state in states}) == len(states)


def test_the_queues_of_results_tags_and_errors_are_found():
    names = {queue.memory.name.split(".")[1] for queue in queues_of(netlist()).values()}
    assert names == {"results", "tags", "errors"}


def test_a_product_with_a_control_word_that_is_0_needs_nothing_of_the_other():
    operand, control = ((0, 0, 8),), ((1, 0, 8),)
    asked = []

    def number(runs):
        asked.append(runs)
        return 0 if runs == control else None

    cell = Cell("$mul", "product", {"Y_WIDTH": 8}, {"A": operand, "B": control}, 2)
    assert absorbed(cell, {0}, number) == 0
    assert asked == [control]
    assert absorbed(replace(cell, kind="$add"), {0}, number) is None
    assert absorbed(replace(cell, kind="$or"), {0}, number) is None


@pytest.mark.parametrize(("bits", "whole"), [(8, None), (7, 0x7F)])
def test_a_disjunction_with_ones_in_every_bit_needs_nothing_of_the_other(bits, whole):
    cell = Cell("$or", "flag", {"Y_WIDTH": bits}, {"A": ((0, 0, 8),), "B": ((1, 0, 8),)}, 2)
    assert absorbed(cell, {0}, lambda runs: 0x7F if runs[0][0] else None) == whole


# --- phases that input transfers step


@cache
def columns(contexts=2, modulus="0x1d"):
    """`limb-columns` with limbs of 4 bits: two of them, or more."""
    found, options = find("modmul/limb-columns"), {"contexts": contexts, "digit": 2, "digits": 2}
    return prepare(found, Request.make(found, modulus=modulus, target="generic", options=options))


@cache
def columns_verilog():
    return core_verilog(columns())


@pytest.mark.parametrize("contexts", [2, *(pytest.param(n, marks=pytest.mark.campaign) for n in (1, 3, 4))])
def test_the_theorem_of_places_that_transfers_step_is_proved(contexts):
    one = columns(contexts)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail, found.operands) == (PROVED, "", {})
    assert [case.code for case in found.operation.cases].count(0) == 1


def test_place_and_parity_of_operands_are_phases():
    given = read(columns_verilog(), columns().top)
    phases = phases_of(given, strobes_of(given))
    assert phases.counted
    assert len({tuple(sorted(state.items())) for state in phases.states}) == len(phases.states) == 2 * 2
    names = {given.names[source].rpartition(".")[2] for source in phases.states[0]}
    assert {"context", "parity"} <= names
    assert not {"at", "alive", "begins_1", "entered"} & names


def test_a_register_that_changes_without_a_transfer_is_no_phase():
    text = columns_verilog().replace(r"\$20  = parity;", r"\$20  = ~parity;")
    assert text != columns_verilog()
    given = read(text, columns().top)
    phases = phases_of(given, strobes_of(given))
    assert len(phases.states) == 2
    assert not any(given.names[source].endswith("parity") for source in phases.states[0])


WRITE = Elsewhere(((0, 0, 2),), ((1, 0, 3),), 5, 1, 0, "memory", 0)
"""A port with two enables and three bits of an address, and place 5."""


@pytest.mark.parametrize(
    ("enables", "address", "holds"),
    [
        ((0, 3), (0, 0), True),  # nothing is written
        ((0, 1), (0, 0), False),  # one enable is not known
        ((3, 3), (4, 7), True),
        ((3, 3), (5, 7), False),
        ((0, 0), (2, 2), True),  # of the address, one bit is known, and is another
        ((0, 0), (6, 6), True),
        ((0, 0), (4, 4), False),
    ],
)
def test_a_write_is_elsewhere_by_what_is_known(enables, address, holds):
    assert WRITE.holds([enables, address]) == holds


# --- what is not accepted

FAULTS = {
    "operations that meet in the ring": (r"admit \? 16'h888f", "admit ? 16'h088f"),
    "operations closer than an operand is read": (r"admit \? 16'h888f", "admit ? 16'h8887"),
    "more operations than results find room": (r"= \\\$2 \[2:0\] < 3'h7", "= 1'h1"),
    "results that are counted but not taken": (r"(\\\$16  = \\\$15)  - \\taken\$66", r"\1"),
    "a queue that is read from another place on": (r"(\\\$8  = 3'h)1;", r"\g<1>2;"),
}
"""Text of the Verilog, and what stands there instead."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_between_operations_is_not_proved(fault):
    """One operation alone is right with each."""
    one = core()
    text, count = re.subn(*FAULTS[fault], verilog(), count=1)
    assert count == 1
    found = prove_verilog(one, text, search=False)
    assert found.status == NOT_PROVED
    assert found.detail


IN_PLACES = {
    "operations that are not aligned": ("admit ? 55'h7ffdffffefffff", "admit ? 55'h7ffdffffe7ffff"),
    "operations that are not aligned with the one before the last": (
        "admit ? 55'h7ffdffffefffff",
        "admit ? 55'h7ffdffdfefffff",
    ),
    "more operations than results find room": (r"\$4  = \$3  < 2'h3", r"\$4  = 1'h1"),
    "operands of all operations at one place": (r"assign fresh = \$11 [0]", "assign fresh = 1'h0"),
    "error codes of all operations at one place": (r"\$5  = parity ^ \$4", r"\$5  = parity"),
    "a parity that changes in every cycle": (r"\$20  = parity;", r"\$20  = ~parity;"),
    "the place of the operation before": (r"\$26  = { parity, \context  };", r"\$26  = { parity, ~\context  };"),
    "ages that do not follow": (r"\$24  = context_0;", r"\$24  = context_1;"),
}
"""Text of the Verilog of a core with two places, and what stands there instead."""


QUICK = ["operations that are not aligned", "error codes of all operations at one place"]
LATER = [fault if fault in QUICK else pytest.param(fault, marks=pytest.mark.campaign) for fault in IN_PLACES]


@pytest.mark.parametrize("fault", LATER)
def test_a_fault_between_places_is_not_proved(fault):
    one, (right, wrong) = columns(), IN_PLACES[fault]
    assert columns_verilog().count(right) == 1
    found = prove_verilog(one, columns_verilog().replace(right, wrong), search=False)
    assert found.status == NOT_PROVED
    assert found.detail


@pytest.mark.campaign
def test_words_of_an_ended_operation_are_not_proved():
    """With two limbs, none is issued again; with five, the next operation may come in at any distance then."""
    one = columns(modulus="0x3ffd")
    text = core_verilog(one).replace("if (fetched[11])", "if (1'h0)")
    assert text != core_verilog(one)
    assert prove_verilog(one, text, search=False).status == NOT_PROVED
