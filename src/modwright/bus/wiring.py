# SPDX-License-Identifier: Apache-2.0
"""Connections of a wrapper: names of clock and reset on AXI, and the clock of the core."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..base.errors import UsageError, quoted
from .crossing import CORE

AXI_NAMES, CORE_CLOCK = "axi-names", "core-clock"
WORDS = {
    AXI_NAMES: "AXI wrappers have ACLK and ARESETn, active low, in the place of clk and rst",
    CORE_CLOCK: "wrappers with registers have a clock for the bus, clk, and another for registers and core, core_clk",
}
"""Choices, and their effect."""
ONE_CLOCK = "AXI4-Stream wrappers keep one clock, the core's: put a FIFO of two clocks in front of each stream"
"""With `CORE_CLOCK`. A register access crosses by a handshake for a word; streams would need memories of two clocks,
which the tools of every device have, with the constraints that belong to them."""


@dataclass(frozen=True)
class Wiring:
    """Choices among `WORDS`.

    Parameters
    ----------
    axi_names : bool
    core_clock : bool
    """

    axi_names: bool = False
    core_clock: bool = False

    @classmethod
    def of(cls, words: Iterable[str]) -> Wiring:
        """The wiring by words of a command line; UsageError for one that is unknown."""
        words = set(words)
        for word in sorted(words - set(WORDS)):
            raise UsageError(f"unknown wiring {quoted(word)}", f"one of {', '.join(WORDS)}")
        return cls(AXI_NAMES in words, CORE_CLOCK in words)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that give this wiring."""
        return (*((AXI_NAMES,) if self.axi_names else ()), *((CORE_CLOCK,) if self.core_clock else ()))


PLAIN = Wiring()
"""Ports `clk` and `rst` of everything."""


class Wired(wiring.Component):
    """A wrapper with clocks and resets of other names as ports.

    Parameters
    ----------
    wrapper : Component
        In the domain `sync`; with `core_clock`, and `core`, whose reset it drives.
    axi_names, core_clock : bool
        Properties of this wrapper.
    """

    def __init__(self, wrapper: wiring.Component, *, axi_names: bool, core_clock: bool) -> None:
        self.wrapper, self.axi_names, self.core_clock = wrapper, axi_names, core_clock
        ports = {"ACLK": In(1), "ARESETn": In(1)} if axi_names else {}
        ports |= {"core_clk": In(1)} if core_clock else {}
        super().__init__(ports | dict(wrapper.signature.members))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.axi_names:
            m.domains.sync = ClockDomain()
            m.d.comb += [ClockSignal().eq(self.ACLK), ResetSignal().eq(~self.ARESETn)]
        if self.core_clock:
            m.domains += (core := ClockDomain(CORE))
            m.d.comb += core.clk.eq(self.core_clk)
        m.submodules.wrapper = self.wrapper
        for name, member in self.wrapper.signature.members.items():
            ours, its = getattr(self, name), getattr(self.wrapper, name)
            m.d.comb += its.eq(ours) if member.flow == In else ours.eq(its)
        return m
