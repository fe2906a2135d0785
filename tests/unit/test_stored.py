# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core whose results wait in a memory, decided by all payloads of one operation after the other."""

from __future__ import annotations

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from modwright.contract import Field, Payload
from modwright.mutate import offers, queue
from modwright.mutate.netlist import Netlist
from modwright.mutate.offers import Offers
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.stored import Stored, halves
from modwright.mutate.twins import graph_of, once
from modwright.rtl.streams import Admission, ResultQueue, core_members

from ..tools import needs
from .test_operation import differs

IN, OUT = Payload((Field("x", 4, bound=12),)), Payload((Field("z", 6),))
MUTANTS = 120
pytestmark = needs("compiled-simulator", why="the lanes are evaluated by compiled code")


class Queued(wiring.Component):
    """5·x by four additions; two results can wait, and an operation starts as soon as there is a place for its."""

    def __init__(self):
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.admission = admission = Admission(1, 2)
        m.submodules.queue = results = ResultQueue(OUT, 2)
        left, x, total = Signal(3, name="left"), Signal(4, name="x"), Signal(6, name="total")
        accept = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(admission.ready & (left == 0)), admission.admit.eq(accept)]
        m.d.comb += [results.push.eq(left == 1), results.data.z.eq(total), admission.release.eq(results.taken)]
        with m.If(accept):
            m.d.sync += [left.eq(5), x.eq(self.i.p.x), total.eq(self.i.p.x)]
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), total.eq(total + x)]
        wiring.connect(m, results.o, wiring.flipped(self.o))
        return m


@pytest.fixture(scope="module")
def netlist():
    return Netlist.of(Queued(), "queued")


def test_none_that_differs_is_called_equal(netlist, store):
    """All of a hundred mutants against random runs, with operands in range; and many are decided."""
    found = chosen(mutations(netlist), MUTANTS, 1)
    whole, names = merged(netlist, found)[0], queue.queue_of(netlist)
    assert names, "results wait in a memory"
    stored = Stored(once(queue.cut(whole, names)), Offers.of(offers.payloads(IN), IN.width), store)
    inside = [number for number, one in enumerate(found, 1) if one.cell not in names]
    equal = [number for number in inside if stored.decide(number)]
    graph, inputs, _ = graph_of(whole)
    assert not [number for number in equal if differs(graph, inputs, number, limit=12)]
    same = [number for number in inside if not differs(graph, inputs, number, limit=12)]
    assert len(equal) >= 7 and len(equal) * 2 >= len(same), "others change control"


def test_a_bit_that_is_not_known_stands_for_both():
    known, unknown = [(1, 0), (0, 1)], (1, 1)
    assert list(halves([known[0], unknown, known[1]], 1, [1])) == [[(1, 0), (1, 0), (0, 1)], [(1, 0), (0, 1), (0, 1)]]
    lanes = [(0b01, 0b10), (0b11, 0b11), (0b10, 0b10)]  # the third bit is 1 or unknown in lane 1, nothing in lane 0
    assert len(list(halves(lanes, 2, [0, 1]))) == 4
