# SPDX-License-Identifier: Apache-2.0
"""Rowers of the inversion engine in hardware, and sums over all of them.

Registers, counted from the cycle of the operands; L cycles of a multiply-accumulate, F of a reduction:

    cycle    register that holds the value from this cycle on
    1        `first`, `second`: the operands, with `local`; before them `near_NAME`, the control fields
    L        `total`: the product, plus the previous sum with `sum`
    L + F    `r`: its residue, any representative; `kept` has it in the cycle after `write`
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ...coxrower.hardware.folds import reduce
from ..engine import InversionEngine
from ..parts import BUS, INPUT, REGISTER, RESULT


class Rower(wiring.Component):
    """One rower: operands, multiplier, accumulator, folds, result, registers.

    With `local`, the bus and the control fields arrive a cycle earlier: each has a register within the rower, and
    so have the operands, in front of the block.

    Attributes
    ----------
    x : in, w bits
        Operand of the stream.
    bus : in, signed
        Coefficient; a negative one is reduced modulo m.
    a, b, factor, read, sum, write, into : in
        Control, each in the cycle in which its unit works; `factor` makes the register that is read the second operand.
    operand : out, w bits
        The first operand.
    total : out
        The accumulator.
    r : out, w bits
        The result.
    """

    def __init__(self, engine: InversionEngine, rower: int) -> None:
        self.engine, self.rower = engine, rower
        self.plan = engine.reduction(rower)
        w = engine.width
        address = max(1, (len(engine.constants) - 1).bit_length())
        index = max(1, (engine.registers - 1).bit_length())
        super().__init__(
            {
                "x": In(w),
                "bus": In(signed(engine.coefficient.bit_length() + 1)),
                "a": In(2),
                "b": In(address),
                "factor": In(1),
                "read": In(index),
                "sum": In(1),
                "write": In(1),
                "into": In(index),
                "operand": Out(w),
                "total": Out(self.plan.first.bound.bit_length()),
                "r": Out(w),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine, w = self.engine, self.engine.width
        word = {name: self._near(m, name) for name in ("a", "b", "factor", "read", "sum", "write", "into")}
        m.submodules.kept = store = memory.Memory(shape=w, depth=engine.registers, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(word["write"]),
            write.addr.eq(word["into"]),
            write.data.eq(self.r),
            read.addr.eq(word["read"]),
        ]
        m.submodules.multiplier = unit = TiledMultiplier(engine.tiling, engine.multiplier_registers)
        modulus = engine.base.moduli[self.rower]
        coefficient = Signal(w)
        m.d.comb += coefficient.eq(Mux(self.bus[-1], self.bus + modulus, self.bus))
        held = delayed(m, coefficient, engine.travel, "coefficient_held")
        choices = {INPUT: self.x, BUS: held, REGISTER: read.data, RESULT: self.r}
        with m.Switch(word["a"]):
            for code, value in choices.items():
                with m.Case(code):
                    m.d.comb += self.operand.eq(value)
        rom = Array(Const(values[self.rower], w) for _, values in engine.constants)[word["b"]]
        operands = (self.operand, Mux(word["factor"], read.data, rom))
        front = [
            delayed(m, value, engine.travel, name) for value, name in zip(operands, ("first", "second"), strict=True)
        ]
        m.d.comb += [unit.a[0].eq(front[0]), unit.b[0].eq(front[1])]
        m.d.sync += self.total.eq(unit.p + unit.q + Mux(word["sum"], self.total, 0))
        folded = reduce(m, [self.plan], engine.folds, self.total, Const(0, 1), Const(0, 1), "fold", cut=engine.local)
        m.d.sync += self.r.eq(folded)
        return m

    def _near(self, m: Module, name: str) -> Value:
        """A control field, or this rower's copy of it."""
        value = getattr(self, name)
        return copied(m, value, self.engine.target, f"near_{name}") if self.engine.local else value


def sum_over_rowers(m: Module, values: Sequence[Value], width: int, name: str) -> Signal:
    """The sum of values modulo 2^width, two cycles later."""
    size = isqrt(len(values) - 1) + 1 if len(values) > 1 else 1
    groups = []
    for number in range(0, len(values), size):
        partial = Signal(width, name=f"{name}_{number // size}")
        m.d.sync += partial.eq(_added(values[number : number + size]))
        groups.append(partial)
    total = Signal(width, name=name)
    m.d.sync += total.eq(_added(groups))
    return total


def _added(values: Sequence[Value]) -> Value:
    return sum(values[1:], values[0])


def lookup(values: Sequence[int], width: int, index: Value) -> Value:
    """Entry values[index]; 0 beyond the end."""
    size = 1 << len(index)
    return Array(Const(v, width) for v in [*values, *[0] * (size - len(values))])[index]


def equals(value: Value, residue: int, modulus: int) -> Value:
    """Whether a value is a w-bit representative of a residue."""
    same = value == residue
    return same | (value == residue + modulus) if (residue + modulus) >> len(value) == 0 else same
