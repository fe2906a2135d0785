# SPDX-License-Identifier: Apache-2.0
"""Inversion of constant latency in hardware: rowers, low bits by the cox, the unit of divsteps, and their control.

Registers of a round, counted from the cycle before the hats of f are at the results. Modulo 1009, w = 11:

    cycle    step                       register that holds the value from this cycle on
    7        low bits of f kept         low bits of f, k of them
    9        low bits of g kept         low bits of g
    14       divsteps 5                 u, v, q, r and δ: the matrix of k divsteps
    8        f/2^k: kept                register f of the rowers: hats of f·2^-k
    13       g/2^k: kept                register g
    28       next f: kept               register f: hats of (u·f + v·g)/2^k; they were at `r` in the cycle before
    30       next g: kept               register g
    32       D': kept                   register D: hats of u·d + v·e
    38       low bits of D' kept        c, which makes D' + c·P divisible by 2^k
    46       D' + cP: kept              register d: hats of (D' + c·P)/2^k; the next round is in flight since cycle 26
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring

from ....engines.inversion.hardware.low_bits import divstep_on_low_bits
from ....engines.inversion.hardware.rower import Rower, equals, lookup, sum_over_rowers
from ....engines.inversion.parameters import NOT_INVERTIBLE
from ....rtl.control import StreamCore, datapath_members
from ....rtl.folding import canonical
from ....rtl.pipeline import delayed
from ....rtl.player import PlayerGroup
from ....schedule import Schedule
from .parameters import DivstepParameters
from .schedule import C_D, C_E, LOW_D, LOW_E, LOW_F, LOW_G, ONE, Q, R, U, V


class DivstepDatapath(wiring.Component):
    """Data path: takes a with `start`, gives z and error with `done`, the schedule's latency - 1 cycles later.

    Attributes
    ----------
    a : in, n residues of w bits
    z : out, n residues of w bits, canonical
    error : out
        The operand has no inverse.
    """

    def __init__(self, p: DivstepParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        engine = p.engine
        m.submodules.control = self.control = control = PlayerGroup(
            {name: part.microcode for name, part in self.schedule.parts.items()}
        )
        self._pace(m, control, self.schedule.step("round 1").start - 1)
        rowers = [Rower(engine, k) for k in range(p.n)]
        bus = Signal(signed(engine.coefficient.bit_length() + 1))
        negative, bad = Signal(name="negative"), Signal(name="bad")
        by_sign = Mux(negative, engine.addresses["minus from hats"], engine.addresses["from hats"])
        address = Mux(self._field(m, "choice"), by_sign, self._field(m, "b"))
        common = {name: self._field(m, name) for name in ("a", "factor", "read", "sum", "write", "into")}
        for k, rower in enumerate(rowers):
            m.submodules[f"rower_{k}"] = rower
            m.d.comb += [getattr(rower, name).eq(value) for name, value in common.items()]
            m.d.comb += [rower.x.eq(delayed(m, self.a[k], 2 * engine.travel, f"a_{k}")), rower.bus.eq(bus)]
            m.d.comb += rower.b.eq(address)
        keep, step, test, take = (
            delayed(m, self._field(m, name), engine.travel, f"{name}_later")
            for name in ("keep", "step", "test", "take")
        )
        low = self._low_bits(m, rowers, keep)
        self._coefficients(m, keep, step, low, bus)
        self._sign(m, rowers, test, negative, bad)
        m.d.comb += [self.done.eq(take), self.error.eq(Mux(bad, NOT_INVERTIBLE, 0))]
        for k, rower in enumerate(rowers):
            value = canonical(m, p.width, p.base.u[k], rower.r, f"z_{k}")
            m.d.comb += self.z[k].eq(Mux(bad, 0, value))
        return m

    def _field(self, m: Module, name: str) -> Value:
        """A control field; where rowers have copies of control, from a register behind the players, which join three
        words."""
        return delayed(m, self.control.field(name), self.p.engine.travel, f"{name}_played")

    def _pace(self, m: Module, control: PlayerGroup, first: int) -> None:
        """Start each round, and the last part after the last round."""
        period = self.p.times.period
        left, rounds = Signal(range(max(first, period))), Signal(range(self.p.rounds + 1))
        busy = Signal()
        now = Signal()
        m.d.comb += [
            now.eq(busy & (left == 0)),
            control.start("load").eq(self.start),
            control.start("turn").eq(now & (rounds != 0)),
            control.start("finish").eq(now & (rounds == 0)),
        ]
        with m.If(self.start):
            m.d.sync += [busy.eq(1), left.eq(first - 1), rounds.eq(self.p.rounds)]
        with m.Elif(now):
            m.d.sync += [left.eq(period - 1), rounds.eq(rounds - 1), busy.eq(rounds != 0)]
        with m.Elif(busy):
            m.d.sync += left.eq(left - 1)

    def _low_bits(self, m: Module, rowers: list[Rower], keep: Value) -> Value:
        """Sum of the accumulators less q times the right constant; k bits."""
        p, engine = self.p, self.p.engine
        tops = []
        for k, rower in enumerate(rowers):
            top = Signal(p.top_bits, name=f"top_{k}")
            m.d.sync += top.eq(rower.operand[p.width - p.top_bits :])
            tops.append(top)
        cox = engine.cox
        width = cox.largest_sum.bit_length()
        total = sum_over_rowers(m, tops, width, "cox")
        q = delayed(m, (total + cox.offset)[p.top_bits : width + 1], engine.latency - 1, "q")
        sums = sum_over_rowers(m, [rower.total[: p.k] for rower in rowers], p.k, "low")
        most = (cox.largest_sum >> p.top_bits) + 1
        size = 1 << p.k
        minus_inverse = -pow(p.modulus, -1, size)
        plain = lookup([-q * p.base.product % size for q in range(most)], p.k, q)
        scaled = lookup([-q * p.base.product * minus_inverse % size for q in range(most)], p.k, q)
        low = Signal(p.k, name="low_bits")
        m.d.comb += low.eq(sums + Mux((keep == LOW_D) | (keep == LOW_E), scaled, plain))
        return low

    def _coefficients(self, m: Module, keep: Value, step: Value, low: Value, bus: Signal) -> None:
        """k divsteps on the low bits of f and g, their matrix, and the coefficients that make d and e divisible."""
        p, k = self.p, self.p.k
        D = Signal(signed(p.counter_bits), name="D")
        f, g = Signal(k, name="f"), Signal(k, name="g")
        matrix = [Signal(signed(k + 2), name=name) for name in "uvqr"]  # |.| <= 2^k
        c_d, c_e = Signal(signed(k), name="c_d"), Signal(signed(k), name="c_e")
        with m.If(self.start):
            m.d.sync += D.eq(0)
        with m.Switch(keep):
            for code, register in ((LOW_F, f), (LOW_G, g), (LOW_D, c_d), (LOW_E, c_e)):
                with m.Case(code):
                    m.d.sync += register.eq(low)
        with m.If(keep == LOW_G):
            m.d.sync += [register.eq(value) for register, value in zip(matrix, (1, 0, 0, 1), strict=True)]
        with m.If(step):
            state: tuple[Value, ...] = (D, f, g, *matrix)
            for number in range(p.per_cycle):
                state = divstep_on_low_bits(m, state, number)
            m.d.sync += [r.eq(value) for r, value in zip((D, f, g, *matrix), state, strict=True)]
        sources = dict(zip((U, V, Q, R), matrix, strict=True)) | {C_D: c_d, C_E: c_e, ONE: Const(1, signed(2))}
        m.d.sync += bus.eq(0)
        with m.Switch(self._field(m, "bus")):
            for code, value in sources.items():
                with m.Case(code):
                    m.d.sync += bus.eq(value)

    def _sign(self, m: Module, rowers: list[Rower], test: Value, negative: Signal, bad: Signal) -> None:
        """Flags of the result f in the rowers: negative, and neither 1 nor -1."""
        found = []
        for name, value in (("one", 1), ("minus_one", -1)):
            flags = []
            for k, (rower, hat) in enumerate(zip(rowers, self.p.engine.hats(value), strict=True)):
                flag = Signal(name=f"{name}_{k}")
                m.d.sync += flag.eq(equals(rower.r, hat, self.p.base.moduli[k]))
                flags.append(flag)
            every = Signal(name=name)
            m.d.sync += every.eq(Cat(*flags).all())
            found.append(every)
        with m.If(test):
            m.d.sync += [negative.eq(found[1]), bad.eq(~(found[0] | found[1]))]


def build(p: DivstepParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, DivstepDatapath(p, schedule))
