# SPDX-License-Identifier: Apache-2.0
"""A cox-rower that also inverts by divsteps: the unit of low bits and matrices next to the bus, and its control.

Registers of `Matrices`, counted from the first of n hats on the bus; M cycles of a product:

    cycle        register that holds the value from this cycle on
    k + 1 + M    `total`: the sum of the first k + 1 hats times their constants, modulo 2^k
    n + M        `multiple_M`: h·B modulo 2^k, or that times -1/P; the low bits are there
    n + 1 + M    `f`, `g`, `low_d` or `low_e`

from the first product of low bits:

    1            `late_u`, `late_v`, `late_q`, `late_r`: the matrix of k divsteps
    3 + M        `c_d`
    5 + M        `c_e`
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from .....engines.coxrower.steps import COX_ADD
from .....engines.inversion.hardware.low_bits import divstep_on_low_bits
from .....engines.inversion.hardware.rower import lookup
from .....rtl.multiplier import TiledMultiplier
from .....rtl.pipeline import delayed
from .....schedule import Schedule
from ..parameters import ProcessorParameters
from ..plan.conversions import OVER_A
from ..plan.divsteps import BACK, BACK_MINUS, NOTHING, PER_CYCLE, Divsteps
from ..plan.passes import COMMON
from ..schedule import FINISH, LEAVE, LOAD, PRODUCT, TURN, WITH_DIVSTEPS
from ..schedule.converting import digit_latency, digit_registers, digit_tiling
from ..schedule.rounds import (
    BY_SIGN,
    C_D,
    C_E,
    COMBINED,
    DOMAIN,
    LOW_D,
    LOW_E,
    LOW_F,
    LOW_G,
    OF_D,
    OF_E,
    OF_MATRIX,
    OFFSET,
    TO_LOAD,
    TO_ROUND,
)
from .parts import PartedCoxrower
from .residues import is_one_of

SECOND = COX_ADD + 2
"""Code of the cox that begins a number in base B."""


class Matrices(wiring.Component):
    """Low bits of four numbers in turn, divsteps, and the coefficients of the next four.

    Attributes
    ----------
    start : in
        Strobe: an inversion begins.
    hat : in, w bits
        Hat on the bus.
    code : in
        Operation of the cox.
    quotient : in
        Quotient that the cox has found.
    keep : in
        Low bits, or c, that are stored.
    step : in
        Level: divsteps are made.
    combine : in
        Number of a product of low bits, from 1; 0 for none.
    factor : in
        Coefficient of the matrix that is read.
    coefficient : out, signed
    c_d, c_e : out, k bits
    one, minus : out
        Levels: the last f is 1, or -1.
    """

    def __init__(self, p: ProcessorParameters, plan: Divsteps, code: int, quotient: int) -> None:
        self.p, self.plan, k = p, plan, plan.k
        inputs = {"start": In(1), "hat": In(p.width), "code": In(code), "quotient": In(quotient), "keep": In(3)}
        more = {"step": In(1), "combine": In(range(COMBINED + 1)), "factor": In(range(len(OF_MATRIX) + 1))}
        flags = {"one": Out(1), "minus": Out(1)}
        super().__init__(inputs | more | {"coefficient": Out(signed(k + 2)), "c_d": Out(k), "c_e": Out(k)} | flags)

    def elaborate(self, platform: object) -> Module:
        m, k = Module(), self.plan.k
        self._matrix = [Signal(signed(k + 2), name=name) for name in "uvqr"]  # |.| <= 2^k
        self._low_d, self._low_e = Signal(k, name="low_d"), Signal(k, name="low_e")
        low, total = self._low_bits(m)
        self._divsteps(m, low)
        for code, register, value in (
            (LOW_D, self._low_d, low),
            (LOW_E, self._low_e, low),
            (OF_D, self.c_d, total),
            (OF_E, self.c_e, total),
        ):
            with m.If(self.keep == code):
                m.d.sync += register.eq(value)
        late = [Signal.like(value, name=f"late_{value.name}") for value in self._matrix]
        with m.If(self.combine == 1):
            m.d.sync += [copy.eq(value) for copy, value in zip(late, self._matrix, strict=True)]
        with m.Switch(self.factor):
            for code, value in zip(OF_MATRIX, (*self._matrix, *late), strict=True):
                with m.Case(code):
                    m.d.comb += self.coefficient.eq(value)
        return m

    def _low_bits(self, m: Module) -> tuple[Value, Signal]:
        """Low bits of the number on the bus, those of d and e times -1/P; and the sum of products alone."""
        p, k, after = self.p, self.plan.k, digit_latency(self.p)
        size, minus_inverse = 1 << k, -pow(p.modulus, -1, 1 << k)
        first, row, following = Signal(), Signal(range(p.n)), Signal(range(p.n))
        turn, number = Signal(2), Signal(2)  # f, g, d, e
        counts = self.code != 0
        m.d.comb += [
            first.eq(counts & (self.code != COX_ADD)),
            row.eq(Mux(first, 0, following)),
            number.eq(Mux(first, turn, turn - 1)),
        ]
        with m.If(counts):
            m.d.sync += following.eq(row + 1)
        with m.If(self.start):
            m.d.sync += turn.eq(0)
        with m.Elif(self.code == SECOND):
            m.d.sync += turn.eq(turn + 1)
        constants = [c * factor % size for factor in (1, minus_inverse) for c in p.B.cofactors]
        at = Cat(row, number[1]) if p.n & (p.n - 1) == 0 and p.n > 1 else row + Mux(number[1], p.n, 0)
        m.submodules.multiplier = unit = TiledMultiplier(digit_tiling(p), digit_registers(p))
        combining, second = self.combine != 0, ~self.combine[0]
        entry = [value[:k] for value in self._matrix]
        m.d.comb += [
            unit.a[0].eq(Mux(combining, Mux(second, self._low_e, self._low_d), self.hat)),
            unit.b[0].eq(lookup(constants, k, Value.cast(at))),
        ]
        for product, value in enumerate(entry, 1):
            with m.If(self.combine == product):
                m.d.comb += unit.b[0].eq(value)
        total = Signal(k, name="total")
        begins = delayed(m, first | (combining & ~second), after, "begins")
        with m.If(delayed(m, counts | combining, after, "counts")):
            m.d.sync += total.eq(Mux(begins, 0, total) + unit.p[:k])
        multiples = []
        for name, factor in (("multiple", 1), ("multiple_by_p", minus_inverse)):
            table = [h * p.B.product * factor % size for h in range(1 << len(self.quotient))]
            multiples.append(delayed(m, lookup(table, k, self.quotient), after, name))
        self._flags(m, row, first, after)
        low = Signal(k, name="low")
        m.d.comb += low.eq(total - Mux((self.keep == LOW_D) | (self.keep == LOW_E), multiples[1], multiples[0]))
        return low, total

    def _flags(self, m: Module, row: Value, first: Value, after: int) -> None:
        """Whether f is 1 or -1, of the last f."""
        begins = delayed(m, first, after, "begins_number")
        for name, value, flag in (("one", 1, self.one), ("minus", -1, self.minus)):
            same = delayed(m, is_one_of(self.p, self.hat, self.p.hats_in_b(value), row), after, f"same_{name}")
            every = Signal(name=f"every_{name}")
            m.d.sync += every.eq(same & (begins | every))
            with m.If(self.keep == LOW_F):
                m.d.sync += flag.eq(every)

    def _divsteps(self, m: Module, low: Value) -> None:
        """k divsteps on the low bits of f and g, from the cycle on in which those of g are stored."""
        D = Signal(signed(self.plan.counter_bits), name="D")
        f, g = Signal(self.plan.k, name="f"), Signal(self.plan.k, name="g")
        with m.If(self.start):
            m.d.sync += D.eq(0)
        with m.If(self.keep == LOW_F):
            m.d.sync += f.eq(low)
        with m.If(self.keep == LOW_G):
            m.d.sync += g.eq(low)
            m.d.sync += [entry.eq(value) for entry, value in zip(self._matrix, (1, 0, 0, 1), strict=True)]
        with m.If(self.step):
            state: tuple[Value, ...] = (D, f, g, *self._matrix)
            for number in range(PER_CYCLE):
                state = divstep_on_low_bits(m, state, number)
            m.d.sync += [r.eq(value) for r, value in zip((D, f, g, *self._matrix), state, strict=True)]


class SteppedCoxrower(PartedCoxrower):
    """All rowers, the bus and the cox, controlled by the microcode of products and divsteps.

    Attributes
    ----------
    start : in
        Strobe: an operation begins.
    invert : in
        Level: the operation that begins, or began last, is an inversion.
    failed : out
        Level: the last inversion has found no inverse.
    """

    PARTS = WITH_DIVSTEPS

    def __init__(self, p: ProcessorParameters, schedule: Schedule, more: Mapping[str, Member] | None = None) -> None:
        assert p.divsteps is not None
        self.plan = p.divsteps
        super().__init__(p, schedule, {"invert": In(1), "failed": Out(1), **(more or {})})

    def _following(self, m: Module, issued: Mapping[str, Value]) -> tuple[Value, Value]:
        """`load` and `leave`, and the next round, or the end behind the last one."""
        number = {name: self.PARTS.index(name) for name in WITH_DIVSTEPS}
        left, leave = Signal(range(self.plan.rounds + 1)), issued["leave"]
        with m.If(leave == TO_LOAD):
            m.d.sync += left.eq(self.plan.rounds)
        with m.Elif(leave == TO_ROUND):
            m.d.sync += left.eq(left - 1)
        turn = Mux(left == 0, number[FINISH], number[TURN])
        return leave != 0, Mux(leave == TO_ROUND, turn, Mux(leave == TO_LOAD, number[LOAD], number[LEAVE]))

    def _first_part(self) -> Value:
        """Number of the first part of an operation."""
        return Mux(self.invert, self.PARTS.index(DOMAIN), self.PARTS.index(PRODUCT))

    def _scaled_first(self) -> Value:
        """Whether the first product of an operation is with a constant."""
        return self.invert

    def _first_factor(self) -> int | Value:
        """Address of that constant, with which x leaves the domain."""
        return self.p.address(OVER_A)

    def _chosen(self, issued: Mapping[str, Value]) -> Value:
        """Address of the constant of a product; at the end by the sign of f."""
        self._one, self._minus = Signal(name="one"), Signal(name="minus")
        at = self.p.address
        by_sign = Mux(self.failed, at(NOTHING), Mux(self._minus, at(BACK_MINUS), at(BACK)))
        return Mux(issued["choice"] == BY_SIGN, by_sign, issued["b"])

    def _numbers(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> dict[int, Value]:
        """Numbers that the field `common` chooses; the signed factor is a coefficient."""
        travel = self.engine.travel
        fields = ("cox", "low", "step", "combine")
        timely = {name: delayed(m, issued[name], travel, f"{name}_timely") for name in fields}
        counted = self._counted[self.engine.cox.f :]
        m.submodules.matrices = unit = Matrices(self.p, self.plan, len(timely["cox"]), len(counted))
        m.d.comb += [
            unit.start.eq(self.start),
            unit.hat.eq(limbs[0]),
            unit.code.eq(timely["cox"]),
            unit.quotient.eq(counted),
            unit.keep.eq(timely["low"]),
            unit.step.eq(timely["step"]),
            unit.combine.eq(timely["combine"]),
            unit.factor.eq(delayed(m, issued["factor"], travel, "factor_timely")),
            self._one.eq(unit.one),
            self._minus.eq(unit.minus),
            self.failed.eq(~(self._one | self._minus)),
        ]
        factor = Signal(signed(self.plan.k + 2), name="factor")
        m.d.sync += factor.eq(unit.coefficient)
        self._factor = factor
        return {C_D: unit.c_d, C_E: unit.c_e, OFFSET: Mux(self.failed, Const(0), COMMON)}
