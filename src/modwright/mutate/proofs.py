# SPDX-License-Identifier: Apache-2.0
"""The proofs of `build` on a mutant: those of its handshakes, which are the ones that are run on the netlist."""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, Instance, Module, ResetSignal, Value
from amaranth.lib import wiring

from ..contract import Payload
from ..prepared import Prepared
from ..prove import abc, handshake_checks
from ..prove.streams import Monitor
from ..rtl.streams import core_members
from .schemata import SELECT, SELECT_BITS


class Mutant(wiring.Component):
    """Mutant `number` of the module `top`, with the streams of a core."""

    def __init__(self, top: str, number: int, i: Payload, o: Payload) -> None:
        self.top, self.number = top, number
        super().__init__(core_members(i, o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.mutant = Instance(
            self.top,
            ("i", "clk", ClockSignal()),
            ("i", "rst", ResetSignal(allow_reset_less=True)),
            ("i", "i__valid", self.i.valid),
            ("i", "i__payload", Value.cast(self.i.payload)),
            ("o", "i__ready", self.i.ready),
            ("o", "o__valid", self.o.valid),
            ("o", "o__payload", Value.cast(self.o.payload)),
            ("i", "o__ready", self.o.ready),
            ("i", SELECT, Const(self.number, SELECT_BITS)),
        )
        return m


def refuted(prepared: Prepared, model: str, number: int) -> str | None:
    """The proof that mutant `number` of the design `model` fails, with its counter-example; None when it fails none."""
    parameters, schedule = prepared.parameters, prepared.schedule
    core = Mutant(prepared.top, number, parameters.i, parameters.o)
    monitor = abc.Bench.of(Monitor(core, schedule))
    bench = abc.Bench(monitor.source + model)
    for check in handshake_checks(schedule):
        verdict = check.find(bench)
        if verdict.status == "refuted":
            return f"{check.name}: {verdict.detail}"
    return None
