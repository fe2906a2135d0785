# SPDX-License-Identifier: Apache-2.0
"""Connections of the data path over a row multiplier that do not depend on the number of operations in it.

Registers, counted from the cycle of a control field:

    cycle                  register that holds the value from this cycle on
    2, after `x_out`       `x_result`, of one operation; so with y
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ......engines.row.hardware.arithmetic import RowArithmetic
from ......engines.row.hardware.incoming import PARTS, Incoming
from ......engines.row.hardware.words import Words
from ......rtl.copies import copied
from ...parameters.row import RowLadderParameters
from ...plan.row.formulas import OFFERED
from ..common import PointCore

RESULT_SLICE = 64
"""Bits of a result behind one copy of a control signal."""


class RowPath(PointCore):
    """Streams, and the words, arithmetic and registers of results behind them."""

    p: RowLadderParameters
    arithmetic: RowArithmetic
    words: Words
    incoming: Incoming

    def offer_to_words(self, m: Module, matrix: Sequence[Value]) -> None:
        """Operands, and the matrix of divsteps, to the words."""
        p = self.p
        words = {**self.held, "mK": Cat(Const(0, p.row.K), self.held["mk"])}
        words |= {"one": Const(1, 1), "shift": Const(1 << p.row.K, p.row.K + 1)}
        for number, value in enumerate([*(words[name] for name in OFFERED), *matrix]):
            m.d.comb += getattr(self.incoming, f"given_{number}").eq(value)
        m.d.comb += self.incoming.load.eq(self.field("load"))

    def coordinate(self, m: Module, name: str, out: Value, none: Value) -> Signal:
        """Register of a coordinate, which stands above K bits when it is `out`, or of 0 where there is no point."""
        p, target, found = self.p, self.p.row.target, self.words.found
        result = Signal(p.n, name=f"{name}_result", reset_less=True)
        for number, low in enumerate(range(0, p.n, RESULT_SLICE)):
            part = slice(low, min(low + RESULT_SLICE, p.n))
            leaves = copied(m, out, target, f"{name}_leaves_{number}")
            with m.If(copied(m, out & none, target, f"{name}_none_{number}")):
                m.d.sync += result[part].eq(0)
            with m.Elif(leaves):
                m.d.sync += result[part].eq(found[p.row.K :][part])
        return result

    def drive_arithmetic(self, m: Module, modulus: Value | None = None) -> None:
        """Connect the arithmetic with the words, the control word, and a modulus that stays where it came in."""
        unit, field = self.arithmetic, self.field
        m.d.comb += [
            unit.found.eq(self.words.found),
            unit.terms.eq(self.words.terms),
            *(() if modulus is None else (unit.m.eq(modulus),)),
            unit.start.eq(field("start")),
            unit.integer.eq(field("integer")),
            unit.minus.eq(field("minus")),
            unit.sum.eq(field("sum")),
            unit.load.eq(field("load_tilde")),
            unit.clear.eq(field("unlift")),
            unit.given.eq(field("operand")),
            *(getattr(unit, f"part_{k}").eq(getattr(self.incoming, f"part_{k}")) for k in range(PARTS)),
            self.words.z.eq(unit.z),
        ]
