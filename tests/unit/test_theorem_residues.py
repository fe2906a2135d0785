# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores on residues: decided, never where a bug is planted; and lies in its log."""

import copy
import json
from types import SimpleNamespace

import pytest

from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.deliver.verilog import core_verilog
from modwright.prove.theorem import PROVED, REFUTED, prove_verilog
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.lookups import rows_of
from modwright.prove.theorem.netlist import CONSTANT, Cell, UnsupportedError, netlist_of
from modwright.prove.theorem.pieces import constant, number_of
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.residues.claim import Vector
from modwright.prove.theorem.residues.decide import decide_residues
from modwright.prove.theorem.residues.refute import integer_of, words_of
from modwright.prove.theorem.residues.sums import remainder

from .planted_bugs import KINDS
from .small_theorems import EXTENDED, RESIDUES, claim, log, operation, small, small_netlist
from .small_theorems import read_once as read_once
from .small_theorems import verilog_file as verilog_file

LEAN = "modmul/sor-lean"


EVERY_RUN = [n if n in RESIDUES[:2] else pytest.param(n, marks=pytest.mark.campaign) for n in RESIDUES]


@pytest.mark.parametrize("name", EVERY_RUN)
def test_the_log_of_a_core_is_accepted(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10)


@pytest.mark.campaign
@pytest.mark.parametrize("name", [*RESIDUES, *EXTENDED])
def test_the_theorem_of_a_core_is_proved(name):
    one = small(name)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail, found.operands) == (PROVED, "", {})


def test_the_integer_of_a_result_is_found_with_its_weights():
    """The weights are those of the method: of γ_k, <±M_k>_p; and no address is left out."""
    total = decide_residues(claim(small(LEAN)), operation(small(LEAN), small_netlist(LEAN))).total
    p = small(LEAN).parameters
    assert {digit.channel: total.words[digit.atom] for digit in total.digits} == dict(enumerate(p.weights))
    (rows,) = total.tables.values()
    assert rows == list(p.corrections)
    assert total.index == -sum(p.negative)


def test_the_remainder_is_the_integer_of_least_absolute_value():
    vector = Vector((7, 9, 16), (3, 2, 5), 1000, 5)
    for value in (-503, -1, 0, 5, 503):
        residues = [value * s % m for s, m in zip(vector.scale, vector.moduli, strict=True)]
        assert remainder(residues, vector) == value


def test_any_number_of_a_class_is_a_word_of_its_integer():
    vector = Vector((7, 9, 16), (3, 2, 5), 1000, 5)
    words = [3 * 100 % 7 + 14, 2 * 100 % 9 + 9, 5 * 100 % 16]
    field = sum(word << k * vector.bits for k, word in enumerate(words))
    assert words_of(field, vector) == words
    assert integer_of(field, vector) == 100


# --- bugs


def decided(one, netlist):
    """Whether the claim of an operation is decided."""
    try:
        decide_residues(claim(one), operation(one, netlist))
    except (UndecidedError, UnsupportedError):
        return False
    return True


QUICK = ["sum for difference", "swapped limbs", "lost top bit"]


@pytest.mark.parametrize("bug", QUICK)
def test_the_claim_of_a_netlist_with_a_bug_is_not_decided(bug):
    """The first that fails in simulation."""
    one = small(LEAN)
    for module in KINDS[bug](dict(small_netlist(LEAN).module)):
        netlist = netlist_of(module)
        if find_failure(netlist, claim(one), one.schedule.latency, 0.1)[0] and not decided(one, netlist):
            return
    pytest.fail("no bug of this kind shows")


def test_a_given_verilog_is_refuted_with_operands_that_fail():
    """A bit of the table of corrections differs in one channel."""
    one = small(LEAN)
    stored = one.parameters.stored(one.parameters.corrections[1], 0)
    text = core_verilog(one).replace(f"8'h{stored:02x}", f"8'h{stored ^ 1:02x}", 1)
    assert text != core_verilog(one)
    found = prove_verilog(one, text)
    assert found.status == REFUTED
    assert set(found.operands) == {"x", "y"}
    assert json.dumps(found.to_json())


# --- lies


def first(kind, changed):
    """The first atom of a kind in a log."""
    return next(atom for atom in changed["atoms"] if atom[3] == kind)


LIES = {
    "a shorter cut": lambda changed: first("low", changed).__setitem__(5, first("low", changed)[5] - 1),
    "other upper bits": lambda changed: first("floor", changed).__setitem__(5, first("floor", changed)[5] + 1),
    "another word of a table": lambda changed: first("lookup", changed)[6].reverse(),
    "a missing atom": lambda changed: changed["atoms"].pop(-2),
    "a missing lemma on control": lambda changed: changed["probes"].clear(),
    "another weight": lambda changed: changed["sum"]["words"][0].__setitem__(1, "0x1"),
    "another correction": lambda changed: changed["sum"]["tables"][0][3].__setitem__(1, "0x0"),
    "a missing correction": lambda changed: changed["sum"]["tables"][0].__setitem__(3, ["0x0"]),
    "another factor of a word": lambda changed: changed["sum"]["digits"][0].__setitem__(2, "0x1"),
    "another offset of α": lambda changed: changed["sum"].update(index=changed["sum"]["index"] + 1),
    "a word of the result less": lambda changed: changed["words"].pop(),
    "no integer": lambda changed: changed.pop("sum"),
    "a lower limit": lambda changed: changed["claim"]["vector"].update(limit="0x3d"),
    "larger operands": lambda changed: changed["claim"]["operands"]["x"].update(limit="0x60d000"),
    "another modulus": lambda changed: changed["claim"].update(modulus="0x3b"),
    "another factor of the product": lambda changed: changed["claim"].update(factor="0x2"),
    "another modulus of a channel": lambda changed: changed["claim"]["vector"]["moduli"].__setitem__(0, "0xf1"),
    "another scale": lambda changed: changed["claim"]["operands"]["y"]["scale"].__setitem__(1, "0x1"),
    "moduli that are not co-prime": lambda changed: changed["claim"]["vector"]["moduli"].__setitem__(
        0, changed["claim"]["vector"]["moduli"][1]
    ),
    "another cycle": lambda changed: changed.update(ready=changed["ready"] - 1),
    "another error": lambda changed: changed["claim"].update(error="z"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_log_that_lies_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log(LEAN))
    LIES[lie](changed)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file(LEAN), operations=8)


def test_another_core_s_log_is_refused(verilog_file):
    with pytest.raises(RefusedError, match="another Verilog"):
        checker.check(log("modmul/sor-1m-p"), verilog_file(LEAN))


# --- tables


def choice(places, width=2, bits=2):
    """A netlist of a choice among 8-bit constants by equalities of an address with numbers, and the choice."""
    selects = [
        Cell("$eq", f"eq{k}", {}, {"A": ((0, 0, width),), "B": ((CONSTANT, p, bits),)}, k + 1)
        for k, p in enumerate(places)
    ]
    s = tuple((k + 1, 0, 1) for k in range(len(places)))
    cell = Cell("$pmux", "choice", {"WIDTH": 8, "S_WIDTH": len(places)}, {"S": s}, len(places) + 1)
    return SimpleNamespace(drivers={one.out: one for one in selects}), cell


def rows(places, **sizes):
    """Numbers of the rows that a choice makes: of number n the row is 10 + n, and 9 for none."""
    found = rows_of(*choice(places, **sizes), lambda n: constant(10 + n, 8))
    return found and [number_of(word) for word in found[1]]


def test_a_choice_by_equalities_is_a_table():
    assert rows([2, 0]) == [11, 9, 10, 9]


@pytest.mark.parametrize(("places", "sizes"), [([1, 1], {}), ([1], {"bits": 3}), ([1, 2], {"bits": 1})])
def test_a_choice_whose_numbers_are_alike_or_of_another_width_is_not_one(places, sizes):
    assert rows(places, **sizes) is None


def test_a_choice_by_a_bit_and_its_complement_is_a_table_of_two_words():
    inverted = Cell("$not", "inverted", {}, {"A": ((0, 3, 1),)}, 1)
    cell = Cell("$pmux", "choice", {"WIDTH": 8, "S_WIDTH": 2}, {"S": ((0, 3, 1), (1, 0, 1))}, 2)
    address, words = rows_of(SimpleNamespace(drivers={1: inverted}), cell, lambda n: constant(10 + n, 8))
    assert address == ((0, 3, 1),)
    assert [number_of(word) for word in words] == [11, 10]
