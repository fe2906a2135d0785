# SPDX-License-Identifier: Apache-2.0
"""The theorem of operations in turn: phases, queues, events, results that wait; and what each does not accept."""

import re
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, Theorem, prove_verilog, stated, theorem
from modwright.prove.theorem.counters import queues_of
from modwright.prove.theorem.decide import decide
from modwright.prove.theorem.in_turn import operation_in_turn
from modwright.prove.theorem.lookups import vanishes
from modwright.prove.theorem.netlist import Cell, netlist_of, read
from modwright.prove.theorem.phases import phases_of
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.theorem import prove_claim

from .planted_bugs import KINDS

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
    states = phases_of(netlist())
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

    cell = Cell("$mul", "product", {}, {"A": operand, "B": control}, 2)
    assert vanishes(cell, {0}, number)
    assert asked == [control]
    assert not vanishes(replace(cell, kind="$add"), {0}, number)


def test_words_of_digits_that_overlap_are_decided():
    """The words of one operation of `limb-columns`; what other operations do is not proved yet."""
    found = find("modmul/limb-columns")
    request = Request.make(found, modulus=MODULUS, target="generic", options={"contexts": 1})
    one = prepare(found, request)
    words, _ = operation_in_turn(read(core_verilog(one), one.top), stated(one), one.schedule.latency)
    decide(stated(one), words)
    assert [case.code for case in words.cases].count(0) == 1


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


@pytest.mark.campaign
@pytest.mark.parametrize("bug", KINDS)
def test_no_netlist_with_a_bug_is_proved(bug, monkeypatch):
    """A variant that is proved all the same is as good as the core: no operands make it fail."""
    one = core()
    monkeypatch.setattr(theorem, "find_failure", lambda n, c, cycles: find_failure(n, c, cycles, 0.5))
    for module in islice(KINDS[bug](dict(netlist().module)), 6):
        given, found = netlist_of(module), Theorem(NOT_PROVED, "")
        prove_claim(given, stated(one), one.schedule.latency, found)
        if found.status == PROVED:
            assert find_failure(given, stated(one), one.schedule.latency, 2.0) == ({}, "")
