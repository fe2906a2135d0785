# SPDX-License-Identifier: Apache-2.0
"""Proofs that the wrappers keep the rules of their buses, for unlimited time and any behaviour of the other side.

A wrapper with registers sees of them that each access is answered two cycles later. So its rules are proved over a
block that answers so, with any data and any code, and that block is proved of the registers of each core, over a core
whose handshakes and results are free. AXI4-Stream is proved over such a core as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from amaranth.hdl import ClockDomain, EnableInserter, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ..prove.abc import Bench
from ..prove.proof import PROVED, Verdict
from . import rules
from .apb import Apb
from .axi_lite import AxiLite
from .axi_stream import UNDER_WAY, AxiStream
from .block import RegisterBlock, Response, members_of
from .registers import WORD, RegisterMap
from .shell import Shell
from .tilelink import TileLink
from .wishbone import Wishbone

DEPTH = 24
"""Cycles in which a counter-example is searched for first."""
WITH_REGISTERS: Mapping[str, tuple[Callable[..., wiring.Component], rules.Rules]] = {
    "AXI4-Lite": (AxiLite, rules.axi_lite),
    "Wishbone": (Wishbone, rules.wishbone),
    "APB4": (Apb, rules.apb),
    "TileLink-UL": (TileLink, rules.tilelink),
}
"""Wrappers around the registers, and their rules."""


class FreeBlock(wiring.Component):
    """A block of registers that answers two cycles after an access; all else are inputs of the bench."""

    def __init__(self, registers: RegisterMap) -> None:
        self.map = registers
        free = {"free_data": In(WORD), "free_write": In(2), "free_read": In(2), "free_irq": In(1), "free_busy": In(1)}
        super().__init__(members_of(registers) | free)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        writing, reading = Signal(), Signal()
        self.active = writing | reading
        m.d.sync += [
            writing.eq(self.write),
            self.write_done.eq(writing),
            self.write_response.eq(_code(self.free_write)),
            reading.eq(self.read),
            self.read_done.eq(reading),
            self.read_response.eq(_code(self.free_read)),
            self.read_data.eq(self.free_data),
        ]
        self._work(m)
        return m

    def _work(self, m: Module) -> None:
        """Whether an operation is in flight, and the interrupt."""
        m.d.comb += [self.irq.eq(self.free_irq), self.busy.eq(self.free_busy)]

    def free(self) -> dict[str, Signal]:
        """The inputs of the bench."""
        return {name: getattr(self, name) for name in self.signature.members if name.startswith("free_")}


def _code(free: Value) -> Value:
    """A code that there is."""
    return Mux(free == 1, Response.OKAY, free)


class FreeCore(Shell):
    """A core whose outputs are inputs of the bench, but for what every core keeps: as many results come as operations
    went in, and an offered result stays."""

    def __init__(self, registers: RegisterMap) -> None:
        super().__init__(registers.i, registers.o)
        self.free_ready, self.free_valid = Signal(), Signal()
        self.free_payload = Signal(registers.o.width)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        offered, payload = Signal(), Signal.like(self.free_payload)
        inside = Signal(range(UNDER_WAY + 1))
        m.d.comb += [
            self.i_ready.eq(self.free_ready),
            self.o_valid.eq((offered | self.free_valid) & (inside != 0)),
            self.o_payload.eq(Mux(offered, payload, self.free_payload)),
        ]
        m.d.sync += inside.eq(inside + (self.i_valid & self.i_ready) - (self.o_valid & self.o_ready))
        with m.If(self.clear):
            m.d.sync += inside.eq(0)
        m.d.sync += offered.eq(self.o_valid & ~self.o_ready & ~self.clear)
        with m.If(self.o_valid):
            m.d.sync += payload.eq(self.o_payload)
        return m


class Gated(wiring.Component):
    """Two copies of a wrapper with the same inputs, over the same free core: the clock of one stops while it is idle.

    Parameters
    ----------
    make : callable
        The wrapper over a core.
    registers : RegisterMap
    """

    def __init__(self, make: Callable[[Shell], wiring.Component], registers: RegisterMap) -> None:
        self.cores = [FreeCore(registers) for _ in range(2)]
        self.plain, self.gated = (make(core) for core in self.cores)
        members = self.plain.signature.members.items()
        super().__init__({name: member for name, member in members if member.flow == In})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.plain = self.plain
        m.submodules.gated = EnableInserter(~self.gated.idle)(self.gated)
        for name in self.signature.members:
            m.d.comb += [getattr(made, name).eq(getattr(self, name)) for made in (self.plain, self.gated)]
        one, other = (free_signals(core) for core in self.cores)
        m.d.comb += [other[name].eq(signal) for name, signal in one.items()]
        return m

    def decide(self) -> Verdict:
        """Whether all outputs are the same in every cycle."""
        return Monitor(self, rules.gating, free_signals(self.cores[0])).decide()


class Monitor(wiring.Component):
    """A wrapper, or the registers, with free inputs and a reset that is one of them; an output for each rule.

    Parameters
    ----------
    made : Component
        Component that has to keep the rules.
    broken : callable
        One of `rules`.
    free : mapping of str to Signal
        Further free signals.
    """

    def __init__(self, made: wiring.Component, broken: rules.Rules, free: Mapping[str, Signal]) -> None:
        self.made, self.free = made, free
        self.inner = Module()
        self.inner.submodules.made = made
        self.broken = broken(self.inner, made)
        inputs = {name: In(len(value)) for name, value in self._inputs().items()}
        outputs = {f"broken_{name}": Out(1) for name in self.broken}
        super().__init__({"clk": In(1), "rst": In(1)} | inputs | outputs)

    def _inputs(self) -> dict[str, Signal]:
        members: Mapping[str, Member] = self.made.signature.members
        own = {name: getattr(self.made, name) for name, member in members.items() if member.flow == In}
        return {f"free_{name}": signal for name, signal in (own | dict(self.free)).items()}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.d.comb += domain.clk.eq(self.clk)
        for name, signal in self.broken.items():
            m.d.comb += getattr(self, f"broken_{name}").eq(signal & ~self.rst)
        m.submodules.inner = ResetInserter(self.rst)(self.inner)
        m.d.comb += [signal.eq(getattr(self, name)) for name, signal in self._inputs().items()]
        return m

    def decide(self, *, apart: bool = False) -> Verdict:
        """All rules, for all time; with `apart` one after the other, each over the registers alone that it depends on,
        up to the first that is not proved."""
        bench = Bench.of(self)
        properties = [(f"broken_{name}",) for name in self.broken]
        verdict = PROVED
        for some in [[rule] for rule in properties] if apart else [properties]:
            verdict = bench.check(some, DEPTH)
            if verdict != PROVED:
                break
        return verdict


def wrapper_rules(registers: RegisterMap, bus: str) -> Verdict:
    """Whether a wrapper around registers keeps the rules of its bus.

    Parameters
    ----------
    registers : RegisterMap
        Register map, of which the width of an address matters.
    bus : str
        One of `WITH_REGISTERS`.
    """
    wrapper, broken = WITH_REGISTERS[bus]
    block = FreeBlock(registers)
    return Monitor(wrapper(registers, block), broken, block.free()).decide()


def idle_rules(registers: RegisterMap, bus: str) -> Verdict:
    """Whether the clock of a wrapper and its registers may be stopped while it is idle."""
    wrapper, _ = WITH_REGISTERS[bus]
    return Gated(lambda core: wrapper(registers, RegisterBlock(registers, core)), registers).decide()


def stream_idle_rules(registers: RegisterMap, beat: int) -> Verdict:
    """Whether the clock of a stream wrapper may be stopped while it is idle."""
    return Gated(lambda core: AxiStream(registers, core, beat), registers).decide()


def register_rules(registers: RegisterMap, *, apart: bool = False) -> Verdict:
    """Whether the registers of a core answer as a `FreeBlock` does.

    Parameters
    ----------
    registers : RegisterMap
    apart : bool
        A search for each rule by itself: quicker from about a hundred bits of operands on.
    """
    core = FreeCore(registers)
    return Monitor(RegisterBlock(registers, core), rules.block, free_signals(core)).decide(apart=apart)


def stream_rules(registers: RegisterMap, beat: int, *, apart: bool = False) -> Verdict:
    """Whether the stream wrapper of a core keeps the rules of AXI4-Stream; `apart` as for `register_rules`."""
    core = FreeCore(registers)
    return Monitor(AxiStream(registers, core, beat), rules.axi_stream, free_signals(core)).decide(apart=apart)


def free_signals(core: FreeCore) -> dict[str, Signal]:
    return {"ready": core.free_ready, "valid": core.free_valid, "payload": core.free_payload}
