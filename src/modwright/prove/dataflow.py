# SPDX-License-Identifier: Apache-2.0
"""The flow of data in a netlist of words: which bits a bit can change, in the same cycle or any later one.

Bits are followed one by one where a cell keeps them apart: registers, multiplexers, bitwise cells, the columns of a
memory; and sums and products, whose bits depend on those below. Of any other cell every output depends on every
input. So a bit that is not reached cannot be changed, and one that is reached may be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from ..base.json import JsonMapping
from .cone import Bit, is_register

Bits = Sequence[Bit]
"""Bits of a port in Yosys' JSON: numbers, and strings for constants."""

BITWISE = ("$and", "$or", "$xor", "$xnor", "$not", "$pos")
UPWARD = ("$add", "$sub", "$neg", "$mul")
"""Bit n of the result depends on bits 0 to n of the operands: they are exact modulo 2^(n + 1)."""
MEMORY = "$mem_v2"


class Dataflow:
    """The graph of a flattened module, from each bit to those that it can change.

    Parameters
    ----------
    module : mapping
        Flattened module of Yosys' JSON, memories as `MEMORY`.
    """

    def __init__(self, module: JsonMapping) -> None:
        self._into: dict[int, list[int]] = defaultdict(list)
        self._joints = count(-1, -1)
        for cell in module["cells"].values():
            self._add(cell["type"], cell["connections"], cell["port_directions"], cell["parameters"])

    def reached(self, bits: Iterable[Bit]) -> set[int]:
        """Every bit that the given ones can change."""
        found = {bit for bit in bits if isinstance(bit, int)}
        queue = list(found)
        while queue:
            new = [bit for bit in self._into.get(queue.pop(), ()) if bit not in found]
            found.update(new)
            queue += new
        return found

    def _edges(self, sources: Iterable[Bit], target: Bit) -> None:
        for source in sources:
            if isinstance(source, int) and isinstance(target, int):
                self._into[source].append(target)

    def _joint(self, sources: Iterable[Bit]) -> int:
        """A node that all sources reach, so that n inputs and m outputs need n + m edges."""
        joint = next(self._joints)
        self._edges(sources, joint)
        return joint

    def _add(
        self, kind: str, ports: Mapping[str, Bits], ways: Mapping[str, str], parameters: Mapping[str, str]
    ) -> None:
        if is_register(kind) and "Q" in ports:
            control = self._joint(b for name, bits in ports.items() if name not in ("CLK", "D", "Q") for b in bits)
            for source, target in zip(ports["D"], ports["Q"], strict=True):
                self._edges((source, control), target)
        elif kind in ("$mux", "$pmux"):
            self._multiplexer(ports["A"], ports["B"], ports["S"], ports["Y"])
        elif kind in BITWISE:
            self._bitwise([ports[name] for name in ("A", "B") if name in ports], parameters, ports["Y"])
        elif kind in UPWARD:
            self._upward([ports[name] for name in ("A", "B") if name in ports], ports["Y"])
        elif kind == MEMORY:
            self._memory(ports, parameters)
        else:
            joint = self._joint(b for name, bits in ports.items() if ways[name] != "output" for b in bits)
            for name, bits in ports.items():
                for target in bits if ways[name] != "input" else ():
                    self._edges((joint,), target)

    def _multiplexer(self, a: Bits, b: Bits, select: Bits, y: Bits) -> None:
        joint = self._joint(select)
        for n, target in enumerate(y):
            self._edges((a[n], *b[n :: len(y)], joint), target)

    def _bitwise(self, operands: Sequence[Bits], parameters: Mapping[str, str], y: Bits) -> None:
        """An operand is as long as the result: the last bit is repeated where it has a sign."""
        for n, target in enumerate(y):
            for name, bits in zip("AB", operands, strict=False):
                if n < len(bits) or int(parameters[f"{name}_SIGNED"], 2):
                    self._edges((bits[min(n, len(bits) - 1)],), target)

    def _upward(self, operands: Sequence[Bits], y: Bits) -> None:
        below = self._joint(())
        for n, target in enumerate(y):
            below = self._joint((below, *(bits[n] for bits in operands if n < len(bits))))
            self._edges((below,), target)

    def _memory(self, ports: Mapping[str, Bits], parameters: Mapping[str, str]) -> None:
        """A column of bits for each place of a word; addresses and enables reach all columns."""
        writing = self._joint((*ports["WR_ADDR"], *ports["WR_EN"]))
        width = int(parameters["WIDTH"], 2)
        columns = [self._joint((writing, *ports["WR_DATA"][n::width])) for n in range(width)]
        for port in memory_ports(ports, parameters, "RD"):
            reading = self._joint((*port["ADDR"], *port["EN"], *port["ARST"], *port["SRST"]))
            for column, target in zip(columns, port["DATA"], strict=True):
                self._edges((column, reading), target)


def memory_ports(ports: Mapping[str, Bits], parameters: Mapping[str, str], kind: str) -> Iterator[dict[str, Bits]]:
    """Each read port ("RD") or write port ("WR") of a memory, with the bits of its signals by name."""
    number = int(parameters[f"{kind}_PORTS"], 2)
    for n in range(number):
        yield {
            name.removeprefix(f"{kind}_"): bits[n * len(bits) // number : (n + 1) * len(bits) // number]
            for name, bits in ports.items()
            if name.startswith(f"{kind}_")
        }
