# SPDX-License-Identifier: Apache-2.0
"""Multiply-accumulate with its operands and control words: products of several operations in turn.

Registers, counted from the cycle of a control word of an operation:

    cycle    register that holds the value from this cycle on
    -1       `early`: the control word; places of the limbs
    0        `word`: the control word; `chosen_D`: its choices, for each digit; limbs of all banks
    1        `a`, `b`: limbs at the multiply-accumulate, a is 0 without a product
    10       `word` of the accumulator, which is a limb of t, of the result, or of nothing
    11       the memory of t has the word
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....rtl.copies import copied
from ....rtl.pipeline import delayed
from ....schedule import Schedule
from ..cycles import WORD
from ..parameters import ColumnParameters
from ..program import B_BANKS, MU, M, Q, X, Y
from ..schedule import CONTEXT, PARITY, first_word, ring_of
from .accumulator import ColumnAccumulator
from .operands import OperandStore, place_of
from .player import RingPlayer

OPENINGS = ("first", "lower", "ones", "upper")
CLOSINGS = ("close", "store")
CHOICES = ("multiply", "forward", "a_t", "b_bank")
FORWARDED = ("forward", "late")
"""Fields that no word has where no product takes a limb of t as it comes."""


class ColumnUnit(wiring.Component):
    """Products of several operations in turn.

    Attributes
    ----------
    start : in
        An operation comes in.
    x, y, m, mu, q : in
    number : out
        Context and parity of the operation, from the cycle after `start` on.
    head_x, head_y, head_m : out
        See `OperandStore`.
    leaves : out
        A limb of the result is at `word` in the next cycle.
    index : out
        With `leaves`: which.
    of : out
        In the cycle before `leaves`: context and parity of its operation.
    word : out, w bits
    """

    def __init__(self, p: ColumnParameters, schedule: Schedule) -> None:
        self.p = p
        self.player = RingPlayer(ring_of(schedule), first_word(schedule.interval), p.contexts)
        self.store = OperandStore(p)
        inputs = {name: In(len(getattr(self.store, name))) for name in (X, Y, M, MU, Q)}
        heads = {name: Out(len(getattr(self.store, name))) for name in ("head_x", "head_y", "head_m")}
        number = number_bits(p)
        super().__init__(
            {"start": In(1), **inputs, "number": Out(number), **heads}
            | {"leaves": Out(1), "index": Out(range(p.s)), "of": Out(number), "word": Out(p.w)}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.player, m.submodules.store = player, store = self.player, self.store
        m.submodules.accumulator = accumulator = ColumnAccumulator(p, p.digit_bits, p.carry_bits, p.contexts)
        ahead: dict[str, Value] = dict.fromkeys(FORWARDED, Const(0, 1))
        ahead |= {name: player.word[name] for name in player.layout.members}
        early = {name: self._register(m, f"early_{name}", value) for name, value in ahead.items()}
        word = {name: self._register(m, f"word_{name}", value) for name, value in early.items()}
        m.d.comb += [
            player.start.eq(self.start),
            store.start.eq(self.start),
            store.fresh.eq(player.fresh),
            self.number.eq(Cat(player.context, player.parity)),
            store.next_a.eq(place_of(p, ahead[CONTEXT], ahead["a"])),
            store.next_b.eq(place_of(p, ahead[CONTEXT], ahead["b"])),
            store.late.eq(ahead["late"]),
            *(getattr(store, name).eq(getattr(self, name)) for name in (X, Y, M, MU, Q)),
            *(getattr(self, f"head_{name}").eq(getattr(store, f"head_{name}")) for name in (X, Y, M)),
        ]
        self._limbs(m, early, accumulator)
        for name in (*OPENINGS, *CLOSINGS, CONTEXT):
            m.d.comb += getattr(accumulator, name).eq(delayed(m, word[name], 1, f"given_{name}"))
        self._leave(m, word, accumulator)
        return m

    @staticmethod
    def _register(m: Module, name: str, value: Value) -> Value:
        register = Signal(len(value), name=name)
        m.d.sync += register.eq(value)
        return register

    def _limbs(self, m: Module, early: Mapping[str, Value], accumulator: ColumnAccumulator) -> None:
        """Registers of the limbs; each digit has choices of its own, next to which it can be."""
        p, store = self.p, self.store
        a, b = Signal(p.w, reset_less=True), Signal(p.w, reset_less=True)
        limbs = {Y: store.limb_y, MU: store.limb_mu, M: store.limb_m, Q: store.limb_q}
        choices = Cat(early[name] for name in CHOICES)
        for d in range(p.D):
            chosen, part = copied(m, choices, p.target, f"chosen_{d}"), slice(p.b * d, p.b * (d + 1))
            multiply, forward, of_t, bank = _split(chosen, (1, 1, 1))
            stored = Mux(of_t, store.limb_t[part], store.limb_x[part])
            m.d.sync += a[part].eq(Mux(multiply, Mux(forward, accumulator.word[part], stored), 0))
            with m.Switch(bank):
                for code, name in enumerate(B_BANKS):
                    with m.Case(code):
                        m.d.sync += b[part].eq(limbs[name][part])
        m.d.comb += [accumulator.a.eq(a), accumulator.b.eq(b)]

    def _leave(self, m: Module, word: Mapping[str, Value], accumulator: ColumnAccumulator) -> None:
        """Words that leave columns: limbs of t, of which the memory is written, and of the result."""
        p = self.p
        before = Cat(
            word["close"] & word["to_t"], word["close"] & word["to_z"], word["to"], word[CONTEXT], word[PARITY]
        )
        leaving = delayed(m, before, WORD - 2, "leaving")
        keep, leaves, index, number = _split(delayed(m, leaving, 1, "left"), (1, 1, len(word["to"])))
        m.d.comb += [self.leaves.eq(leaves), self.index.eq(index), self.of.eq(leaving[-len(number) :])]
        m.d.comb += self.word.eq(accumulator.word)
        store = self.store
        m.d.comb += store.word.eq(accumulator.word)
        keeps, place = Signal(), Signal(len(store.place))
        m.d.sync += [keeps.eq(keep), place.eq(place_of(p, number[:-1], index))]
        m.d.comb += [store.keep.eq(keeps), store.place.eq(place)]


def number_bits(p: ColumnParameters) -> int:
    """Bits of context and parity."""
    return max(1, (p.contexts - 1).bit_length()) + 1


def _split(value: Value, widths: tuple[int, ...]) -> list[Value]:
    """Parts of a value, and the rest."""
    parts = list[Value]()
    for width in widths:
        parts.append(value[:width])
        value = value[width:]
    return [*parts, value]
