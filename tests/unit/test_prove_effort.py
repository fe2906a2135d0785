# SPDX-License-Identifier: Apache-2.0
"""A theorem that cannot be had is given up after a stated effort, the same on every machine."""

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.proof import NOT_PROVED
from modwright.prove.theorem import poly, prove_verilog

SMALL = 2
"""Terms: fewer than a polynomial of this core has."""


def test_a_theorem_ends_where_its_polynomials_grow_beyond_the_bound(monkeypatch):
    monkeypatch.setattr(poly, "LARGEST", SMALL)
    core = find("modmul/csa")
    one = prepare(core, Request.make(core, modulus="4093", target="generic"))
    found = prove_verilog(one, core_verilog(one), search=False)
    assert found.status == NOT_PROVED
    assert f"more than {SMALL:,}, as far as" in found.detail
