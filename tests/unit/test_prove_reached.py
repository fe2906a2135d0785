# SPDX-License-Identifier: Apache-2.0
"""States of a graph that can be reached: what never happens in them, and what may."""

import copy
from itertools import product

import pytest

from modwright.prove.reached import Graph, never_one, read_graph
from modwright.prove.theorem.handshake import prove_streams
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.resting import rests_of
from modwright.prove.theorem.theorem import find_storage, probes_of
from modwright.prove.theorem.undefined import UNKNOWN, freed, unset

from .planted_bugs import KINDS
from .small_theorems import interval_of, operation, small, small_netlist

ENABLE, OTHER, LOW, HIGH, FIRST = 2, 4, 6, 8, 10
"""Literals: two inputs, two registers, and the first gate."""


def counter(output, start=(0, 0), gates=(), step=ENABLE):
    """A counter 0, 1, 2, 0 of enabled cycles, and an output; more gates follow its own."""
    own = (
        (step, LOW),  # 10: low moves to high
        (step ^ 1, HIGH),  # 12: high stays
        (FIRST ^ 1, FIRST + 3),  # 14: the next high is 0
        (step, LOW ^ 1),  # 16
        (FIRST + 6, HIGH ^ 1),  # 18: low becomes 1
        (step ^ 1, LOW),  # 20: low stays
        (FIRST + 9, FIRST + 11),  # 22: the next low is 0
    )
    return Graph(2, ((FIRST + 13, start[0]), (FIRST + 5, start[1])), (output,), (*own, *gates))


BOTH = ((LOW, HIGH),)
"""Low and high at once, which is literal 24: the number 3."""
THREE = FIRST + 14


def test_a_number_that_a_counter_does_not_reach():
    assert never_one(counter(THREE, gates=BOTH), [0])
    assert not never_one(counter(HIGH), [0])
    assert not never_one(counter(LOW), [0])


def test_a_counter_that_starts_elsewhere():
    assert not never_one(counter(THREE, (1, 1), BOTH), [0])
    assert never_one(counter(THREE, (0, 1), BOTH), [0])
    assert not never_one(counter(THREE, (-1, 0), BOTH), [0]), "an unknown first bit"


def test_an_input_that_is_not_tried_is_unknown():
    assert not never_one(counter(OTHER), [0])
    assert not never_one(counter(OTHER ^ 1), [0])
    assert not never_one(counter(THREE, gates=BOTH), []), "unknown whether it counts: both bits may be 1"
    assert never_one(counter(FIRST + 14, gates=((OTHER, 0),)), [0])


def test_a_limit_of_states_ends_the_search():
    assert never_one(counter(THREE, gates=BOTH), [0], most=3)
    assert not never_one(counter(THREE, gates=BOTH), [0], most=2)


def encoded(graph):
    """Binary AIGER of a graph, with the first values of registers."""
    registers, gates = len(graph.registers), len(graph.gates)
    own = [2 * (graph.inputs + 1 + k) for k in range(registers)]
    head = f"aig {graph.inputs + registers + gates} {graph.inputs} {registers} {len(graph.outputs)} {gates}\n"
    rows = [f"{after} {own[k] if start < 0 else start}\n" for k, (after, start) in enumerate(graph.registers)]
    rows += [f"{literal}\n" for literal in graph.outputs]
    data = bytearray()
    for k, pair in enumerate(graph.gates):
        first, second = sorted(pair, reverse=True)
        for number in (2 * (graph.inputs + registers + 1 + k) - first, first - second):
            while number > 0x7F:
                data.append(number & 0x7F | 0x80)
                number >>= 7
            data.append(number)
    return (head + "".join(rows)).encode() + bytes(data) + b"i0 enable\nc\n"


@pytest.mark.parametrize("start", list(product((0, 1, -1), repeat=2)))
def test_a_graph_is_read_as_it_was_written(start, tmp_path):
    graph = counter(THREE, start, BOTH + tuple((THREE, THREE) for _ in range(80)))
    path = tmp_path / "graph.aig"
    path.write_bytes(encoded(graph))
    found = read_graph(path)
    assert (found.inputs, found.registers, found.outputs) == (graph.inputs, graph.registers, graph.outputs)
    assert found.gates == tuple(tuple(sorted(pair, reverse=True)) for pair in graph.gates)


def test_streams_of_a_core_with_a_bug_in_control_do_not_hold_in_all_states(monkeypatch):
    """Decided without ABC where they hold; it is asked where they do not."""
    asked = []
    monkeypatch.setattr("modwright.prove.abc.Bench.check", lambda self, *_: asked.append(self))
    netlist = small_netlist("modadd/carry")
    (module,) = list(KINDS["queue read at one place"](dict(netlist.module)))[:1]
    for one in (netlist, netlist_of(module)):
        found, storage = operation(small("modadd/carry"), one), find_storage(one)
        probes = probes_of(one, found.unrolled, {})
        prove_streams(one, storage, interval_of(one, found.unrolled.around), probes, rests_of(found.unrolled))
        assert bool(asked) == (one is not netlist)


def without_reset(module):
    """The netlist with no register of control that a reset sets: what they start with is not known."""
    module = copy.deepcopy(module)
    reset = module["ports"]["rst"]["bits"]
    choices = {cell["connections"]["Y"][0]: cell for cell in module["cells"].values() if cell["type"] == "$mux"}
    for cell in module["cells"].values():
        chosen = choices.get(cell["connections"]["D"][0]) if cell["type"] == "$dff" else None
        if chosen is not None and chosen["connections"]["S"] == reset:
            cell["connections"]["D"] = chosen["connections"]["A"]
    return module


def test_registers_that_no_reset_sets_start_with_any_value():
    """In the graph each is a register that starts with 0 next to a free bit; Yosys would choose what it starts with."""
    netlist = netlist_of(without_reset(dict(small_netlist("modadd/carry").module)))
    sources = unset(netlist)
    module, count = freed(netlist)
    assert sources
    assert count >= sum(netlist.widths[source] for source in sources)
    assert unset(small_netlist("modadd/carry")) == []
    for source in sources:
        cell = module["cells"][netlist.drivers[source].name]
        assert cell["connections"]["Q"] != list(netlist.bits[source])
        (chosen,) = (c for c in module["cells"].values() if c["connections"].get("Y") == list(netlist.bits[source]))
        assert chosen["connections"]["B"] == cell["connections"]["Q"]
        assert set(chosen["connections"]["A"]) <= set(module["ports"][UNKNOWN]["bits"])


def test_streams_of_a_core_without_reset_are_refuted():
    one, reset_less = small("modadd/carry"), netlist_of(without_reset(dict(small_netlist("modadd/carry").module)))
    found, storage = operation(one, small_netlist("modadd/carry")), find_storage(small_netlist("modadd/carry"))
    interval = interval_of(small_netlist("modadd/carry"), found.unrolled.around)
    assert prove_streams(small_netlist("modadd/carry"), storage, interval, {}).status == "proved"
    assert prove_streams(reset_less, storage, interval, {}).status == "refuted"


def test_a_table_of_control_with_an_undefined_bit_is_not_given_a_value():
    module = copy.deepcopy(dict(small_netlist("modmul/r64").module))
    freed(netlist_of(module))
    tables = [cell for cell in module["cells"].values() if cell["type"] == "$mem_v2"]
    table, *_ = [cell for cell in tables if set(cell["parameters"]["INIT"]) <= {"0", "1"}]
    table["parameters"]["INIT"] = table["parameters"]["INIT"][:-1] + "x"
    with pytest.raises(UnsupportedError, match="not defined"):
        freed(netlist_of(module))
