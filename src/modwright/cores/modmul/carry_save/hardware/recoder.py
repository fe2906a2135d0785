# SPDX-License-Identifier: Apache-2.0
"""Recoder from limbs of X to a digit in every cycle, one cycle ahead of the data path.

Registers, counted from the cycle of `start`; digits of k bits, or of VLM3:

    cycle    register that holds the value from this cycle on
    1        `running`; `left`: digits to come after this one; VLM3: `window`: the first nibble, `rest`: T
    j + 2    `digit`: digit j; `valid`, and `last` with the last one; `below`: the top bit of digit j, for the next
    j + 2    VLM3: `window`, `filled`, `carry`, `rest`: the state after digit j; with `ahead` `nibble`: what joins the
             window next, and strobes that move the limb
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..parameters import NIBBLE, CarrySaveParameters
from ..plan import LONGEST, Cell


def digit_layout(cell: Cell) -> data.StructLayout:
    """Layout of a digit on its way to the data path.

    VLM3: nz, neg, a. Booth: the rows ±{0, 1, 2, 4}·Y, one-hot, and of radix 8 the row ±{0, 1}·Y that is added to it.
    Others: the digit.
    """
    if cell.variable:
        return data.StructLayout({"nz": 1, "neg": 1, "a": range(LONGEST)})
    if cell.digits[0] == 0:
        return data.StructLayout({"d": cell.bits})
    if cell.bits == 2:
        return data.StructLayout({"neg": 1, "one": 1, "two": 1})
    return data.StructLayout({"neg": 1, "two": 1, "four": 1, "odd_neg": 1, "odd": 1})


def booth_rows(digit: int, bits: int) -> dict[str, int]:
    """Fields of `digit_layout` for a Booth digit, in their order; each is a bit."""
    size, neg = abs(digit), int(digit < 0)
    if bits == 2:
        return {"neg": neg, "one": size & 1, "two": size >> 1}
    three = size == 3  # 3 = 4 - 1
    return {
        "neg": neg,
        "two": int(size == 2),
        "four": int(size == 4 or three),
        "odd_neg": neg ^ three,
        "odd": size & 1,
    }


class Recoder(wiring.Component):
    """Base class of all recoders.

    Attributes
    ----------
    start : in
        Strobe: the first limb is fetched in this cycle.
    limb, next_limb : in, B bits
        Limb register, and its next value.
    more : in
        Whether limbs remain to be fetched.
    fetch, shift : out
        Strobes for the limb register.
    digit : out
        A digit, from the second cycle after `start` on.
    valid, last : out
        `digit` is valid, and is the last one.
    """

    def __init__(self, p: CarrySaveParameters) -> None:
        self.p = p
        strobes = {name: Out(1) for name in ("fetch", "shift", "valid", "last")}
        super().__init__(
            {"start": In(1), "limb": In(p.limb), "next_limb": In(p.limb), "more": In(1)}
            | strobes
            | {"digit": Out(digit_layout(p.cell))}
        )

    def _run(self, m: Module, last: Value) -> Signal:
        """Level that is 1 from the cycle after `start` to that of the last digit."""
        running = Signal()
        with m.If(self.start):
            m.d.sync += running.eq(1)
        with m.Elif(last):
            m.d.sync += running.eq(0)
        m.d.sync += [self.valid.eq(running), self.last.eq(running & last)]
        return running

    def _place(self, m: Module, step: Value, unit: int, before: int = 0) -> Value:
        """Whether a step of the limb register uses up its last `unit` bits, or will in `before` steps."""
        count = self.p.limb // unit
        place, ended = Signal(range(count)), Signal()
        m.d.comb += ended.eq(place == count - 1 - before)
        with m.If(self.start):
            m.d.sync += place.eq(0)
        with m.Elif(step):
            m.d.sync += place.eq(Mux(place == count - 1 if before else ended, 0, place + 1))
        return ended


class FixedRecoder(Recoder):
    """Recoder of digits of k bits, plain or Booth's, J of them for every X."""

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        left = Signal(range(p.most_digits))  # digits to come after this one
        running = self._run(m, left == 0)
        with m.If(self.start):
            m.d.sync += left.eq(p.most_digits - 1)
        with m.Elif(running):
            m.d.sync += left.eq(left - 1)
        m.d.comb += self.shift.eq(running)
        if p.ahead:
            soon = self._place(m, running, p.cell.bits, before=1)
            m.d.sync += self.fetch.eq(running & soon & self.more & (left != 0))
        else:
            ended = self._place(m, running, p.cell.bits)
            m.d.comb += self.fetch.eq(running & ended & self.more)
        m.d.sync += self.digit.eq(self._digit(m, running))
        return m

    def _digit(self, m: Module, running: Value) -> Value:
        k = self.p.cell.bits
        plain = self.limb[:k]
        if self.p.cell.digits[0] == 0:
            return plain
        below = Signal()  # top bit of the digit before
        m.d.sync += below.eq(plain[-1] & running)
        rows = []
        for word in range(2 << k):
            value = (word >> 1) + (word & 1) - ((word >> k) << k)
            fields = booth_rows(value, k).values()
            rows.append(Const(sum(bit << place for place, bit in enumerate(fields)), len(fields)))
        return Array(rows)[Cat(below, plain)]


class VariableRecoder(Recoder):
    """Recoder of VLM3 digits: Algorithms 6 and 7 on the fly; see `plan.recode`.

    A window holds the next 4 to 7 bits of X. When a digit leaves fewer than 4, a nibble from the limb joins them; with
    `ahead` it comes from a register, and the limb moves in the cycle after.
    """

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        window = Signal(2 * NIBBLE - 1)
        filled = Signal(range(2 * NIBBLE))  # bits of X in the window, 4 to 7
        carry = Signal()  # of the canonical recoding
        rest = Signal(range(p.T + 1))  # places of T not yet covered
        nz, a, neg = self._recode(m, window, carry, rest)
        running = self._run(m, rest == a + 1)
        left, short = Signal.like(filled), Signal()
        m.d.comb += [left.eq(filled - a - 1), short.eq(running & (left < NIBBLE))]
        nibble = self._nibble_ahead(m, short) if p.ahead else self._nibble(m, short)
        with m.If(self.start):
            m.d.sync += [window.eq(self.next_limb[:NIBBLE]), filled.eq(NIBBLE), carry.eq(0), rest.eq(p.T)]
        with m.Elif(running):
            joined = Mux(short, Array([nibble << n for n in range(NIBBLE)])[left], 0)
            m.d.sync += [
                window.eq(Array([window >> n for n in range(1, LONGEST + 1)])[a] | joined),
                filled.eq(left + Mux(short, NIBBLE, 0)),
                rest.eq(rest - a - 1),
            ]
            with m.If(nz):
                m.d.sync += carry.eq(neg)
        m.d.sync += [self.digit.nz.eq(nz), self.digit.neg.eq(neg), self.digit.a.eq(a)]
        return m

    def _nibble(self, m: Module, short: Value) -> Value:
        """The nibble that joins the window where `short`; the limb moves in that cycle."""
        ended = self._place(m, short, NIBBLE)
        m.d.comb += [self.shift.eq(short), self.fetch.eq(short & ended & self.more)]
        return Mux(ended, self.next_limb[:NIBBLE], self.limb[NIBBLE : 2 * NIBBLE])

    def _nibble_ahead(self, m: Module, short: Value) -> Value:
        """A register of that nibble; the limb, whose lowest nibble it is, moves a cycle later, by strobes from
        registers."""
        nibble = Signal(NIBBLE)
        first, second, third = (slice(at * NIBBLE, (at + 1) * NIBBLE) for at in range(3))
        ended = self._place(m, short, NIBBLE, before=1)  # the register holds the last nibble of a limb
        moved = Mux(self.shift, self.limb[third], self.limb[second])
        fetched = Mux(self.fetch, self.next_limb[second], moved)
        with m.If(self.start):
            m.d.sync += nibble.eq(self.next_limb[second])
        with m.Elif(short):
            m.d.sync += nibble.eq(Mux(ended, self.next_limb[first], fetched))
        m.d.sync += [self.shift.eq(self.start | short), self.fetch.eq(short & ended & self.more)]
        return nibble

    def _recode(self, m: Module, window: Value, carry: Value, rest: Value) -> tuple[Value, Value, Value]:
        """The next digit, cut where T ends."""
        found = Signal(range(LONGEST))  # a before the cut
        nz, neg, a = Signal(), Signal(), Signal(range(LONGEST))
        differs = [window[j] ^ carry for j in range(LONGEST)]
        with m.If(differs[0]):
            m.d.comb += found.eq(0)
        with m.Elif(differs[1]):
            m.d.comb += found.eq(1)
        with m.Else():
            m.d.comb += found.eq(2)
        fits = Signal()
        m.d.comb += [
            fits.eq(rest > found),
            a.eq(Mux(fits, found, (rest - 1)[:2])),
            nz.eq(fits & (differs[0] | differs[1] | differs[2])),
            neg.eq(nz & Array([window[j + 1] for j in range(LONGEST)])[found]),
        ]
        return nz, a, neg
