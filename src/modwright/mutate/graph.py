# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs in the binary AIGER format, some of whose inputs are set to constants.

The format: https://fmv.jku.at/papers/BiereHeljankoWieringa-FMV-TR-11-2.pdf (Biere, Heljanko, Wieringa, 2011).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Graph:
    """A graph as it was read; a literal is twice a variable's index, plus 1 where it is complemented.

    Parameters
    ----------
    inputs : int
        Their variables are 1 to `inputs`; latches and gates follow.
    latches : tuple of (int, str)
        The literal of each one's next state, and what follows it on its line: the initial value.
    outputs : mapping of str to int
        By name.
    gates : tuple of (int, int)
        The two literals of each, the larger one first.
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
        """The same with these outputs only, in this order."""
        return replace(self, outputs={name: self.outputs[name] for name in outputs})

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
