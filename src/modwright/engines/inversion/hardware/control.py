# SPDX-License-Identifier: Apache-2.0
"""Control of the inversion engine: a sequencer for each part of the program, and fields that they share."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.sequencer import Sequencer
from ....schedule import Schedule


class Control(wiring.Component):
    """Plays parts of a program, each when it is started; no two of them set a field in the same clock.

    Attributes
    ----------
    start_<part> : in
        The part begins: its word 1 is played in the next clock.
    <field> : out
        What the parts that are being played say, together.
    """

    def __init__(self, parts: Mapping[str, Schedule]) -> None:
        self.sequencers = {name: Sequencer(part) for name, part in parts.items()}
        self.widths: dict[str, int] = {}
        for sequencer in self.sequencers.values():
            for name, width in sequencer.widths.items():
                self.widths[name] = max(width, self.widths.get(name, 0))
        starts = {f"start_{name}": In(1) for name in parts}
        super().__init__(starts | {f"field_{name}": Out(width) for name, width in sorted(self.widths.items())})

    def start(self, part: str) -> Signal:
        """The input that starts a part."""
        return getattr(self, f"start_{part}")

    def field(self, name: str) -> Value:
        """A field; 0 where no part has it."""
        return getattr(self, f"field_{name}") if name in self.widths else Const(0, 1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for part, sequencer in self.sequencers.items():
            m.submodules[part] = sequencer
            m.d.comb += sequencer.start.eq(self.start(part))
        for name in self.widths:
            value: Value = Const(0, self.widths[name])
            for sequencer in self.sequencers.values():
                if name in sequencer.widths:
                    value = value | getattr(sequencer, name)
            m.d.comb += getattr(self, f"field_{name}").eq(value)
        return m
