# SPDX-License-Identifier: Apache-2.0
"""Memories of the limbs of operands and constants, a place for each context.

Registers, counted from the cycle in which the operands come in; k < s:

    cycle    register that holds the value from this cycle on
    k + 1    `o` of an operand register: the operand from limb k on; `place_NAME`: limb k of the context
    k + 2    the memories have limb k

and from the cycle in which places are read:

    1        `read_NAME`: the place
    2        `found_NAME`: the limb
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ...orup.hardware.operands import OperandRegister
from ..parameters import ColumnParameters
from ..program import MU, M, Q, T, X, Y

SHIFTED = (X, Y, M, MU)
"""Operands that come in limb by limb; q is one limb."""
COMPARED = (X, Y, M)


class OperandStore(wiring.Component):
    """Operands of the contexts.

    Attributes
    ----------
    start : in
        Operands come in, at least s + 1 cycles after those before.
    fresh : in
        Their context, with `start`.
    x, y, m, mu, q : in
    head_x, head_y, head_m : out
        The operand registers: from limb k on in cycle k + 1.
    word, keep, place : in
        A word that is written, as a limb of t, to the place of its context and index.
    late : in
        In the next cycle, that word is what is read of t.
    next_a, next_b : in
        Places that are read.
    limb_x, limb_t, limb_y, limb_mu, limb_m, limb_q : out
        Limbs at the places of two cycles ago.
    """

    def __init__(self, p: ColumnParameters) -> None:
        self.p = p
        context, place = range(max(2, p.contexts)), place_bits(p)
        inputs = {X: p.operand_bits, Y: p.operand_bits, M: p.n, MU: p.n, Q: p.w}
        super().__init__(
            {"start": In(1), "fresh": In(context)}
            | {name: In(width) for name, width in inputs.items()}
            | {f"head_{name}": Out(max(inputs[name], p.w + 2)) for name in COMPARED}
            | {"word": In(p.w), "keep": In(1), "late": In(1), "place": In(place)}
            | {"next_a": In(place), "next_b": In(place)}
            | {f"limb_{name}": Out(p.w) for name in (X, T, Y, MU, M, Q)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        entered, context = Signal(), Signal.like(self.fresh)
        index, loading = Signal(range(p.s)), Signal()
        m.d.sync += [entered.eq(self.start), index.eq(Mux(self.start, 0, index + 1))]
        with m.If(self.start):
            m.d.sync += [loading.eq(1), context.eq(self.fresh)]
        with m.Elif(index == p.s - 1):
            m.d.sync += loading.eq(0)
        after = place_of(p, Mux(self.start, self.fresh, context), Mux(self.start, 0, index + 1)[: len(index)])
        for name in SHIFTED:
            limbs = self._register(m, name, entered)
            place = copied(m, after, p.target, f"place_{name}")
            read = self.next_a if name == X else self.next_b
            self._memory(m, name, limbs[: p.w], loading, place, read)
            if name in COMPARED:
                m.d.comb += getattr(self, f"head_{name}").eq(limbs)
        q = Signal(p.w, reset_less=True)
        m.d.sync += q.eq(self.q)
        self._memory(m, Q, q, entered, place_of(p, context, Const(0, 1)), self.next_b)
        self._memory(m, T, self.word, self.keep, self.place, self.next_a)
        return m

    def _register(self, m: Module, name: str, entered: Value) -> Value:
        """Register of an operand, which gives a limb a cycle."""
        value = getattr(self, name)
        width = max(len(value), self.p.w + 2)
        register = OperandRegister(width, self.p.w, self.p.s)
        m.submodules[f"{name}_register"] = register
        m.d.comb += [register.start.eq(self.start), register.entered.eq(entered), register.i.eq(value)]
        return register.o

    def _memory(self, m: Module, name: str, value: Value, write: Value, place: Value, read: Value) -> None:
        """Memory of the limbs of an operand; of q, which has no index, a place for each context."""
        p = self.p
        low = index_bits(p) if name == Q else 0
        address = copied(m, read[low:], p.target, f"read_{name}")
        m.submodules[f"memory_{name}"] = store = memory.Memory(shape=p.w, depth=1 << len(address), init=[])
        port, limb = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            port.addr.eq(place[low:]),
            port.data.eq(value),
            port.en.eq(write),
            limb.addr.eq(address),
        ]
        late = copied(m, self.late, p.target, "late") if name == T else Const(0, 1)
        found = Signal(p.w, name=f"found_{name}", reset_less=True)
        m.d.sync += found.eq(Mux(late, value, limb.data))
        m.d.comb += getattr(self, f"limb_{name}").eq(found)


def index_bits(p: ColumnParameters) -> int:
    """Bits of the index of a limb."""
    return (p.s - 1).bit_length()


def place_bits(p: ColumnParameters) -> int:
    """Bits of a place."""
    return index_bits(p) + max(1, (p.contexts - 1).bit_length())


def place_of(p: ColumnParameters, context: Value, index: Value) -> Value:
    """Place of a limb of a context."""
    return Cat(index, Const(0, index_bits(p) - len(index)), context)
