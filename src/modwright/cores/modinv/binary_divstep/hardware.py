# SPDX-License-Identifier: Apache-2.0
"""The binary inverter in hardware: four wide registers, one or several divsteps a cycle.

Registers by cycle, with the step of the schedule; S cycles of divsteps:

    cycle    step              register that holds the value from this cycle on
    1        load              f = M, g = a below 2M, d = 0, e = 1, D = 0
    2        a mod M           g, below M
    S + 2    divsteps          f = ±1 where there is an inverse, and then ±d is it, from -M to M
    S + 3    sign and range    result queue: z, below M
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from ....rtl.control import StreamCore
from ....schedule import Schedule
from .parameters import NOT_INVERTIBLE, BinaryInversionParameters
from .schedule import DIVSTEPS


class InversionDatapath(wiring.Component):
    """a (and m) with `start`; z and error with `done`, the schedule's latency - 1 cycles later.

    Attributes
    ----------
    a : in, n + 1 bits
    m : in, n bits, where the modulus is an operand
    z : out, n bits
    error : out, 2 bits
    """

    def __init__(self, p: BinaryInversionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        members = {"start": In(1), "a": In(p.n + 1), "done": Out(1), "z": Out(p.n), "error": Out(2)}
        super().__init__(members | ({} if p.modulus is not None else {"m": In(p.n)}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        D = Signal(signed(self.p.counter_bits))
        f, g, d, e = (Signal(signed(self.p.value_bits), name=name) for name in "fgde")
        modulus = self._modulus(m)
        reduce, stepping, finish = self._control(m)
        with m.If(self.start):
            m.d.sync += [D.eq(0), g.eq(self.a), d.eq(0), e.eq(1)]
            m.d.sync += f.eq(self.p.modulus if self.p.modulus is not None else self.m)
        with m.Elif(reduce):
            below = Signal(signed(self.p.pair_bits))
            m.d.comb += below.eq(g.as_unsigned() - modulus)
            with m.If(below >= 0):
                m.d.sync += g.eq(below)
        with m.Elif(stepping):
            state = (D, f, g, d, e)
            for number in range(self.p.per_cycle):
                state = self._divstep(m, state, modulus, number)
            m.d.sync += [register.eq(value) for register, value in zip((D, f, g, d, e), state, strict=True)]
        self._result(m, f, d, modulus)
        m.d.comb += self.done.eq(finish)
        return m

    def _modulus(self, m: Module) -> Value:
        """M in every cycle after the operands."""
        if self.p.modulus is not None:
            return Const(self.p.modulus, self.p.n)
        held = Signal(self.p.n, name="modulus")
        with m.If(self.start):
            m.d.sync += held.eq(self.m)
        return held

    def _control(self, m: Module) -> tuple[Signal, Signal, Signal]:
        """One cycle to reduce a, the cycles of the divsteps, one for the result."""
        cycles = self.schedule.step(DIVSTEPS).busy
        reduce, stepping, finish = (Signal(name=name) for name in ("reduce", "stepping", "finish"))
        left = Signal(self.p.cycle_bits)  # cycles with divsteps after this one
        m.d.sync += [reduce.eq(self.start), finish.eq(stepping & (left == 0))]
        with m.If(reduce):
            m.d.sync += [stepping.eq(1), left.eq(cycles - 1)]
        with m.Elif(stepping):
            m.d.sync += [stepping.eq(left != 0), left.eq(left - 1)]
        return reduce, stepping, finish

    def _divstep(
        self, m: Module, state: tuple[Value, Value, Value, Value, Value], modulus: Value, number: int
    ) -> tuple[Value, Value, Value, Value, Value]:
        """(g ± f)/2 and (e ± d)/2 modulo M, each one carry chain.

        Where e ± d is odd, M is added to a negative e and subtracted from another: the half is in ]-M, M[ again.
        """
        D, f, g, d, e = state
        names = ("D", "f", "g", "d", "e")
        after = [Signal.like(value, name=f"{name}_{number}") for name, value in zip(names, state, strict=True)]
        odd, swap = Signal(name=f"odd_{number}"), Signal(name=f"swap_{number}")
        m.d.comb += [odd.eq(g[0]), swap.eq(odd & ~D[-1])]
        added = Signal(signed(self.p.pair_bits), name=f"g_sum_{number}")
        term = Mux(odd, Mux(swap, ~f, f), 0).as_signed()
        m.d.comb += added.eq(Cat(swap, g).as_signed() + Cat(swap, term).as_signed() >> 1)
        correct = Signal(name=f"correct_{number}")
        m.d.comb += correct.eq(e[0] ^ (odd & d[0]))
        # e + x + y, x = ±d or 0, y = ±M or 0; a negated term is a complement and a carry
        width = self.p.triple_bits
        x, y = Signal(signed(width), name=f"x_{number}"), Signal(signed(width), name=f"y_{number}")
        subtract = Signal(name=f"subtract_{number}")
        wide = Cat(modulus, Const(0, 3)).as_signed()
        m.d.comb += [
            subtract.eq(correct & ~e[-1]),
            x.eq(Mux(odd, Mux(swap, ~d, d), 0)),
            y.eq(Mux(correct, Mux(e[-1], wide, ~wide), 0)),
        ]
        wide_e = Signal(signed(width), name=f"wide_e_{number}")
        partial, carries = Signal(width, name=f"partial_{number}"), Signal(width, name=f"carries_{number}")
        total = Signal(width, name=f"e_sum_{number}")
        m.d.comb += [
            wide_e.eq(e),
            partial.eq(wide_e ^ x ^ y),
            carries.eq(Cat(subtract, (wide_e & x) | (wide_e & y) | (x & y))),
            total.eq(Cat(swap, partial) + Cat(swap, carries) >> 1),
        ]
        m.d.comb += [
            after[0].eq(Mux(swap, -D, D + 1)),
            after[1].eq(Mux(swap, g, f)),
            after[2].eq(added >> 1),
            after[3].eq(Mux(swap, e, d)),
            after[4].eq(total.as_signed() >> 1),
        ]
        return (after[0], after[1], after[2], after[3], after[4])

    def _result(self, m: Module, f: Value, d: Value, modulus: Value) -> None:
        """±d, brought to [0, M[; an error where f is not ±1 or an operand was refused."""
        plain, negated = Signal(self.p.value_bits), Signal(self.p.value_bits)
        m.d.comb += [
            plain.eq(d + Mux(d[-1], modulus, 0)),
            negated.eq(Mux(d[-1] | ~d.any(), 0, modulus) - d),
        ]
        positive, negative = f == 1, f == -1
        refused = Signal(2)
        with m.If(self.start):
            m.d.sync += refused.eq(self._refused())
        m.d.comb += self.error.eq(Mux(refused.any(), refused, Mux(positive | negative, 0, NOT_INVERTIBLE)))
        m.d.comb += self.z.eq(Mux(self.error.any(), 0, Mux(f[-1], negated, plain)))

    def _refused(self) -> Value:
        """The error of operands that are no operands."""
        if self.p.modulus is not None:
            return Mux(self.a >= 2 * self.p.modulus, OUT_OF_RANGE, 0)
        bad = ~self.m[0] | (self.m < 3)
        return Mux(bad, BAD_MODULUS, Mux(self.a >= Cat(Const(0, 1), self.m), OUT_OF_RANGE, 0))


def build(p: BinaryInversionParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, InversionDatapath(p, schedule))
