# SPDX-License-Identifier: Apache-2.0
"""Reach of a difference: a core and a mutant in one graph, with one bit for data that may differ.

A gate that no operand reaches is *control*: the graph has it twice, once with the core's value and once with the
mutant's. Each other gate is *data*: the graph has one bit for it, 1 where core and mutant may have different values.
A gate of data and control passes a difference where the control input does. The method is information flow tracking
at the level of gates (Tiwari et al., "Complete information flow tracking from the gates up", ASPLOS 2009), with the
mutation as the source. Values of data are not known, so an output that never differs here never differs in the core;
the converse does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .graph import Builder, Graph

_CORE, _MUTANT, _DIFFERS = range(3)
"""Content of a latch of the abstraction: control of the core or of the mutant, or whether data may differ."""


class Abstraction:
    """The abstraction of a graph for each choice of a mutant.

    Parameters
    ----------
    graph : Graph
        A core with mutations, some of whose inputs select one.
    data : collection of int
        Positions of the inputs that are data.
    ready, valid, result : str, str, str
        Outputs that are always compared; and the name of the word, or the prefix of its bits, that is compared while
        `valid` is 1.
    """

    def __init__(self, graph: Graph, data: Collection[int], ready: str, valid: str, result: str) -> None:
        self._graph = graph
        self._first_latch = graph.inputs + 1
        self._first_gate = self._first_latch + len(graph.latches)
        self._data = graph.reached(position + 1 for position in data)
        self._ready, self._valid = graph.outputs[ready], graph.outputs[valid]
        words = (name for name in graph.outputs if name.partition("[")[0] == result)
        self._results = [graph.outputs[name] for name in words]

    def written(self, chosen: Mapping[int, int]) -> bytes:
        """The file of a graph of one output: 1 where the mutant may differ at an output.

        Parameters
        ----------
        chosen : mapping of int to int
            Positions of the inputs that select the mutant, with its bits; all 0 for the core.
        """
        control = [v for v in range(1, self._first_latch) if not self._data[v] and v - 1 not in chosen]
        held = [
            (k, what)
            for k in range(len(self._graph.latches))
            for what in ((_DIFFERS,) if self._data[self._first_latch + k] else (_CORE, _MUTANT))
        ]
        builder = Builder(len(control), len(held))
        core, mutant = self._sources(builder, control, held, chosen)
        self._gates(builder, core, mutant)
        differs = [self._differs(builder, core, mutant, literal) for literal in (self._ready, self._valid)]
        counts = 1 if self._data[self._valid >> 1] else core[self._valid >> 1] ^ self._valid & 1
        for literal in self._results:
            differs.append(builder.both(counts, self._differs(builder, core, mutant, literal)))
        return builder.graph(
            [self._next(builder, core, mutant, k, what) for k, what in held], {"shows": builder.any_of(differs)}
        ).written({})

    def _sources(
        self, builder: Builder, control: list[int], held: list[tuple[int, int]], chosen: Mapping[int, int]
    ) -> tuple[list[int], list[int]]:
        """Literals by variable, in the core and in the mutant; for data, both lists have the bit that says it may
        differ."""
        core = [0] * len(self._data)
        mutant = [0] * len(self._data)
        for position, variable in enumerate(control):
            core[variable] = mutant[variable] = builder.input(position)
        for position, value in chosen.items():
            mutant[position + 1] = value
        for position, (k, what) in enumerate(held):
            if what != _MUTANT:
                core[self._first_latch + k] = builder.latch(position)
            if what != _CORE:
                mutant[self._first_latch + k] = builder.latch(position)
        return core, mutant

    def _gates(self, builder: Builder, core: list[int], mutant: list[int]) -> None:
        data = self._data
        for variable, (a, b) in enumerate(self._graph.gates, self._first_gate):
            one, other = a >> 1, b >> 1
            if data[one] and data[other]:
                core[variable] = mutant[variable] = builder.either(core[one], core[other])
            elif data[one] or data[other]:
                if data[one]:
                    a, one, other = b, other, one
                open_in_core, open_in_mutant = core[one] ^ a & 1, mutant[one] ^ a & 1
                passes = builder.both(builder.both(open_in_core, open_in_mutant), core[other])
                core[variable] = mutant[variable] = builder.either(
                    passes, builder.unequal(open_in_core, open_in_mutant)
                )
            else:
                core[variable] = builder.both(core[one] ^ a & 1, core[other] ^ b & 1)
                mutant[variable] = builder.both(mutant[one] ^ a & 1, mutant[other] ^ b & 1)

    def _differs(self, builder: Builder, core: list[int], mutant: list[int], literal: int) -> int:
        variable = literal >> 1
        return core[variable] if self._data[variable] else builder.unequal(core[variable], mutant[variable])

    def _next(self, builder: Builder, core: list[int], mutant: list[int], k: int, what: int) -> tuple[int, str]:
        """The next state of a latch, and its initial one; a latch without one may differ."""
        following, initial = self._graph.latches[k]
        known = initial in ("", "0", "1")
        if what == _DIFFERS:
            return self._differs(builder, core, mutant, following), "" if known else "1"
        values = core if what == _CORE else mutant
        return values[following >> 1] ^ following & 1, initial if known else Builder.UNKNOWN
