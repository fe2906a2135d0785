# SPDX-License-Identifier: Apache-2.0
"""The theorem of a core on polynomials: the coefficients of its result, and lies in its log."""

import copy
from dataclasses import replace
from itertools import islice

import pytest

from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, Theorem, prove_verilog
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.residues.decide import decide_residues
from modwright.prove.theorem.theorem import prove_claim

from .planted_bugs import KINDS
from .small_theorems import HYBRID, claim, log, operation, small, small_netlist
from .small_theorems import read_once as read_once

(NAME,) = HYBRID
TWO, FOUR = "0xfd035c534fdf", "0xfec0ae899695a52c612ca91dc0cf"


@pytest.fixture(scope="module")
def unrolled():
    return operation(small(NAME), small_netlist(NAME))


def test_the_coefficients_are_those_of_the_method(unrolled):
    """z_k less M·q_k, with q_(k-1) and t_(k-2), and M·t_(k-1) less: twice what has passed position d."""
    found = decide_residues(claim(small(NAME)), unrolled).total
    M, zero = small(NAME).parameters.hybrid.radix, small(NAME).parameters.hybrid.zero
    first, second = found.forms
    assert (first.constant, second.constant) == zero
    assert (first.products, second.products) == ({(0, 0): 1, (1, 1): 2}, {(0, 1): 1, (1, 0): 1})
    assert (first.quotients, second.quotients) == ({0: -M, 1: 2}, {0: 1, 1: -M})
    assert sorted(first.words.values()) == [-2 * M, 2]
    assert sorted(second.words.values()) == [-M, 2]
    assert {quotient.least for quotient in found.quotients.values()} == {-1}
    assert {quotient.unit for quotient in found.quotients.values()} == {1 << small(NAME).parameters.spare}


def test_the_statement_names_coefficients():
    statement = claim(small(NAME)).statement
    assert "coefficients X_k from 0 on below" in statement
    assert f"Z ≡ X·Y (mod {TWO})" in statement


WRONG = {
    "another modulus": (lambda c: replace(c, modulus=c.modulus + 2), "has a wrong factor modulo p"),
    "another radix": (lambda c: replace(c, radix=c.radix + 1), "modulo p"),
    "a lower limit": (lambda c: replace(c, digits=replace(c.digits, limit=c.radix)), "not from 0 on below"),
    "larger operands": (
        lambda c: replace(c, operands={n: replace(x, limit=x.limit * 64) for n, x in c.operands.items()}),
        "α",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_another_claim_is_not_decided(wrong, unrolled):
    change, reason = WRONG[wrong]
    with pytest.raises(UndecidedError, match=reason):
        decide_residues(change(claim(small(NAME))), unrolled)


def test_a_wrong_constant_is_refuted_with_operands_that_fail():
    """A bit of -M modulo a channel, of the carry's product, differs."""
    one, text = small(NAME), core_verilog(small(NAME))
    stored = one.parameters.constants["tM·1"][0]
    changed = text.replace(f"16'h{stored:04x}", f"16'h{stored ^ 1:04x}", 1)
    assert text != changed
    found = prove_verilog(one, changed)
    assert found.status == REFUTED
    assert set(found.operands) == {"x_a", "x_b", "y_a", "y_b"}


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("modulus", "options"),
    [(TWO, {"width": 16, "c": 2, "latency": 2}), (FOUR, {"width": 20, "degree": 4, "latency": 4})],
)
@pytest.mark.parametrize("target", ["generic", "ecp5"])
def test_the_theorem_is_proved(modulus, options, target):
    core = find(NAME)
    one = prepare(core, Request.make(core, modulus=modulus, target=target, options=options))
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail) == (PROVED, "")


# --- the checker


@pytest.fixture
def verilog_file(tmp_path):
    path = tmp_path / "core.v"
    path.write_text(core_verilog(small(NAME)), encoding="utf-8")
    return path


def test_the_log_is_accepted(verilog_file):
    checker.check(log(NAME), verilog_file, operations=4)


LIES = {
    "another constant": ("coefficients", 0, "constant", "0x1"),
    "another factor of a product": ("coefficients", 1, "products", 0, 2, "0x2"),
    "another factor of a quotient": ("coefficients", 0, "quotients", 1, 1, "0x1"),
    "another factor of a carry": ("coefficients", 0, "words", 0, 1, "0x1"),
    "another distance from α": ("coefficients", 0, "extended", 0, 1, "index", 1),
    "no extension": ("coefficients", 0, "extended", []),
    "another weight of an extension": ("coefficients", 0, "extended", 0, 1, "words", 0, 1, "0x1"),
    "a wrong correction": ("coefficients", 0, "extended", 0, 1, "tables", 0, 3, ["0x0", "0x0", "0x0"]),
    "another unit": ("quotients", 0, "power_of_two", "0x1"),
    "another weight of a quotient": ("quotients", 1, "words", 0, 1, "0x3d"),
    "a word that is no multiple": ("quotients", 0, "digits", 0, 2, "0x2"),
    "a hat that is no multiple": ("quotients", 0, "hats", 0, 2, "0x3"),
    "a quotient that is never -1": ("quotients", 1, "most", "0x0"),
    "a lower limit": ("claim", "digits", "limit", "0xfe808f"),
    "larger operands": ("claim", "operands", "x", "limit", "0xfffffffff"),
    "another modulus": ("claim", "modulus", "0xfd035c534fe1"),
    "another radix": ("claim", "radix", "0xfe8090"),
    "another base": ("claim", "digits", "bases", "z_a", 0, "0xff6"),
}
QUICK = ("another factor of a carry", "a lower limit")


@pytest.mark.parametrize(
    "lie", [lie if lie in QUICK else pytest.param(lie, marks=pytest.mark.campaign) for lie in LIES]
)
def test_a_log_that_lies_is_refused(lie, verilog_file):
    found, (*path, last, by) = copy.deepcopy(log(NAME)), LIES[lie]
    part = found
    for key in path:
        part = part[key]
    assert part[last] != by
    part[last] = by
    with pytest.raises(RefusedError):
        checker.check(found, verilog_file, operations=8)


# --- bugs


@pytest.mark.campaign
@pytest.mark.parametrize("bug", KINDS)
def test_no_netlist_with_a_bug_is_proved(bug):
    """What is not decided is not proved; what is decided and fails in simulation is refused by the streams."""
    one = small(NAME)
    for module in islice(KINDS[bug](dict(small_netlist(NAME).module)), 6):
        netlist = netlist_of(module)
        try:
            decide_residues(claim(one), operation(one, netlist))
        except (UndecidedError, UnsupportedError):
            continue
        if find_failure(netlist, claim(one), one.schedule.latency, 1.0)[0]:
            found = Theorem(NOT_PROVED, "")
            prove_claim(netlist, claim(one), one.schedule.latency, found, search=False)
            assert found.status != PROVED
