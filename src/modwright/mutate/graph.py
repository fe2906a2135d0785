# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs in the binary AIGER format, some of whose inputs are set to constants.

The format: https://fmv.jku.at/papers/BiereHeljankoWieringa-FMV-TR-11-2.pdf (Biere, Heljanko, Wieringa, 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Graph:
    """A graph as it was read; a literal is twice a variable's index, plus 1 where it is complemented.

    Parameters
    ----------
    inputs : int
        Number of inputs, with variables 1 to `inputs`; latches and gates follow.
    latches : tuple of (int, str)
        Literal of each latch's next state, and the rest of its line: the initial value.
    outputs : mapping of str to int
        Literals of the outputs by name.
    gates : tuple of (int, int)
        The two literals of each gate, the larger one first.
    """

    inputs: int
    latches: tuple[tuple[int, str], ...]
    outputs: Mapping[str, int]
    gates: tuple[tuple[int, int], ...]

    @classmethod
    def read(cls, data: bytes) -> Graph:
        """The graph of a file whose outputs have names."""
        head, _, rest = data.partition(b"\n")
        _, inputs, latches, outputs, gates = (int(word) for word in head.split()[1:6])
        lines = rest.split(b"\n", latches + outputs)
        found = [line.decode().partition(" ") for line in lines[:latches]]
        read, end = _gates(lines[-1], 2 * (inputs + latches + 1), gates)
        names = dict(line.decode().split(" ", 1) for line in lines[-1][end:].split(b"\n") if line[:1] in (b"i", b"o"))
        return cls(
            inputs,
            tuple((int(literal), initial) for literal, _, initial in found),
            {names[f"o{k}"]: int(line) for k, line in enumerate(lines[latches : latches + outputs])},
            read,
        )

    def of(self, *outputs: str) -> Graph:
        """The graph with the named outputs only, in this order."""
        return replace(self, outputs={name: self.outputs[name] for name in outputs})

    def cone(self, *outputs: str) -> Graph:
        """The graph with the named outputs only, and the latches and gates in their fan-in; inputs stay."""
        first_latch = self.inputs + 1
        first_gate = first_latch + len(self.latches)
        needed: set[int] = set()
        waiting = [self.outputs[name] >> 1 for name in outputs]
        while waiting:
            variable = waiting.pop()
            if variable < first_latch or variable in needed:
                continue
            needed.add(variable)
            sources = (
                self.gates[variable - first_gate]
                if variable >= first_gate
                else self.latches[variable - first_latch][:1]
            )
            waiting += [literal >> 1 for literal in sources]
        places = {v: v for v in range(first_latch)} | {v: first_latch + n for n, v in enumerate(sorted(needed))}

        def moved(literal: int) -> int:
            return 2 * places[literal >> 1] | literal & 1

        chosen = [v - first_latch for v in sorted(needed) if v < first_gate]
        latches = [
            (moved(self.latches[k][0]), _initial(self.latches[k][1], 2 * (first_latch + k), moved)) for k in chosen
        ]
        gates = [self.gates[v - first_gate] for v in sorted(needed) if v >= first_gate]
        return Graph(
            self.inputs,
            tuple(latches),
            {name: moved(self.outputs[name]) for name in outputs},
            tuple((moved(a), moved(b)) for a, b in gates),
        )

    def reached(self, sources: Iterable[int]) -> bytearray:
        """Reach of the given variables: by variable, 1 where it depends on one of them, through latches too."""
        first_latch = self.inputs + 1
        first_gate = first_latch + len(self.latches)
        found = bytearray(first_gate + len(self.gates))
        for variable in sources:
            found[variable] = 1
        grown = True
        while grown:
            for variable, (a, b) in enumerate(self.gates, first_gate):
                found[variable] = found[a >> 1] | found[b >> 1]
            grown = False
            for variable, (following, _) in enumerate(self.latches, first_latch):
                if found[following >> 1] > found[variable]:
                    found[variable] = grown = True
        return found

    def written(self, constants: Mapping[int, int]) -> bytes:
        """The file of this graph with the inputs at these positions, from 0, set to 0 or 1; they stay, unused."""
        fixed = {2 * (position + 1): value for position, value in constants.items()}
        fixed |= {literal + 1: 1 - value for literal, value in fixed.items()}
        names = len(self.latches) + self.inputs + len(self.gates)
        head = f"aig {names} {self.inputs} {len(self.latches)} {len(self.outputs)} {len(self.gates)}\n"
        lines = [f"{fixed.get(literal, literal)} {initial}".rstrip() for literal, initial in self.latches]
        lines += [str(fixed.get(literal, literal)) for literal in self.outputs.values()]
        body = bytearray()
        left = 2 * (self.inputs + len(self.latches) + 1)
        for gate in self.gates:
            one, other = sorted((fixed.get(literal, literal) for literal in gate), reverse=True)
            _append(body, left - one)
            _append(body, one - other)
            left += 2
        return head.encode() + "".join(f"{line}\n" for line in lines).encode() + bytes(body)


class Builder:
    """A graph that is made gate by gate; equal gates are merged, and constants propagated.

    Parameters
    ----------
    inputs, latches : int
        Numbers of inputs and latches.
    """

    UNKNOWN = "unknown"
    """The initial value of a latch that has none."""

    def __init__(self, inputs: int, latches: int) -> None:
        self._inputs, self._latches = inputs, latches
        self._found: dict[tuple[int, int], int] = {}

    def input(self, position: int) -> int:
        """The literal of an input."""
        return 2 * (position + 1)

    def latch(self, position: int) -> int:
        """The literal of a latch."""
        return 2 * (self._inputs + position + 1)

    def both(self, a: int, b: int) -> int:
        """The literal of a and b."""
        a, b = min(a, b), max(a, b)
        if a == 0 or a == b ^ 1:
            return 0
        if a in (1, b):
            return b
        place = self._inputs + self._latches + len(self._found) + 1
        return self._found.setdefault((b, a), 2 * place)

    def either(self, a: int, b: int) -> int:
        """The literal of a or b."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def unequal(self, a: int, b: int) -> int:
        """The literal of a other than b."""
        return self.either(self.both(a, b ^ 1), self.both(a ^ 1, b))

    def any_of(self, literals: Iterable[int]) -> int:
        """The literal that is 1 where one of them is."""
        found = 0
        for literal in literals:
            found = self.either(found, literal)
        return found

    def graph(self, latches: Sequence[tuple[int, str]], outputs: Mapping[str, int]) -> Graph:
        """The graph with the given next states, initial values and outputs."""
        named = (
            (following, str(self.latch(k)) if initial == self.UNKNOWN else initial)
            for k, (following, initial) in enumerate(latches)
        )
        return Graph(self._inputs, tuple(named), dict(outputs), tuple(self._found))


def _initial(text: str, own: int, moved: Callable[[int], int]) -> str:
    """The initial value of a latch that is renumbered; a latch without one carries its own literal."""
    return str(moved(own)) if text == str(own) else text


def _gates(data: bytes, left: int, count: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Gates and where they end; each is two differences, seven bits a byte, the last byte without its top bit."""
    found, at = [], 0
    for _ in range(count):
        pair = []
        for _ in range(2):
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            pair.append(value)
        found.append((left - pair[0], left - pair[0] - pair[1]))
        left += 2
    return tuple(found), at


def _append(body: bytearray, value: int) -> None:
    while value >= 0x80:
        body.append(value & 0x7F | 0x80)
        value >>= 7
    body.append(value)
