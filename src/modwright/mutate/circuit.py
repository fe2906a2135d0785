# SPDX-License-Identifier: Apache-2.0
"""Combinational circuits of AND gates and inverters, made gate by gate, and evaluated on many inputs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .graph import Graph

FALSE, TRUE = 0, 1


class Circuit:
    """A combinational circuit; equal gates are merged, constants propagated, and gates simplified by their fan-in.

    A literal is twice a variable's number, plus 1 where it is complemented; variable 0 is the constant 0.
    """

    def __init__(self) -> None:
        self._gates: list[tuple[int, int] | None] = [None]
        self._found: dict[tuple[int, int], int] = {}

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self._gates)

    def fresh(self) -> int:
        """The literal of a new input."""
        self._gates.append(None)
        return 2 * len(self._gates) - 2

    def several(self, count: int) -> list[int]:
        """The literals of new inputs."""
        return [self.fresh() for _ in range(count)]

    def both(self, a: int, b: int) -> int:
        """The literal of a and b."""
        if a > b:
            a, b = b, a
        if a == FALSE or a == b ^ 1:
            return FALSE
        if a in (TRUE, b):
            return b
        if (found := self._found.get((a, b))) is not None:
            return found
        if (found := self._simpler(b, a)) is not None or (found := self._simpler(a, b)) is not None:
            self._found[a, b] = found
            return found
        self._gates.append((a, b))
        self._found[a, b] = found = 2 * len(self._gates) - 2
        return found

    def gate(self, variable: int) -> tuple[int, int] | None:
        """The two literals that a gate takes the AND of; None for an input and for the constant."""
        return self._gates[variable]

    def _simpler(self, a: int, b: int) -> int | None:
        """The literal of a and b where a is a gate that b, or its complement, feeds; None elsewhere."""
        gate = self._gates[a >> 1]
        if gate is None:
            return None
        if b in gate:
            return self.both(b, (gate[0] if gate[1] == b else gate[1]) ^ 1) if a & 1 else a
        if b ^ 1 in gate:
            return b if a & 1 else FALSE
        return None

    def either(self, a: int, b: int) -> int:
        """The literal of a or b."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def unequal(self, a: int, b: int) -> int:
        """The literal of a other than b."""
        if a == b:
            return FALSE
        return self.either(self.both(a, b ^ 1), self.both(a ^ 1, b))

    def chosen(self, index: Sequence[int], table: str) -> int:
        """The literal of the digit of a table at an index, its highest bit first; the table has 2^bits digits."""
        if len(set(table)) == 1:
            return TRUE if table[0] == "1" else FALSE
        middle = len(table) // 2
        low, high = self.chosen(index[1:], table[:middle]), self.chosen(index[1:], table[middle:])
        return self.either(self.both(index[0], high), self.both(index[0] ^ 1, low))

    def any_of(self, literals: Iterable[int]) -> int:
        """The literal that is 1 where one of them is."""
        found = FALSE
        for literal in literals:
            found = self.either(found, literal)
        return found

    def frame(
        self, graph: Graph, sources: Sequence[int], given: Mapping[int, int] | None = None
    ) -> tuple[list[int], dict[int, int]]:
        """One cycle of a graph.

        Parameters
        ----------
        graph : Graph
        sources : sequence of int
            Literals of its inputs and latches, in order.
        given : mapping of int to int
            Literals for variables, instead of those of their gates.

        Returns
        -------
        values : list of int
            The literal of each variable.
        own : dict of int to int
            For the variables in `given`, the literals of their gates.
        """
        given = given or {}
        values = [FALSE, *sources]
        own = {variable: values[variable] for variable in given if variable < len(values)}
        for variable in own:
            values[variable] = given[variable]
        both = self.both
        for variable, (a, b) in enumerate(graph.gates, len(values)):
            value = both(values[a >> 1] ^ a & 1, values[b >> 1] ^ b & 1)
            if variable in given:
                own[variable], value = value, given[variable]
            values.append(value)
        return values, own

    def cone(self, literals: Iterable[int]) -> list[int]:
        """The variables in the fan-in of the literals, each after those that feed it."""
        found: set[int] = set()
        waiting = [literal >> 1 for literal in literals]
        while waiting:
            variable = waiting.pop()
            if variable in found:
                continue
            found.add(variable)
            if (gate := self._gates[variable]) is not None:
                waiting += [gate[0] >> 1, gate[1] >> 1]
        return sorted(found)

    def support(self, literals: Iterable[int]) -> list[int]:
        """The inputs in the fan-in of the literals, as literals."""
        return [2 * variable for variable in self.cone(literals) if variable and self._gates[variable] is None]

    def evaluated(self, literals: Sequence[int], inputs: Mapping[int, int], lanes: int) -> list[int]:
        """Values of literals in many lanes at once, a bit of an integer each.

        Parameters
        ----------
        literals : sequence of int
        inputs : mapping of int to int
            The values of each input, by its literal.
        lanes : int
            Number of lanes.
        """
        return self.evaluated_in(self.cone(literals), literals, inputs, lanes)

    def evaluated_in(
        self, cone: Sequence[int], literals: Sequence[int], inputs: Mapping[int, int], lanes: int
    ) -> list[int]:
        """Values as of `evaluated`, for a given cone."""
        ones = (1 << lanes) - 1
        values: dict[int, int] = {0: 0}
        for variable in cone:
            gate = self._gates[variable]
            if gate is None:
                values[variable] = inputs[2 * variable] if variable else 0
            else:
                a, b = gate
                one, other = values[a >> 1], values[b >> 1]
                if a & 1:
                    one ^= ones
                values[variable] = one & (other ^ ones if b & 1 else other)
        return [values[literal >> 1] ^ (ones if literal & 1 else 0) for literal in literals]

    def graph(self, literal: int) -> tuple[Graph, list[int]]:
        """A graph of one output, `shows`, that is this literal; and its inputs, as literals of the circuit."""
        cone = self.cone([literal])
        inputs = [variable for variable in cone if variable and self._gates[variable] is None]
        gates = [(variable, gate) for variable in cone if (gate := self._gates[variable]) is not None]
        places = {0: 0} | {v: n for n, v in enumerate([*inputs, *(v for v, _ in gates)], 1)}

        def moved(literal: int) -> int:
            return 2 * places[literal >> 1] | literal & 1

        made = tuple((moved(a), moved(b)) for _, (a, b) in gates)
        return Graph(len(inputs), (), {"shows": moved(literal)}, made), [2 * v for v in inputs]
