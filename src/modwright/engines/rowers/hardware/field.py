# SPDX-License-Identifier: Apache-2.0
"""A field in residues in hardware: rowers of both bases, a bus and a cox each way, and the test for 0.

Registers, by cycle from that in which a field of the control word is active; TRAVEL is 2:

    cycle    field            register that holds the value from this cycle on
    1        every one        `issued`: the field, for all rowers
    2        load_a, load_b   its copy next to each register of the bus
    3        the same         `hats_k`: hats of all rowers, which move every cycle; the first lanes are on the bus
    3        digit            the first of them: digits
    4        cox_a, cox_b     `cox`: the sum of the top bits of the hats
    4        of a residue     `zero_k`, `p_k`: the residue of a rower of B is that of 0, or that of P
    5        the same         `zero_some`, `p_some`: that of some rowers is
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rns.extension import Extension
from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ..parameters import RowerField
from .rower import FieldRower, port_widths

SOME = 4
"""Rowers whose comparisons are joined first."""
SIDES = "ab"


def fields(p: RowerField, words: int) -> dict[str, int]:
    """Inputs that follow the control word, and their bits."""
    ports = port_widths(p, words)
    found = {f"{side}_{name}": width for side in SIDES for name, width in ports.items()}
    return found | {"load_a": 1, "load_b": 1, "cox_a": 1, "cox_b": 1, "digit": 1}


class ResidueFieldUnit(wiring.Component):
    """The unit.

    Attributes
    ----------
    <field> : in
        Control fields (`control`), with addresses as they are read; those of A for writing name each memory.
    digits : in, lanes of w bits
        Digits of a plain number, two cycles after that of the field `digit`.
    hats : out, n of w bits
        Residues of the rowers of B.
    zero : out
        The residues of B three cycles ago are those of 0 or of P.
    """

    def __init__(self, p: RowerField, words: int) -> None:
        self.p, self.words = p, words
        super().__init__(
            {name: In(width) for name, width in fields(p, words).items()}
            | {"digits": In(data.ArrayLayout(p.width, p.lanes)), "hats": Out(data.ArrayLayout(p.width, p.n))}
            | {"zero": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        issued = {name: delayed(m, getattr(self, name), 1, f"issued_{name}") for name in fields(p, self.words)}
        rowers = [[FieldRower(p, side, k, self.words) for k in range(p.n)] for side in range(len(SIDES))]
        for side, base in enumerate(rowers):
            for k, rower in enumerate(base):
                m.submodules[f"rower_{SIDES[side]}_{k}"] = rower
                for name in port_widths(p, self.words):
                    m.d.comb += getattr(rower, name).eq(issued[f"{SIDES[side]}_{name}"])
        for side, extension in enumerate((p.first, p.second)):
            residues = [rower.r for rower in rowers[side]]
            bus = self._bus(m, issued, SIDES[side], residues)
            h = self._cox(m, issued, SIDES[side], extension, bus)
            for rower in rowers[1 - side]:
                m.d.comb += [rower.bus.eq(Cat(bus)), rower.h.eq(h)]
        m.d.comb += [hat.eq(rower.r) for hat, rower in zip(self.hats, rowers[1], strict=True)]
        m.d.comb += self.zero.eq(self._zero(m, [rower.r for rower in rowers[1]]))
        return m

    def _bus(self, m: Module, issued: Mapping[str, Value], side: str, residues: list[Value]) -> list[Signal]:
        """Hats, a row of which leaves every cycle; digits take the place of the first row."""
        p, lanes = self.p, self.p.lanes
        hats = [Signal(p.width, name=f"hats_{side}_{k}") for k in range(p.rows * lanes)]
        digit = copied(m, issued["digit"], p.target, f"digit_{side}")
        for k, hat in enumerate(hats):
            load = copied(m, issued[f"load_{side}"], p.target, f"load_{side}_{k}")
            moved: Value = hats[k + lanes] if k + lanes < len(hats) else Const(0, p.width)
            if k < lanes:
                moved = Mux(digit, self.digits[k], moved)
            m.d.sync += hat.eq(Mux(load, residues[k] if k < p.n else 0, moved))
        return hats[:lanes]

    def _cox(self, m: Module, issued: Mapping[str, Value], side: str, extension: Extension, bus: list[Signal]) -> Value:
        """Estimate h: the sum of the top bits of hats on the bus, from 2^f·σ on."""
        p, f = self.p, extension.f
        first = copied(m, issued[f"cox_{side}"], p.target, f"cox_{side}_first")
        most = sum(extension.tops(extension.largest_hats), extension.offset)
        held = Signal(range(most + 1), name=f"cox_{side}_sum")
        before = Mux(first, extension.offset, held)
        tops = sum((hat[p.width - f :] for hat in bus), Const(0, 1))
        m.d.sync += held.eq(before + tops)
        return held[f:]

    def _zero(self, m: Module, residues: list[Value]) -> Value:
        """Whether all residues are those of 0, or all those of P."""
        p, joined = self.p, list[Value]()
        for name, number in (("zero", 0), ("p", p.modulus)):
            each: list[Value] = []
            for k, r in enumerate(residues):
                b = p.B.moduli[k]
                hat = number * p.B.inverses[k] % b
                hit = Signal(name=f"{name}_{k}")
                m.d.sync += hit.eq(Cat(r == value for value in (hat, hat + b) if value <= p.word).any())
                each.append(hit)
            some = [Cat(each[first : first + SOME]).all() for first in range(0, len(each), SOME)]
            joined.append(Cat(delayed(m, part, 1, f"{name}_some_{k}") for k, part in enumerate(some)).all())
        return delayed(m, Cat(joined).any(), 1, "zero_all")
