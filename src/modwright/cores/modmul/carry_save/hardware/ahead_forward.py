# SPDX-License-Identifier: Apache-2.0
"""q of the next digit without the adders of q·M: what q·M adds to the next lowest bits is a register next to q.

q is given by P, the lowest k bits of S + d·Y, and cancels them in P + q·M. So the digit's places leave behind
(P + q·M) / 2^k, of which the next P takes k bits: G, a function of P for each M. Its values for all P are registers
that are made from the lowest bits of M, so that G is chosen from the same P as q, in parallel with it. The next P is
then the sum of G and of places of S + d·Y that are registers, in a carry-save adder and a sum of k bits.

Registers by cycle, for a digit that the recoder hands over in cycle c:

    cycle    register that holds the value from this cycle on
    c + 1    E, the lowest 2·k bits of its d·Y; for VLM3, G for every P
    c + 2    S and E, and the lowest k bits of the next digit's d·Y above its places; q and G of the digit
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value

from .....rtl.luts import chosen, lut
from .....rtl.pipeline import delayed
from ..parameters import CarrySaveParameters
from ..plan import LONGEST
from .ahead import AheadLoop, fitting
from .ahead_digits import WIDEST_TABLE, AheadBooth4, AheadBooth8, AheadPlain, AheadVlm3


def left_behind(low: int, m: int, places: int) -> int:
    """(P + q·M) / 2^places for the q that cancels P modulo 2^places.

    Parameters
    ----------
    low : int
        P; bits from `places` on do not count.
    m : int
        Lowest bits of M, which is odd.
    places : int
        Places of the digit.
    """
    size = 1 << places
    q = -low * pow(m, -1, size) % size
    return (low % size + q * m) >> places


class ForwardLoop(AheadLoop):
    """A subclass for digits of one length, and one for those of several."""

    def _prepare(self, m: Module) -> None:
        """Make nothing: d·Y is added to S in front of a register."""

    def _make_quotient(self, m: Module, after: tuple[Value, Value, Value]) -> None:
        """Compute q and G of the next digit; without a digit before, S, E and G are 0."""
        k = self.p.cell.bits
        above, found = Signal(k, name="above_of_q"), Signal(k, name="P_next")
        near = delayed(m, self.enable, 1, "digit_near")
        half, majority = self._lowest(m, after, delayed(m, near, 1, "digit_added"))
        m.d.comb += found.eq(self._sum_above(m, half, majority, above, self._places(m, 1)))
        choices = [Const(0, k), *self._left_behind(m)]
        chosen_bits = [
            chosen(m, self.p.target, f"above_{j}", [choice[j] for choice in choices], [*found]) for j in range(k)
        ]
        with m.If(near):
            m.d.sync += above.eq(Cat(chosen_bits))
        with m.Else():
            m.d.sync += above.eq(0)
        self._copy_quotient(m, found)

    def _lowest(self, m: Module, after: tuple[Value, Value, Value], added: Value) -> tuple[Signal, Signal]:
        """Registers of the lowest bits of the next S, of E and of the digit's d·Y that follows, in carry-save form."""
        k = self.p.cell.bits
        names = ("next", "digit", "digits", "half", "majority")
        now, low, both, half, majority = (Signal(2 * k, name=f"low_of_{name}") for name in names)
        m.d.comb += [
            now.eq(self._low_of(self.digit)),
            both.eq(low + self._above(now[:k], self._places(m, 0))),
        ]
        a, b = (fitting(word, 2 * k) & added.replicate(2 * k) for word in after[:2])
        m.d.sync += [
            low.eq(Mux(self.enable, now, 0)),
            half.eq(a ^ b ^ both),
            majority.eq(Cat(after[2] & added, (a & b) | (a & both) | (b & both))),
        ]
        return half, majority

    def _lut(self, m: Module, name: str, function: Callable[..., int], *inputs: Value) -> Signal:
        return lut(m, self.p.target, name, function, *inputs)

    def _sum_above(self, m: Module, half: Value, majority: Value, above: Value, places: Value | None) -> Value:
        """The next P, above the places of this digit: the two words, G, and the carry of what the places hold."""
        k, lengths = self.p.cell.bits, self._lengths
        rows: list[tuple[Value, Value]] = []
        for j in range(k):
            a = self._at(m, f"half_{j}", [half[n + j] for n in lengths], places)
            b = self._at(m, f"majority_{j}", [majority[n + j] for n in lengths], places)
            total = self._lut(m, f"P_total_{j}", lambda a, b, c: a ^ b ^ c, a, b, above[j])
            rows.append((total, self._lut(m, f"P_carry_{j}", _most, a, b, above[j])))
        carries = {n: self._carry_of(m, half, majority, n) for n in dict.fromkeys(lengths)}
        return self._sum_of(m, rows, self._at(m, "carried", [carries[n] for n in lengths], places))

    def _sum_of(self, m: Module, rows: Sequence[tuple[Value, Value]], carried: Value) -> Value:
        """Sum of two words of up to four bits, of which the second counts twice, and of a carry that comes last."""
        totals, carries = zip(*rows, strict=True)
        bits: list[Value] = [self._lut(m, "P_0", lambda t, c: t ^ c, totals[0], carried)]
        made: Value = Const(0, 1)  # a carry into the next place, whatever the one that comes last
        passed: Value = totals[0]  # a carry if there is one
        for j in range(1, len(rows)):
            pair = totals[j], carries[j - 1]
            half = self._lut(m, f"P_half_{j}", lambda t, u: t ^ u, *pair)
            bits.append(self._lut(m, f"P_{j}", lambda x, g, p, c: x ^ (g | (p & c)), half, made, passed, carried))
            made = self._lut(m, f"P_made_{j}", _most, *pair, made)
            passed = self._lut(m, f"P_passed_{j}", lambda t, u, p: (t | u) & p, *pair, passed)
        return Cat(*bits)

    def _carry_of(self, m: Module, a: Value, b: Value, places: int) -> Value:
        """Carry out of the sum of the lowest bits of two words, two places at a time."""
        carry: Value = Const(0, 1)
        for low in range(0, places, 2):
            pair = [word[j] for j in range(low, min(low + 2, places)) for word in (a, b)]
            name = f"carry_{places}_{low}"
            made = self._lut(m, f"{name}_made", _carry_out, *pair)
            if low:
                passed = self._lut(m, f"{name}_passed", lambda *bits: _carry_out(*bits, into=1), *pair)
                made = self._lut(m, name, lambda g, p, c: g | (p & c), made, passed, carry)
            carry = made
        return carry

    def _at(self, m: Module, name: str, options: Sequence[Value], places: Value | None) -> Value:
        """The option of a digit's length; the last two of four are the same."""
        if places is None:
            return options[0]
        short = self._lut(m, f"{name}_short", lambda a, b, s: b if s else a, *options[:2], places[0])
        return self._lut(m, f"{name}_chosen", lambda a, b, s: b if s else a, short, options[2], places[1])

    def _above(self, low: Value, places: Value | None) -> Value:
        """The value above the places of a digit."""
        shifted = [low << n for n in self._lengths]
        return shifted[0] if places is None else Array(shifted)[places]

    _lengths: Sequence[int]
    """Places that a digit may have."""

    @property
    def _low_bits(self) -> int:
        return 2 * self.p.cell.bits

    @abstractmethod
    def _places(self, m: Module, cycles: int) -> Value | None:
        """Index in `_lengths` of the digit, that many cycles after it is in the copies; None where there is one."""

    @abstractmethod
    def _left_behind(self, m: Module) -> Sequence[Value]:
        """Registers of G for P = 1, 2, ... 2^k - 1, for the digit in the copies."""


class ForwardPlain(ForwardLoop, AheadPlain):
    """Digits of k bits."""

    @property
    def _lengths(self) -> Sequence[int]:
        return (self.p.cell.bits,)

    def _places(self, m: Module, cycles: int) -> Value | None:
        return None

    def _left_behind(self, m: Module) -> Sequence[Value]:
        k = self.p.cell.bits
        registers = [Signal(k, name=f"above_of_{low}") for low in range(1, 1 << k)]
        for low, register in enumerate(registers, 1):
            m.d.sync += register.eq(_by_modulus(self.m, low, k, k))
        return registers

    def _quotient(self, m: Module, low: Value) -> Value:
        """Quotient digit q = -low·M^-1 (mod 2^k): bit j is that of low, and one that the bits below it choose."""
        k, size = len(low), 1 << len(low)
        below: list[Value] = [Const(0, k)]
        for value in range(1, size >> 1):
            register = Signal(k, name=f"q_of_{value}")
            inverses = [pow(m_above, -1, size) for m_above in range(1, size, 2)]
            m.d.sync += register.eq(Array([Const(-value * inverse % size, k) for inverse in inverses])[self.m[1:k]])
            below.append(register)
        bits: list[Value] = [low[0]]
        for j in range(1, k):
            *first, last = low[:j]
            entries = [entry[j] for entry in below[: 1 << j]]
            half = len(entries) >> 1
            pair = [
                chosen(m, self.p.target, f"q_{j}_{name}", part, first)
                for name, part in (("low", entries[:half]), ("high", entries[half:]))
            ]
            bits.append(self._lut(m, f"q_{j}", lambda a, b, s, x: (b if s else a) ^ x, *pair, last, low[j]))
        return Cat(*bits)


class ForwardVlm3(ForwardLoop, AheadVlm3):
    """Digits of one to three places; G is prepared for the length of each."""

    _lengths = tuple(min(a + 1, LONGEST) for a in range(1 << (LONGEST - 1).bit_length()))  # also between products

    def _places(self, m: Module, cycles: int) -> Value | None:
        return delayed(m, self._digits[0].a, cycles, "a_low")

    def _left_behind(self, m: Module) -> Sequence[Value]:
        k = self.p.cell.bits
        registers = [Signal(k, name=f"above_of_{low}") for low in range(1, 1 << k)]
        for low, register in enumerate(registers, 1):
            of_length = [_by_modulus(self.m, low, places, k) for places in self._lengths]
            m.d.sync += register.eq(Array(of_length)[self.digit.a])
        return registers


def _by_modulus(m: Value, low: int, places: int, bits: int) -> Value:
    """The lowest bits of `left_behind`, from the lowest bits of M."""
    odd = range(1, 1 << (places + bits), 2)
    return Array([Const(left_behind(low, value, places) % (1 << bits), bits) for value in odd])[m[1 : places + bits]]


def ahead_loop(p: CarrySaveParameters) -> AheadLoop:
    """The data path of an architecture, with q computed ahead."""
    if p.cell.name == "csa-high-radix":
        return (ForwardPlain if p.cell.bits <= WIDEST_TABLE else AheadPlain)(p)
    return _OTHERS[p.cell.name](p)


_OTHERS = {"csa": AheadPlain, "vlm3": ForwardVlm3, "booth4-csa": AheadBooth4, "booth8-csa": AheadBooth8}


def _most(a: int, b: int, c: int) -> int:
    """The majority of three bits."""
    return (a & b) | (a & c) | (b & c)


def _carry_out(*bits: int, into: int = 0) -> int:
    """Carry out of the sum of pairs of bits, lowest first."""
    carry = into
    for a, b in zip(bits[::2], bits[1::2], strict=True):
        carry = _most(a, b, carry)
    return carry
