# SPDX-License-Identifier: Apache-2.0
"""A core and one of its mutants on the same inputs: those that the rules of streams allow, with any reset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import ClockDomain, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Payload
from ..contract.operands import Residues, Unpromised
from .offered import Offered
from .schemata import CHANGED, SELECT, SELECT_BITS

DIFFERS = "differs"
"""Output of a miter: an output differs in this cycle."""
READY, VALID, RESULT = "mutant_ready", "mutant_valid", "mutant_result"
"""Outputs of a miter: those of the mutant."""
CONTROL = ("clk", "reset", "valid", "ready")
"""Inputs of a miter other than the operands and the number of the mutant."""


class _Seen(NamedTuple):
    """The outputs of the core or of the mutant."""

    ready: Signal
    valid: Signal
    result: Signal
    changed: Signal


class Miter(wiring.Component):
    """A core and one of its mutants.

    Attributes
    ----------
    clk, reset, valid, ready : in
        Free inputs; an operation once offered stays offered.
    payload, integer_K, more_K : in
        Free inputs, see `Offered`.
    mutant : in
        Number of the mutant; 0 for the core itself.
    differs, changed : out
        See `DIFFERS`, and the output of that name of `schemata`.
    mutant_ready, mutant_valid, mutant_result : out
        Outputs of the mutant.
    """

    def __init__(
        self,
        top: str,
        i: Payload,
        o: Payload,
        residues: Sequence[Residues] = (),
        unpromised: Sequence[Unpromised] = (),
    ) -> None:
        self.top, self.input, self.output = top, i, o
        self._offered = Offered(i, residues, unpromised)
        self.unpromised = self._offered.unpromised
        inputs = self._offered.inputs() | {name: In(1) for name in CONTROL}
        seen = {READY: Out(1), VALID: Out(1), RESULT: Out(o.width)}
        super().__init__(inputs | seen | {SELECT: In(SELECT_BITS), DIFFERS: Out(1), CHANGED: Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        offered, valid = Signal(), Signal()
        payload, held = Signal(self.input.width), Signal(self.input.width)
        m.submodules.offered = source = self._offered
        m.d.comb += [getattr(source, name).eq(getattr(self, name)) for name in source.inputs()]
        m.d.comb += [
            domain.clk.eq(self.clk),
            valid.eq(self.valid | offered),
            payload.eq(Mux(offered, held, source.offered)),
        ]
        core = self._core(m, "original", Const(0, SELECT_BITS), valid, payload)
        mutant = self._core(m, "changed", getattr(self, SELECT), valid, payload)
        # by the mutant's `ready`: the first difference decides, and the mutant alone needs a valid stream
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
