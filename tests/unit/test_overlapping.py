# SPDX-License-Identifier: Apache-2.0
"""Mutants of cores with several operations at a time: all states of control decide, and none that differs is called
equal."""

from __future__ import annotations

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring

from modwright.contract import Field, Payload
from modwright.mutate import overlapping, queue, states
from modwright.mutate.circuit import Circuit
from modwright.mutate.netlist import Netlist
from modwright.mutate.overlapping import Overlapping
from modwright.mutate.resets import quiet
from modwright.mutate.schemata import merged
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.states import Latch, Rest, States, TooManyError, always
from modwright.mutate.ternary import KNOWN, UNKNOWN
from modwright.mutate.twins import Twins, Whole, graph_of, once
from modwright.mutate.waiting import Queued, only_kept_are_read
from modwright.rtl.streams import Admission, core_members

from ..tools import needs
from .test_alone import Piped
from .test_mutate_equivalence import Late
from .test_operation import at, differs

WORD = Payload((Field("x", 3),))
PLACES = 4
pytestmark = needs("compiled-simulator", why="the states are found by compiled code")


class EveryCycle(wiring.Component):
    """x + 1 two cycles after its admission, with a queue that takes a word in every cycle, at the place after the last
    result; to words that nobody reads `spare` is added.

    Parameters
    ----------
    early : bool
        Whether a result is valid a cycle before it is kept.
    room : int
        Results that may wait, fewer than places.
    """

    def __init__(self, *, early=False, room=3):
        self.early, self.room = early, room
        super().__init__(core_members(WORD, WORD))

    def elaborate(self, platform):
        m = Module()
        m.submodules.admission = admission = Admission(1, self.room)
        m.submodules.store = store = memory.Memory(shape=3, depth=PLACES, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        accept, taken, count = Signal(), Signal(), Signal(3)
        busy, done, waiting = Signal(name="busy"), Signal(name="done"), Signal(3, name="waiting")
        x, total, spare = Signal(3, name="x"), Signal(3, name="total"), Signal(name="spare")
        m.d.comb += [
            self.i.ready.eq(admission.ready),
            accept.eq(self.i.valid & admission.ready),
            admission.admit.eq(accept),
            taken.eq(self.o.valid & self.o.ready),
            admission.release.eq(taken),
            write.en.eq(1),
            write.data.eq(total),
            self.o.p.x.eq(read.data),
            count.eq(waiting + (busy if self.early else done) - taken),
        ]
        m.d.sync += [busy.eq(accept), done.eq(busy), waiting.eq(count), self.o.valid.eq(count != 0)]
        m.d.sync += [x.eq(self.i.p.x), total.eq(x + 1 + spare), spare.eq(spare ^ 1)]
        with m.If(accept):
            m.d.sync += spare.eq(0)
        with m.If(done):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(taken):
            m.d.sync += read.addr.eq(read.addr + 1)
        return m


def design_of(core, found=()):
    netlist = Netlist.of(core, "core")
    whole, names = merged(netlist, found)[0], queue.queue_of(netlist)
    return Whole(queue.cut(whole, names) if names else whole)


@pytest.fixture(scope="module")
def every_cycle():
    return Netlist.of(EveryCycle(), "core")


def decided(netlist, store, *found):
    whole, names = merged(netlist, found)[0], queue.queue_of(netlist)
    assert names, "results wait in a memory"
    pair = Overlapping(once(queue.cut(whole, names)), store)
    return [bool(pair.decide(number)) for number in range(1, len(found) + 1)]


# --- states


def toggles(circuit, *enables):
    """Bits that each change where its enable is 1."""
    found = []
    for enable in enables:
        literal = circuit.fresh()
        found.append(Latch(literal, circuit.unequal(literal, enable), KNOWN[0]))
    return found


def test_states_with_one_key_are_joined(store, monkeypatch):
    circuit = Circuit()
    step = circuit.fresh()
    a, b = toggles(circuit, step, step)
    steps = [{step: value} for value in KNOWN]
    both = circuit.both(a.literal, b.literal ^ 1)
    assert States(circuit, [a, b], [], [always(both)], store).count(steps) == 2
    assert States(circuit, [a, b], [], [(a.literal, b.literal)], store).count(steps) is None
    assert States(circuit, [a], [b], [(a.literal, b.literal ^ 1)], store).count(steps) == 2, "b is known by a"
    assert States(circuit, [b], [], [], store).count([{step: UNKNOWN}]) == 2, "unknown is a third value"
    with pytest.raises(TooManyError):
        States(circuit, [a, b], [], [], store).count(steps, most=1)
    with pytest.raises(TooManyError):
        States(circuit, [a, b], [], [], store, memory=0).count(steps)
    monkeypatch.setattr(states, "MOST_STATES", 1)
    with pytest.raises(TooManyError):
        States(circuit, [a, b], [], [], store, memory=1000).count(steps)


def test_states_at_rest_are_not_followed_but_for_a_reset(store):
    """A counter of two bits, both 0 after a reset, which is at rest while the upper one is 0."""
    circuit = Circuit()
    step, reset = circuit.several(2)
    (low, high), on = circuit.several(2), circuit.both(step, reset ^ 1)
    after = [
        circuit.both(circuit.unequal(low, on), reset ^ 1),
        circuit.both(circuit.unequal(high, circuit.both(low, on)), reset ^ 1),
    ]
    states = [Latch(bit, following, KNOWN[0]) for bit, following in zip((low, high), after, strict=True)]
    choices = [{step: KNOWN[0], reset: KNOWN[0]}, {step: KNOWN[1], reset: KNOWN[0]}, {step: UNKNOWN, reset: KNOWN[1]}]
    assert States(circuit, states, [], [], store).count(choices) == 4
    rest = Rest([1], [UNKNOWN, KNOWN[0]])
    assert States(circuit, states, [], [always(high)], store).count(choices, rest=rest) == 1
    started = [Latch(low, after[0], KNOWN[0]), Latch(high, after[1], KNOWN[1])]
    assert States(circuit, started, [], [], store).count(choices, rest=rest) == 3, "2, 3 and, at rest, 0"
    wrong = circuit.both(low, high ^ 1)
    assert States(circuit, states, [], [always(wrong)], store).count(choices, rest=rest) is None, "in a reset from 1"


@pytest.mark.parametrize("bits", [1, 7, 33, 40])
def test_a_counter_of_any_width_has_all_its_states(bits, store):
    """So the rows of the states are longer than a word; the last ones are never reached by a shift of a single 1."""
    circuit = Circuit()
    places = circuit.several(bits)
    ring = [Latch(one, places[k - 1], KNOWN[k == 0]) for k, one in enumerate(places)]
    two = [(places[k], places[k - 1]) for k in range(bits) if bits > 1]
    assert States(circuit, ring, [], two, store).count([{}]) == bits
    never = [(places[-1], places[-1])]
    assert States(circuit, ring, [], never, store).count([{}]) is None
    assert States(circuit, [], ring, [], store).count([{}]) == 1


def test_more_memory_decides_more(every_cycle, store):
    unread = at(every_cycle, "total", kind="reset", mutated="none")
    whole = once(queue.cut(merged(every_cycle, [unread])[0], queue.queue_of(every_cycle)))
    assert not Overlapping(whole, store, 0).decide(1) and Overlapping(whole, store, 1).decide(1)


def test_too_many_combinations_are_refused(every_cycle, store, monkeypatch):
    monkeypatch.setattr(overlapping, "MOST_CHOICES", 0)
    assert decided(every_cycle, store, at(every_cycle, "x", kind="reset", mutated="none")) == [False]


# --- queues


def test_only_words_that_count_are_read(store):
    assert only_kept_are_read(Queued(design_of(EveryCycle())), store)
    assert only_kept_are_read(Queued(design_of(Piped())), store)
    assert not only_kept_are_read(Queued(design_of(EveryCycle(early=True))), store)
    full = Queued(design_of(EveryCycle(room=PLACES)))
    assert not only_kept_are_read(full, store), "the place after the last result is that of the first one"


# --- mutants


@pytest.mark.parametrize(
    ("said", "equal"),
    [
        ({"place": "x", "kind": "reset", "mutated": "none"}, True),
        ({"place": "total", "kind": "reset", "mutated": "none"}, True),
        ({"place": "spare", "kind": "reset", "mutated": "none"}, False),  # an admission is a reset of it
        ({"place": "waiting", "kind": "reset", "mutated": "none"}, False),
        ({"place": "done", "kind": "reset", "mutated": "none"}, False),
        ({"place": "busy", "kind": "bit", "mutated": "stuck at 1"}, False),
        ({"place": "admission.held", "kind": "reset", "mutated": "none"}, False),
        ({"place": "x", "kind": "bit", "mutated": "stuck at 1"}, False),
    ],
)
def test_what_differs_only_while_nothing_reads_it_is_equal(every_cycle, store, said, equal):
    said = dict(said)
    fault = at(every_cycle, said.pop("place"), **said)
    assert decided(every_cycle, store, fault) == [equal]


@pytest.mark.parametrize(
    ("said", "equal"),
    [
        ({"place": "x", "mutated": "none"}, True),
        ({"place": "total", "mutated": "none"}, True),
        ({"place": "total", "mutated": "001"}, True),
        ({"place": "spare", "mutated": "none"}, False),  # not only of a reset of the core
        ({"place": "waiting", "mutated": "none"}, False),
        ({"place": "done", "mutated": "none"}, False),
        ({"place": "done", "mutated": "1"}, False),
    ],
)
def test_resets_are_decided_without_the_states_of_the_core(every_cycle, store, monkeypatch, said, equal):
    def too_many(self):
        raise TooManyError

    monkeypatch.setattr(Overlapping, "_of_core", too_many)
    said = dict(said)
    fault = at(every_cycle, said.pop("place"), kind="reset", **said)
    assert decided(every_cycle, store, fault) == [equal]


def test_a_mutation_is_quiet_without_a_reset_or_it_is_not(every_cycle):
    found = [
        at(every_cycle, "total", kind="reset", mutated="none"),
        at(every_cycle, "total", kind="reset", mutated="001"),
        at(every_cycle, "spare", kind="reset", mutated="none"),
        at(every_cycle, "x", kind="bit", mutated="stuck at 1"),
    ]
    design = Queued(design_of(EveryCycle(), found))
    unreset, other, of_admission, stuck = (quiet(Twins(design, number), design.watched) for number in range(1, 5))
    assert unreset is not None, "it is not reset, and takes the word of the core in each other cycle"
    assert other, "a register says that `total` was not written since a reset"
    assert of_admission is None
    assert stuck is None


def test_a_mutation_of_an_address_hides_no_other_mutant(every_cycle, store):
    """In the design of both the memory is addressed by what the mutation leaves of the register."""
    address = at(every_cycle, "$signature__addr", kind="bit", original="Q[0]", mutated="inverted")
    unread = at(every_cycle, "total", kind="reset", mutated="none")
    assert decided(every_cycle, store, address, unread)[1]
    turned = at(every_cycle, "$signature__addr", kind="bit", original="Q[0]", mutated="stuck at 0")
    assert not decided(every_cycle, store, turned)[0]


@pytest.mark.parametrize("core", [EveryCycle, Late])
def test_none_that_differs_is_called_equal(core, store):
    """Mutants of designs with a queue, and without one, against random runs."""
    netlist = Netlist.of(core(), "core")
    names = queue.queue_of(netlist)
    found = [one for one in chosen(mutations(netlist), 40, 2) if one.cell not in names]
    whole = merged(netlist, found)[0]
    pair = Overlapping(once(queue.cut(whole, names) if names else whole), store)
    equal = [number for number in range(1, len(found) + 1) if pair.decide(number)]
    graph, inputs, _ = graph_of(whole)
    assert [number for number in equal if differs(graph, inputs, number)] == []
    assert len(equal) >= 2
