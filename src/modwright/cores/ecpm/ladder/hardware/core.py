# SPDX-License-Identifier: Apache-2.0
"""A point multiplier with its streams: registers, words, multipliers and adder, as the control words say.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit, N bits of order:

    cycle              step                             register that holds the value from this cycle on
    1                  operands                         `held_*`: the payload but for k and order
    N + 1              k' = 2^N + ((k - 2^N) mod q)     r of `scalar`: k' below its first bit, N bits
    S + N·P + 1        steps 2 to N                     words 0 to 5: XQ, XR, YQ, YR, G, M, each below m or 2m
    S + N·P + E + 1    result                           `x_0` and `y_0`: the result, below m; `o.valid`

The control word of cycle t is word t - 1 as it is played: set-up, N times the step, exit. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from .....engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from .....engines.ladder.hardware.arithmetic import Arithmetic
from .....engines.ladder.words import WORDS
from .....engines.limb.hardware.multiplier import LimbMultiplier
from .....rtl.player import Player
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import EcpmParameters
from ..parameters.operands import OFF_CURVE
from ..plan.formulas import BLIND
from ..plan.homes import FRESH
from ..plan.microcode import CURVE_RANGE, EXTERNAL, FLIPS, POINT_RANGE, Y_NEXT_TO_A, ZEROS
from .position import LadderPosition
from .scalar import Scalar


class EcpmCore(wiring.Component):
    """Streams `i` (curve, point, scalar) and `o` (point). One operation at a time."""

    def __init__(self, p: EcpmParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.sequencer = self.player = sequencer = Player(self.schedule.microcode, overlap=False)
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = Scalar(p)
        m.submodules.arithmetic = self.arithmetic = Arithmetic(p)
        self.word = sequencer.word
        start = Signal()
        m.d.comb += [
            self.i.ready.eq(sequencer.ready & ~self.o.valid),
            start.eq(self.i.valid & self.i.ready),
            sequencer.start.eq(start),
        ]
        self._hold(m, start)
        self._flags(m)
        self._read(m)
        self._write(m)
        self._multipliers(m)
        self._control(m, start)
        self._release(m)
        return m

    def _field(self, name: str) -> Value:
        """A field of the control word, 0 where no word has it."""
        return self.player.field(name)

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
        flags = [Const(0, 1), self.position.now, self.position.before, self.flags["x_zero"], self.position.mirror]
        m.d.comb += exchange.eq(Cat(*flags, self.arithmetic.inv_sign, self.direct, self.negate))
        assert len(flags) + 3 == len(FLIPS)
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
        m.d.comb += self.filled.eq(Mux(self._field("forward"), self.arithmetic.w, found))

    def _write(self, m: Module) -> None:
        word = self.word
        flip = Mux(word.into_flip == FLIPS.index("now"), self.position.now, self.position.before)
        m.d.comb += [
            self.into.en.eq(word.write & ~(self._field("tail") & self.first)),
            self.into.addr.eq(word.into ^ ((word.into_flip != 0) & flip)),
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
            m.d.comb += getattr(adder, name).eq(self._field(name))
        for k in range(p.macs):
            m.submodules[f"multiplier_{k}"] = unit = LimbMultiplier(p.unit, self.schedule.parts)
            m.d.comb += [
                unit.start.eq(word[f"start_{k}"]),
                unit.kind.eq(self._field(f"kind_{k}")),
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
        with m.If(self._field(f"load_{name}")):
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
        held, position, flags = self.held, self.position, self.flags
        bad = ~held["m"][0] | ~held["m"][2:].any() | self.scalar.zero
        wrong = self.out_of_range | (flags["blind_zero"] if BLIND in p.i.offsets else 0)
        off = ~flags["on_curve"] & ~held["infinity"]
        m.d.comb += [
            self.direct.eq(position.nothing | (position.fresh & flags["x_zero"] & flags["a_zero"])),
            self.negate.eq(position.nothing & position.mirror),
            self.error.eq(Mux(bad, BAD_MODULUS, Mux(wrong, OUT_OF_RANGE, Mux(off, OFF_CURVE, 0)))),
            self.nothing.eq((self.error != 0) | held["infinity"] | (position.nothing & ~position.mirror)),
        ]

    def _control(self, m: Module, start: Value) -> None:
        word, position, scalar = self.word, self.position, self.scalar
        m.d.comb += [
            scalar.start.eq(start),
            scalar.k.eq(self.i.p.k),
            scalar.order.eq(self.i.p.order),
            scalar.reduce.eq(word.reduce),
            scalar.begin.eq(word.begin),
            position.initial.eq(word.initial),
            position.begin.eq(word.begin),
            position.bit.eq(scalar.bit),
            position.decide.eq(word.decide),
        ]
        for name in ("g_zero", "g0_zero", "h_zero", "y_zero"):
            m.d.comb += getattr(position, name).eq(self.flags[name])
        with m.If(word.begin):
            m.d.sync += self.first.eq(word.first_step)
        counts = ~(self._field("tail_flag") & self.first)
        used = {row.get("zero", 0) for row in self.schedule.microcode.words}
        with m.Switch(word.zero):
            for number, name in enumerate(ZEROS):
                if name and number in used:
                    with m.Case(number), m.If(counts):
                        m.d.sync += self.flags[name].eq(~self.found.any())
        point = (word.range == POINT_RANGE) & ~self.held["infinity"]
        with m.If(start):
            m.d.sync += self.out_of_range.eq(0)
        with m.Elif((point | (word.range == CURVE_RANGE)) & ~self.arithmetic.negative):
            m.d.sync += self.out_of_range.eq(1)

    def _release(self, m: Module) -> None:
        """The result stays in the operand registers until it is taken."""
        with m.If(self.word.end):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.p.infinity.eq(self.nothing & (self.error == 0)),
                self.o.p.error.eq(self.error),
            ]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
