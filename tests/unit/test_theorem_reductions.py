# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores with base extensions: Montgomery products of residues, and extensions alone."""

import copy
from dataclasses import replace
from math import prod

import pytest

from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.deliver.verilog import core_verilog
from modwright.prove.theorem import REFUTED, prove_verilog
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.residues.decide import decide_residues

from .planted_bugs import KINDS
from .small_theorems import EXTENDED, claim, log, operation, small, small_netlist
from .small_theorems import read_once as read_once

KBE = "modmul/rns-kbe"
EVERY_RUN = [name if name == KBE else pytest.param(name, marks=pytest.mark.campaign) for name in EXTENDED]


def decided(one, netlist):
    """Whether the claim of an operation is decided."""
    try:
        decide_residues(claim(one), operation(one, netlist))
    except (UndecidedError, UnsupportedError):
        return False
    return True


@pytest.mark.parametrize("name", EXTENDED)
def test_the_claim_of_an_operation_is_decided(name):
    found = decide_residues(claim(small(name)), operation(small(name), small_netlist(name))).total
    assert len(found.digits) == small(name).parameters.n
    assert (found.reduced is not None) == name.startswith("modmul/")


def test_a_reduction_has_the_weights_of_the_method():
    """Z = (X·Y + Σ P·(A/a_i)·q̂_i)/A - h·P, and Z is the sum of the hats of B less α·B."""
    total = decide_residues(claim(small(KBE)), operation(small(KBE), small_netlist(KBE))).total
    p = small(KBE).parameters
    reduced = total.reduced
    assert reduced.product == 1
    factors = {digit.channel: reduced.words[digit.atom] for digit in reduced.digits}
    assert factors == {k: p.modulus * (p.A.product // a) for k, a in enumerate(p.A.moduli)}
    (rows,) = reduced.tables.values()
    assert rows == [-h * p.modulus for h, _ in enumerate(rows)]
    (rows,) = total.tables.values()
    assert all((row + (t + total.index) * p.B.product) % p.A.product == 0 for t, row in enumerate(rows))


def test_a_bound_below_that_of_the_method_is_not_decided():
    """Half of P: Q alone gives nearly P."""
    one, whole = small(KBE), claim(small(KBE))
    lower = replace(whole, vector=replace(whole.vector, limit=one.parameters.modulus // 2))
    with pytest.raises(UndecidedError, match="the integer of the result is between"):
        decide_residues(lower, operation(one, small_netlist(KBE)))


def test_an_extension_is_an_equality():
    whole = claim(small("basext/hbe"))
    assert whole.is_equal
    assert "Z = X;" in whole.statement
    assert prod(whole.vector.moduli) >= whole.vector.limit - whole.vector.least


def test_the_claim_of_a_netlist_with_a_bug_is_not_decided():
    """The first lost top bit that shows in simulation."""
    one = small(KBE)
    for module in KINDS["lost top bit"](dict(small_netlist(KBE).module)):
        netlist = netlist_of(module)
        if find_failure(netlist, claim(one), one.schedule.latency, 0.1)[0] and not decided(one, netlist):
            return
    pytest.fail("no bug of this kind shows")


def test_a_wrong_correction_is_refuted_with_operands_that_fail():
    """A bit of the table of -h·B differs in one channel."""
    one = small("basext/kbe")
    stored = one.parameters.engine.corrections[0][0]
    text = core_verilog(one)
    changed = text.replace(f"8'h{stored:02x}", f"8'h{stored ^ 1:02x}", 1)
    assert text != changed
    found = prove_verilog(one, changed)
    assert found.status == REFUTED
    assert set(found.operands) == {"x"}


# --- the checker


@pytest.fixture
def verilog_file(tmp_path):
    def write(name):
        path = tmp_path / "core.v"
        path.write_text(core_verilog(small(name)), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", EVERY_RUN)
def test_the_log_of_a_core_is_accepted(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=4)


def changed(found, *path, by):
    """Another number at the end of a path in a log."""
    *most, last = path
    for key in most:
        found = found[key]
    found[last] = by


LIES = {
    "another factor of the product": ("sum", "reduced", "product", "0x2"),
    "another weight of a reduction": ("sum", "reduced", "words", 0, 1, "0x3d"),
    "a word of a reduction that is no multiple": ("sum", "reduced", "digits", 0, 2, "0x2"),
    "a wrong row of a reduction": ("sum", "reduced", "tables", 0, 3, ["0x0", "0x0"]),
    "no reduction": ("sum", "reduced", None),
    "another weight of the extension": ("sum", "words", 0, 1, "0x1"),
    "a wrong correction": ("sum", "tables", 0, 3, ["0x0", "0x0"]),
    "another distance from α": ("sum", "index", 1),
    "a hat that is no multiple": ("sum", "digits", 0, 2, "0x3"),
    "a lower limit": ("claim", "vector", "limit", "0x1e"),
    "a higher least value": ("claim", "vector", "least", "0x1"),
    "larger operands": ("claim", "operands", "x", "limit", "0xfa05"),
    "another modulus": ("claim", "modulus", "0x3b"),
    "another multiple": ("claim", "factor", "0x2"),
    "another scale": ("claim", "vector", "scale", 2, "0x1"),
}


QUICK = ("another weight of a reduction", "a wrong correction", "a lower limit")
LATER = [lie if lie in QUICK else pytest.param(lie, marks=pytest.mark.campaign) for lie in LIES]


@pytest.mark.parametrize("lie", LATER)
def test_a_log_that_lies_is_refused(lie, verilog_file):
    found, (*path, by) = copy.deepcopy(log(KBE)), LIES[lie]
    changed(found, *path, by=by)
    with pytest.raises(RefusedError):
        checker.check(found, verilog_file(KBE), operations=8)
