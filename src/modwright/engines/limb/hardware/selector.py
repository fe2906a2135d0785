# SPDX-License-Identifier: Apache-2.0
"""The two factors of each product, chosen among limbs by a control word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data

from ....schedule import Schedule
from ..operands import A, codes_used, field_of, forward_code, limb_of
from ..parameters import UnitParameters

Banks = Mapping[str, Sequence[Value]]
"""Limbs of each operand, w bits each."""


def limbs_of(value: Value, p: UnitParameters) -> list[Value]:
    """The s limbs of an operand, with zeros above its top."""
    whole = Cat(value, Const(0, p.T - len(value)))
    return [whole[p.w * k : p.w * (k + 1)] for k in range(p.s)]


class Selector:
    """Builder of exactly those multiplexers that the schedules need.

    Parameters
    ----------
    p : UnitParameters
    schedules : sequence of Schedule
        Schedules whose words choose.
    word : data.View
        Active control word.
    banks : Banks
        Limbs of the operands that the schedules name.
    leaving : Value, w bits
        Lowest limb of the product that leaves the first multiplier in this cycle.
    """

    def __init__(
        self, p: UnitParameters, schedules: Sequence[Schedule], word: data.View, banks: Banks, leaving: Value
    ) -> None:
        self.p, self.word, self.banks, self.leaving = p, word, banks, leaving
        self.words = [word for schedule in schedules for word in schedule.words]

    def limb(self, m: Module, port: str, lane: int = 0) -> Value:
        """The limb at a port of the multiplier `lane`, 0 when a word names none."""
        field = field_of(port, lane)
        codes = codes_used(self.words, field)
        if not codes:
            return Const(0, 1)
        chosen = Signal(self.p.w, name=f"limb_{field}")
        with m.Switch(self.word[field]):
            for code in codes:
                with m.Case(code):
                    m.d.comb += chosen.eq(self._source(port, code))
        return chosen

    def _source(self, port: str, code: int) -> Value:
        if port == A and code == forward_code(self.p.s):
            return self.leaving
        limb = limb_of(port, code, self.p.s)
        return self.banks[limb.bank][limb.index]

    def factor(self, m: Module, port: str, minus_port: str, lane: int = 0) -> tuple[Value, Value]:
        """Magnitude, w bits, and sign of a factor of the multiplier `lane`: a limb or the difference of two."""
        limb, minus = self.limb(m, port, lane), self.limb(m, minus_port, lane)
        if not codes_used(self.words, field_of(minus_port, lane)):
            return limb, Const(0, 1)
        # both differences, so that no carry chain follows another
        name = field_of(port, lane)
        difference, opposite = (
            Signal(self.p.w + 1, name=f"{name}_difference"),
            Signal(self.p.w, name=f"{name}_opposite"),
        )
        magnitude = Signal(self.p.w, name=f"{name}_magnitude")
        m.d.comb += [difference.eq(limb - minus), opposite.eq(minus - limb), magnitude.eq(difference)]
        with m.If(difference[-1]):
            m.d.comb += magnitude.eq(opposite)
        return magnitude, difference[-1]
