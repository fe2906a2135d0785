# SPDX-License-Identifier: Apache-2.0
"""Proof of the crossing between two clocks, for all time and every order of their edges.

Time is a sequence of steps. In each step either clock has an edge, both have, or none, as free inputs of the bench say.
A synchronizer whose source changed in the step before takes the new value or the old one, as another input says: so it
resolves either way when it is hit by a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import Cat, ClockDomain, DomainRenamer, EnableInserter, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from ..base.disk import scratch
from ..prove.abc import SWEEP, Bench, search
from ..prove.proof import Verdict
from .crossing import CORE, STAGES, Channel, Crossing, Synchronizers
from .proofs import FreeBlock
from .registers import RegisterMap

SECONDS = 60
"""Limit of the search for a proof of one rule, which takes up to five."""
STEP = "step"
"""The domain of what watches."""
ROUNDS = 16
"""Times that both clocks had an edge until an access is over at the latest: with 15 the rule is refuted."""
RULES = {
    "asked": "an access of the core side is the one that the bus side requested, with its address and data",
    "once": "it is done once",
    "answered": "the answer comes after it, once, and is the one that the registers gave",
    "stable": "what one side holds for the other does not change while that takes it, nor next to it",
    "settled": "where the bus side says that nothing is in flight, nothing is, and it sees the interrupt as it is",
    "ends": "an access ends, whatever the ratio of the clocks",
}


class Uncertain(Synchronizers):
    """Flip-flops that take a change a step late where a free input says so, and the reset of the core as a signal."""

    NAMES = ("core_down", "write_granted", "write_requested", "read_granted", "read_requested", "bus_busy", "bus_irq")

    def __init__(self) -> None:
        self.late = {name: Signal(name=f"{name}_late") for name in self.NAMES}
        self.core_reset = Signal()

    def bit(self, m: Module, source: Value, name: str, domain: str, *, stages: int = STAGES, init: int = 0) -> Signal:
        seen, before = Signal(name=name), Signal(name=f"{name}_before", init=init)
        m.d[STEP] += before.eq(source)
        m.submodules[f"crossing_{name}"] = FFSynchronizer(
            Mux(self.late[name], before, source), seen, o_domain=domain, init=init, reset_less=False, stages=stages
        )
        return seen

    def reset(self, m: Module) -> Value:
        """The flip-flops are outside: they are set in the step in which the reset of the bus begins."""
        return self.core_reset


@dataclass(frozen=True)
class Edges:
    """Domains that have an edge in this step, and the resets.

    Parameters
    ----------
    bus, core, bus_reset, core_reset : Signal
    """

    bus: Signal
    core: Signal
    bus_reset: Signal
    core_reset: Signal


class WorkingBlock(FreeBlock):
    """Registers whose operation begins with an access and ends when it likes; the interrupt changes while it lasts, as
    the rules of the registers say."""

    def _work(self, m: Module) -> None:
        working, irq = Signal(), Signal()
        accessed = self.write | self.read | self.write_done | self.read_done
        with m.If(self.busy):
            m.d.sync += [working.eq((accessed | working) & self.free_busy), irq.eq(self.free_irq)]
        m.d.comb += [self.busy.eq(accessed | self.active | working), self.irq.eq(irq)]


class TwoClocks(wiring.Component):
    """A crossing over free registers, next to a master that requests one write and one read at a time.

    Parameters
    ----------
    registers : RegisterMap
        Register map, of which the widths matter.
    crossing : type of Crossing
        Crossing to be proved; tests put a faulty one here.
    """

    def __init__(self, registers: RegisterMap, crossing: type[Crossing] = Crossing) -> None:
        self.free_block, self.cells = WorkingBlock(registers), Uncertain()
        self.crossing = crossing(registers, self.free_block, self.cells)
        ports = {"clk": In(1), "bus_edge": In(1), "core_edge": In(1), "free_reset": In(1), "reset_late": In(1)}
        ports |= {f"ask_{name}": In(len(getattr(self.crossing, name))) for name in self._asked()}
        ports |= {name: In(len(signal)) for name, signal in self.free_block.free().items()}
        ports |= {f"late_{name}": In(1) for name in self.cells.late}
        super().__init__(ports | {f"broken_{rule}": Out(1) for rule in RULES})

    def _asked(self) -> list[str]:
        members = self.crossing.signature.members
        return [name for name, member in members.items() if member.flow == In]

    def elaborate(self, platform: object) -> Module:
        top = Module()
        top.domains.step = domain = ClockDomain(STEP, reset_less=True)
        top.d.comb += domain.clk.eq(self.clk)
        m = Module()
        edges = Edges(self.bus_edge, self.core_edge, Signal(), Signal())
        self._resets(m, edges)
        resets = {"sync": edges.bus_reset, CORE: edges.core_reset}
        domains = {"sync": self.bus_edge, CORE: self.core_edge}
        inner = EnableInserter(domains)(ResetInserter(resets)(self.crossing))
        m.submodules.inner = DomainRenamer({"sync": STEP, CORE: STEP})(inner)
        m.d.comb += [getattr(self.free_block, name).eq(getattr(self, name)) for name in self.free_block.free()]
        m.d.comb += [late.eq(getattr(self, f"late_{name}")) for name, late in self.cells.late.items()]
        broken: dict[str, list[Value]] = {rule: [] for rule in RULES}
        for channel in self.crossing.channels.values():
            for rule, signal in self._watch(m, edges, channel).items():
                broken[rule].append(signal)
        broken["settled"] = [~edges.bus_reset & self._unsettled()]
        for rule, signals in broken.items():
            m.d.comb += getattr(self, f"broken_{rule}").eq(Cat(signals).any())
        top.submodules.inner = m
        return top

    def _resets(self, m: Module, edges: Edges) -> None:
        """The bus has its reset as a register; the core's is set with it and goes two edges later, or three."""
        chain, before = Signal(STAGES, init=-1), Signal(init=1)
        m.d.step += before.eq(edges.bus_reset)
        with m.If(self.bus_edge):
            m.d.step += edges.bus_reset.eq(self.free_reset)
        with m.If(edges.bus_reset):
            m.d.step += chain.eq(-1)
        with m.Elif(self.core_edge):
            m.d.step += chain.eq(Cat(before & self.reset_late, chain))
        m.d.comb += [edges.core_reset.eq(chain[-1] | edges.bus_reset), self.cells.core_reset.eq(edges.core_reset)]

    def _watch(self, m: Module, edges: Edges, channel: Channel) -> Mapping[str, Value]:
        """Violations in one channel, by rule; the master starts an access only after the answer to the one before."""
        outer, inner = self.crossing, self.free_block
        kind, requested, answered = channel.kind, tuple(channel.held), tuple(channel.answer)
        begins, ends = getattr(outer, kind), getattr(outer, f"{kind}_done")
        done_there = getattr(inner, f"{kind}_done") & edges.core & ~edges.core_reset
        begins_there = getattr(inner, kind) & edges.core & ~edges.core_reset
        asks, taken, over = (Signal(name=f"{kind}_{name}") for name in ("asks", "taken", "over"))
        given = Cat(getattr(outer, name) for name in requested)
        question, answer = Signal(len(given)), Signal(len(Cat(getattr(inner, name) for name in answered)))
        m.d.comb += [getattr(outer, name).eq(getattr(self, f"ask_{name}")) for name in requested]
        m.d.comb += begins.eq(getattr(self, f"ask_{kind}") & ~asks)
        with m.If(edges.bus & edges.bus_reset):
            m.d.step += [asks.eq(0), taken.eq(0), over.eq(0)]
        with m.Elif(edges.bus & begins):
            m.d.step += [asks.eq(1), taken.eq(0), over.eq(0), question.eq(given)]
        with m.Else():
            with m.If(begins_there):
                m.d.step += taken.eq(1)
            with m.If(done_there):
                m.d.step += [over.eq(1), answer.eq(Cat(getattr(inner, name) for name in answered))]
            with m.If(edges.bus & ends):
                m.d.step += asks.eq(0)
        there = Cat(getattr(inner, name) for name in requested)
        here = Cat(getattr(outer, name) for name in answered)
        return {
            "asked": begins_there & (~asks | (there != question)),
            "once": begins_there & taken,
            "answered": (edges.bus & ends) & (~asks | ~over | (here != answer)),
            "stable": self._moves(m, begins_there, there)
            | self._moves(m, channel.takes & edges.bus & ~edges.bus_reset, Cat(channel.answer.values())),
            "ends": self._late(m, edges, kind, asks & ~ends),
        }

    @staticmethod
    def _moves(m: Module, taken: Value, bits: Value) -> Value:
        """Whether bits change in the step before they are taken, or in the one in which they are."""
        before, was_taken = Signal(len(bits)), Signal()
        m.d.step += [before.eq(bits), was_taken.eq(taken)]
        return (before != bits) & (taken | was_taken)

    @staticmethod
    def _late(m: Module, edges: Edges, kind: str, due: Value) -> Value:
        """Whether an access lasts although each clock had `ROUNDS` edges; the steps of a reset do not count."""
        rounds = Signal(range(ROUNDS + 2), name=f"{kind}_rounds")
        bus, core = Signal(name=f"{kind}_bus_edge"), Signal(name=f"{kind}_core_edge")
        whole = (bus | edges.bus) & (core | edges.core)
        m.d.step += [bus.eq((bus | edges.bus) & ~whole), core.eq((core | edges.core) & ~whole)]
        with m.If(~due | edges.bus_reset):
            m.d.step += [rounds.eq(0), bus.eq(0), core.eq(0)]
        with m.Elif(whole & (rounds <= ROUNDS)):
            m.d.step += rounds.eq(rounds + 1)
        return due & ~edges.bus_reset & (rounds > ROUNDS)

    def _unsettled(self) -> Value:
        """Idle as the bus sees it, but with something in flight, or an interrupt that it does not see."""
        outer, inner = self.crossing, self.free_block
        return ~outer.busy & (inner.busy | (outer.irq != inner.irq))

    def decide(self, rule: str) -> Verdict:
        """Whether a rule of `RULES` holds for all time."""
        with scratch() as folder:
            ports = Bench.of(self).graph(folder, [f"broken_{rule}"])
            verdict = search(folder, ports, f"{SWEEP}; pdr -T {SECONDS}")
        return verdict or Verdict("not run", f"ABC found no answer within {SECONDS} s by pdr")
