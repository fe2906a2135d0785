# SPDX-License-Identifier: Apache-2.0
"""A core and one of its mutants as two copies of one graph, both cut in front of the queues of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Generic, TypeVar

from ..base.disk import scratch
from ..prove import abc
from ..rtl.verilog import run_yosys
from .circuit import FALSE, Circuit
from .graph import Graph
from .netlist import Netlist
from .queue import PUSH, READ, READ_ADDRESS, READY, RESULT, VALID, WRITE_ADDRESS
from .schemata import SELECT, SELECT_BITS

_GRAPH = f"""
read_rtlil core.il
{abc.TO_GATES}
write_aiger -symbols -map core.map core.aig
"""
PAYLOAD, RESET = "i__payload", "rst"


class Copy(IntEnum):
    """Holder of a latch of a state."""

    CORE, MUTANT, MARK = range(3)
    """The core; the mutant, where it may differ; the mark that says whether it may."""


def graph_of(netlist: Netlist) -> tuple[Graph, list[str], dict[int, str]]:
    """The graph of a netlist, the names of its inputs, and the names of latches by number where they have one; a bit of
    a wide one is `name[bit]`."""
    with scratch() as folder:
        (folder / "core.il").write_text(netlist.written()[1], encoding="utf-8")
        run_yosys(_GRAPH, folder=folder)
        names = abc.read_map(folder / "core.map")["input"]
        rows = (line.split(maxsplit=3) for line in (folder / "core.map").read_text(encoding="utf-8").splitlines())
        latches = {int(row[1]): f"{row[3]}[{row[2]}]" for row in rows if row[0] in ("latch", "invlatch")}
        return Graph.read((folder / "core.aig").read_bytes()), names, latches


class Whole:
    """The graph of a core with mutations.

    Parameters
    ----------
    netlist : Netlist
        See `schemata.merged`.

    Attributes
    ----------
    graph : Graph
    inputs : list of str
        Names of its inputs.
    latches : list of str
        Names of its latches; a latch without a name has its number.
    outputs : dict of str to list of int
        Literals of the bits of each output, the lowest one first.
    first_latch : int
        The variable of the first latch.
    strict : list of int
        Literals that are assumed equal in core and mutant, which is shown separately.
    alone : set of int
        Latches that no input reaches but a reset.
    """

    def __init__(self, netlist: Netlist) -> None:
        self.graph, self.inputs, names = graph_of(netlist)
        self.latches = [names.get(k, str(k)) for k in range(len(self.graph.latches))]
        self.outputs: dict[str, list[int]] = {}
        for name, literal in self.graph.outputs.items():
            self.outputs.setdefault(name.partition("[")[0], []).append(literal)
        self.first_latch = self.graph.inputs + 1
        self.strict: list[int] = []
        given = [k for k, name in enumerate(self.inputs, 1) if not name.startswith((RESET, SELECT))]
        reached = self.graph.reached(given)
        self.alone = {k for k in range(len(self.latches)) if not reached[self.first_latch + k]}


def once(netlist: Netlist) -> Callable[[], Whole]:
    """The graph of a netlist for several searches: it is made in the first call, by far the longest step of many."""
    return cache(lambda: Whole(netlist))


class Design(Whole):
    """The graph of a core with mutations, cut in front of its queues.

    Parameters
    ----------
    netlist : Netlist
        See `schemata.merged` and `queue.cut`.

    Attributes
    ----------
    control : list of bool
        By latch, whether no operand reaches it.
    strict : list of int
        Literals: `i.ready` and the enables of queues.
    controlled : bool
        Whether handshakes, and enables and addresses of queues, are control.
    ready : int
        Literal of `i.ready` in the graph.
    queues : list of (int, list of int)
        For each memory in which results wait, literals of its enable and of the word that it takes.
    outside : list of int
        Further literals on which the contents of queues and the handshakes depend.
    """

    def __init__(self, netlist: Netlist) -> None:
        super().__init__(netlist)
        outputs = self.outputs
        (self.ready,) = outputs[READY]
        count = sum(name.startswith(PUSH) for name in outputs)
        self.queues = [(outputs[f"{PUSH}_{k}"][0], outputs[f"{RESULT}_{k}"]) for k in range(count)]
        addresses = [f"{name}_{k}" for k in range(count) for name in (WRITE_ADDRESS, READ_ADDRESS)]
        self.outside = outputs[VALID] + [bit for name in addresses for bit in outputs[name]]
        reached = self.graph.reached(k for k, name in enumerate(self.inputs, 1) if name.startswith((PAYLOAD, READ)))
        self.control = [not reached[self.first_latch + k] for k in range(len(self.graph.latches))]
        self.strict = [self.ready, *(push for push, _ in self.queues)]
        self.controlled = not any(reached[literal >> 1] for literal in (*self.strict, *self.outside))


@dataclass(frozen=True)
class Cycle:
    """One cycle of core and mutant.

    Parameters
    ----------
    core, mutant : list of int
        Literals by variable of the graph.
    own : dict of int to int
        Literals by variable of the mutant's `i.ready` and enables of queues; `mutant` has those of the core.
    """

    core: list[int]
    mutant: list[int]
    own: dict[int, int]


D = TypeVar("D", bound=Whole)


class Twins(Generic[D]):
    """A core and one of its mutants.

    While `i.ready` and the enables of queues are the same in both, logic that depends on the mutation through them
    alone does not depend on it; so the mutant takes them from the core, and their equality is shown separately.

    Parameters
    ----------
    design : Whole or Design
    number : int
        Number of the mutant.

    Attributes
    ----------
    select : dict of int to int
        Bits that select the mutant, by the position of the input.
    tainted : frozenset of int
        Latches that may differ.
    circuit, inputs, state, one
        One cycle from any state: its circuit, the literals of the graph's inputs, those of its latches in core and
        mutant, and the `Cycle`.
    """

    def __init__(self, design: D, number: int) -> None:
        self.design = design
        bits = {f"{SELECT}[{k}]" if k else SELECT: number >> k & 1 for k in range(SELECT_BITS)}
        self.select = {k: bits[name] for k, name in enumerate(design.inputs) if name in bits}
        self.tainted = self._taint()

    def cycle(self, circuit: Circuit, inputs: Sequence[int], core: Sequence[int], mutant: Sequence[int]) -> Cycle:
        """A cycle from the literals of the inputs, and from those of the latches in the core and in the mutant."""
        chosen, none = list(inputs), list(inputs)
        for position, value in self.select.items():
            chosen[position], none[position] = value, FALSE
        values, _ = circuit.frame(self.design.graph, [*none, *core])
        shared = {literal >> 1: values[literal >> 1] for literal in self.design.strict}
        others, own = circuit.frame(self.design.graph, [*chosen, *mutant], shared)
        return Cycle(values, others, own)

    def _taint(self) -> frozenset[int]:
        """Latches that may differ: all others start alike and have the same next state."""
        found: set[int] = set()
        while True:
            circuit = Circuit()
            inputs, core = circuit.several(self.design.graph.inputs), circuit.several(len(self.design.graph.latches))
            mutant = [circuit.fresh() if k in found else literal for k, literal in enumerate(core)]
            cycle = self.cycle(circuit, inputs, core, mutant)
            more = {k for k, (a, b) in enumerate(self.following(cycle)) if a != b} | found
            if more == found:
                self.circuit, self.inputs, self.state, self.symbolic = circuit, inputs, (core, mutant), cycle
                return frozenset(found)
            found = more

    def following(self, cycle: Cycle) -> list[tuple[int, int]]:
        """The next state of each latch in core and mutant."""
        return [
            (literal_of(cycle.core, literal), literal_of(cycle.mutant, literal))
            for literal, _ in self.design.graph.latches
        ]

    def same(self, literals: Iterable[int]) -> bool:
        """Whether literals of the graph are the same in core and mutant, for all values of latches that may differ."""
        return all(
            literal_of(self.symbolic.core, literal) == literal_of(self.symbolic.mutant, literal) for literal in literals
        )


def literal_of(values: Sequence[int], literal: int) -> int:
    """The literal of a circuit for one of the graph."""
    return values[literal >> 1] ^ literal & 1


def needed(twins: Twins[D], seen: Sequence[int]) -> list[tuple[int, Copy]]:
    """The latches that lead to some literals: of the core, and of the mutant where they may differ."""
    place: dict[int, tuple[int, Copy]] = {}
    for k, (core, mutant) in enumerate(zip(*twins.state, strict=True)):
        place |= {mutant: (k, Copy.MUTANT), core: (k, Copy.CORE)}
    following = twins.following(twins.symbolic)
    found: set[tuple[int, Copy]] = set()
    waiting = list(seen)
    while waiting:
        fresh = {place[literal] for literal in twins.circuit.support(waiting) if literal in place} - found
        found |= fresh
        waiting = [following[k][copy] for k, copy in fresh]
    return sorted(found)
