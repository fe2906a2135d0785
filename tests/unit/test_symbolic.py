# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core with one operation at a time, decided by an operation on symbols."""

from __future__ import annotations

from contextlib import suppress

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from modwright.contract import Field, Payload
from modwright.mutate import symbolic
from modwright.mutate.circuit import Circuit
from modwright.mutate.lockstep import DifferentError
from modwright.mutate.netlist import Netlist
from modwright.mutate.offers import Offers
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.symbolic import Symbolic
from modwright.mutate.twins import graph_of, once
from modwright.rtl.streams import core_members

from ..tools import needs
from .test_alone import Program
from .test_mutate_equivalence import Late
from .test_operation import at, differs

NIBBLE, OUT = Payload((Field("x", 4),)), Payload((Field("z", 5),))
pytestmark = needs("compiled-simulator", why="what lies between operations is evaluated by compiled code")


class Zero(wiring.Component):
    """x + 1 + (x - x), by a difference that takes a step and a sum that takes another one; and x again at another
    address."""

    def __init__(self):
        super().__init__(core_members(NIBBLE, OUT))

    def elaborate(self, platform):
        m = Module()
        step, x, y = Signal(2, name="step"), Signal(4, name="x"), Signal(4, name="y")
        none, total, other = Signal(4, name="none"), Signal(5, name="total"), Signal(name="other")
        m.d.comb += [self.i.ready.eq(step == 0), self.o.valid.eq(step == 3), self.o.p.z.eq(total)]
        with m.Switch(step):
            with m.Case(0):
                m.d.sync += [x.eq(self.i.p.x), y.eq(self.i.p.x), step.eq(self.i.valid)]
            with m.Case(1):
                m.d.sync += [none.eq(x - y), step.eq(2), other.eq(~other)]
            with m.Case(2):
                m.d.sync += [total.eq(Mux(other, x, y) + 1 + none), step.eq(3)]
            with m.Default(), m.If(self.o.ready):
                m.d.sync += step.eq(0)
        return m


@pytest.fixture(scope="module")
def zero():
    return Netlist.of(Zero(), "zero")


def decided(netlist, store, *found):
    return [number in equal(merged(netlist, found)[0], len(found), store) for number in range(1, len(found) + 1)]


def equal(whole, count, store):
    """Numbers of mutants that are decided."""
    pair, found = Symbolic(once(whole), Offers.unknown(4), store), []
    for number in range(1, count + 1):
        with suppress(DifferentError):
            found += [number] if pair.decide(number) else []
    return found


def of_difference(netlist, kind):
    """A mutation of x - y."""
    return next(m for m in mutations(netlist) if netlist.cells[m.cell]["type"] == "$sub" and m.kind == kind)


@pytest.mark.parametrize(
    ("said", "equal"),
    [
        ({"place": "other", "kind": "reset", "mutated": "none"}, True),  # x and y are the same
        ({"place": "other", "kind": "bit", "mutated": "inverted"}, True),
        ({"place": "x", "kind": "bit", "mutated": "inverted"}, False),
        ({"place": "step", "kind": "reset", "mutated": "none"}, False),
        ({"place": "total", "kind": "bit", "mutated": "stuck at 1"}, False),
    ],
)
def test_symbols_of_the_same_operand_are_the_same(zero, store, said, equal):
    said = dict(said)
    assert decided(zero, store, at(zero, said.pop("place"), **said)) == [equal]


def test_a_difference_of_the_same_is_0(zero, store):
    exchanged, added = of_difference(zero, "swap"), of_difference(zero, "operator")
    assert exchanged.mutated.startswith("sub") and added.mutated == "add"
    assert decided(zero, store, exchanged, added) == [True, False]


@pytest.mark.parametrize("core", [Zero(), Late(), Program(1)], ids=["zero", "late", "program"])
def test_none_that_differs_is_called_equal(core, store):
    netlist = Netlist.of(core, "core")
    found = chosen(mutations(netlist), 30, 4)
    whole = merged(netlist, found)[0]
    same = equal(whole, len(found), store)
    graph, inputs, _ = graph_of(whole)
    assert [number for number in same if differs(graph, inputs, number)] == []
    assert same


@pytest.mark.parametrize(("name", "most"), [("MOST_GATES", 1), ("MOST_RUNS", 0)])
def test_too_much_is_left_to_other_methods(zero, store, monkeypatch, name, most):
    monkeypatch.setattr(symbolic, name, most)
    assert decided(zero, store, of_difference(zero, "swap")) == [False]


def test_symbols_that_are_the_same_stay_so_in_a_new_circuit(zero, store, monkeypatch):
    """The mutant that reads y where the core reads x; the difference itself is forgotten."""
    monkeypatch.setattr(symbolic, "MOST_AT_ONCE", 1)
    found = [
        at(zero, "other", kind="bit", mutated="inverted"),
        of_difference(zero, "swap"),
        at(zero, "x", kind="bit", mutated="inverted"),
    ]
    assert decided(zero, store, *found) == [True, True, False]


def test_few_gates_are_compared_for_all_values(monkeypatch):
    circuit = Circuit()
    a, b, c = circuit.several(3)
    one, other = circuit.both(circuit.unequal(a, b), c), circuit.unequal(circuit.both(a, c), circuit.both(b, c))
    assert one != other and symbolic._equal(circuit, (one, other), {})
    assert not symbolic._equal(circuit, (one, other ^ 1), {})
    assert not symbolic._equal(circuit, (one, circuit.both(other, a)), {})
    monkeypatch.setattr(symbolic, "_SYMBOLS", 2)
    assert not symbolic._equal(circuit, (one, other), {})
