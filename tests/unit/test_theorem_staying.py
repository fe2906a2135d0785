# SPDX-License-Identifier: Apache-2.0
"""Operands below a multiple of a constant next to the modulus, and results that stay at the outputs while they wait."""

import copy
from dataclasses import replace
from types import SimpleNamespace

import pytest

from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.deliver.verilog import core_verilog
from modwright.prove.theorem.contract import Limit
from modwright.prove.theorem.decide import UndecidedError, decide
from modwright.prove.theorem.lookups import under
from modwright.prove.theorem.netlist import CONSTANT, UNKNOWN, Cell, netlist_of
from modwright.prove.theorem.theorem import find_storage

from .small_theorems import claim, log, operation, small, small_netlist
from .small_theorems import read_once as read_once

NAME = "modmul/orup-dsp"


def changed_core(edit):
    """The netlist with some cells changed."""
    module = copy.deepcopy(dict(small_netlist(NAME).module))
    edit(module)
    return netlist_of(module)


def cell_of(module, net):
    """The register that drives a net of a name."""
    bits = module["netnames"][net]["bits"]
    return next(
        cell for cell in module["cells"].values() if cell["type"] == "$dff" and bits[0] in cell["connections"]["Q"]
    )


def test_a_register_that_an_error_clears_stays_with_the_operation_s_words():
    found = operation(small(NAME), small_netlist(NAME))
    assert {name for name, _, _ in found.steady} == {"core.converter.upper", "core.converter.dropped"}
    decide(claim(small(NAME)), found)


def hold_of(module, edit):
    """Change what the result's register loads where it holds its word; it does so only while the result waits."""
    own = cell_of(module, "core.converter.upper")["connections"]["Q"]
    for cell in module["cells"].values():
        if cell["type"] == "$mux" and cell["connections"]["A"] == own:
            cell["connections"]["A"] = edit(own)


def turn_while_valid(module):
    hold_of(module, lambda bits: [*bits[1:], bits[0]])


def clear_while_valid(module):
    hold_of(module, lambda bits: ["0"] * len(bits))


def take_an_operand(module):
    """The result's lowest bit is an operand's when it leaves."""
    module["ports"]["o_z"]["bits"][0] = module["ports"]["i_x"]["bits"][0]


@pytest.mark.parametrize("edit", [turn_while_valid, clear_while_valid, take_an_operand])
def test_a_result_that_changes_while_it_waits_is_not_proved(edit):
    netlist = changed_core(edit)
    assert find_storage(netlist).memory is None
    with pytest.raises(UndecidedError, match="stay"):
        decide(claim(small(NAME)), operation(small(NAME), netlist))


CLAIMS = {
    "half the limit of the result": lambda c: replace(c, limit=Limit(c.limit.factor // 4, c.limit.of)),
    "a limit by the modulus": lambda c: replace(c, limit=Limit(c.limit.factor, "modulus")),
    "m may be 0": lambda c: replace(c, nonzero=()),
    "larger operands": lambda c: replace(c, operands={"x": Limit(2 * c.limit.factor, "m"), "y": c.limit}),
    "no relation of m": lambda c: replace(c, relations=()),
    "another relation of m": lambda c: replace(c, relations=(replace(c.relations[0], bits=c.relations[0].bits + 1),)),
    "another multiple of the product": lambda c: replace(c, exponent=c.exponent - 1),
    "another constant that comes out": lambda c: replace(c, repeated={"m": "modulus", "modulus": "m"}),
}


@pytest.mark.parametrize("wrong", CLAIMS)
def test_a_wrong_claim_about_a_constant_next_to_the_modulus_is_not_decided(wrong):
    with pytest.raises(UndecidedError):
        decide(CLAIMS[wrong](claim(small(NAME))), operation(small(NAME), small_netlist(NAME)))


LIES = {
    "half the limit of the result": lambda c: c.update(limit=[hex(int(c["limit"][0], 16) // 4), "m"]),
    "a limit by the modulus": lambda c: c.update(limit=[c["limit"][0], "modulus"]),
    "m may be 0": lambda c: c.update(nonzero=[]),
    "larger operands": lambda c: c["operands"].update(x=[hex(2 * int(c["limit"][0], 16)), "m"]),
    "no relation of m": lambda c: c.update(relations=[]),
    "another relation of m": lambda c: c["relations"][0].__setitem__(2, c["relations"][0][2] + 1),
    "another constant that comes out": lambda c: c.update(repeated={"m": "modulus", "modulus": "m"}),
}


QUICK = ("a limit by the modulus", "m may be 0")


@pytest.mark.parametrize("lie", [n if n in QUICK else pytest.param(n, marks=pytest.mark.campaign) for n in LIES])
def test_a_log_that_lies_about_a_constant_next_to_the_modulus_is_refused(lie, tmp_path):
    path = tmp_path / "core.v"
    path.write_text(core_verilog(small(NAME)), encoding="utf-8")
    changed = copy.deepcopy(log(NAME))
    LIES[lie](changed["claim"])
    with pytest.raises(RefusedError):
        checker.check(changed, path, operations=1)


SELECT, OTHER = ((5, 0, 1),), ((6, 0, 1),)
"""Bits that choose."""


def choice(out, zero, one, select):
    return Cell("$mux", f"mux {out}", {"WIDTH": 8}, {"A": zero, "B": one, "S": select}, out)


def test_what_passes_where_a_bit_has_a_value():
    """Through multiplexers of the same bit and of known ones, and not of others, nor to a part of a word."""
    register, cleared, undefined = ((4, 0, 8),), ((CONSTANT, 0, 8),), ((UNKNOWN, 0, 8),)
    of = {10: choice(10, ((11, 0, 8),), cleared, OTHER), 11: choice(11, register, undefined, SELECT)}
    netlist = SimpleNamespace(drivers=of)
    assert under(netlist, ((10, 0, 8),), SELECT, 0, lambda _: 0) == register
    assert under(netlist, ((10, 0, 8),), SELECT, 1, lambda _: 0) == undefined
    assert under(netlist, ((10, 0, 8),), SELECT, 0, lambda _: 1) == cleared
    assert under(netlist, ((10, 0, 8),), SELECT, 0, lambda _: None) == ((10, 0, 8),)
    assert under(netlist, ((11, 0, 7),), SELECT, 0, lambda _: 0) == ((11, 0, 7),)
    assert under(netlist, ((11, 0, 8),), OTHER, 0, lambda _: None) == ((11, 0, 8),)
