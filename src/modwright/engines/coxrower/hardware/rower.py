# SPDX-License-Identifier: Apache-2.0
"""The cox-rower in hardware: rowers, the bus of rows, and the cox; every unit does what the control word says.

A rower is a pipeline: operand choice, multiplier block, accumulator, folds, result register. A row of hats goes from
the results to the bus, and from there to all rowers, which make an operand of it for their own modulus.

Registers of a product x·y over two extensions (`modmul/rns-kbe`); L cycles of a multiply-accumulate, F of a reduction:

    cycle        step           register that holds the value from this cycle on
    1            x, y in A      those of the caller
    L            x·y in B       `accumulator` of a rower: the product, 2w bits
    L + F        <x·y> in B     `r`: the residue, w bits, any representative; its last stage is `z` a cycle before
    L + R + 1    ŝ: rows        `row_k` and the bus: the hats of the first extension, which start in cycle L + R
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rns.extension import NONE
from ....rtl.control import rounds
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from ..arithmetic import BusStage, limb_factors
from ..engine import Engine
from ..steps import ADD, BUS, COMMON, COX_ADD, DOUBLE, FILE, HELD, INPUT, RESULT, SAVED
from .folds import choose, constants, fold, multiple, padded, reduce, total

BUS_NAMES = "svtz"
"""Limbs of a row on the bus."""


def fields(engine: Engine) -> dict[str, int]:
    """Control fields of a rower and their bits."""
    slots = engine.slots
    choice = engine.choice_bits
    return (
        {
            "a": 3 if engine.file else 2,
            "b": max(1, (len(engine.constants(0)) - 1).bit_length()),
            "sum": 2,
            "save": 1,
            "base": choice,
            "correct": 1,
            "into": choice,
            "correction": (2 * slots).bit_length(),
        }
        | ({"gather": 1} if slots > 1 else {})
        | ({"pick": max(1, (engine.file - 1).bit_length()), "write": engine.file.bit_length()} if engine.file else {})
    )


class Rower(wiring.Component):
    """One rower.

    Attributes
    ----------
    x, y, held_x, held_y : in, w bits
        Operands of the stream.
    bus_s, bus_v, bus_t, bus_z : in
        The row on the bus: a limb for each column, or a hat; limbs behind the second come as late as they are used.
    h : in
        The cox's estimate.
    common : in, w bits
        The number that all rowers have.
    pick, write : in
        Which kept result is an operand; which one, counted from 1, `r` becomes.
    kept : out
        Kept results, w bits each.
    a, b, sum, save, base, correct, into, correction : in
        Control fields (`steps`), each in the cycle in which its unit works.
    gather : in
        The result is kept, behind those kept before.
    z : out, w bits
        Last stage of the reduction.
    r : out, w bits
        The same, one cycle later.
    results : out, s elements of w bits
        The last results by slot: those that were gathered, and `r`.
    """

    def __init__(self, engine: Engine, rower: int) -> None:
        self.engine, self.rower = engine, rower
        self.memory = engine.constants(rower)
        self.largest_h = max(extension.largest_h for extension in engine.extensions)
        limbs = dict(zip(BUS_NAMES, engine.largest_limbs(), strict=False))
        super().__init__(
            {name: In(width) for name, width in fields(engine).items()}
            | {name: In(engine.width) for name in ("x", "y", "held_x", "held_y")}
            | {f"bus_{name}": In(max(1, largest.bit_length())) for name, largest in limbs.items()}
            | {"h": In(max(1, self.largest_h.bit_length())), "z": Out(engine.width), "r": Out(engine.width)}
            | ({"results": Out(data.ArrayLayout(engine.width, engine.slots))} if engine.slots > 1 else {})
            | (
                {"common": In(engine.width), "kept": Out(data.ArrayLayout(engine.width, engine.file))}
                if engine.file
                else {}
            )
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine = self.engine
        plans = engine.plans(self.rower)
        held = self._accumulate(m, self._product(m), max(plan.first.bound for plan in plans))
        addend = Mux(self.correct, self._correction(m), 0)
        m.d.comb += self.z.eq(reduce(m, plans, engine.fold_cycles, held, self.base, addend, "fold"))
        m.d.sync += self.r.eq(self.z)
        if engine.slots > 1:
            gathered = [Signal(engine.width, name=f"gathered_{slot}") for slot in range(engine.slots - 1)]
            with m.If(self.gather):
                m.d.sync += [register.eq(after) for register, after in itertools.pairwise([*gathered, self.r])]
            m.d.comb += self.results.eq(Cat(*gathered, self.r))
        return m

    def result(self, slot: int) -> Value:
        """The last result of a slot."""
        return self.r if self.engine.slots == 1 else self.results[slot]

    def _product(self, m: Module) -> Value:
        engine = self.engine
        m.submodules.multiplier = unit = TiledMultiplier(engine.tiling, engine.registers)
        rom = Array(Const(value, engine.width) for value in self.memory)[self.b]
        operands = {INPUT: self.x, HELD: self.held_x, RESULT: self.r, BUS: self._from_bus(m)}
        if engine.file:
            kept = [Signal(engine.width, name=f"kept_{number}") for number in range(engine.file)]
            for number, register in enumerate(kept):
                with m.If(self.write == number + 1):
                    m.d.sync += register.eq(self.r)
            m.d.comb += self.kept.eq(Cat(*kept))
            operands |= {FILE: Array(kept)[self.pick], COMMON: self.common}
        with m.Switch(self.a):
            for code, operand in operands.items():
                with m.Case(code):
                    m.d.comb += [unit.a[0].eq(operand), unit.b[0].eq(rom)]
                    if engine.operands == 2 and code in (INPUT, HELD):
                        m.d.comb += unit.b[0].eq(self.y if code == INPUT else self.held_y)
        return unit.p + unit.q

    def _accumulate(self, m: Module, product: Value, bound: int) -> Signal:
        """The sum: the product, added to nothing, to the sum before, or to the first of those that were saved."""
        held = Signal(bound.bit_length(), name="accumulator")
        before = Mux(self.sum == ADD, held, 0)
        if self.engine.file:
            before = Mux(self.sum == DOUBLE, held << 1, before)
        if self.engine.initial:
            slots, width = self.engine.slots, 2 * self.engine.width
            saved = [Signal(width, name="saved" if slots == 1 else f"saved_{slot}") for slot in range(slots)]
            for register, after in zip(saved, [*saved[1:], held], strict=True):
                following = self.save if slots == 1 else self.save | (self.sum == SAVED)
                with m.If(following):
                    m.d.sync += register.eq(after)
            before = Mux(self.sum == SAVED, saved[0], before)
        m.d.sync += held.eq(product + before)
        return held

    def _correction(self, m: Module) -> Signal:
        """<-h·A> times what the sum is scaled by, looked up when h is there."""
        engine = self.engine
        tables = []
        for extension in range(len(engine.extensions)):
            for channel in engine.channels(self.rower):
                entries = engine.corrections_of(extension, channel)
                entries += [0] * ((1 << len(self.h)) - len(entries))
                tables.append(Array(Const(entry, engine.width) for entry in entries)[self.h])
        correction = Signal(engine.width, name="correction_held")
        with m.If(self.correction != 0):
            m.d.sync += correction.eq(choose((self.correction - 1)[: len(self.correction)], tables))
        return correction

    def _from_bus(self, m: Module) -> Value:
        """The stages of the operand and their folds, modulo the modulus that is extended to; a hat as it is."""
        engine = self.engine
        if engine.columns == 1:
            return self.bus_s
        units = [unit.stages(engine.bus_folds) for unit in engine.bus_operands(self.rower)]
        select: Value = ~self.into
        value: Value = self.bus_s
        for number, count in enumerate(engine.bus_folds):
            limb = getattr(self, f"bus_{BUS_NAMES[1 + number]}")
            stages = [unit[number] for unit in units]
            prefix = "operand" if number == 0 else f"operand_{number}"
            value = delayed(m, self._stage(m, stages, value, limb, select, prefix), 1, f"{prefix}_held")
            for step in range(count):
                select = delayed(m, select, 1, f"into_{step}" if number == 0 else f"into_{number}_{step}")
                steps = [stage.folded(count)[step] for stage in stages]
                folded = fold(m, steps, select, value, f"{prefix}_fold_{step}")
                value = delayed(m, folded, 1, f"{prefix}_fold_{step}_held")
            if number + 1 < len(engine.bus_folds):
                select = delayed(m, select, 1, f"into_{number}_{count}")
        return value

    def _stage(self, m: Module, stages: list[BusStage], x: Value, limb: Value, select: Value, name: str) -> Signal:
        """x·u + C - limb, or x·u + limb."""
        width = max(stage.largest_y for stage in stages).bit_length()
        terms, fill = multiple(x, [stage.u for stage in stages], select, width)
        negative = stages[0].negative
        terms.append(~padded(limb, width) if negative else padded(limb, width))
        fixed = [stage.offset + int(negative) + c for stage, c in zip(stages, fill, strict=True)]
        if any(fixed):
            terms.append(constants(fixed, select, width))
        return total(m, terms, width, name)


AROUND = ("take", "keep", "following")
"""Control fields for what is around the engine."""


class Coxrower(wiring.Component):
    """All rowers, the bus and the cox, played by a program.

    Attributes
    ----------
    start : in
        An operation begins: word 0 of the program is played in this cycle.
    x, y, held_x, held_y : in, p elements of w bits each
        Operands of the stream, for products that read them; y ones only with two operands.
    z : out, p elements of w bits
        Last stage of the reduction.
    r : out, n elements of w bits
        The last results of all channels; with one slot, `z` one cycle later.
    take, keep, following : out
        Control fields of the program for what is around the engine; 0 where it does not use them.
    """

    def __init__(self, engine: Engine, schedule: Schedule) -> None:
        self.engine, self.schedule = engine, schedule
        residues = data.ArrayLayout(engine.width, engine.rowers)
        results = data.ArrayLayout(engine.width, engine.count)
        inputs = {name: In(residues) for name in ("x", "y", "held_x", "held_y")}
        super().__init__(
            (
                {"kept": Out(data.ArrayLayout(data.ArrayLayout(engine.width, engine.file), engine.rowers))}
                if engine.file
                else {}
            )
            | ({"pick": Out(fields(engine)["pick"]), "other": Out(fields(engine)["pick"])} if engine.file else {})
            | {"start": In(1), "z": Out(residues), "r": Out(results)}
            | {name: Out(1) for name in AROUND}
            | inputs
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine = self.engine
        m.submodules.sequencer = control = Player(self.schedule.microcode)
        played = {name: control.field(name) for name in control.widths}
        m.d.comb += control.start.eq(self.start)
        m.d.comb += [getattr(self, name).eq(played[name]) for name in AROUND if name in played]
        rowers = [Rower(engine, k) for k in range(engine.rowers)]
        limbs = self._bus(m, played, rowers)
        h = self._cox(m, played, limbs) if any(e.fed != NONE for e in engine.extensions) else Const(0, 1)
        common = self._common(m, played) if engine.file else Const(0)
        late = [self._later(m, d, limb) for d, limb in enumerate(limbs)]
        for k, rower in enumerate(rowers):
            m.submodules[f"rower_{k}"] = rower
            m.d.comb += [getattr(rower, name).eq(getattr(self, name)[k]) for name in ("x", "y", "held_x", "held_y")]
            m.d.comb += [getattr(rower, name).eq(played[name]) for name in fields(engine) if name in played]
            m.d.comb += [getattr(rower, f"bus_{name}").eq(limb) for name, limb in zip(BUS_NAMES, late, strict=False)]
            m.d.comb += [rower.h.eq(h), self.z[k].eq(rower.z)]
            if engine.file:
                m.d.comb += [rower.common.eq(common), self.kept[k].eq(rower.kept)]
            for slot, channel in enumerate(range(k, engine.count, engine.rowers)):
                m.d.comb += self.r[channel].eq(rower.result(slot))
        return m

    def _common(self, m: Module, played: Mapping[str, Value]) -> Value:
        """1, or a carry: floor(2^carry_bits·fraction) of the second extension, kept when the program says so."""
        engine = self.engine
        m.d.comb += [self.pick.eq(played["pick"]), self.other.eq(played["other"])]
        f, offset = engine.cox.f, engine.extensions[1].offset
        above = Signal(f + 1)  # its last bit is the sign
        m.d.comb += above.eq(self._counted[:f] - offset)
        carry = Mux(above[f], 0, above[f - engine.carry_bits : f])
        kept = [Signal(engine.carry_bits, name=f"carry_{number}") for number in range(engine.carries)]
        for number, register in enumerate(kept):
            with m.If(played["carry"] == number + 1):
                m.d.sync += register.eq(carry)
        return Array([Const(1, engine.width), *(padded(register, engine.width) for register in kept)])[played["pick"]]

    def _later(self, m: Module, d: int, limb: Value) -> Value:
        """A limb, in the cycle in which its stage of the operand takes it."""
        before = self.engine.bus_folds[: max(0, d - 1)]
        return delayed(m, limb, sum(1 + folds for folds in before), f"bus_{BUS_NAMES[d]}_later")

    def _bus(self, m: Module, played: Mapping[str, Value], rowers: list[Rower]) -> list[Signal]:
        """The row on the bus: hats pass on the way to the register, or rows wait in a register of their own first."""
        engine = self.engine
        load, shift = played["load"], played.get("shift", Const(0))
        widths = [max(1, largest.bit_length()) for largest in engine.largest_limbs()]
        bus = [Signal(width, name=f"bus_{name}") for width, name in zip(widths, BUS_NAMES, strict=False)]
        if engine.passes_through:
            row = rounds(m, [rower.r for rower in rowers], widths[0], 1, load=load, shift=shift, name="hat")[0]
            m.d.sync += bus[0].eq(row)
            return bus
        source = played.get("source", Const(0))
        results = self._held(m, played, source, rowers)
        waiting = [Signal(sum(widths), name=f"row_{row}") for row in range(engine.rows)]
        for row, register in enumerate(waiting):
            slot, first = divmod(row * engine.columns, engine.rowers)
            hats = results[slot][first : first + engine.columns]
            fresh = self._row(m, source, hats, row)
            after: Value = waiting[(row + 1) % engine.rows]
            if engine.slots == 1 and row + 1 == engine.rows:
                after = Const(0)
            m.d.sync += register.eq(Mux(load, fresh, Mux(shift, after, register)))
        m.d.sync += Cat(*bus).eq(waiting[0])
        return bus

    def _held(self, m: Module, played: Mapping[str, Value], source: Value, rowers: list[Rower]) -> list[list[Value]]:
        """The results that become rows, by slot and rower; those of the first extension from where they were held."""
        results = [[rower.result(slot) for rower in rowers] for slot in range(self.engine.slots)]
        if "hold" not in played:
            return results
        held = [Signal(self.engine.width, name=f"held_{number}") for number in range(len(rowers))]
        with m.If(played["hold"]):
            m.d.sync += [register.eq(hat) for register, hat in zip(held, results[0], strict=True)]
        return [[Mux(source, hat, register) for register, hat in zip(held, results[0], strict=True)]]

    def _row(self, m: Module, source: Value, hats: list[Value], row: int) -> Value:
        """The limbs of a row."""
        engine = self.engine
        if engine.columns == 1:
            return hats[0]
        us = [engine.sources(e)[row] for e in range(len(engine.extensions))]
        widths = [largest.bit_length() for largest in engine.largest_limbs()]
        limbs = []
        for d in range(1, engine.columns):
            factors = [limb_factors(u, d) for u in us]
            terms: list[Value] = []
            fixed = [0] * len(us)
            for j, hat in enumerate(hats):
                more, fill = multiple(hat, [f[j] for f in factors], source, widths[d])
                terms += more
                fixed = [a + b for a, b in zip(fixed, fill, strict=True)]
            terms.append(constants(fixed, source, widths[d]))
            limbs.append(total(m, terms, widths[d], f"{BUS_NAMES[d]}_{row}"))
        return Cat(total(m, hats, widths[0], f"s_{row}"), *limbs)

    def _cox(self, m: Module, played: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """h: what the rows on the bus have in their top bits, summed from 2^f·σ on."""
        engine = self.engine
        w, c, f = engine.width, engine.columns, engine.cox.f
        code = played["cox"]
        top: Value = limbs[0][w - f :]
        if engine.cox_cycles:
            # X̂ = S·2^(w(c-1)) - V·2^(w(c-2)) + ...
            bits = max(max(e.super_residues(e.largest_hats)) for e in engine.extensions).bit_length()
            super_residue = Signal(bits)
            value: Value = Cat(Const(0, w * (c - 1)), limbs[0])
            for d, limb in enumerate(limbs[1:], 1):
                term = Cat(Const(0, w * (c - 1 - d)), limb)
                value = value - term if d % 2 else value + term
            m.d.comb += super_residue.eq(value)
            top, code = (
                delayed(m, super_residue[c * w - f :], 1, "top"),
                delayed(m, code, 1, "cox_code"),
            )
        counted = [(number, e) for number, e in enumerate(engine.extensions) if e.fed != NONE]
        most = max(sum(e.tops(e.largest_hats), e.offset) for _, e in counted)
        held = Signal(range(most + 1), name="cox")
        before = Mux(code == COX_ADD, held, Const(counted[0][1].offset, len(held)))
        for number, extension in counted[1:]:
            before = Mux(code == COX_ADD + 1 + number, extension.offset, before)
        with m.If(code != 0):
            m.d.sync += held.eq(before + top)
        self._counted = held
        return held[f:]
