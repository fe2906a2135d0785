# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant that passed the simulation is the core in other words.

Core and mutant stand side by side, both from their initial state, with any reset at any time and any operands that
the streams' rules and the declared bounds of the payload admit. The mutant is equivalent when its mutation never
changes a word, or when it never shows at an output that counts: `i.ready`, `o.valid`, and `o.payload` while `o.valid`
is 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Payload
from ..disk import scratch
from ..prove import abc
from .schemata import CHANGED, SELECT, SELECT_BITS

EQUIVALENT, DIFFERENT, UNDECIDED = "equivalent", "different", "not decided"

DIFFERS = "differs"
"""Output of the bench: a difference shows in this cycle."""

SECONDS = 60
"""Limit of each of the long steps; a mutant of a small core is mostly decided in one or two."""
_DEEP = f"{abc.SWEEP} -F 8"
"""Signal correspondence by induction over eight cycles: long enough for a pipeline of a small core to be flushed."""
_BOUNDED = "bmc3 -T 10"
_CONTROL = "pdr -T 10"
_SMALL = 128
"""Registers up to which property-directed reachability is tried on the mutation alone."""


@dataclass(frozen=True)
class Verdict:
    """What was found.

    Parameters
    ----------
    status : str
        `EQUIVALENT`, `DIFFERENT` or `UNDECIDED`.
    detail : str
        How it was proved; or the operands and the cycle in which the two differ.
    """

    status: str
    detail: str


class Miter(wiring.Component):
    """A core and its mutant on the same inputs.

    Attributes
    ----------
    clk, reset, valid, payload, ready : in
        Free; an operation once offered stays offered, and an element of the payload out of its bound is taken as 0.
    differs, changed : out
        See `DIFFERS`, and the output of that name of `schemata`.
    """

    def __init__(self, top: str, number: int, i: Payload, o: Payload) -> None:
        self.top, self.number, self.input, self.output = top, number, i, o
        inputs = {"clk": In(1), "reset": In(1), "valid": In(1), "payload": In(i.width), "ready": In(1)}
        super().__init__(inputs | {DIFFERS: Out(1), CHANGED: Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.d.comb += domain.clk.eq(self.clk)
        offered, valid = Signal(), Signal()
        payload, held = Signal(self.input.width), Signal(self.input.width)
        m.d.comb += [
            valid.eq(self.valid | offered),
            payload.eq(Mux(offered, held, self._bounded(m))),
        ]
        ready, shown, result, _ = self._core(m, 0, valid, payload)
        others = self._core(m, self.number, valid, payload)
        m.d.sync += [offered.eq(valid & ~ready & ~self.reset), held.eq(payload)]
        different = (others[0] != ready) | (others[1] != shown) | (shown & (others[2] != result))
        m.d.comb += [self.differs.eq(different), self.changed.eq(others[3])]
        return m

    def _bounded(self, m: Module) -> Signal:
        bounded, at = Signal(self.input.width), 0
        for described in self.input.fields:
            for _ in range(described.count):
                element = self.payload[at : at + described.width]
                value: Value = element
                if described.limit < 1 << described.width:
                    value = Mux(element < described.limit, element, 0)
                m.d.comb += bounded[at : at + described.width].eq(value)
                at += described.width
        return bounded

    def _core(self, m: Module, number: int, valid: Value, payload: Value) -> tuple[Signal, Signal, Signal, Signal]:
        name = "mutant" if number else "original"
        ready, shown, changed = (
            Signal(name=f"{name}_ready"),
            Signal(name=f"{name}_valid"),
            Signal(name=f"{name}_changed"),
        )
        result = Signal(self.output.width, name=f"{name}_result")
        m.submodules[name] = Instance(
            self.top,
            ("i", "clk", self.clk),
            ("i", "rst", self.reset),
            ("i", "i__valid", valid),
            ("i", "i__payload", payload),
            ("o", "i__ready", ready),
            ("o", "o__valid", shown),
            ("o", "o__payload", result),
            ("i", "o__ready", self.ready),
            ("i", SELECT, Const(number, SELECT_BITS)),
            ("o", CHANGED, changed),
        )
        return ready, shown, result, changed


def bench(top: str, model: str, number: int, i: Payload, o: Payload) -> abc.Bench:
    """The core next to mutant `number` of the design `model`."""
    return abc.Bench(rtlil.convert(Miter(top, number, i, o), name="bench", emit_src=False) + model)


def decide(top: str, model: str, number: int, i: Payload, o: Payload) -> Verdict:
    """Decide on mutant `number` of the design `model`.

    Raises
    ------
    ToolMissingError
        When the wheel of Yosys has no ABC.
    """
    miter = bench(top, model, number, i, o)
    with scratch() as folder:
        miter.graph(folder, [CHANGED])
        if abc.merge(folder, [CHANGED], seconds=SECONDS):
            return Verdict(EQUIVALENT, "the mutation changes no word in any reachable state, by signal correspondence")
        if _latches(folder) <= _SMALL and "Property proved" in abc.run_abc(folder, f"{_READ}; {_CONTROL}", SECONDS):
            return Verdict(EQUIVALENT, "the mutation changes no word in any reachable state, by reachability")
        ports = miter.graph(folder, [DIFFERS])
        return _shown(folder, ports["input"], i)


_READ = "read bench.aig; strash"


def _latches(folder: Path) -> int:
    return int((folder / "bench.aig").read_bytes().split(b"\n", 1)[0].split()[3])


def _shown(folder: Path, inputs: list[str], i: Payload) -> Verdict:
    """Whether a difference ever shows at an output."""
    if abc.merge(folder, [DIFFERS], seconds=SECONDS):
        return Verdict(EQUIVALENT, "no output ever differs, by signal correspondence")
    log = abc.run_abc(folder, f"{_READ}; {_BOUNDED}; write_cex -a found.cex", SECONDS)
    if (match := re.search(r"was asserted in frame (\d+)", log)) is not None:
        return Verdict(DIFFERENT, _operands(folder / "found.cex", inputs, i, int(match[1])))
    if abc.merge(folder, [DIFFERS], _DEEP, SECONDS):
        return Verdict(EQUIVALENT, "no output ever differs, by signal correspondence over eight cycles")
    if "Networks are equivalent" in abc.run_abc(folder, f"{_READ}; dprove", SECONDS):
        return Verdict(EQUIVALENT, "no output ever differs, by reachability")
    return Verdict(UNDECIDED, f"equivalence not decided: no answer within {SECONDS} s")


def _operands(path: Path, inputs: list[str], i: Payload, cycle: int) -> str:
    """A counter-example in words: the cycle in which an output differs, and what was offered before."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] in "01"][1:]
    offered = []
    for row in rows:
        signals = dict(zip(inputs, row, strict=False))
        if signals.get("valid") == "1":
            bits = (int(signals.get(f"payload[{k}]", signals.get("payload", "0"))) << k for k in range(i.width))
            offered.append(", ".join(f"{name} = {value}" for name, value in i.unpack(sum(bits)).items()))
    return (
        f"differs in cycle {cycle}; offered until then, the last one first: {'; '.join(reversed(offered)) or 'nothing'}"
    )
