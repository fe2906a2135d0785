# SPDX-License-Identifier: Apache-2.0
"""Registers and core in a clock domain of their own, next to a bus with another clock, of any ratio.

Writes and reads cross with four phases each. The bus side holds an access and raises `request`; the core side sees that
through two flip-flops, does the access, holds the answer and raises `grant`; the bus side takes the answer and lowers
`request`, the core side lowers `grant`, and only then the next access may begin. What is held does not change while the
other side may look at it, so its bits need no synchronizers; a reset of the bus resets both sides, and the bus side
begins nothing before it has seen the core side come out of its reset.

Constraints find the registers by the names of their modules: `crossing_held_...`, `crossing_answer_...` and others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from amaranth.hdl import Cat, DomainRenamer, Elaboratable, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer

from .block import members_of
from .registers import RegisterMap

CORE = "core"
"""The domain of registers and core; that of the bus is `sync`."""
STAGES = 2
"""Flip-flops of a synchronizer."""
SETTLED = STAGES + 1
"""Flip-flops for what must not be seen to end before its effects are seen, which take `STAGES`."""


class Synchronizers:
    """Flip-flops between two domains; proofs put others in their place."""

    def bit(self, m: Module, source: Value, name: str, domain: str, *, stages: int = STAGES, init: int = 0) -> Signal:
        """A register of another domain as `domain` sees it."""
        seen = Signal(name=name)
        m.submodules[f"crossing_{name}"] = FFSynchronizer(
            source, seen, o_domain=domain, init=init, reset_less=False, stages=stages
        )
        return seen

    def reset(self, m: Module) -> Value:
        """The reset of the core's domain: at once with that of the bus, and until two cycles after it."""
        m.submodules.crossing_reset = ResetSynchronizer(ResetSignal(), domain=CORE, stages=STAGES)
        return ResetSignal(CORE)


ACCESSES = {
    "write": (("write_address", "write_data", "write_strobes"), ("write_response",)),
    "read": (("read_address",), ("read_data", "read_response")),
}
"""Kinds, and the ports that go with an access and with its answer."""


@dataclass(frozen=True)
class Channel:
    """Registers of one kind of access; `held` by the bus side, `answer` by the core side, each by the name of a port.

    Parameters
    ----------
    kind : str
    held, answer : mapping of str to Signal
    request, grant : Signal
        Handshake signals of the bus side and of the core side.
    takes : Signal
        The bus side takes the answer in this cycle.
    """

    kind: str
    held: Mapping[str, Signal]
    answer: Mapping[str, Signal]
    request: Signal
    grant: Signal
    takes: Signal

    @classmethod
    def of(cls, ports: wiring.Component, kind: str, requested: Iterable[str], answered: Iterable[str]) -> Channel:
        """The registers for the ports of a crossing."""

        def like(prefix: str, names: Iterable[str]) -> dict[str, Signal]:
            return {name: Signal.like(getattr(ports, name), name=f"{prefix}_{name}") for name in names}

        one = [Signal(name=f"{kind}_{name}") for name in ("request", "grant", "takes")]
        return cls(kind, like("crossing_held", requested), like("crossing_answer", answered), *one)


class Held(Elaboratable):
    """Registers that are loaded and cleared together, in a module of their own, by whose name constraints find them.

    Parameters
    ----------
    registers : mapping of str to Signal
    source : component
        Component whose ports are taken, by their names.
    load, clear : Signal
    domain : str
    """

    def __init__(
        self, registers: Mapping[str, Signal], source: wiring.Component, load: Value, clear: Value, domain: str
    ) -> None:
        self.registers, self.source, self.load, self.clear, self.domain = registers, source, load, clear, domain

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, register in self.registers.items():
            with m.If(self.load):
                m.d[self.domain] += register.eq(getattr(self.source, name))
            with m.Elif(self.clear):
                m.d[self.domain] += register.eq(0)
        return m


class Crossing(wiring.Component):
    """The registers as a wrapper sees them; one write and one read at a time, as long as they take.

    Parameters
    ----------
    registers : RegisterMap
    block : Component
        With the ports of a `RegisterBlock`, in a domain `sync`, which becomes that of the core.
    synchronizers : Synchronizers, optional
    """

    def __init__(
        self,
        registers: RegisterMap,
        block: wiring.Component,
        synchronizers: Synchronizers | None = None,
    ) -> None:
        self.map, self.block = registers, block
        self.synchronizers = synchronizers or Synchronizers()
        super().__init__(members_of(registers))
        self.channels = {
            kind: Channel.of(self, kind, requested, answered) for kind, (requested, answered) in ACCESSES.items()
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        block, cells = self.block, self.synchronizers
        m.submodules.block = DomainRenamer({"sync": CORE})(block)
        down = cells.bit(m, cells.reset(m), "core_down", "sync", init=1)
        flying = [self._bus_side(m, channel, down) for channel in self.channels.values()]
        for channel in self.channels.values():
            self._core_side(m, channel)
        busy = cells.bit(m, self._settled(m, block.busy, "core_busy"), "bus_busy", "sync", stages=SETTLED)
        m.d.comb += [
            self.irq.eq(cells.bit(m, self._settled(m, block.irq, "core_irq"), "bus_irq", "sync")),
            self.busy.eq(Cat(flying).any() | busy | down),
        ]
        return m

    @staticmethod
    def _settled(m: Module, value: Value, name: str) -> Signal:
        """A register of the core's domain, since a sum of products may show what it is not on its way."""
        register = Signal(name=name)
        m.d[CORE] += register.eq(value)
        return register

    def _bus_side(self, m: Module, channel: Channel, down: Signal) -> Value:
        """Add the bus side, and return whether an access is in flight; `down`: the core side is still in reset."""
        kind, request = channel.kind, channel.request
        granted = self.synchronizers.bit(m, channel.grant, f"{kind}_granted", "sync")
        access, done = getattr(self, kind), getattr(self, f"{kind}_done")
        waiting = Signal(name=f"{kind}_waiting")  # for the access before to be over on both sides
        m.d.comb += channel.takes.eq(request & granted)
        m.d.sync += done.eq(0)
        m.d.sync += [getattr(self, name).eq(0) for name in channel.answer]
        # no operand stays behind
        m.submodules[f"crossing_held_{kind}"] = Held(channel.held, self, access, channel.takes, "sync")
        with m.If(access):
            m.d.sync += waiting.eq(1)
        with m.If(waiting & ~request & ~granted & ~down):
            m.d.sync += [request.eq(1), waiting.eq(0)]
        with m.If(channel.takes):
            m.d.sync += [request.eq(0), done.eq(1)]
            m.d.sync += [getattr(self, name).eq(register) for name, register in channel.answer.items()]
        return access | waiting | request | granted | done

    def _core_side(self, m: Module, channel: Channel) -> None:
        kind, grant, block = channel.kind, channel.grant, self.block
        requested = self.synchronizers.bit(m, channel.request, f"{kind}_requested", CORE)
        access, done = getattr(block, kind), getattr(block, f"{kind}_done")
        doing = Signal(name=f"{kind}_doing")
        m.d.comb += access.eq(requested & ~doing & ~grant)
        m.d.comb += [getattr(block, name).eq(register) for name, register in channel.held.items()]
        with m.If(access):
            m.d[CORE] += doing.eq(1)
        over = grant & ~requested
        m.submodules[f"crossing_answer_{kind}"] = Held(channel.answer, block, done, over, CORE)
        with m.If(done):
            m.d[CORE] += [doing.eq(0), grant.eq(1)]
        with m.If(over):
            m.d[CORE] += grant.eq(0)
