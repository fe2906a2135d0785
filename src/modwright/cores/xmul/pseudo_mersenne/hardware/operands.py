# SPDX-License-Identifier: Apache-2.0
"""Words, the operand register, and the registers of both factors, in slices with control signals of their own.

Cycles of a product as in `plan.timing`, counted from cycle s of its first digits; the control signals are in registers
here, a cycle after their word:

    cycle        register that holds the value from this cycle on
    a + 1        the operand register, with a word whose address was there in cycle a - 2
    taken + 1    `second`: digits of the second factor, the next ones first
    s            `moving`: the first factor, times 2^(w·rows) in each cycle after it
    s - 1        `next`: the digits that leave at the top in the second turn
    s            `folds`: f times the digits that leave `moving` at the top
    s            `digit_r`: digits of the second factor
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....rtl.block_memory import BlockMemory
from .....rtl.copies import copied
from .....rtl.pipeline import delayed
from ..parameters import PseudoMersenneParameters
from ..plan.fold import ROTATION
from ..plan.formulas import WORDS
from ..plan.microcode import AT_ONCE, GIVEN, MULTIPLE, NOTHING, OF_CURVE, ONE
from ..plan.timing import AHEAD, DIRECT
from .multiple import multiple

SLICE = 4
"""Digits behind one copy of the control signals: two block RAMs at 18 bits a digit."""
NUMBER = (WORDS - 1).bit_length()
CONTROL = {"read": NUMBER, "into": NUMBER, "write": 1, "source": 3, "move": 1, "keep": 1, "minus": 1, "forward": 1}
MOVES = {"take": 1, "shift": 1, "load": 1}
FIELDS = {**CONTROL, **MOVES, "tap": 2}
"""Fields of the control word, in the cycle before they count."""


class Operands(wiring.Component):
    """Attributes
    ----------
    read, into, write, source, move, keep, minus, forward, take, shift, load, tap : in
        Fields of the control word; the addresses with their exchange.
    u : in, n bits
    a24 : in, v bits
    made : in, digits of v bits
        A product.
    factors : out, rows of digits of v bits
        The first factor times 2^(w·r).
    digits : out, a digit for each row
    ahead : out
        The next `rows` digits of the second factor.
    """

    def __init__(self, p: PseudoMersenneParameters) -> None:
        self.p = p
        number = data.ArrayLayout(p.v, p.count)
        super().__init__(
            {name: In(width) for name, width in FIELDS.items()}
            | {"u": In(p.n), "a24": In(p.v), "made": In(number)}
            | {"factors": Out(data.ArrayLayout(number, p.rows)), "digits": Out(data.ArrayLayout(p.v, p.rows))}
            | {"ahead": Out(data.ArrayLayout(p.v, p.rows))}
        )

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        self._operand = [Signal(p.v, name=f"operand_{k}", reset_less=True) for k in range(p.count)]
        self._moving = [Signal(p.v, name=f"moving_{k}", reset_less=True) for k in range(p.count)]
        places = -(-p.count // p.rows) * p.rows
        self._second = [Signal(p.v, name=f"second_{k}", reset_less=True) for k in range(places)]
        rotated = self._factors(m)
        for number, low in enumerate(range(0, p.count, SLICE)):
            digits = range(low, min(low + SLICE, p.count))
            control = self._copies(m, CONTROL, f"control_{number}")
            self._words(m, number, digits, control)
            self._registers(m, number, digits, rotated)
        self._digits(m)
        return m

    def _copies(self, m: Module, fields: dict[str, int], name: str) -> dict[str, Value]:
        """Copies of control signals."""
        both = copied(m, Cat(getattr(self, field) for field in fields), self.p.target, name)
        found, low = dict[str, Value](), 0
        for field, width in fields.items():
            found[field] = both[low : low + width]
            low += width
        return found

    # --- words and the operand register

    def _words(self, m: Module, number: int, digits: range, control: dict[str, Value]) -> None:
        """A slice of the words, and of the register in which they are added."""
        p = self.p
        m.submodules[f"words_{number}"] = words = BlockMemory(p.v * len(digits), WORDS, p.target)
        m.d.comb += [words.read.eq(control["read"]), words.into.eq(control["into"]), words.write.eq(control["write"])]
        for at, k in enumerate(digits):
            part = slice(p.v * at, p.v * (at + 1))
            m.d.comb += words.word[part].eq(self._written(m, k, control["source"]))
            term, total = Signal(p.v, name=f"term_{k}"), self._operand[k]
            chosen = Mux(control["forward"], self.made[k], words.found[part])
            m.d.comb += term.eq(chosen ^ control["minus"].replicate(p.v))
            before = total & control["keep"].replicate(p.v)
            with m.If(control["move"]):
                m.d.sync += total.eq(before + term)

    def _written(self, m: Module, k: int, source: Value) -> Value:
        """Digit k of what is written: of a product, u, or a constant.

        A difference adds the complement of a digit, which is one less than its negative: the bias has that one more.
        """
        p, word = self.p, Signal(self.p.v, name=f"word_{k}")
        constants = {NOTHING: 0, ONE: int(k == 0), MULTIPLE: p.bias[k] + 1}
        with m.Switch(source):
            with m.Case(GIVEN):
                m.d.comb += word.eq(self.u[p.w * k : p.w * (k + 1)])
            for number, value in constants.items():
                with m.Case(number):
                    m.d.comb += word.eq(value & p.largest_operand)
            with m.Default():
                m.d.comb += word.eq(self.made[k])
        return word

    # --- the first factor

    def _factors(self, m: Module) -> list[Value]:
        """The first factor for each row; what it is a cycle later."""
        p = self.p
        load = self._copies(m, {"load": 1}, "load_fold")["load"]
        loading = Signal()
        m.d.sync += loading.eq(load)
        folds = [self._fold(m, row, load, loading) for row in range(p.rows)]
        digits: list[Value] = [*self._moving]
        for row, fold in enumerate(folds):
            m.d.comb += [self.factors[row][k].eq(digit) for k, digit in enumerate(digits)]
            below = Signal(p.v, name=f"folded_{row}")
            m.d.comb += below.eq(digits[0] + fold[p.w :])
            digits = [fold[: p.w], below, *digits[1:-1]]
        return digits

    def _fold(self, m: Module, row: int, load: Value, loading: Value) -> Value:
        """f times the digit that leaves in this row: that of the first turn from the operand register, any other from
        `next`, in which a cycle earlier it has one choice less in front of the sum."""
        p, operand, moving = self.p, self._operand, self._moving
        following, leaving = Signal(p.v, name=f"next_{row}", reset_less=True), Signal(p.v, name=f"leaving_{row}")

        def leaves(digits: list[Signal], turn: int) -> Value:
            at = p.count - 1 - turn * p.rows - row
            return digits[at] if at >= 0 else Const(0, p.v)

        later = Mux(loading, leaves(operand, 2), leaves(moving, ROTATION + 1))
        m.d.sync += following.eq(Mux(load, leaves(operand, 1), later))
        m.d.comb += leaving.eq(Mux(load, leaves(operand, 0), following))
        return multiple(m, leaving, p.factor, ROTATION, f"fold_{row}")

    # --- both factors

    def _registers(self, m: Module, number: int, digits: range, rotated: list[Value]) -> None:
        """A slice of the registers of both factors."""
        p = self.p
        control = self._copies(m, MOVES, f"moves_{number}")
        loading = Signal(name=f"loading_{number}")
        m.d.sync += loading.eq(control["load"])
        last = digits[-1] == p.count - 1
        for k in (*digits, *(range(p.count, len(self._second)) if last else ())):
            after = self._second[k + p.rows] if k + p.rows < len(self._second) else Const(0, p.v)
            taken = self._operand[k] if k < p.count else Const(0, p.v)
            with m.If(control["take"] | control["shift"]):
                m.d.sync += self._second[k].eq(Mux(control["take"], taken, after))
        for k in digits:
            m.d.sync += self._moving[k].eq(Mux(loading, self._operand[k], rotated[k]))

    def _digits(self, m: Module) -> None:
        """Digits of the second factor at the blocks."""
        p = self.p
        for row in range(p.rows):
            tap = self._copies(m, {"tap": 2}, f"tap_{row}")["tap"]
            m.d.comb += self.ahead[row].eq(self._second[row])
            waiting = delayed(m, self._second[row], AHEAD - DIRECT, f"waiting_{row}")
            digit, constant = Signal(p.v, name=f"digit_{row}"), Const(0, p.v) if row else self.a24
            chosen = Mux(tap == AT_ONCE, self._second[row], Mux(tap == OF_CURVE, constant, waiting))
            m.d.sync += digit.eq(chosen)
            m.d.comb += self.digits[row].eq(digit)
