# SPDX-License-Identifier: Apache-2.0
"""A rower of the cox-rower in hardware: every unit is controlled by the control word.

A rower is a pipeline: operand choice, multiplier block, accumulator, folds, result register. A row of hats goes from
the results to the bus, and from there to all rowers, which turn it into an operand for their modulus.

Registers of a product x·y over two extensions (`modmul/rns-kbe`); L cycles of a multiply-accumulate, F of a reduction:

    cycle        step           register that holds the value from this cycle on
    1            x, y in A      those of the caller
    L            x·y in B       `accumulator` of a rower: the product, 2w bits
    L + F        <x·y> in B     `r`: the residue, w bits, any representative; its last stage is `z` a cycle before
    L + R + 1    ŝ: rows        `row_k` and the bus: the hats of the first extension, which start in cycle L + R

With `local`, everything is a cycle later, and the words are issued a cycle ahead: control fields, the bus and h have a
register in every rower, which a placer can put next to it, and operands have one in front of the block.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Member, Out

from ....rtl.block_memory import ConstantsAndWords
from ....rtl.copies import copied
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ..arithmetic import BusStage
from ..engine import CoxrowerEngine
from ..steps import ADD, BUS, COMMON, DOUBLE, FILE, GIVEN, HELD, INPUT, RESULT, SAVED, SCALED
from .folds import choose, constants, fold, multiple, padded, reduce, total

ONES = 2
"""Words of a block RAM that are 1, so that a guest that exchanges results by the lowest bit of `pick` reads it, too."""
BUS_NAMES = "svtz"
"""Limbs of a row on the bus."""


def fields(engine: CoxrowerEngine) -> dict[str, int]:
    """Control fields of a rower and their bits."""
    slots = engine.slots
    choice = engine.choice_bits
    return (
        {
            "a": 3 if engine.file or engine.given else 2,
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
        The row on the bus: a limb for each column, or a hat; limbs after the second are delayed to their use.
    h : in
        The cox's estimate.
    common : in, w bits
        The common number of all rowers.
    factor : in, signed
        The signed factor of stored results, where the engine has one.
    given : in, w bits each
        Words that come with the operands; they stay while a product reads them.
    pick, write : in
        Index of the stored result that is an operand; index, from 1, under which `r` is stored.
    kept : out
        Stored results, w bits each; none where they are in a memory.
    a, b, sum, save, base, correct, into, correction : in
        Control fields (`steps`), each in the cycle in which its unit works, or `engine.travel` cycles before it.
    gather : in
        Strobe: the result is stored, after those stored before.
    z : out, w bits
        Last stage of the reduction.
    r : out, w bits
        Result, one cycle after `z`.
    results : out, s elements of w bits
        The last results by slot: those that were gathered, and `r`.
    """

    def __init__(self, engine: CoxrowerEngine, rower: int, more: Mapping[str, Member] | None = None) -> None:
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
            | ({"common": In(engine.width)} if engine.shares else {})
            | ({"kept": Out(data.ArrayLayout(engine.width, engine.file))} if engine.parallel_file else {})
            | ({"factor": In(signed(engine.signed))} if engine.signed else {})
            | ({"given": In(data.ArrayLayout(engine.width, engine.given))} if engine.given else {})
            | dict(more or {})
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        engine = self.engine
        self.near = near = self._near(m)
        plans = engine.plans(self.rower)
        held = self._accumulate(m, self._product(m), max(plan.first.bound for plan in plans))
        addend = Mux(near["correct"], self._correction(m), 0)
        m.d.comb += self.z.eq(reduce(m, plans, engine.folds, held, self._base(), addend, "fold", cut=engine.local))
        m.d.sync += self.r.eq(self.z)
        if engine.slots > 1:
            gathered = [Signal(engine.width, name=f"gathered_{slot}") for slot in range(engine.slots - 1)]
            with m.If(near["gather"]):
                m.d.sync += [register.eq(after) for register, after in itertools.pairwise([*gathered, self.r])]
            m.d.comb += self.results.eq(Cat(*gathered, self.r))
        return m

    def _near(self, m: Module) -> Mapping[str, Value]:
        """Control fields, limbs of the bus and h, or this rower's copies of them."""
        limbs = [f"bus_{name}" for name in BUS_NAMES if f"bus_{name}" in self.signature.members]
        addresses = ("b", "pick") if self.engine.blocks else ()  # which the block RAM has a register for
        every = {name: getattr(self, name) for name in (*fields(self.engine), *limbs, "h") if name not in addresses}
        if not self.engine.local:
            return every
        copies = {name: copied(m, value, self.engine.target, f"near_{name}") for name, value in every.items()}
        return copies | {"into": delayed(m, copies["into"], 1, "near_into_later")}  # a limb is copied behind the bus

    def _base(self) -> Value:
        """Index of the modulus by which a sum is reduced."""
        return self.near["base"]

    def _address(self) -> Value:
        """Address of a constant."""
        return self.near["b"]

    def result(self, slot: int) -> Value:
        """The last result of a slot."""
        return self.r if self.engine.slots == 1 else self.results[slot]

    def _product(self, m: Module) -> Value:
        engine, near = self.engine, self.near
        m.submodules.multiplier = unit = TiledMultiplier(engine.tiling, engine.registers)
        first, second = self._front(m, unit)
        rom, stored = self._in_block(m) if engine.blocks else self._in_logic(m)
        operands = {INPUT: self.x, HELD: self.held_x, RESULT: self.r, BUS: self._from_bus(m)}
        if engine.guest:
            operands |= {FILE: stored} | ({COMMON: self.common} if engine.shares else {}) | {SCALED: self.x}
            if engine.signed:
                operands |= {GIVEN: stored}
        elif engine.file:
            kept = [Signal(engine.width, name=f"kept_{number}") for number in range(engine.file)]
            for number, register in enumerate(kept):
                with m.If(near["write"] == number + 1):
                    m.d.sync += register.eq(self.r)
            m.d.comb += self.kept.eq(Cat(*kept))
            operands |= {FILE: Array(kept)[near["pick"]], COMMON: self.common}
        if engine.given:
            operands |= {GIVEN: self.r}
        if engine.blocks and engine.guest:
            m.d.comb += [first.eq(self._by_bits(operands)), second.eq(self._second(rom))]
            return unit.p + unit.q
        with m.Switch(near["a"]):
            for code, operand in operands.items():
                with m.Case(code):
                    m.d.comb += [first.eq(operand), second.eq(rom)]
                    if engine.operands == 2 and code in (INPUT, HELD):
                        m.d.comb += second.eq(self.y if code == INPUT else self.held_y)
                    if code == GIVEN and engine.signed:
                        m.d.comb += second.eq(self._representative())
                    elif code == GIVEN:
                        m.d.comb += second.eq(self.given[near["b"][: (engine.given - 1).bit_length()]])
        return unit.p + unit.q

    def _by_bits(self, operands: Mapping[int, Value]) -> Value:
        """The operand that `a` names, with no case for the codes that a guest in a block RAM does not have."""
        a = self.near["a"]
        of_stream = Mux(a[0], operands[HELD], operands[INPUT])
        rest = Mux(a[1], Mux(a[0], operands[BUS], operands[RESULT]), of_stream)
        return Mux(a[2], Mux(a[1], operands[SCALED], operands[FILE]), rest)

    def _second(self, rom: Value) -> Value:
        """The constant, or the other operand of the stream."""
        a = self.near["a"]
        return Mux(a[1] | a[2], rom, Mux(a[0], self.held_y, self.y))

    def _representative(self) -> Value:
        """The signed factor modulo the modulus of base 1."""
        [channel] = self.engine.channels(self.rower)
        modulus = self.engine.bases[1].moduli[channel]
        return (self.factor + Mux(self.factor < 0, modulus, 0))[: self.engine.width]

    def _in_logic(self, m: Module) -> tuple[Value, Value]:
        """The constant of a product, and the stored result of a guest."""
        rom = Array(Const(value, self.engine.width) for value in self.memory)[self._address()]
        return rom, self._stored(m) if self.engine.guest else Const(0)

    def _in_block(self, m: Module) -> tuple[Value, Value]:
        """The same from the block RAM, in the cycle in which copies of control are valid."""
        engine = self.engine
        count = engine.file + 1 if engine.guest else 0
        store = ConstantsAndWords(engine.width, self.memory, [1] * ONES, count, engine.target)
        m.submodules.kept = store
        m.d.comb += store.address.eq(self.b)
        if engine.guest:
            write = self.near["write"]
            m.d.comb += [
                store.pick.eq(self.pick),
                store.into.eq(write),
                store.write.eq(write != 0),
                store.word.eq(self.r),
            ]
        return store.constant, store.found

    def _stored(self, m: Module) -> Value:
        """The stored result that `pick` names, from 1 as in `write`, of a memory: one is read at a time."""
        m.submodules.kept = store = memory.Memory(shape=self.engine.width, depth=self.engine.file + 1, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.near["write"] != 0),
            write.addr.eq(self.near["write"]),
            write.data.eq(self.r),
            read.addr.eq(self.near["pick"]),
        ]
        return read.data

    def _front(self, m: Module, unit: TiledMultiplier) -> tuple[Value, Value]:
        """The operands of the block, or the inputs of the registers in front of it."""
        if not self.engine.local:
            return unit.a[0], unit.b[0]
        chosen = Signal(len(unit.a[0]), name="chosen_a"), Signal(self.engine.width, name="chosen_b")
        m.d.comb += [
            port[0].eq(delayed(m, one, 1, "front")) for port, one in zip((unit.a, unit.b), chosen, strict=True)
        ]
        return chosen

    def _accumulate(self, m: Module, product: Value, bound: int) -> Signal:
        """The sum: the product alone, added to the previous sum, or to the first of the saved ones."""
        held = Signal(bound.bit_length(), name="accumulator")
        kind = self.near["sum"]
        before = Mux(kind == ADD, held, 0)
        if self.engine.parallel_file:
            before = Mux(kind == DOUBLE, held << 1, before)
        if self.engine.initial:
            slots, width = self.engine.slots, 2 * self.engine.width
            saved = [Signal(width, name="saved" if slots == 1 else f"saved_{slot}") for slot in range(slots)]
            for register, after in zip(saved, [*saved[1:], held], strict=True):
                following = self.near["save"] if slots == 1 else self.near["save"] | (kind == SAVED)
                with m.If(following):
                    m.d.sync += register.eq(after)
            before = Mux(kind == SAVED, saved[0], before)
        m.d.sync += held.eq(product + before)
        return held

    def _correction(self, m: Module) -> Signal:
        """Correction <-h·A> times the scale of the sum, looked up when h is valid."""
        engine, chosen = self.engine, self.near["correction"]
        tables = [
            self._addend(extension, channel)
            for extension in range(len(engine.extensions))
            for channel in engine.channels(self.rower)
        ]
        correction = Signal(engine.width, name="correction_held")
        with m.If(chosen != 0):
            m.d.sync += correction.eq(choose((chosen - 1)[: len(chosen)], tables))
        return correction

    def _addend(self, extension: int, channel: int) -> Value:
        """The addend of a channel for h."""
        h, entries = self.near["h"], self.engine.corrections_of(extension, channel)
        entries += [0] * ((1 << len(h)) - len(entries))
        return Array(Const(entry, self.engine.width) for entry in entries)[h]

    def _from_bus(self, m: Module) -> Value:
        """The stages of the operand and their folds, modulo the target's modulus; a hat without change."""
        engine = self.engine
        if engine.columns == 1:
            return self.near["bus_s"]
        units = [unit.stages(engine.bus_folds) for unit in engine.bus_operands(self.rower)]
        select: Value = ~self.near["into"]
        value: Value = self.near["bus_s"]
        for number, count in enumerate(engine.bus_folds):
            limb = self.near[f"bus_{BUS_NAMES[1 + number]}"]
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
        """Sum x·u + C - limb, or x·u + limb."""
        width = max(stage.largest_y for stage in stages).bit_length()
        terms, fill = multiple(x, [stage.u for stage in stages], select, width)
        negative = stages[0].negative
        terms.append(~padded(limb, width) if negative else padded(limb, width))
        fixed = [stage.offset + int(negative) + c for stage, c in zip(stages, fill, strict=True)]
        if any(fixed):
            terms.append(constants(fixed, select, width))
        return total(m, terms, width, name)
