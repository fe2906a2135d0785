# SPDX-License-Identifier: Apache-2.0
"""Operand registers, limbs of them on demand, and the check of their ranges.

X stays in its register; the recoder works on one limb. Each limb of X is compared when it is fetched, together with
that of Y, so that the check costs no cycle and no chain longer than a limb.

Registers, counted from the cycle of `start` or of `fetch`:

    cycle    register that holds the value from this cycle on
    1        `limb`: a limb of X; `y_limb`, `bound_limb`: those of Y and of M or 2M; after `start`, `held_NAME`:
             operands
    2        `carry` of X and of Y: not below its bound, by the limbs so far; `large`: M is at least 2 by these
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .....rtl.copies import level_copy
from ..parameters import BAD_MODULUS, OUT_OF_RANGE, CarrySaveParameters

GROUP = 4
"""Limbs of which one is chosen in front of a register: two levels of LUTs with 4 inputs; up to 16 limbs, one level
joins the groups behind their registers."""

SLICE = 64
"""Bits of an operand behind one copy of a control, with `ahead`."""


def limbs_of(value: Value, p: CarrySaveParameters) -> list[Value]:
    """Limbs of `value`, extended by its sign, or reduced modulo 2^(bits of all limbs) where it is a longer row of a sum
    that fits."""
    wide = p.limbs * p.limb
    if len(value) > wide:
        value = value[:wide]
    extended = (value | Const(0, len(value))) if len(value) == wide else Cat(value, _extension(value, wide))
    return [extended[at : at + p.limb] for at in range(0, wide, p.limb)]


def _extension(value: Value, wide: int) -> Value:
    more = wide - len(value)
    return value[-1].replicate(more) if value.shape().signed else Const(0, more)


def picked(m: Module, name: str, limbs: list[Value], pick: Value) -> Value:
    """The limb whose bit is set in `pick`, a cycle later: groups of limbs are chosen in front of registers."""
    chosen = []
    for low in range(0, len(limbs), GROUP):
        masked = [limb & pick[low + at].replicate(len(limb)) for at, limb in enumerate(limbs[low : low + GROUP])]
        group = Signal(len(limbs[0]), name=f"{name}_group_{low // GROUP}")
        m.d.sync += group.eq(reduce(or_, masked))
        chosen.append(group)
    return reduce(or_, chosen)


class OperandSupply(wiring.Component):
    """Operands of one product.

    Attributes
    ----------
    start : in
        Operands are at `x`, `y`, `m` in this cycle; the first limb is fetched.
    fetch : in
        Strobe: the limb of X at `index` is fetched, and compared together with those of Y and M; `index` advances.
    shift : in
        Strobe: the limb register of X shifts right by a digit.
    advance, rewind : in
        Strobes: `index` advances, or returns to 0.
    index : out
        Next limb; wraps to 0 behind the last.
    pick : out, L bits
        One-hot `index`, where a choice has a register: the limb is chosen in the next cycle.
    limb : out, B bits
        Limb register of X: whole in the cycle after `start` or `fetch`.
    next_limb : out, B bits
        Next value of the limb register.
    end : in
        With `ahead`, strobe: operands are loaded in every cycle after this one until the next start.
    held_y, held_m : out
        Y and M, from the cycle after `start` on.
    m_limb : out, B bits
        Limb of M at `index`, or at that of the cycle before, where a choice has a register.
    error : out
        Error code; valid from two cycles after the last limb was fetched until the next start.
    """

    def __init__(self, p: CarrySaveParameters, step: int) -> None:
        self.p, self.step = p, step
        w, B = p.operand_bits, p.limb
        strobes = ("start", "fetch", "shift", "advance", "rewind", *(("end",) if p.ahead else ()))
        inputs = {name: In(1) for name in strobes}
        super().__init__(
            inputs
            | {"x": In(w), "y": In(w), "m": In(p.n), "held_y": Out(w), "held_m": Out(p.n), "error": Out(2)}
            | {"index": Out(range(p.limbs)), "limb": Out(B), "next_limb": Out(B), "m_limb": Out(B)}
            | ({"pick": Out(p.limbs, init=1)} if p.ahead else {})
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        held_x = Signal.like(self.x)
        load = Signal()
        self._given = level_copy(m, self.end, self.start, "idle", init=1) if p.ahead else self.start
        m.d.comb += load.eq(self._given | self.fetch)
        self._hold(m, (held_x, self.held_y, self.held_m), (self.x, self.y, self.m))
        self._count(m)
        m.d.comb += [
            self.next_limb.eq(self._next(m, "x", self.x, held_x)),
            self.m_limb.eq(self._select(m, "m", limbs_of(self.held_m, p))),
        ]
        with m.If(load):
            m.d.sync += self.limb.eq(self.next_limb)
        with m.Elif(self.shift):
            m.d.sync += self.limb.eq(self.limb >> self.step)
        self._check(m, load)
        return m

    def _hold(self, m: Module, registers: tuple[Signal, ...], operands: tuple[Signal, ...]) -> None:
        """Registers that load the operands at the start; with `ahead` in every cycle until then, by a control in each
        slice."""
        both = list(zip(registers, operands, strict=True))
        if not self.p.ahead:
            with m.If(self.start):
                m.d.sync += [register.eq(operand) for register, operand in both]
            return
        for low in range(0, self.p.operand_bits, SLICE):
            part = slice(low, low + SLICE)
            with m.If(level_copy(m, self.end, self.start, f"idle_{low // SLICE}", init=1)):
                m.d.sync += [register[part].eq(operand[part]) for register, operand in both if low < len(register)]

    def _count(self, m: Module) -> None:
        if self.p.limbs == 1:
            return
        with m.If(self.rewind):
            m.d.sync += self.index.eq(0)
        with m.Elif(self.start | self.fetch | self.advance):
            m.d.sync += self.index.eq(Mux(self.index == self.p.limbs - 1, 0, self.index + 1))
        if not self.p.ahead:
            return
        with m.If(self.rewind):
            m.d.sync += self.pick.eq(1)
        with m.Elif(self.start | self.fetch | self.advance):
            m.d.sync += self.pick.eq(self.pick.rotate_left(1))

    def _next(self, m: Module, name: str, port: Value, held: Value) -> Value:
        """The limb at `index`; at the start the first limb comes from the port, as the registers are being loaded."""
        first, limbs = limbs_of(port, self.p)[0], limbs_of(held, self.p)
        if self.p.ahead:
            return Mux(self._given, first, self._select(m, name, limbs))
        return self._select(m, name, [first, *limbs[1:]])

    def _select(self, m: Module, name: str, limbs: list[Value]) -> Value:
        if self.p.ahead:
            return picked(m, name, limbs, self.pick)
        return limbs[0] if len(limbs) == 1 else Array(limbs)[self.index]

    def _check(self, m: Module, load: Value) -> None:
        """Compare X and Y with M or 2M, limb by limb, and M with 2."""
        p = self.p
        y, bound, above = Signal(p.limb, name="y_limb"), Signal(p.limb, name="bound_limb"), Signal(name="m_top")
        m_limb = Mux(self._given, limbs_of(self.m, p)[0], self.m_limb)
        y_limb = self._next(m, "y", self.y, self.held_y)
        with m.If(load):
            m.d.sync += [y.eq(y_limb), above.eq(m_limb[-1])]
            if p.domain == 1:
                m.d.sync += bound.eq(m_limb)
            else:
                m.d.sync += bound.eq(Cat(above & ~self._given, m_limb[:-1]))
        first, fresh = Signal(), Signal()  # the limb registers hold the first limb; any that is not compared yet
        m.d.sync += [first.eq(self.start), fresh.eq(self.start | self.fetch if p.ahead else load)]
        large = Signal()  # M >= 2: a bit of it but the lowest is 1
        with m.If(fresh):
            m.d.sync += large.eq((large & ~first) | (bound >> (first * p.domain)).any())
        x_high, y_high = (self._not_below(m, limb, bound, first, fresh) for limb in (self.limb, y))
        bad_modulus = ~self.held_m[0] | ~large
        m.d.comb += self.error.eq(Mux(bad_modulus, BAD_MODULUS, Mux(x_high | y_high, OUT_OF_RANGE, 0)))

    def _not_below(self, m: Module, limb: Value, bound: Value, first: Value, fresh: Value) -> Signal:
        """Carry out of limb - bound, without which the operand is below its bound."""
        difference, carry = Signal(self.p.limb + 1), Signal()
        m.d.comb += difference.eq(limb + (~bound)[: self.p.limb] + (carry | first))
        with m.If(fresh):
            m.d.sync += carry.eq(difference[-1])
        return carry
