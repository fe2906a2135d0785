# SPDX-License-Identifier: Apache-2.0
"""The cox-rower in hardware: rowers, the bus of rows, and the cox, controlled by microcode.

Registers, counted from the cycle of `load`, without copies of control (`local`); each row takes one cycle:

    cycle    register that holds the value from this cycle on
    1        `row_r`: row r of the hats, row 0 in front; where hats pass through, the bus itself
    r + 2    `bus_d`: limb d of row r, where rows wait for the bus
    r + 3    `cox`: 2^f·σ and the top bits of the rows up to r; a cycle later where they are made from several limbs
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from ....rns.extension import NONE
from ....rtl.control import rounds
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ....rtl.player import Player
from ....schedule import Schedule
from ..arithmetic import limb_factors
from ..engine import CoxrowerEngine
from ..steps import COX_ADD
from .folds import constants, multiple, padded, total
from .rower import BUS_NAMES, Rower, fields

AROUND = ("take", "keep", "following", "advance", "again", "settle")
"""Control fields for units around the engine."""


class Coxrower(wiring.Component):
    """All rowers, the bus and the cox, controlled by microcode.

    Parameters
    ----------
    engine : CoxrowerEngine
    schedule : Schedule
    more : mapping of str to Member, optional
        Ports of a derived component.

    Attributes
    ----------
    start : in
        Strobe: an operation begins, and word 0 of the microcode is issued in this cycle.
    x, y, held_x, held_y : in, p elements of w bits each
        Operands of the stream, for products that read them; y ones only with two operands.
    z : out, p elements of w bits
        Last stage of the reduction.
    r : out, n elements of w bits
        The last results of all channels; with one slot, `z` one cycle later.
    given : in, p elements of several words
        Words that come with the operands, where the engine has such.
    take, keep, following, advance, again, settle : out
        Control fields of the microcode for units around the engine, `engine.travel` cycles ahead; 0 where the microcode
        does not use them.
    """

    def __init__(self, engine: CoxrowerEngine, schedule: Schedule, more: Mapping[str, Member] | None = None) -> None:
        self.engine, self.schedule = engine, schedule
        residues = data.ArrayLayout(engine.width, engine.rowers)
        results = data.ArrayLayout(engine.width, engine.count)
        inputs = {name: In(residues) for name in ("x", "y", "held_x", "held_y")}
        super().__init__(
            (
                {"kept": Out(data.ArrayLayout(data.ArrayLayout(engine.width, engine.file), engine.rowers))}
                if engine.parallel_file
                else {}
            )
            | (
                {"pick": Out(fields(engine)["pick"]), "other": Out(fields(engine)["pick"])}
                if engine.parallel_file
                else {}
            )
            | (
                {"given": In(data.ArrayLayout(data.ArrayLayout(engine.width, engine.given), engine.rowers))}
                if engine.given
                else {}
            )
            | {"start": In(1), "z": Out(residues), "r": Out(results)}
            | {name: Out(1) for name in AROUND}
            | inputs
            | dict(more or {})
        )

    _factor: Value
    """The signed factor of rowers, which a derived component sets with the common number."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine = self.engine
        issued = self._issued(m)
        m.d.comb += [getattr(self, name).eq(issued[name]) for name in AROUND if name in issued]
        rowers = [self._rower(k) for k in range(engine.rowers)]
        limbs = self._bus(m, issued, rowers)
        h = self._cox(m, issued, limbs) if any(e.fed != NONE for e in engine.extensions) else Const(0, 1)
        common = self._common(m, issued, limbs) if engine.file else Const(0)
        late = [self._later(m, d, limb) for d, limb in enumerate(limbs)]
        for k, rower in enumerate(rowers):
            m.submodules[f"rower_{k}"] = rower
            m.d.comb += [getattr(rower, name).eq(getattr(self, name)[k]) for name in ("x", "y", "held_x", "held_y")]
            m.d.comb += [getattr(rower, name).eq(issued[name]) for name in fields(engine) if name in issued]
            m.d.comb += [getattr(rower, f"bus_{name}").eq(limb) for name, limb in zip(BUS_NAMES, late, strict=False)]
            m.d.comb += [rower.h.eq(h), self.z[k].eq(rower.z)]
            if engine.shares:
                m.d.comb += rower.common.eq(common)
            if engine.signed:
                m.d.comb += rower.factor.eq(self._factor)
            if engine.parallel_file:
                m.d.comb += self.kept[k].eq(rower.kept)
            if engine.given:
                m.d.comb += rower.given.eq(self.given[k])
            for slot, channel in enumerate(range(k, engine.count, engine.rowers)):
                m.d.comb += self.r[channel].eq(rower.result(slot))
        return m

    def _rower(self, number: int) -> Rower:
        """A rower."""
        return Rower(self.engine, number)

    def _issued(self, m: Module) -> Mapping[str, Value]:
        """Control fields, from the microcode."""
        code = self.schedule.microcode
        m.submodules.sequencer = control = Player(code.ahead(self.engine.travel) if self.engine.local else code)
        m.d.comb += control.start.eq(self.start)
        return {name: control.field(name) for name in control.widths}

    def _common(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """The common operand: 1, or a carry, floor(2^carry_bits·fraction) of the second extension, stored by the
        microcode."""
        del limbs
        engine = self.engine
        m.d.comb += [self.pick.eq(issued["pick"]), self.other.eq(issued["other"])]
        f, offset = engine.cox.f, engine.extensions[1].offset
        above = Signal(f + 1)  # its last bit is the sign
        m.d.comb += above.eq(self._counted[:f] - offset)
        carry = Mux(above[f], 0, above[f - engine.carry_bits : f])
        kept = [Signal(engine.carry_bits, name=f"carry_{number}") for number in range(engine.carries)]
        for number, register in enumerate(kept):
            with m.If(issued["carry"] == number + 1):
                m.d.sync += register.eq(carry)
        return Array([Const(1, engine.width), *(padded(register, engine.width) for register in kept)])[issued["pick"]]

    def _later(self, m: Module, d: int, limb: Value) -> Value:
        """A limb, delayed to the cycle in which its stage of the operand reads it."""
        before = self.engine.bus_folds[: max(0, d - 1)]
        return delayed(m, limb, sum(1 + folds for folds in before), f"bus_{BUS_NAMES[d]}_later")

    def _bus(self, m: Module, issued: Mapping[str, Value], rowers: list[Rower]) -> list[Signal]:
        """The row on the bus: hats pass directly, or rows wait in registers first."""
        engine = self.engine
        widths = [max(1, largest.bit_length()) for largest in engine.largest_limbs()]
        bus = [Signal(width, name=f"bus_{name}") for width, name in zip(widths, BUS_NAMES, strict=False)]
        if engine.passes_through and not engine.local:
            load, shift = issued["load"], issued.get("shift", Const(0))
            row = rounds(m, [rower.r for rower in rowers], widths[0], 1, load=load, shift=shift, name="hat")[0]
            m.d.sync += bus[0].eq(row)
            return bus
        results = self._held(m, issued, rowers)
        waiting = [Signal(sum(widths), name=f"row_{row}") for row in range(engine.rows)]
        for row, register in enumerate(waiting):
            slot, first = divmod(row * engine.columns, engine.rowers)
            hats = results[slot][first : first + engine.columns]
            load, shift, source = (self._copy(m, issued, name, row) for name in ("load", "shift", "source"))
            fresh = self._row(m, source, hats, row)
            after: Value = waiting[(row + 1) % engine.rows]
            if engine.slots == 1 and row + 1 == engine.rows:
                after = Const(0)
            m.d.sync += register.eq(Mux(load, fresh, Mux(shift, after, register)))
        if engine.passes_through:
            m.d.comb += Cat(*bus).eq(waiting[0])
        else:
            m.d.sync += Cat(*bus).eq(waiting[0])
        return bus

    def _copy(self, m: Module, issued: Mapping[str, Value], name: str, unit: int | str) -> Value:
        """A copy of a control field for one of the units that share it; 0 where no word has it."""
        if name not in issued:
            return Const(0)
        return copied(m, issued[name], self.engine.target, f"{name}_at_{unit}") if self.engine.local else issued[name]

    def _held(self, m: Module, issued: Mapping[str, Value], rowers: list[Rower]) -> list[list[Value]]:
        """The results that become rows, by slot and rower; those of the first extension from the registers of held
        hats."""
        results = [[rower.result(slot) for rower in rowers] for slot in range(self.engine.slots)]
        if "hold" not in issued:
            return results
        held = [Signal(self.engine.width, name=f"held_{number}") for number in range(len(rowers))]
        chosen: list[Value] = []
        for k, (register, hat) in enumerate(zip(held, results[0], strict=True)):
            with m.If(self._copy(m, issued, "hold", k)):
                m.d.sync += register.eq(hat)
            chosen.append(Mux(self._copy(m, issued, "source", f"held_{k}"), hat, register))
        return [chosen]

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

    def _cox(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """Estimate h: the sum of the top bits of the rows on the bus, from 2^f·σ on."""
        engine = self.engine
        w, c, f = engine.width, engine.columns, engine.cox.f
        code = delayed(m, issued["cox"], engine.travel, "cox_code_timely")
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
