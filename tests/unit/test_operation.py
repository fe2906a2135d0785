# SPDX-License-Identifier: Apache-2.0
"""Mutants that one operation decides: those that are the core are found, and none that differs is called equal."""

from __future__ import annotations

import random

import pytest
from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from hypothesis import given
from hypothesis import strategies as st

from modwright.contract import Field, Payload
from modwright.contract.request import Request
from modwright.mutate import control, operation, queue
from modwright.mutate.circuit import FALSE, TRUE, Circuit
from modwright.mutate.judge import Judge, record
from modwright.mutate.machine import Machine, TooManyError
from modwright.mutate.mutations import Mutation, Rewire, Split
from modwright.mutate.netlist import Netlist
from modwright.mutate.operation import Operations
from modwright.mutate.schemata import merged, schemata
from modwright.mutate.sites import chosen, mutations
from modwright.mutate.twins import graph_of, literal_of
from modwright.pipeline import Plan
from modwright.prepared import prepare
from modwright.rtl.streams import Admission, ResultQueue, core_members
from tests.toy import TOY, ToyCore

from ..tools import needs

# --- circuits

LITERAL = st.integers(0, 40)


@given(st.lists(st.tuples(LITERAL, LITERAL), min_size=1, max_size=40))
def test_simplified_gates_are_what_they_stand_for(gates):
    """Every literal, over all values of four inputs, next to the same gates without any simplification."""
    circuit = Circuit()
    literals = [FALSE, TRUE, *circuit.several(4)]
    inputs = {one: sum((lane >> k & 1) << lane for lane in range(16)) for k, one in enumerate(literals[2:])}
    expected = [0, 0xFFFF, *inputs.values()]
    for a, b in gates:
        a, b = a % (2 * len(literals)), b % (2 * len(literals))
        literals.append(circuit.both(literals[a >> 1] ^ a & 1, literals[b >> 1] ^ b & 1))
        expected.append((expected[a >> 1] ^ 0xFFFF * (a & 1)) & (expected[b >> 1] ^ 0xFFFF * (b & 1)))
    assert circuit.evaluated(literals, inputs, 16) == expected


@given(st.text("01", min_size=8, max_size=8))
def test_a_table_gives_its_digits(table):
    circuit = Circuit()
    index = circuit.several(3)
    literal = circuit.chosen(index, table)
    lanes = {one: sum((n >> 2 - k & 1) << n for n in range(8)) for k, one in enumerate(index)}
    assert format(circuit.evaluated([literal], lanes, 8)[0], "08b")[::-1] == table


@pytest.mark.parametrize("together", [2, 20])
def test_a_single_value_is_found_among_all(together, monkeypatch):
    monkeypatch.setattr(operation, "_AT_ONCE", 1 << together)
    circuit = Circuit()
    inputs = circuit.several(10)
    one = TRUE
    for k, literal in enumerate(inputs):
        one = circuit.both(one, literal ^ (0b1011001110 >> k & 1))
    cone = circuit.cone([one])
    assert not operation._exhausted(circuit, cone, one, inputs)
    assert not operation._unsatisfiable(circuit, one)
    never = circuit.both(circuit.both(inputs[0], inputs[2]), circuit.both(circuit.both(inputs[3], inputs[2]), one))
    assert operation._exhausted(circuit, circuit.cone([never]), never, inputs)
    assert operation._unsatisfiable(circuit, never)


# --- machines


def counter(most):
    """A counter of three bits that steps when its input is 1, and goes back to 0 after `most`."""
    circuit = Circuit()
    a, b, c, step = circuit.several(4)
    at_end = TRUE
    for k, bit in enumerate((a, b, c)):
        at_end = circuit.both(at_end, bit if most >> k & 1 else bit ^ 1)
    more = [a ^ 1, circuit.unequal(a, b), circuit.unequal(circuit.both(a, b), c)]
    to_zero = circuit.both(step, at_end)
    following = []
    for bit, one in zip((a, b, c), more, strict=True):
        stepped = circuit.either(circuit.both(step, one), circuit.both(step ^ 1, bit))
        following.append(circuit.both(stepped, to_zero ^ 1))
    return circuit, Machine(circuit, (a, b, c), following, [step]), (a, b, c), step


def test_the_reachable_states_are_those():
    circuit, machine, (a, b, c), step = counter(4)
    states = machine.reachable(["000"], 8)
    assert states == {"000", "100", "010", "110", "001"}
    assert machine.after(["110"], step) == {"001"} and machine.after(["110"], step ^ 1) == {"110"}
    assert machine.can(states, c) and not machine.can(states, circuit.both(a, c))
    assert machine.values(states, [a, b], c) == {"00"}
    with pytest.raises(TooManyError):
        machine.reachable(["000"], 4)


# --- operations

NIBBLE = Payload((Field("x", 4),))
IN, OUT = Payload((Field("x", 6, bound=31),)), Payload((Field("z", 7),))


class Staged(wiring.Component):
    """z = (x + 1)·2 in two stages, and a queue; of odd x nothing comes where it `varies`, and a queue that `always`
    takes one has a word in every cycle."""

    def __init__(self, *, varies=False, always=False):
        self.varies, self.always = varies, always
        super().__init__(core_members(IN, OUT))

    def elaborate(self, platform):
        m = Module()
        m.submodules.admission = admission = Admission(2, 3)
        m.submodules.queue = results = ResultQueue(OUT, 3)
        accept, busy, done = Signal(), Signal(name="busy"), Signal(name="done")
        first, total = Signal(6, name="first"), Signal(7, name="total")
        m.d.comb += [
            accept.eq(self.i.valid & self.i.ready),
            self.i.ready.eq(admission.ready),
            admission.admit.eq(accept),
            admission.release.eq(results.taken),
            results.push.eq(self.always | done & ~(self.varies & first[0])),
            results.data.eq(total),
        ]
        m.d.sync += [busy.eq(accept), done.eq(busy)]
        with m.If(accept):
            m.d.sync += first.eq(self.i.p.x)
        with m.If(busy):
            m.d.sync += total.eq((first + 1) << 1)
        wiring.connect(m, results.o, wiring.flipped(self.o))
        return m


@pytest.fixture(scope="module")
def staged():
    return Netlist.of(Staged(), "staged")


def decided(netlist, *found, i=IN):
    operations = Operations(queue.cut(merged(netlist, found)[0], queue.queue_of(netlist)), i)
    return [operations.decide(number) for number in range(1, len(found) + 1)]


def at(netlist, place, **said):
    return next(
        m
        for m in mutations(netlist)
        if netlist.place(m.cell) == place and all(str(getattr(m, name)).startswith(text) for name, text in said.items())
    )


def test_what_no_operation_depends_on_is_equivalent(staged):
    """A register that takes more than it has to: `first` in cycles in which nothing is admitted, after its last use."""
    found = [
        at(staged, "first", kind="enable", mutated="stuck at 1"),
        at(staged, "first", kind="reset", mutated="none"),
        at(staged, "data", kind="reset", original="reset to"),
        at(staged, "data", kind="enable", mutated="stuck at 1"),
    ]
    assert all("depends" in text for text in decided(staged, *found))


def test_what_no_operand_sets_is_equivalent(staged):
    """x + 1 is at most 31, so nothing is carried into bit 5."""
    carry = next(m for m in mutations(staged) if m.edit == Split(5))
    assert all("by all values" in text for text in decided(staged, carry))
    assert decided(staged, carry, i=Payload((Field("x", 6),))) == [""]
    assert decided(staged, next(m for m in mutations(staged) if m.edit == Split(4))) == [""]


@pytest.mark.parametrize(
    "said",
    [
        {"place": "first", "kind": "enable", "mutated": "stuck at 0"},
        {"place": "first", "kind": "enable", "mutated": "inverted"},
        {"place": "data", "kind": "enable", "mutated": "inverted"},
        {"place": "busy", "kind": "reset", "mutated": "none"},
        {"place": "done", "kind": "reset", "original": "reset to"},
        {"place": "busy", "kind": "bit", "mutated": "stuck at 1"},
        {"place": "admission.held", "kind": "reset", "mutated": "none"},
        {"place": "queue.filled", "kind": "reset", "mutated": "none"},
    ],
)
def test_what_shows_is_never_equivalent(staged, said):
    assert decided(staged, at(staged, said.pop("place"), **said)) == [""]


@pytest.mark.parametrize("value", [0, 30, 31, 63])
def test_a_single_operand_counts_where_the_contract_has_it(staged, value):
    """One that turns a bit of x where all the others have a certain value, which one operand has."""
    netlist = staged.copy()
    bits = netlist.ports["i__payload"]["bits"]
    hit = netlist.binary("$eq", bits, [str(value >> k & 1) for k in range(6)], 1)
    register = next(name for name, c in netlist.cells.items() if c["connections"].get("D") == bits)
    other = netlist.binary("$xor", bits, [*hit, *["0"] * 5], 6)
    netlist.cells[register]["connections"]["D"] = other
    turned = Mutation(register, register, "bit", "", "", Rewire("D", ((0, ~0),)))
    place = next(name for name, c in netlist.cells.items() if c["connections"].get("Y") == hit)
    fault = Mutation(place, place, "bit", "Y[0]", "stuck at 0", Rewire("Y", ((0, "0"),)))
    found = decided(netlist, fault, turned)
    assert bool(found[0]) == (value >= 31) and not found[1]


def test_results_that_come_when_they_like_are_left_to_other_methods():
    netlist = Netlist.of(Staged(varies=True), "staged")
    assert decided(netlist, at(netlist, "first", kind="enable", mutated="stuck at 1")) == [""]


def test_a_queue_that_always_takes_a_word_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(control, "MOST_CYCLES", 10**9)
    netlist = Netlist.of(Staged(always=True), "staged")
    assert decided(netlist, at(netlist, "first", kind="enable", mutated="stuck at 1")) == [""]


def test_more_states_than_are_looked_at_are_left_to_other_methods(staged, monkeypatch):
    monkeypatch.setattr(control, "MOST_STATES", 2)
    assert decided(staged, at(staged, "first", kind="enable", mutated="stuck at 1")) == [""]


class Random(wiring.Component):
    """Two stages of random operators on words of four bits, whose registers have random enables."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        super().__init__(core_members(NIBBLE, NIBBLE))

    def elaborate(self, platform):
        m, rng = Module(), self.rng
        m.submodules.admission = admission = Admission(rng.choice((1, 3)), 2)
        m.submodules.queue = results = ResultQueue(NIBBLE, 2)
        accept, busy = Signal(), Signal(2)
        m.d.comb += [accept.eq(self.i.valid & admission.ready), self.i.ready.eq(admission.ready)]
        m.d.comb += [admission.admit.eq(accept), admission.release.eq(results.taken), results.push.eq(busy[1])]
        m.d.sync += busy.eq(Cat(accept, busy[0]))
        words = [self.i.p.x, Signal(4, name="old")]
        m.d.sync += words[1].eq(words[1] + 1)
        for stage in range(2):
            for k in range(2):
                a, b = rng.choice(words), rng.choice(words)
                register = Signal(4, name=f"word_{stage}_{k}")
                value = rng.choice(
                    (a + b, a - b, a & b, a ^ (b >> 1), Mux(a < b, a, 3), Mux(busy[stage], a, b), a >> 2)
                )
                with m.If(rng.choice((Const(1), accept, busy[0], busy.any()))):
                    m.d.sync += register.eq(value)
                words.append(register)
            words = words[-2:] if stage else [*words[-2:], words[1]]
        m.d.comb += results.data.eq(words[0] ^ Mux(busy[1], words[1], 0))
        wiring.connect(m, results.o, wiring.flipped(self.o))
        return m


def payloads_below(rng, limit, names, lanes):
    words = [rng.randrange(limit) for _ in range(lanes)]
    bits = [name for name in names if name.startswith("i__payload")]
    return {name: sum((word >> k & 1) << lane for lane, word in enumerate(words)) for k, name in enumerate(bits)}


def differs(graph, names, number, cycles=40, lanes=256, limit=None):
    """Whether a mutant differs from the core at an output that counts, in random runs of the whole design, with
    operands below a limit."""
    circuit, rng = Circuit(), random.Random(number)
    inputs, latches = circuit.several(graph.inputs), circuit.several(len(graph.latches))
    values, _ = circuit.frame(graph, [*inputs, *latches])
    following = [literal_of(values, literal) for literal, _ in graph.latches]
    shown = {name: literal_of(values, literal) for name, literal in graph.outputs.items()}
    wanted = [*following, *shown.values()]
    cone, ones = circuit.cone(wanted), (1 << lanes) - 1
    states = [[ones if initial == "1" else 0 for _, initial in graph.latches] for _ in range(2)]
    for _ in range(cycles):
        drawn = {name: rng.getrandbits(lanes) for name in names}
        if limit is not None:
            drawn |= payloads_below(rng, limit, names, lanes)
        drawn["rst"] = rng.getrandbits(lanes) & rng.getrandbits(lanes) & rng.getrandbits(lanes)
        outputs = []
        for which, state in enumerate(states):
            chosen_bits = {f"mutant[{k}]" if k else "mutant": ones * (number * which >> k & 1) for k in range(16)}
            given_inputs = dict(zip(inputs, (chosen_bits.get(name, drawn[name]) for name in names), strict=True))
            found = circuit.evaluated_in(cone, wanted, given_inputs | dict(zip(latches, state, strict=True)), lanes)
            states[which] = found[: len(following)]
            outputs.append(dict(zip(shown, found[len(following) :], strict=True)))
        core, mutant = outputs
        for name in core:
            counts = core["o__valid"] if name.startswith("o__payload") else ones
            if (core[name] ^ mutant[name]) & counts:
                return True
    return False


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(2, 12))])
def test_what_random_runs_tell_apart_is_never_equivalent(seed):
    netlist = Netlist.of(Random(seed), "random")
    selected = [m for m in chosen(mutations(netlist), 40, seed) if m.cell not in queue.queue_of(netlist)]
    verdicts = decided(netlist, *selected, i=NIBBLE)
    equal = [number for number, verdict in enumerate(verdicts, 1) if verdict]
    design = graph_of(merged(netlist, selected)[0])
    assert equal and [number for number in equal if differs(*design[:2], number)] == []
    assert any(differs(*design[:2], number) for number in range(1, 6) if number not in equal)


@needs("compiled-simulator", why="mutants run on it alone")
def test_no_mutant_that_a_simulation_kills_is_equivalent(store):
    prepared = prepare(TOY, Request.make(TOY, modulus=3, target="generic", options={}), store)
    netlist = Netlist.of(ToyCore(prepared.parameters, prepared.schedule), prepared.top)
    selected = [m for m in chosen(mutations(netlist), 60, 3) if m.cell not in queue.queue_of(netlist)]
    verdicts = decided(
        netlist, *selected, i=Payload(tuple(Field(f.name, f.width) for f in prepared.parameters.i.fields))
    )
    judge = Judge(prepared, schemata(netlist, selected).verilog, record(prepared, Plan(random=200)))
    equal = [number for number, verdict in enumerate(verdicts, 1) if verdict]
    assert len(equal) >= 3 and [n for n in equal if judge.difference(n) is not None] == []
