# SPDX-License-Identifier: Apache-2.0
"""Mutants that go the way of the core in every single cycle, and none that goes another one is called equal."""

import pytest

from modwright.mutate import queue, stepwise
from modwright.mutate.netlist import Netlist
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.twins import Whole, graph_of

from .test_mutate_equivalence import Late
from .test_operation import at, differs
from .test_overlapping import EveryCycle


def decided(netlist, *found):
    design = Whole(merged(netlist, found)[0])
    return [bool(stepwise.decide(design, number)) for number in range(1, len(found) + 1)]


@pytest.fixture(scope="module")
def every_cycle():
    return Netlist.of(EveryCycle(), "core")


@pytest.mark.parametrize(
    "said",
    [
        {"place": "admission", "kind": "operator", "original": "add", "mutated": "xor"},
        {"place": "x", "kind": "reset", "mutated": "none"},  # equivalent, but only as nothing reads the register
        {"place": "total", "kind": "bit", "original": "Q[0]", "mutated": "stuck at 1"},
    ],
)
def test_a_register_that_differs_is_not_the_same(every_cycle, said):
    said = dict(said)
    assert decided(every_cycle, at(every_cycle, said.pop("place"), **said)) == [False]


@pytest.mark.parametrize("core", [EveryCycle, Late])
def test_none_that_differs_is_called_equal(core):
    """All that are decided, against random runs; a word may differ where nothing is left of it at the registers."""
    netlist = Netlist.of(core(), "core")
    names = queue.queue_of(netlist)
    found = [one for one in chosen(mutations(netlist), 40, 3) if one.cell not in names]
    whole = merged(netlist, found)[0]
    design = Whole(whole)
    equal = [number for number in range(1, len(found) + 1) if stepwise.decide(design, number)]
    graph, inputs, _ = graph_of(whole)
    assert equal
    assert [number for number in equal if differs(graph, inputs, number)] == []
