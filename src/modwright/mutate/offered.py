# SPDX-License-Identifier: Apache-2.0
"""Exactly the payloads of a core's contract, as a function of free inputs."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Payload
from ..contract.operands import Residues, Unpromised
from .decisions import Decisions

OFFERED = "offered"
"""The output: the payload."""
TABLE_BITS = 20
"""Most bits of related fields whose relation is given to a solver, as all their values are enumerated."""


def integer(number: int) -> str:
    """Name of the input for an integer in residues."""
    return f"integer_{number}"


def _spare(width: int, modulus: int) -> int:
    """Bits that choose among the representatives of a residue."""
    return (((1 << width) - 1) // modulus).bit_length()


class Offered(wiring.Component):
    """The payloads of a contract.

    Parameters
    ----------
    i : Payload
    residues : sequence of Residues
        Operands in residues, see `contract.Residual`.
    unpromised : sequence of Unpromised
        Payloads that are excluded, see `contract.Conditional`; payload 0 is not among them.

    Attributes
    ----------
    payload : in
        Free; an element beyond its bound is replaced by 0, and so is a whole payload for which nothing is promised,
        where a few fields decide that.
    integer_K, more_K : in
        Free: an integer in residues, less the least one of the contract, and the choice of its representatives.
        Fields without residues take the payload's own bits.
    offered : out
        The payload of the contract.
    """

    def __init__(self, i: Payload, residues: Sequence[Residues] = (), unpromised: Sequence[Unpromised] = ()) -> None:
        self.input, self.residues = i, residues
        self.unpromised = [
            pattern for pattern in unpromised if sum(i[name].width for name in pattern.fields) <= TABLE_BITS
        ]
        super().__init__(self.inputs() | {OFFERED: Out(i.width)})

    def inputs(self) -> dict[str, wiring.Member]:
        """The inputs, for a component that contains this one."""
        found = {"payload": In(self.input.width)}
        for k, group in enumerate(self.residues):
            spare = sum(_spare(self.input[place[0]].width, place[2]) for place in group.places)
            found |= {integer(k): In(range(group.limit - group.least)), f"more_{k}": In(spare)}
        return found

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.offered.eq(self._promised(m, self._bounded(m)))
        return m

    def _bounded(self, m: Module) -> Signal:
        """A payload within the bounds of the contract."""
        bounded, at = Signal(self.input.width), 0
        inside = self._in_residues(m)
        for described in self.input.fields:
            for index in range(described.count):
                element: Value = self.payload[at : at + described.width]
                if described.limit < 1 << described.width:
                    element = Mux(element < described.limit, element, 0)
                element = inside.get((described.name, index), element)
                m.d.comb += bounded[at : at + described.width].eq(element)
                at += described.width
        return bounded

    def _promised(self, m: Module, payload: Signal) -> Value:
        """The payload, or 0 where nothing is promised of it."""
        offsets = self.input.offsets
        words = {f.name: payload[offsets[f.name] : offsets[f.name] + f.width] for f in self.input.fields}
        excluded = []
        for pattern in self.unpromised:
            decisions = Decisions(m, [words[name] for name in pattern.fields])
            wrong = ~decisions.of([int(value) for value in decisions.values(pattern.belong)])
            if pattern.operands:
                limits = decisions.values(pattern.limit)
                bits = [decisions.of(limits, bit) for bit in range(max(limits).bit_length())]
                wrong &= Cat(words[name] < Cat(bits) for name in pattern.operands).all()
            excluded.append(wrong)
        return Mux(Cat(excluded).any(), 0, payload) if excluded else payload

    def _in_residues(self, m: Module) -> dict[tuple[str, int], Value]:
        """By field and element, any representative of the residue of its integer."""
        found: dict[tuple[str, int], Value] = {}
        for k, group in enumerate(self.residues):
            given, span = getattr(self, integer(k)), group.limit - group.least
            value = Signal(len(given), name=f"value_{k}")
            m.d.comb += value.eq(Mux(given < span, given, 0))
            at = 0
            for name, index, modulus, factor in group.places:
                width = self.input[name].width
                spare = _spare(width, modulus)
                more = getattr(self, f"more_{k}")[at : at + spare]
                at += spare
                residue = Signal(width, name=f"residue_{name}_{index}")
                m.d.comb += residue.eq((value + group.least % modulus) * factor % modulus)
                other = residue + more * modulus
                found[name, index] = Mux(other < 1 << width, other, residue)
        return found
