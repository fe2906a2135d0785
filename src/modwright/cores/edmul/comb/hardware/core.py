# SPDX-License-Identifier: Apache-2.0
"""A multiplier of a base point with its streams: rows of the scalar, the table, and the machine that runs the program.

Registers by cycle, with the step of the schedule; S words of set-up, P of a step, E of the exit, W of the table:

    cycle              step            register that holds the value from this cycle on
    1                  operands        `row_*`: the bits of k, c in each of v rows
    W + 3              look-up         `next_*`: the point of the first step
    S + c·P + 1        steps 2 to c    words 0 to 2: X, Y, Z, each below m or 2m
    S + c·P + E + 1    result          `x`, `y`: the result, below m; `o.valid`

A step begins with its point in `added_*`, and with the look-up for the step after it.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from .....engines.ladder.hardware.core import CurveCore
from .....engines.ladder.words import WORDS
from .....rtl.block_memory import constant_words
from .....rtl.pipeline import delayed
from .....schedule import Schedule
from ..parameters import ROM_CYCLES, CombParameters
from ..plan.microcode import NAMES
from ..plan.table import FIELDS


class CombCore(CurveCore):
    """Streams `i` (scalar) and `o` (point). One operation at a time."""

    def __init__(self, p: CombParameters, schedule: Schedule) -> None:
        super().__init__(p, schedule, NAMES, WORDS)
        self.p = p

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        start, machine = self.add_machine(m), self.machine
        m.d.comb += [machine.m.eq(p.modulus), machine.q.eq(p.constants["q"])]
        if "mu" in p.constants:
            m.d.comb += machine.mu.eq(p.constants["mu"])
        for name, value in {"K": p.curve.a * p.one % p.modulus, "unit": p.one}.items():
            m.d.comb += getattr(machine, f"given_{name}").eq(value)
        self._look_up(m, start, self._column(m, start))
        self._release(m)
        return m

    def _column(self, m: Module, start: Value) -> Value:
        """The bits of the first column that no step has added."""
        p, rows = self.p, []
        k = Cat(self.i.p.k, Const(0, p.teeth * p.columns - p.n))
        for number in range(p.teeth):
            row = Signal(p.columns, name=f"row_{number}")
            with m.If(start):
                m.d.sync += row.eq(k[number * p.columns :][: p.columns])
            with m.Elif(self.machine.word.begin):
                m.d.sync += row.eq(row << 1)
            rows.append(row[-1])
        return Cat(rows)

    def _look_up(self, m: Module, start: Value, column: Value) -> None:
        """Read the whole table for each step, and keep the words of one point for the step after it."""
        p, begin = self.p, self.machine.word.begin
        self.address = count = Signal(range(len(p.table)))
        reads = Signal()
        with m.If(start | begin):
            m.d.sync += [count.eq(0), reads.eq(1)]
        with m.Elif(reads):
            m.d.sync += [count.eq(count + 1), reads.eq(count != len(p.table) - 1)]
        word = constant_words(m, count, p.table, p.n, p.target)
        low = (len(FIELDS) - 1).bit_length()
        hit = delayed(m, reads & (count[low:] == column), ROM_CYCLES, "hit")
        field = delayed(m, count[:low], ROM_CYCLES, "field")
        for number, name in enumerate(FIELDS):
            following, added = (Signal(p.n, name=f"{kind}_{name}") for kind in ("next", "added"))
            with m.If(hit & (field == number)):
                m.d.sync += following.eq(word)
            with m.If(begin):
                m.d.sync += added.eq(following)
            m.d.comb += getattr(self.machine, f"given_{name}").eq(added)

    def _release(self, m: Module) -> None:
        """Every operation has a result."""
        word = self.machine.word
        for name in ("x", "y"):
            with m.If(word[f"{name}_out"]):
                m.d.sync += getattr(self.o.p, name).eq(self.machine.found)
        with self.leaves(m, word.end):
            m.d.sync += self.o.p.error.eq(0)
