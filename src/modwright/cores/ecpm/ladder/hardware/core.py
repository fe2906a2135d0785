# SPDX-License-Identifier: Apache-2.0
"""A point multiplier with its streams: registers, words, multipliers and adder, as the control words say.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit, N bits of order:

    cycle              step                             register that holds the value from this cycle on
    1                  operands                         `held_*`: the payload but for k and order
    N + 1              k' = 2^N + ((k - 2^N) mod q)     r of `scalar`: k' below its first bit, N bits
    S + N·P + 1        steps 2 to N                     words 0 to 5: XQ, XR, YQ, YR, G, M, each below m or 2m
    S + N·P + E + 1    result                           `x_0` and `y_0`: the result, below m; `o.valid`

The control word of cycle t is word t - 1 of the microcode: set-up, N times the step, exit. It is in a register, too.
A scalar that is lifted has a table of its own (`lifted`).
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory

from .....engines.ladder.hardware.alone import arithmetic_of
from .....engines.ladder.words import WORDS
from .....engines.limb.hardware.multiplier import LimbMultiplier
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters import EcpmParameters
from ..plan.formulas import BLIND
from ..plan.homes import FRESH
from ..plan.microcode import CURVE_RANGE, EXTERNAL, FLIPS, POINT_RANGE, Y_NEXT_TO_A, ZEROS
from .common import PointCore
from .lifted import LiftedScalar
from .position import LadderPosition
from .scalar import SerialScalar


class EcpmCore(PointCore):
    """A point multiplier over limb multipliers."""

    def __init__(self, p: EcpmParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.sequencer = self.player = Player(self.schedule.microcode, overlap=False)
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = LiftedScalar(p) if p.lifts_scalar else SerialScalar(p)
        m.submodules.arithmetic = self.arithmetic = arithmetic_of(p)
        self.word = self.player.word
        start = self.handshake(m)
        self._hold(m, start)
        self._flags(m)
        self._read(m)
        self._write(m)
        self._multipliers(m)
        self._control(m, start)
        self.release(m)
        return m

    def _hold(self, m: Module, start: Value) -> None:
        """Registers of the operands, but for scalar and order."""
        self.held: dict[str, Signal] = {}
        for field in self.p.i.fields:
            if field.name not in ("k", "order"):
                self.held[field.name] = register = Signal(field.width, name=f"held_{field.name}")
                with m.If(start):
                    m.d.sync += register.eq(getattr(self.i.p, field.name))

    # --- words

    def _read(self, m: Module) -> None:
        """The read port: a word, or an operand where it was held."""
        p = self.p
        m.submodules.words = words = memory.Memory(shape=p.n + 1, depth=WORDS, init=[])
        self.port, self.into = words.read_port(domain="comb"), words.write_port()
        address = Signal(5)
        exchange = Signal(8)
        m.d.comb += exchange.eq(self.exchanges(FLIPS, inv_sign=self.arithmetic.inv_sign))
        word = self.word
        m.d.comb += [
            address.eq(
                word.read ^ exchange.bit_select(word.flip, 1) ^ Mux(word.fresh & self.position.fresh_now, FRESH, 0)
            ),
            self.port.addr.eq(address),
        ]
        self.found = found = Signal(p.n + 1)
        self.filled = Signal(p.n + 1)
        m.d.comb += found.eq(self.port.data)
        with m.If(address[4]), m.Switch(address[:3]):
            for name, number in [*EXTERNAL.items(), ("y", Y_NEXT_TO_A)]:
                if name in self.held:
                    with m.Case(number - WORDS):
                        m.d.comb += found.eq(self.held[name])
        m.d.comb += self.filled.eq(Mux(self.field("forward"), self.arithmetic.w, found))

    def _write(self, m: Module) -> None:
        word = self.word
        m.d.comb += [
            self.into.en.eq(word.write & ~(self.field("tail") & self.first)),
            self.into.addr.eq(word.into ^ self.flipped(FLIPS)),
            self.into.data.eq(self.arithmetic.w),
        ]

    # --- multipliers and adder

    def _multipliers(self, m: Module) -> None:
        p, word, adder = self.p, self.word, self.arithmetic
        m.d.comb += [
            adder.read.eq(self.found),
            adder.filled.eq(self.filled),
            adder.m.eq(self.held["m"]),
        ]
        for name in ("load_a", "clear_a", "first", "second", "one", "inverse"):
            m.d.comb += getattr(adder, name).eq(self.field(name))
        for k in range(p.macs):
            m.submodules[f"multiplier_{k}"] = unit = LimbMultiplier(p.unit, self.schedule.parts)
            m.d.comb += [
                unit.start.eq(word[f"start_{k}"]),
                unit.kind.eq(self.field(f"kind_{k}")),
                unit.q.eq(self.held["q"]),
                getattr(adder, f"z_{k}").eq(unit.z),
            ]
            for name in ("m", "mu"):
                if name in unit.operands:
                    m.d.comb += getattr(unit, name).eq(self.held[name])
            for name in ("x", "y", "x2", "y2"):
                if name in unit.operands:
                    register = Signal(p.n, name=f"{name}_{k}")
                    self._operand(m, register, f"{name}_{k}")
                    m.d.comb += getattr(unit, name).eq(register)

    def _operand(self, m: Module, register: Signal, name: str) -> None:
        """An operand register; those of the first multiplier are those of the result as well."""
        leaves = {"x_0": "x", "y_0": "y"}.get(name)
        with m.If(self.field(f"load_{name}")):
            m.d.sync += register.eq(self.filled)
        if leaves is not None:
            with m.If(self.word[f"{leaves}_out"]):
                m.d.sync += register.eq(Mux(self.nothing, 0, self.found))
            m.d.comb += getattr(self.o.p, leaves).eq(register)

    # --- flags

    def _flags(self, m: Module) -> None:
        """Flags that are known of the operands and of the ladder."""
        p = self.p
        self.first = Signal()  # the first step: there is none before it
        self.flags = {name: Signal(name=name) for name in ZEROS[1:]}
        self.out_of_range = Signal()
        self.direct, self.negate, self.nothing = Signal(), Signal(), Signal()
        self.error = Signal(2)
        wrong = self.out_of_range | (self.flags["blind_zero"] if BLIND in p.i.offsets else 0)
        for name, value in self.decisions(self.bad_operands(), wrong).items():
            m.d.comb += getattr(self, name).eq(value)

    def _control(self, m: Module, start: Value) -> None:
        self.drive_ladder(m, start)
        with m.If(self.word.begin):
            m.d.sync += self.first.eq(self.word.first_step)
        self.set_flags(m, ZEROS, ~self.found.any())
        self.compare(m, start, POINT_RANGE, CURVE_RANGE, self.arithmetic.negative)
