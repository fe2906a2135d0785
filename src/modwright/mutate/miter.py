# SPDX-License-Identifier: Apache-2.0
"""A core and one of its mutants next to each other, on the same inputs: what the streams admit, and any reset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, ClockDomain, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Payload
from ..contract.operands import Residues, Unpromised
from .decisions import Decisions
from .schemata import CHANGED, SELECT, SELECT_BITS

DIFFERS = "differs"
"""Output of a miter: a difference shows in this cycle."""
READY, VALID, RESULT = "mutant_ready", "mutant_valid", "mutant_result"
"""Outputs of a miter: what the mutant gives."""
CONTROL = ("clk", "reset", "valid", "ready")
"""Inputs of a miter that are no operands, and no choice of a mutant."""


TABLE_BITS = 20
"""Bits of fields that belong together up to which the solver is told so: all their values are gone through."""


def integer(number: int) -> str:
    """The input of a miter that is an integer in residues."""
    return f"integer_{number}"


def _spare(width: int, modulus: int) -> int:
    """Bits that choose among the representatives of a residue."""
    return (((1 << width) - 1) // modulus).bit_length()


class _Seen(NamedTuple):
    """The outputs of one of the two."""

    ready: Signal
    valid: Signal
    result: Signal
    changed: Signal


class Miter(wiring.Component):
    """A core and one of its mutants.

    Attributes
    ----------
    clk, reset, valid, payload, ready : in
        Free; an operation once offered stays offered, an element of the payload out of its bound is taken as 0, and so
        is a whole payload of which nothing is promised, as far as a few fields say so.
    integer_K, more_K : in
        Free: an integer in residues, less the least one that the contract has, and which representatives stand for it.
        The payload's own bits count for what is no residue.
    mutant : in
        The number of the mutant; 0 for the core itself.
    differs, changed : out
        See `DIFFERS`, and the output of that name of `schemata`.
    mutant_ready, mutant_valid, mutant_result : out
        Of the mutant.
    """

    def __init__(
        self,
        top: str,
        i: Payload,
        o: Payload,
        residues: Sequence[Residues] = (),
        unpromised: Sequence[Unpromised] = (),
    ) -> None:
        self.top, self.input, self.output, self.residues = top, i, o, residues
        self.unpromised = [one for one in unpromised if sum(i[name].width for name in one.fields) <= TABLE_BITS]
        inputs = {"clk": In(1), "reset": In(1), "valid": In(1), "payload": In(i.width), "ready": In(1)}
        for k, group in enumerate(residues):
            spare = sum(_spare(i[place[0]].width, place[2]) for place in group.places)
            inputs |= {integer(k): In(range(group.limit - group.least)), f"more_{k}": In(spare)}
        seen = {READY: Out(1), VALID: Out(1), RESULT: Out(o.width)}
        super().__init__(inputs | seen | {SELECT: In(SELECT_BITS), DIFFERS: Out(1), CHANGED: Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        offered, valid = Signal(), Signal()
        payload, held = Signal(self.input.width), Signal(self.input.width)
        m.d.comb += [
            domain.clk.eq(self.clk),
            valid.eq(self.valid | offered),
            payload.eq(Mux(offered, held, self._promised(m, self._bounded(m)))),
        ]
        core = self._core(m, "original", Const(0, SELECT_BITS), valid, payload)
        mutant = self._core(m, "changed", getattr(self, SELECT), valid, payload)
        # by the mutant's `ready`: what comes after one that differs counts no more, and so it stands on its own
        m.d.sync += [offered.eq(valid & ~mutant.ready & ~self.reset), held.eq(payload)]
        wrong = core.valid & (core.result != mutant.result)
        m.d.comb += [
            self.differs.eq((core.ready != mutant.ready) | (core.valid != mutant.valid) | wrong),
            self.changed.eq(mutant.changed),
            self.mutant_ready.eq(mutant.ready),
            self.mutant_valid.eq(mutant.valid),
            self.mutant_result.eq(mutant.result),
        ]
        return m

    def _bounded(self, m: Module) -> Signal:
        """A payload that the contract has."""
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
        for one in self.unpromised:
            decisions = Decisions(m, [words[name] for name in one.fields])
            wrong = ~decisions.of([int(value) for value in decisions.values(one.belong)])
            if one.operands:
                limits = decisions.values(one.limit)
                bits = [decisions.of(limits, bit) for bit in range(max(limits).bit_length())]
                wrong &= Cat(words[name] < Cat(bits) for name in one.operands).all()
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

    def _core(self, m: Module, name: str, select: Value, valid: Value, payload: Value) -> _Seen:
        seen = _Seen(
            Signal(name=f"{name}_ready"),
            Signal(name=f"{name}_valid"),
            Signal(self.output.width, name=f"{name}_result"),
            Signal(name=f"{name}_changed"),
        )
        m.submodules[name] = Instance(
            self.top,
            ("i", "clk", self.clk),
            ("i", "rst", self.reset),
            ("i", "i__valid", valid),
            ("i", "i__payload", payload),
            ("o", "i__ready", seen.ready),
            ("o", "o__valid", seen.valid),
            ("o", "o__payload", seen.result),
            ("i", "o__ready", self.ready),
            ("i", SELECT, select),
            ("o", CHANGED, seen.changed),
        )
        return seen
