# SPDX-License-Identifier: Apache-2.0
"""A core that signs and verifies: the machine's modulus and constants, p's or the order's, and the bits of two scalars.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step:

    cycle          step            register that holds the value from this cycle on
    1              operands        `held_*`: the payload
    S + n·P + 1    steps 2 to n    words 0 to 2: X, Y, Z, each below m or 2m

u1 and u2 are in registers of n bits, from which a step takes a bit each, in `now`; `before` is that of the step before.
`field` says that the modulus is p, and not the order.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ..joint.parameters import OF_ORDER, ORDER
from .core import CurveCore


class JointCore(CurveCore):
    """Streams `i` and `o` around a machine that computes modulo two numbers."""

    def connect_operands(self, m: Module) -> None:
        """Give the machine the operands that programs read."""
        for name in self.held:
            if name in self.machine.names.external:
                m.d.comb += getattr(self.machine, f"given_{name}").eq(self.held[name])

    def choose_modulus(self, m: Module, to_order: Value) -> None:
        """Give the machine the modulus: the order, from `to_order` to the program's `to_field`, else p."""
        machine, held, field = self.machine, self.held, Signal()
        with m.If(to_order):
            m.d.sync += field.eq(0)
        with m.Elif(machine.word.to_field):
            m.d.sync += field.eq(1)
        m.d.comb += machine.m.eq(Mux(field, held["m"], held[ORDER]))
        for name in ("q", "mu"):
            if name in held:
                m.d.comb += getattr(machine, name).eq(Mux(field, held[name], held[f"{OF_ORDER}{name}"]))

    def take_scalars(self, m: Module, loads: Mapping[str, Value], flags: Mapping[str, Value]) -> None:
        """Add the scalars' registers, loaded from the read port; their bits from the left and `flags` choose words."""
        machine, flips = self.machine, self.machine.names.flips
        self.scalars = {name: Signal(self.machine.p.n, name=name) for name in loads}
        for name, register in self.scalars.items():
            with m.If(loads[name]):
                m.d.sync += register.eq(machine.found)
            with m.Elif(machine.word.begin):
                m.d.sync += register.eq(register << 1)
        now, before = Signal(2), Signal(2)
        with m.If(machine.word.begin):
            m.d.sync += [now.eq(Cat(*(register[-1] for register in self.scalars.values()))), before.eq(now)]
        low = {"now": now[0], "before": before[0], **flags}
        high = {"now": now[1], "before": before[1]}
        m.d.comb += [machine.exchange[flips.index(name)].eq(bit) for name, bit in low.items()]
        m.d.comb += [machine.exchange_high[flips.index(name)].eq(bit) for name, bit in high.items()]

    def are_bad(self) -> Value:
        """Whether the modulus is even or below 5, or the order even or below 3."""
        order = self.held[ORDER]
        return self.is_bad("m") | ~order[0] | ~order[1:].any()
