# SPDX-License-Identifier: Apache-2.0
"""A point multiplier on limbs, with its streams, as the control words say.

Registers by cycle, with the step of the schedule; F the cycle of the first bit of the scalar, where X cycles are alone
for its bits; B words of begin and set-up, S of a step, E of the exit and of what the inverse begins with, V of a batch;
b batches, N bits of order:

    cycle                                step        register that holds it from this cycle on
    1                                    operands    `limb_K` of `operands`: the payload but for k and order
    F                                    to words    words 6, 7, 22, 24 to 26, 32 to 36
    F + X + B + S·N                      step        words 0 to 5: XQ, XR, YQ, YR, G, M
    F + X + B + S·N + E                  prepare     words 4, 5, 8 to 13, 17 and 23: f, g, d and e
    F + X + B + S·N + E + V·b            batch       words 4 and 37: f, which is 1 or -1, and d

The control word of cycle t is word t - 1 of the microcode. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ......engines.row.divsteps import ENTRIES
from ......engines.word.divsteps import RESET, STEPS, TAKEN_F, TAKEN_G
from ......engines.word.hardware.columns import INPUTS, STROBES, WordColumns
from ......engines.word.hardware.divsteps import LimbDivstepUnit
from ......engines.word.hardware.operands import OperandLimbs
from ......engines.word.hardware.sums import WordSums
from ......engines.word.hardware.words import PORTS, WordMemory
from ......rtl.copies import copied
from ......rtl.player import Player
from ......schedule import Schedule
from ...parameters.word import WordLadderParameters
from ...plan.homes import FRESH
from ...plan.word.formulas import OPERANDS
from ...plan.word.microcode import (
    CURVE_RANGE,
    FLIPS,
    MODULUS_RANGE,
    POINT_RANGE,
    WORDS,
    X_RANGE,
    Y_RANGE,
    ZEROS,
    operand_limbs,
)
from ..common import PointCore
from ..position import LadderPosition
from ..row.scalar import SerialScalar


class WordLadderCore(PointCore):
    """A point multiplier on limbs."""

    def __init__(self, p: WordLadderParameters, schedule: Schedule) -> None:
        self.p = p
        super().__init__(p, schedule)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        self.player = Player(self.schedule.microcode, overlap=False, fetch=True, shared=True, target=p.target)
        m.submodules.sequencer = self.player
        m.submodules.position = self.position = LadderPosition()
        m.submodules.scalar = self.scalar = SerialScalar(p)
        m.submodules.columns = self.columns = WordColumns(p.words)
        m.submodules.sums = self.sums = WordSums(p.words)
        m.submodules.words = self.words = WordMemory(p.words.w, WORDS * p.words.places, p.target)
        m.submodules.divsteps = self.divsteps = LimbDivstepUnit(p.K, p.K * p.batches, p.target)
        start = self.handshake(m)
        self._operands(m, start)
        self._flags(m)
        self._addresses(m)
        self._arithmetic(m)
        self._leave(m)
        self._control(m, start)
        self.release(m)
        return m

    def _operands(self, m: Module, start: Value) -> None:
        """Limbs of the operands, and of the divsteps' matrix, to the words."""
        p, w, constants = self.p, self.p.words.w, self.p.constants_of_program
        limbs = [getattr(self.i.p, name)[limb * w : (limb + 1) * w] for name, limb in operand_limbs(p, OPERANDS)]
        fixed = [constants[name] >> limb * w & (1 << w) - 1 for name, limb in operand_limbs(p, tuple(constants))]
        unit = OperandLimbs(w, list(map(len, limbs)), fixed, p.K + 1, len(ENTRIES), p.target)
        m.submodules.operands = unit
        self.held, self.odd = {"infinity": Signal(name="held_infinity")}, Signal()
        with m.If(self.taking(m, "idle_flags", start)):
            m.d.sync += [self.held["infinity"].eq(self.i.p.infinity), self.odd.eq(self.i.p.m[0])]
        m.d.comb += [
            unit.idle.eq(Cat(self.taking(m, f"idle_{number}", start) for number in range(len(limbs)))),
            *(getattr(unit, f"given_{number}").eq(limb) for number, limb in enumerate(limbs)),
            unit.entry.eq(self.divsteps.entries),
            unit.load.eq(self.field("load")),
            self.words.operand.eq(unit.operand),
            self.divsteps.found.eq(self.words.found),
            self.divsteps.reset.eq(self.field(RESET)),
            self.divsteps.take_f.eq(self.field(TAKEN_F)),
            self.divsteps.take_g.eq(self.field(TAKEN_G)),
            self.divsteps.step.eq(self.field(STEPS)),
        ]

    def bad_operands(self) -> Value:
        """Whether the modulus or the order is one that is reported."""
        return ~self.odd | ~self.wide | self.scalar.zero

    def _addresses(self, m: Module) -> None:
        """Addresses of the limbs, whose words are exchanged by flags."""
        field, words = self.field, self.words
        low = Const(0, (self.p.words.places - 1).bit_length())
        known = {"x_less": self.less["x"], "y_less": self.less["y"]}
        exchange = self.exchanges(FLIPS, **known)
        for port in PORTS:
            fresh = Mux(field(f"fresh{port}") & self.position.fresh_now, FRESH, 0)
            flip = exchange.bit_select(field(f"flip{port}"), 1) ^ fresh
            m.d.comb += getattr(words, f"read{port}").eq(field(f"read{port}") ^ Cat(low, flip))
        m.d.comb += [
            words.into.eq(field("into") ^ Cat(low, self.flipped(FLIPS))),
            words.write.eq(field("write") & ~(field("tail") & self.first)),
            words.source.eq(field("source")),
        ]

    def _arithmetic(self, m: Module) -> None:
        """Columns and sums."""
        columns, sums, words = self.columns, self.sums, self.words
        m.d.comb += [
            columns.found_a.eq(words.found_a),
            columns.found_b.eq(words.found_b),
            sums.found.eq(words.found),
            words.column.eq(columns.word),
            words.sum.eq(sums.sum),
        ]
        for name in (*INPUTS, *STROBES, "context", "outside"):
            m.d.comb += getattr(columns, name).eq(self.field(name))
        for name in ("minus", "opens", "carries", "one", "test", "test_first"):
            m.d.comb += getattr(sums, name).eq(self.field(name))

    def _leave(self, m: Module) -> None:
        """Limbs of the coordinates, 0 where there is no result."""
        w, n = self.p.words.w, self.p.n
        for name in "xy":
            out = Signal(n, name=f"{name}_out")
            for number, low in enumerate(range(0, n, w)):
                leaves = copied(m, self.field(f"{name}_out") == number + 1, self.p.target, f"{name}_leaves_{number}")
                with m.If(leaves & self.nothing):
                    m.d.sync += out[low : low + w].eq(0)
                with m.Elif(leaves):
                    m.d.sync += out[low : low + w].eq(self.sums.addend)
            m.d.comb += getattr(self.o.p, name).eq(out)

    # --- flags

    def _flags(self, m: Module) -> None:
        """Flags that are known of the operands and of the ladder."""
        self.wide = Signal()  # m is above 4
        self.less = {name: Signal(name=f"{name}_less") for name in "xy"}
        self.first = Signal()  # the first round of a loop: there is none before it
        self.flags = {name: Signal(name=name) for name in ZEROS[1:]}
        self.out_of_range, self.bad = Signal(), Signal()
        self.direct, self.negate, self.nothing, self.error = Signal(), Signal(), Signal(), Signal(2)
        m.d.sync += self.bad.eq(self.bad_operands())
        for name, value in self.decisions(self.bad, self.out_of_range).items():
            m.d.sync += getattr(self, name).eq(value)
        for number, flag in ((MODULUS_RANGE, self.wide), (X_RANGE, self.less["x"]), (Y_RANGE, self.less["y"])):
            with m.If(self.field("range") == number):
                m.d.sync += flag.eq(self.sums.negative)

    def _control(self, m: Module, start: Value) -> None:
        idle = [self.taking(m, f"idle_scalar_{number}", start) for number in range(SerialScalar.slices(self.p))]
        self.drive_ladder(m, Cat(idle))
        with m.If(self.field("round")):
            m.d.sync += self.first.eq(self.field("first_round"))
        self.set_flags(m, ZEROS, self.sums.zero)
        self.compare(m, start, POINT_RANGE, CURVE_RANGE, self.sums.negative)
