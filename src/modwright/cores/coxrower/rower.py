# SPDX-License-Identifier: Apache-2.0
"""The cox-rower in hardware: rowers, the bus of rows, and the cox; every unit does what the control word says.

A rower is a pipeline: operand choice, multiplier block, accumulator, folds, result register. A row of hats goes from
the results to the bus, and from there to all rowers, which make an operand of it for their own modulus.
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...rtl.control import rounds
from ...rtl.multiplier import TiledMultiplier
from ...rtl.pipeline import delayed
from ...rtl.sequencer import Sequencer
from ...schedule import Schedule
from .engine import Engine
from .folds import choose, constants, fold, multiple, padded, reduce, total
from .program import ADD, BUS, HELD, INPUT, RESULT, SAVED

FIELDS = {
    "a": 2,
    "b": 0,
    "sum": 2,
    "save": 1,
    "base": 1,
    "correct": 1,
    "into": 1,
    "correction": 2,
}
"""Control fields of a rower and their bits; those of `b` follow from the constant memory."""


class Rower(wiring.Component):
    """One rower.

    Attributes
    ----------
    x, y, held_x, held_y : in, w bits
        Operands of the stream.
    bus_s, bus_v : in
        The row on the bus: S and V, or a hat and 0.
    h : in
        The cox's estimate.
    a, b, sum, save, base, correct, into, correction : in
        Control fields (`program`), each in the clock in which its unit works.
    z : out, w bits
        Last stage of the reduction.
    r : out, w bits
        The same, one clock later.
    """

    def __init__(self, engine: Engine, rower: int) -> None:
        self.engine, self.rower = engine, rower
        largest_s, largest_v = engine.largest_bus()
        self.memory = engine.constants(rower)
        self.largest_h = max(extension.largest_h for extension in engine.extensions)
        members = {name: In(width) for name, width in FIELDS.items()} | {
            name: In(engine.width) for name in ("x", "y", "held_x", "held_y")
        }
        super().__init__(
            members
            | {
                "b": In(range(max(2, len(self.memory)))),
                "bus_s": In(largest_s.bit_length()),
                "bus_v": In(max(1, largest_v.bit_length())),
                "h": In(max(1, self.largest_h.bit_length())),
                "z": Out(engine.width),
                "r": Out(engine.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine, k = self.engine, self.rower
        plans = [engine.reduction(k, base) for base in range(len(engine.bases))]
        held = self._accumulate(m, self._product(m), max(plan.first.bound for plan in plans))
        addend = Mux(self.correct, self._correction(m), 0)
        m.d.comb += self.z.eq(reduce(m, plans, engine.fold_clocks, held, self.base, addend, "fold"))
        m.d.sync += self.r.eq(self.z)
        return m

    def _product(self, m: Module) -> Value:
        engine = self.engine
        m.submodules.multiplier = unit = TiledMultiplier(engine.tiling, engine.registers)
        rom = Array(Const(value, engine.width) for value in self.memory)[self.b]
        operands = {INPUT: self.x, HELD: self.held_x, RESULT: self.r, BUS: self._from_bus(m)}
        with m.Switch(self.a):
            for code, operand in operands.items():
                with m.Case(code):
                    m.d.comb += [unit.a[0].eq(operand), unit.b[0].eq(rom)]
                    if engine.operands == 2 and code in (INPUT, HELD):
                        m.d.comb += unit.b[0].eq(self.y if code == INPUT else self.held_y)
        return unit.p + unit.q

    def _accumulate(self, m: Module, product: Value, bound: int) -> Signal:
        """The sum: the product, added to nothing, to the sum before, or to the one that was saved."""
        held = Signal(bound.bit_length(), name="accumulator")
        before = Mux(self.sum == ADD, held, 0)
        if self.engine.initial:
            saved = Signal(2 * self.engine.width, name="saved")
            with m.If(self.save):
                m.d.sync += saved.eq(held)
            before = Mux(self.sum == SAVED, saved, before)
        m.d.sync += held.eq(product + before)
        return held

    def _correction(self, m: Module) -> Signal:
        """<-h·A> times what the sum is scaled by, looked up when h is there."""
        engine = self.engine
        tables = []
        for extension in range(len(engine.extensions)):
            entries = engine.corrections_of(extension, self.rower)
            entries += [0] * ((1 << len(self.h)) - len(entries))
            tables.append(Array(Const(entry, engine.width) for entry in entries)[self.h])
        correction = Signal(engine.width, name="correction_held")
        with m.If(self.correction != 0):
            m.d.sync += correction.eq(choose(self.correction[1], tables))
        return correction

    def _from_bus(self, m: Module) -> Value:
        """S·u + C - V and its folds, modulo the modulus of the base that is extended to; a hat as it is."""
        engine = self.engine
        if engine.columns == 1:
            return self.bus_s
        extensions = range(len(engine.extensions))
        units = [engine.bus_operand(self.rower, e) for e in extensions]
        width = max(unit.largest_y for unit in units).bit_length()
        # extension e goes into base 1 - e: the one into base 1 is extension 0
        select = ~self.into
        terms, fill = multiple(self.bus_s, [unit.u for unit in units], select, width)
        terms.append(~padded(self.bus_v, width))
        terms.append(constants([unit.offset + 1 + c for unit, c in zip(units, fill, strict=True)], select, width))
        value: Value = delayed(m, total(m, terms, width, "operand"), 1, "operand_held")
        for number in range(engine.bus_folds):
            select = delayed(m, select, 1, f"into_{number}")
            steps = [unit.folded(engine.bus_folds)[number] for unit in units]
            folded = fold(m, steps, select, value, f"operand_fold_{number}")
            value = delayed(m, folded, 1, f"operand_fold_{number}_held")
        return value


class Coxrower(wiring.Component):
    """All rowers, the bus and the cox, played by a program.

    Attributes
    ----------
    start : in
        An operation begins: word 0 of the program is played in this clock.
    x, y, held_x, held_y : in, n elements of w bits each
        Operands of the stream, for products that read them; y ones only with two operands.
    z : out
        Last stage of the reduction.
    r : out
        The same, one clock later.
    take, keep : out
        Control fields of the program for what is around the engine; 0 where it does not use them.
    """

    def __init__(self, engine: Engine, schedule: Schedule) -> None:
        self.engine, self.schedule = engine, schedule
        residues = data.ArrayLayout(engine.width, engine.rowers)
        inputs = {name: In(residues) for name in ("x", "y", "held_x", "held_y")}
        super().__init__(
            {"start": In(1), "z": Out(residues), "r": Out(residues), "take": Out(1), "keep": Out(1)} | inputs
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine = self.engine
        m.submodules.sequencer = control = Sequencer(self.schedule)
        played = {name: getattr(control, name) for name in control.widths}
        m.d.comb += control.start.eq(self.start)
        m.d.comb += [getattr(self, name).eq(played[name]) for name in ("take", "keep") if name in played]
        rowers = [Rower(engine, k) for k in range(engine.rowers)]
        bus_s, bus_v = self._bus(m, played, rowers)
        h = self._cox(m, played, bus_s, bus_v)
        for k, rower in enumerate(rowers):
            m.submodules[f"rower_{k}"] = rower
            m.d.comb += [getattr(rower, name).eq(getattr(self, name)[k]) for name in ("x", "y", "held_x", "held_y")]
            m.d.comb += [getattr(rower, name).eq(played[name]) for name in FIELDS if name in played]
            m.d.comb += [
                rower.bus_s.eq(bus_s),
                rower.bus_v.eq(bus_v),
                rower.h.eq(h),
                self.z[k].eq(rower.z),
                self.r[k].eq(rower.r),
            ]
        return m

    def _bus(self, m: Module, played: Mapping[str, Value], rowers: list[Rower]) -> tuple[Signal, Signal]:
        """The row on the bus: hats pass on the way to the register, S and V wait in a register of their own first."""
        engine = self.engine
        load, shift = played["load"], played.get("shift", Const(0))
        s_bits, v_bits = (largest.bit_length() for largest in engine.largest_bus())
        bus_s, bus_v = Signal(s_bits, name="bus_s"), Signal(max(1, v_bits), name="bus_v")
        if engine.columns == 1:
            row = rounds(m, [rower.r for rower in rowers], s_bits, 1, load=load, shift=shift, name="hat")[0]
            m.d.sync += bus_s.eq(row)
            return bus_s, bus_v
        rows = [self._row(m, played.get("source", Const(0)), rowers, row) for row in range(engine.rows)]
        waiting = [Signal(s_bits + v_bits, name=f"row_{row}") for row in range(engine.rows)]
        for row, (register, fresh) in enumerate(zip(waiting, rows, strict=True)):
            after = waiting[row + 1] if row + 1 < engine.rows else Const(0)
            m.d.sync += register.eq(Mux(load, fresh, Mux(shift, after, register)))
        m.d.sync += Cat(bus_s, bus_v).eq(waiting[0])
        return bus_s, bus_v

    def _row(self, m: Module, source: Value, rowers: list[Rower], row: int) -> Value:
        """S = x̂1 + x̂2 and V = x̂1·u2 + x̂2·u1 of a row."""
        engine = self.engine
        s_bits, v_bits = (largest.bit_length() for largest in engine.largest_bus())
        first, second = rowers[2 * row].r, rowers[2 * row + 1].r
        us = [engine.sources(e)[row] for e in range(len(engine.extensions))]
        terms, fill = multiple(first, [u2 for _, u2 in us], source, v_bits)
        more, missing = multiple(second, [u1 for u1, _ in us], source, v_bits)
        fixed = [a + b for a, b in zip(fill, missing, strict=True)]
        v = total(m, [*terms, *more, constants(fixed, source, v_bits)], v_bits, f"v_{row}")
        s = total(m, [first, second], s_bits, f"s_{row}")
        return Cat(s, v)

    def _cox(self, m: Module, played: Mapping[str, Value], bus_s: Value, bus_v: Value) -> Value:
        """h: what the rows on the bus have in their top bits, summed from 2^f·σ on."""
        engine = self.engine
        extension = engine.extensions[0]
        code = played["cox"]
        top: Value = bus_s[engine.width - extension.f :]
        if engine.cox_clocks:
            w = engine.width
            super_residue = Signal(2 * w + 1)  # X̂ = S·2^w - V
            m.d.comb += super_residue.eq(Cat(Const(0, w), bus_s) - bus_v)
            top, code = (
                delayed(m, super_residue[2 * w - extension.f :], 1, "top"),
                delayed(m, code, 1, "cox_code"),
            )
        offsets = [e.offset for e in engine.extensions]
        most = max(sum(e.tops(e.largest_hats), e.offset) for e in engine.extensions)
        held = Signal(range(most + 1), name="cox")
        before = Mux(code == 1, held, Const(offsets[0], len(held)))
        if len(offsets) > 1:
            before = Mux(code == 3, offsets[1], before)
        with m.If(code != 0):
            m.d.sync += held.eq(before + top)
        return held[extension.f :]
