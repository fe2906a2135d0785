# SPDX-License-Identifier: Apache-2.0
"""A rower of one modulus: words, constants, multiplier, sum, reduction. All control comes from outside.

Registers, by cycle from that of the address in the rower, with D registers of the multiplier and F stages of the
reduction, of which the first and the last one take two cycles:

    cycle            register that holds the value from this cycle on
    2                the output of the memories of words and constants
    3                operands of the multiplier, inside the block
    3 + D            the product, or the sum of those of all lanes
    4 + D            `total`: the sum
    6 + D + F        `r`: its residue, any representative
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.block_memory import BlockMemory, constant_words
from ....rtl.chains import plus_or_minus
from ....rtl.copies import copied
from ....rtl.multiplier import TiledMultiplier
from ....rtl.pipeline import delayed
from ...coxrower.hardware.folds import reduce
from ..control import BY_CONSTANT, HATS, MINUS, PLUS
from ..parameters import READ, RowerField


def port_widths(p: RowerField, words: int) -> dict[str, int]:
    """Ports of a rower for fields of the control word, and their bits."""
    address = (words - 1).bit_length()
    constants = (p.second_form_address).bit_length()
    bits = {"x": address, "y": address, "constant": constants, "source": 2, "begin": 1, "sign": 2, "correct": 1}
    return bits | {"write_x": 1, "into_x": address, "write_y": 1, "into_y": address}


class FieldRower(wiring.Component):
    """One rower.

    Parameters
    ----------
    p : RowerField
    side, channel : int
        0 for a modulus of A, 1 for one of B; its number.
    words : int
        Words of its memories.

    Attributes
    ----------
    x, y, constant, source, begin, sign, correct, write_x, into_x, write_y, into_y : in
        Control fields, a cycle before the rower counts them.
    bus : in, lanes of w bits
        Hats or digits, a cycle after the rower has the address of their factors.
    h : in
        Quotient by the cox, a cycle after its last hats.
    r : out, w bits
        Residue of the last sum.
    """

    def __init__(self, p: RowerField, side: int, channel: int, words: int) -> None:
        self.p, self.side, self.channel, self.words = p, side, channel, words
        self.largest_h = (p.second if side == 0 else p.first).largest_h
        super().__init__(
            {name: In(width) for name, width in port_widths(p, words).items()}
            | {"bus": In(data.ArrayLayout(p.width, p.lanes)), "h": In(max(1, self.largest_h.bit_length()))}
            | {"r": Out(p.width)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        names = (*port_widths(p, self.words), "bus", "h")
        self.near = {name: copied(m, Value.cast(getattr(self, name)), p.target, f"near_{name}") for name in names}
        total = self._sum(m, self._product(m))
        addend = Mux(self.near["correct"], self._correction(m), 0)
        plan = (p.in_a, p.in_b)[self.side][self.channel]
        z = reduce(m, [plan], p.stages, total, Const(0, 1), addend, "fold", cut=True, halves=True)
        m.d.sync += self.r.eq(z)
        return m

    def _word(self, m: Module, port: str) -> Value:
        """The word of one of both memories."""
        p, near = self.p, self.near
        m.submodules[f"words_{port}"] = store = BlockMemory(p.width, self.words, p.target)
        m.d.comb += [
            store.read.eq(near[port]),
            store.into.eq(near[f"into_{port}"]),
            store.write.eq(near[f"write_{port}"]),
            store.word.eq(self.r),
        ]
        return store.found

    def _product(self, m: Module) -> Value:
        """The product, or the sum of those of all lanes: of words, or of what is on the bus, and constants."""
        p, w, source = self.p, self.p.width, self.near["source"]
        memory = p.memory(self.side, self.channel)
        constant = constant_words(m, self.near["constant"], memory, w * p.lanes, p.target)
        m.submodules.multiplier = unit = TiledMultiplier(p.tiling, p.places)
        first = Mux(source == HATS, self.near["bus"][:w], self._word(m, "x"))
        second = Mux((source == HATS) | (source == BY_CONSTANT), constant[:w], self._word(m, "y"))
        m.d.comb += [unit.a[0].eq(first), unit.b[0].eq(second)]
        for lane in range(1, p.lanes):
            part = slice(lane * w, (lane + 1) * w)
            m.d.comb += [
                unit.a[lane].eq(self.near["bus"][part]),
                unit.b[lane].eq(Mux(source == HATS, constant[part], 0)),
            ]
        return unit.p

    def _sum(self, m: Module, product: Value) -> Signal:
        """The sum, from a multiple of the modulus on."""
        p = self.p
        width = p.sum_bound(self.side, self.channel).bit_length()
        total = Signal(width, name="total")
        negative = self.side == 0 and p.roots[self.channel][1]
        minus = self.near["sign"] == (PLUS if negative else MINUS)
        before = Mux(self.near["begin"], Const(p.bias(self.side, self.channel), width), total)
        addend = Cat(product, Const(0, width))[:width]
        m.d.sync += total.eq(plus_or_minus(m, before, addend, minus, minus, p.target)[:width])
        return total

    def _correction(self, m: Module) -> Value:
        """Look up the addend for h, in the cycle of the sum of its last hats."""
        p = self.p
        modulus = (p.A, p.B)[self.side].moduli[self.channel]
        unit = p.corrections[self.side][self.channel]
        h = self.near["h"]
        entries = [Const(k * unit % modulus, p.width) for k in range(self.largest_h + 1)]
        entries += [Const(0, p.width)] * ((1 << len(h)) - len(entries))
        return delayed(m, Array(entries)[h], p.summed - READ - 1, "correction")
