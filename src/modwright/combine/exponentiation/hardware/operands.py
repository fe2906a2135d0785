# SPDX-License-Identifier: Apache-2.0
"""Registers A and B, in slices with separate control, and their operand for a multiplier.

Registers, counted from the cycle of a strobe; each slice has a copy of it:

    cycle    register that holds the value from this cycle on
    1        `to_a_k`, `to_b_k`, `copy_k` and so on: the copies; `y_a_k`, `y_b_k`: the source of `y` from now on
    2        `a`, `b`: what the strobe says
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ....rtl.copies import held_copy, level_copy, pulse_copy
from ..parameters import LADDER, RIGHT, WINDOW, ModexpParameters

SLICE = 64
"""Bits of a slice, where the core has no limb unit whose limb decides."""


def slices(width: int, size: int = SLICE) -> list[slice]:
    """Parts of a register that are controlled together."""
    return [slice(low, min(low + size, width)) for low in range(0, width, size)]


class OperandRegisters(wiring.Component):
    """Registers A and B. An input of one bit is a strobe that takes effect in the following cycle.

    Attributes
    ----------
    start, end : in
        B is `base` until `start`, and again after `end`; so is A the multiplier's 1 without a domain.
    begin, square : in
        With residues: B is `base` until `begin`, and A is `square` until `start`.
    z, to_a, to_b : in
        Result of a product, in the cycle after it is said to be taken; A <- z; B <- z.
    exchanges, exchange : in
        Strobes of the ladder: `exchanges` with `to_a`: B <- B as well; with both, A <- B and B <- z instead.
    z_second, later : in
        With two multipliers: with `to_b`, B <- `z_second`, the second one's result.
    copy : in
        A <- B, from the right and with a window.
    clear, found : in
        With a window: B <- 0; B <- B | found, in the same cycle.
    shift, shifted : in
        A moves down by a limb a cycle, from the cycle after `shift` to that of `shifted`.
    limb : in
        Limb that enters at the top.
    select, y_a, y_b, y_one, y_back : in
        Source of `y` from the next cycle on, taken with `select`; 0 when none is set.
    a, b : out
    y : out
    """

    def __init__(self, p: ModexpParameters) -> None:
        self.p = p
        w = p.multiplier.width
        self.size = p.limb if p.multiplier.domain else SLICE
        self.width = p.limb * p.limbs if p.multiplier.domain else w
        base = w if p.multiplier.residues else p.base.width
        members: dict[str, Member] = {"start": In(1), "end": In(1), "base": In(base), "z": In(w)}
        members |= {name: In(1) for name in ("to_a", "to_b", "select", "y_a", "y_b")}
        members |= {"exchanges": In(1), "exchange": In(1)} if p.method == LADDER else {}
        members |= {"z_second": In(w), "later": In(1)} if p.ports == 2 else {}
        members |= {"copy": In(1)} if p.method in (RIGHT, WINDOW) else {}
        members |= {"clear": In(1), "found": In(w)} if p.method == WINDOW else {}
        if p.multiplier.domain:
            members |= {name: In(1) for name in ("shift", "shifted", "y_one", "y_back")} | {"limb": In(p.limb)}
        if p.multiplier.residues:
            members |= {name: In(1) for name in ("begin", "y_one", "y_back")} | {"square": In(w)}
        super().__init__(members | {"a": Out(self.width), "b": Out(w), "y": Out(w)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        above = Cat(self.a, self.limb)[self.size :] if self.p.multiplier.domain else Const(0, self.width)
        for number, part in enumerate(slices(self.width, self.size)):
            self._first(m, number, part, above)
            self._second(m, number, part)
        return m

    def _first(self, m: Module, number: int, part: slice, above: Value) -> None:
        """A slice of A."""
        p, a = self.p, self.a[part]
        size = len(a)
        b, z = _part(self.b, part, size), _part(self.z, part, size)
        if p.method == LADDER:
            z = Mux(pulse_copy(m, self.exchange, f"exchange_a_{number}"), b, z)
        sources: list[tuple[Value, Value]] = [(pulse_copy(m, self.to_a, f"to_a_{number}"), z)]
        if p.method in (RIGHT, WINDOW):
            sources.append((pulse_copy(m, self.copy, f"copy_{number}"), b))
        if p.multiplier.domain:
            sources.append((level_copy(m, self.shift, self.shifted, f"shift_{number}"), above[part]))
        elif p.multiplier.residues:
            sources.append((self._idle(m, f"a_idle_{number}"), self.square[part]))
        else:
            one = _part(Const(p.multiplier.one, len(self.z)), part, size)
            sources.append((self._idle(m, f"a_idle_{number}"), one))
        self._take(m, a, sources)

    def _second(self, m: Module, number: int, part: slice) -> None:
        """A slice of B, and of the second operand."""
        p, b = self.p, self.b[part]
        z: Value = self.z[part]
        if p.ports == 2:
            z = Mux(pulse_copy(m, self.later, f"later_{number}"), self.z_second[part], z)
        base = _part(self.base, part, len(b))
        sources: list[tuple[Value, Value]] = [
            (pulse_copy(m, self.to_b, f"to_b_{number}"), z),
            (self._until_begin(m, f"b_idle_{number}"), base),
        ]
        if p.method == LADDER:
            kept = Mux(pulse_copy(m, self.exchange, f"exchange_b_{number}"), z, b)
            sources.append((pulse_copy(m, self.exchanges, f"exchanges_{number}"), kept))
        if p.method == WINDOW:
            sources.append((pulse_copy(m, self.clear, f"clear_{number}"), Const(0, len(b))))
            sources.append((Const(1, 1), b | self.found[part]))
        self._take(m, b, sources)
        y_a, y_b = (held_copy(m, self.select, getattr(self, name), f"{name}_{number}") for name in ("y_a", "y_b"))
        word = (y_a.replicate(len(b)) & self.a[part][: len(b)]) | (y_b.replicate(len(b)) & b)
        m.d.comb += self.y[part].eq(word | self._constants(m, part))

    def _take(self, m: Module, register: Value, sources: Sequence[tuple[Value, Value]]) -> None:
        """Load the first of the sources whose condition holds."""
        (condition, value), *others = sources
        with m.If(condition):
            m.d.sync += register.eq(value)
        for condition, value in others:
            with m.Elif(condition):
                m.d.sync += register.eq(value)

    def _idle(self, m: Module, name: str) -> Value:
        return level_copy(m, self.end, self.start, name, init=1)

    def _until_begin(self, m: Module, name: str) -> Value:
        """B takes the residues of the base up to the cycle in which they are there."""
        if not self.p.multiplier.residues:
            return self._idle(m, name)
        return level_copy(m, self.end, self.begin, name, init=1)

    def _constants(self, m: Module, part: slice) -> Value:
        """Bits of 1 and 2^K that lie in a slice."""
        if self.p.multiplier.residues:
            return self._residues_of_one(m, part)
        if not self.p.multiplier.domain:
            return Const(0, 1)
        word: Value = Const(0, 1)
        for place, name in ((0, "y_one"), (self.p.guard, "y_back")):
            if part.start <= place < part.stop:
                word = word | (held_copy(m, self.select, getattr(self, name), name) << (place - part.start))
        return word

    def _residues_of_one(self, m: Module, part: slice) -> Value:
        """1 in residues, as it is on the way into the domain, and scaled on the way out."""
        word: Value = Const(0, 1)
        for name, scaled in (("y_one", False), ("y_back", True)):
            ones = self.p.multiplier.residues_of(1, scaled=scaled) >> part.start & ((1 << (part.stop - part.start)) - 1)
            control = held_copy(m, self.select, getattr(self, name), f"{name}_{part.start}")
            word = word | (control.replicate(part.stop - part.start) & ones)
        return word


def _part(value: Value, part: slice, size: int) -> Value:
    """Bits of a value that may end below the slice; 0 above its end."""
    return Cat(value[part.start : min(part.stop, len(value))], Const(0, size))[:size]
