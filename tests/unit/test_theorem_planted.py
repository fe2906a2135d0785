# SPDX-License-Identifier: Apache-2.0
"""Bugs of every kind in a core of every family: none is proved that fails in simulation."""

import pytest

import planted
from modwright.prove.theorem import REFUTED
from modwright.prove.theorem.decide import UndecidedError, decide
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.residues.decide import decide_residues

from .inversion_bugs import KINDS as INVERSION_KINDS
from .planted_bugs import KINDS
from .point_bugs import KINDS as POINT_KINDS
from .small_theorems import FAMILIES, RESIDUES, claim, operation, small, small_netlist

KINDS_OF_EACH = 20
"""Least kinds with a bug in each core."""


def rows():
    """Numbers of the table, by core."""
    found = planted.TABLE.read(planted.PAGE.read_text(encoding="utf-8"))
    return {name: [int(cell) for cell in row.split("|")[2:-1]] for (name,), row in found.items()}


def test_the_table_has_twenty_kinds_for_each_core_and_none_is_proved_that_fails():
    """Rows that are not made yet are missing; others would be stale."""
    assert set(rows()) <= set(planted.SUBJECTS)
    for name, (kinds, *outcomes) in rows().items():
        assert KINDS_OF_EACH <= kinds <= len(POINT_KINDS if name in planted.POINTS else planted.kinds_of(name)), name
        assert sum(outcomes) == kinds
        assert not outcomes[planted.OUTCOMES.index(planted.WRONG)]
        assert outcomes[planted.OUTCOMES.index(REFUTED)]


def test_a_proved_bug_that_fails_would_be_counted(monkeypatch):
    monkeypatch.setattr(planted, "KINDS", {"lost top bit": KINDS["lost top bit"]})
    monkeypatch.setattr(planted, "prove_claim", lambda *_, search: setattr(_[-1], "status", "proved"))
    assert planted.row("modadd/carry") == "| `modadd/carry` | 1 | 0 | 0 | 0 | 1 |"


QUICK = ("modmul/limb-fold-karatsuba", "modmul/binary-serial", "modmul/orup-dsp", "modmul/sor-nm")
"""Families of which no other test plants a bug on every run; all kinds and cores are campaigns."""


@pytest.mark.parametrize("name", QUICK)
def test_the_claim_of_a_netlist_with_a_lost_bit_is_not_decided(name):
    """The first that shows in simulation."""
    one = small(name)
    for module in KINDS["lost top bit"](dict(small_netlist(name).module)):
        netlist = netlist_of(module)
        if find_failure(netlist, claim(one), one.schedule.latency, planted.SHOWS)[0]:
            with pytest.raises((UndecidedError, UnsupportedError)):
                (decide_residues if name in RESIDUES else decide)(claim(one), operation(one, netlist))
            return
    pytest.fail("no bug of this kind shows")


@pytest.mark.parametrize("kind", ["wrong sign of an addend", "a bit less"])
def test_a_bug_in_the_program_of_a_ladder_is_refuted(kind):
    assert planted.point_outcome(kind) == REFUTED


@pytest.mark.campaign
@pytest.mark.parametrize("kind", POINT_KINDS)
def test_no_bug_of_a_ladder_is_proved_that_fails(kind):
    assert planted.point_outcome(kind) != planted.WRONG


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in FAMILIES for kind in KINDS])
def test_no_bug_is_proved_that_fails(name, kind):
    """A variant that is proved all the same is as good as the core: no operands make it fail."""
    bug = planted.bug_of(name, kind)
    assert bug is None or planted.outcome(small(name), bug) != planted.WRONG


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in planted.INVERSIONS for kind in INVERSION_KINDS])
def test_no_bug_of_an_inverter_is_proved_that_fails(name, kind):
    bug = planted.bug_of(name, kind)
    assert bug is None or planted.outcome(planted.core_of(name), bug) != planted.WRONG
