# SPDX-License-Identifier: Apache-2.0
"""A cox-rower that also inverts: the microcode in one memory, and the unit that decides on passes.

The decision supplies the values that the microcode leaves open: the constant, the stored result, and the number that
all rowers share. Registers of a pass, counted from its start, without local rowers; L cycles of a multiply-accumulate,
F of a reduction, n rows, a gap of g = max(n, 3):

    cycle              step                     register that holds the value from this cycle on
    2 + L              V3, product 2            `accumulator` of a rower: the products of V3
    2 + L + F          V3                       `r`: hats of V3, w bits
    3 + L + F          V3 kept                  word V3 of the memory `kept`
    5 + L + F + n      small residues of V3     V3 modulo the powers of 2 and 3, which is decided on then
    2 + L + F + g      V1                       `r`: hats of V1
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from .....engines.coxrower.steps import SCALED
from .....engines.inversion.hardware.decision import Decision
from .....engines.plus_minus import RESIDUES_V3
from .....rtl.pipeline import delayed
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters import ProcessorParameters
from ..plan.passes import COMMON
from ..schedule import (
    BY_D,
    BY_SIGN,
    BY_SIGN_AND_D,
    END,
    FACTOR,
    FINISH,
    LEAVE,
    LOAD,
    P_BY_D,
    PARTS,
    PRODUCT,
    TURN,
    TWICE_P,
)
from .parts import PartedCoxrower
from .residues import FLAGS, SmallResidues
from .short_decision import ShortDecision


class InvertingCoxrower(PartedCoxrower):
    """All rowers, the bus and the cox, controlled by the microcode of products and inversions.

    Attributes
    ----------
    start : in
        Strobe: an operation begins.
    invert : in
        Level: the operation that begins, or began last, is an inversion.
    failed : out
        Level: the last inversion has found no inverse.
    """

    PARTS = PARTS
    """Parts in the order of their numbers."""

    def __init__(self, p: ProcessorParameters, schedule: Schedule, more: Mapping[str, Member] | None = None) -> None:
        super().__init__(p, schedule, {"invert": In(1), "failed": Out(1), **(more or {})})

    def _issued(self, m: Module) -> Mapping[str, Value]:
        travel = self.engine.travel
        codes = [self.schedule.parts[name].microcode.ahead(travel) for name in self.PARTS]
        m.submodules.sequencer = control = Player(*codes, overlap=False, fetch=self.engine.local)
        kind = ShortDecision if self.p.blocks else Decision
        m.submodules.decision = self._decision = decision = kind(self.p.rules, self.p.passes.offsets)
        self._flags = {name: Signal(name=name) for name in FLAGS}
        issued = {name: control.field(name) for name in control.widths}
        decide = delayed(m, issued["decide"], travel, "decide_timely")
        number = {name: self.PARTS.index(name) for name in self.PARTS}
        follows, following = self._following(m, issued)
        m.d.comb += [
            control.start.eq(self.start | decide | follows),
            decision.start.eq(self.start),
            decision.decide.eq(decide),
            self.failed.eq(self._flags["zero"]),
        ]
        with m.If(self.start):
            m.d.comb += control.kind.eq(self._first_part())
        with m.Elif(decide):
            m.d.comb += control.kind.eq(Mux(Cat(self._flags.values()).any(), number[FINISH], number[TURN]))
        with m.Else():
            m.d.comb += control.kind.eq(following)
        loading = self.start & self._scaled_first()  # no word is active, and the operand is valid in this cycle alone
        role, pick, write = decision.role, issued["pick"], issued["write"]
        into = (role ^ decision.swap) & (write != 0)
        return issued | {
            "a": Mux(loading, SCALED, issued["a"]),
            "b": self._address(m, issued, loading),
            "pick": Cat(pick[0] ^ role, pick[1:]),
            "write": Cat(write[0] ^ into, write[1:]),
        }

    def _following(self, m: Module, issued: Mapping[str, Value]) -> tuple[Value, Value]:
        """Strobe of the field `leave`, and number of the part that it starts."""
        del m
        return issued["leave"], Const(self.PARTS.index(LEAVE))

    def _first_part(self) -> Value:
        """Number of the first part of an operation."""
        return Mux(self.invert, self.PARTS.index(LOAD), self.PARTS.index(PRODUCT))

    def _scaled_first(self) -> Value:
        """Whether the first product of an operation is with a constant."""
        return self.invert

    def _address(self, m: Module, issued: Mapping[str, Value], loading: Value) -> Value:
        """Address of the constant, from the control word or from the decision."""
        at = self.p.address
        zero, minus = self._flags["zero"], self._flags["minus"]
        cases = self._in_rows() if self.p.blocks else self._in_sequence()
        cases |= {BY_SIGN: Mux(zero, at("0"), Mux(minus, at("-1"), at("1")))}
        if self.p.blocks:
            cases |= {TWICE_P: Mux(minus, at("2P"), at("0"))}
        chosen = Signal((len(self.engine.constants(0)) - 1).bit_length(), name="address")
        m.d.comb += chosen.eq(Mux(loading, self._first_factor(), issued["b"]))
        with m.Switch(issued["choice"]):
            for code, value in cases.items():
                with m.Case(code):
                    m.d.comb += chosen.eq(value)
        return chosen

    def _in_sequence(self) -> dict[int, Value]:
        """Addresses of 1/D, s/D and P/D, with the divisor added to the first of each."""
        decision, at = self._decision, self.p.address
        divisors, step = self.p.rules.kind.divisors, self.p.passes.least_step
        first = divisors[0]
        subtracted = at(f"-1/{step}") - divisors.index(step)
        by_sign = Mux(decision.subtract, subtracted, at(f"1/{first}")) + decision.divisor
        return {
            BY_D: at(f"1/{first}") + decision.divisor,
            BY_SIGN_AND_D: Mux(decision.divides, at("0"), by_sign),
            P_BY_D: at(f"P/{first}") + decision.divisor,
        }

    def _in_rows(self) -> dict[int, Value]:
        """Addresses of 1/D and s/D, the divisor in the row that the sign chooses, and of a multiple of P/D."""
        decision, low = self._decision, (self.p.passes.row - 1).bit_length()
        divisor = Cat(decision.divisor, Const(0, low - len(decision.divisor)))
        sign = Cat(~decision.subtract, decision.subtract | decision.divides)
        return {
            BY_D: Cat(divisor, Const(1)),
            BY_SIGN_AND_D: Cat(divisor, sign),
            P_BY_D: decision.coefficient,
        }

    def _common(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """The common operand: `COMMON`, the coefficient of P/D, which follows from small residues, or that of P/2 at
        the end."""
        travel, decision = self.engine.travel, self._decision
        counted = self._counted[self.engine.cox.f :]
        code = delayed(m, issued["cox"], travel, "cox_code_for_residues")
        keep = delayed(m, issued["small"], travel, "keep_timely")
        m.submodules.residues = residues = SmallResidues(self.p, len(code), len(counted))
        m.d.comb += [
            residues.hat.eq(limbs[0]),
            residues.code.eq(code),
            residues.quotient.eq(counted),
            residues.keep.eq(keep),
            decision.twos.eq(residues.twos),
            decision.threes.eq(residues.threes),
            decision.keep.eq(keep),
        ]
        with m.If(keep == RESIDUES_V3):
            m.d.sync += [flag.eq(getattr(residues, name)) for name, flag in self._flags.items()]
        if not self.engine.shares:
            return Const(0)
        common = Signal(self.engine.width)
        m.d.sync += common.eq(COMMON)
        numbers = self._numbers(m, issued, limbs)
        with m.Switch(delayed(m, issued["common"], travel, "common_timely")):
            for chosen, number in numbers.items():
                with m.Case(chosen):
                    m.d.sync += common.eq(number)
        return common

    def _numbers(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> dict[int, Value]:
        """Numbers that the field `common` chooses."""
        del m, issued, limbs
        return {FACTOR: self._decision.coefficient, END: Mux(self._flags["minus"], 2 * COMMON, 0)}
