# SPDX-License-Identifier: Apache-2.0
"""Golden model of the multipliers, carry-save words included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ....contract import Outcome, PayloadValue
from ....schedule import Schedule
from .parameters import BAD_MODULUS, OUT_OF_RANGE, CarrySaveParameters
from .plan import SPLIT, VariableDigit, booth_digits, plain_digits, recode


class State(NamedTuple):
    """S = total + carry + lost; `total` as its register holds it, two's complement where S is signed."""

    total: int
    carry: int
    lost: int


@lru_cache(maxsize=4)
def _inverse(m: int, R: int) -> int:
    """Inverse m^-1 (mod R), cached, as an exponentiation needs the same one thousands of times."""
    return pow(m, -1, R)


class CarrySaveModel:
    """Golden model: the outputs of a core bit for bit, and their cycles."""

    def __init__(self, p: CarrySaveParameters, schedule: Schedule) -> None:
        self.p = p
        self._longest = schedule.latency
        self._mask = (1 << p.width) - 1
        self._step = {
            "radix2": self._radix2,
            "csa": self._plain,
            "csa-high-radix": self._plain,
            "vlm3": self._vlm3,
            "booth4-csa": self._booth4,
            "booth8-csa": self._booth8,
        }[p.cell.name]

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        x, y, m = (operands[name] for name in "xym")
        assert isinstance(x, int)
        assert isinstance(y, int)
        assert isinstance(m, int)
        error = self._error(x, y, m)
        z = 0 if error else self._product(x, y, m)
        cycles = self._longest - (self.p.most_digits - self._count(x)) * self.p.interleave
        return Outcome({"z": z, "m": m, "error": error}, cycles)

    def _product(self, x: int, y: int, m: int) -> int:
        """The result from a single Q, which its remainder determines, as it lies in an interval of R integers.

        Its digits in base 2^k are those between the least and the largest quotient digit, of which there are 2^k.
        """
        p = self.p
        R = 1 << p.T
        largest = p.cell.quotients[1] * (R - 1) // ((1 << p.cell.bits) - 1)
        quotient = -x * y * _inverse(m, R) % R
        if quotient > largest:
            quotient -= R
        z = (x * y + quotient * m >> p.T) + p.offset * m
        return z % m if p.domain == 1 else z

    def _count(self, x: int) -> int:
        """Number of digits of x, J."""
        return sum(1 for _ in recode(x, self.p.T)) if self.p.cell.variable else self.p.most_digits

    def digits(self, x: int) -> Sequence[int] | Sequence[VariableDigit]:
        """X in digits, in the order of the cycles."""
        cell, T = self.p.cell, self.p.T
        if cell.variable:
            return list(recode(x, T))
        return (booth_digits if cell.digits[0] < 0 else plain_digits)(x, cell.bits, T // cell.bits)

    def states(self, digits: Sequence[int] | Sequence[VariableDigit], y: int, m: int) -> Iterator[State]:
        """The registers after each digit."""
        state = State(0, 0, 0)
        for digit in digits:
            state = self._step(state, digit, y, m)
            yield state

    def value(self, state: State) -> int:
        """Value S of a state in carry-save form."""
        return self._signed(state.total) + state.carry + state.lost

    def _error(self, x: int, y: int, m: int) -> int:
        if m % 2 == 0 or m < 3:
            return BAD_MODULUS
        return OUT_OF_RANGE if max(x, y) >= self.p.domain * m else 0

    def _signed(self, total: int) -> int:
        top = 1 << (self.p.sum_width - 1)
        return (total ^ top) - top if self.p.cell.signed else total

    # --- one digit

    def _radix2(self, state: State, digit: int, y: int, m: int) -> State:
        """Algorithm 1."""
        total = state.total + digit * y
        return State((total + (total & 1) * m) >> 1, 0, 0)

    def _plain(self, state: State, digit: int, y: int, m: int) -> State:
        """Algorithms 2 and 3: rows of Y, then of M, by the bits of d and q."""
        k = self.p.cell.bits
        rows = [y << j if (digit >> j) & 1 else 0 for j in range(k)]
        total, carry = self._compress([state.total, state.carry, *rows])
        q = self._quotient(total, carry, state.lost, k, m)
        rows = [m << j if (q >> j) & 1 else 0 for j in range(k)]
        total, carry = self._compress([total, carry, *rows])
        return self._shifted(total, carry | state.lost, k)

    def _vlm3(self, state: State, digit: VariableDigit, y: int, m: int) -> State:
        """Algorithm 8 with the lost carry, the signs and the top bits that it leaves out."""
        row = (-digit.neg ^ (y << digit.a)) if digit.nz else 0
        total, carry = self._add(self._signed(state.total), state.carry, row, digit.nz & digit.neg)
        total, carry = self._add_quotient(total, carry, state.lost, digit.a + 1, m)
        return self._shifted(*self._top(total, carry), digit.a + 1)

    def _booth4(self, state: State, digit: int, y: int, m: int) -> State:
        """d·Y in one row, q·M in another with q in {-1, 0, 1, 2}; -M = ~M | 1, as M is odd."""
        neg = int(digit < 0)
        total, carry = self._add(self._signed(state.total), state.carry, -neg ^ (abs(digit) * y), neg)
        q = self._quotient(total, carry, state.lost, 2, m)
        row = ~m | 1 if q == 3 else q * m
        total, carry = self._add(total, carry, row, state.lost)
        return self._shifted(*self._top(total, carry), 2)

    def _booth8(self, state: State, digit: int, y: int, m: int) -> State:
        """d·Y in two rows, ±{0, 2, 4}·Y and ±{0, 1}·Y; q·M as in VLM3."""
        size, neg = abs(digit), int(digit < 0)
        even, odd = (4, -1) if size == 3 else (size & 6, size & 1)
        total, carry = self._add(self._signed(state.total), state.carry, -neg ^ (even * y), neg)
        minus = neg ^ (odd < 0)
        total, carry = self._add(total, carry, -minus ^ (abs(odd) * y), minus)
        total, carry = self._add_quotient(total, carry, state.lost, 3, m)
        return self._shifted(*self._top(total, carry), 3)

    # --- parts of a digit

    def _add(self, a: int, b: int, c: int, low: int) -> tuple[int, int]:
        """A carry-save adder of W bits; `low` goes into the free place of its carry word."""
        half = a ^ b
        return (half ^ c) & self._mask, (((a & b) | (half & c)) << 1) & self._mask | low

    def _compress(self, rows: list[int]) -> tuple[int, int]:
        """Layers of carry-save adders, three rows each in their order, until two remain."""
        while len(rows) > 2:
            added = [self._add(*rows[at : at + 3], 0) for at in range(0, len(rows) - 2, 3)]
            rows = [row for pair in added for row in pair] + rows[len(rows) - len(rows) % 3 :]
        return rows[0], rows[1]

    @staticmethod
    def _quotient(total: int, carry: int, lost: int, k: int, m: int) -> int:
        """Quotient digit q = -P·M^-1 (mod 2^k)."""
        mask = (1 << k) - 1
        return -((total & mask) + (carry & mask) + lost) * pow(m & mask, -1, 1 << k) & mask

    def _add_quotient(self, total: int, carry: int, lost: int, k: int, m: int) -> tuple[int, int]:
        """Add q·M for a digit of k places as q1·M + q2·M of Table IV."""
        q1, q2 = SPLIT[self._quotient(total, carry, lost, k, m)]
        neg = int(q2 < 0)
        total, carry = self._add(total, carry, q1 * m, neg)
        return self._add(total, carry, -neg ^ (abs(q2) * m), lost)

    def _top(self, total: int, carry: int) -> tuple[int, int]:
        """Move the two top bits of the carry word into the sum word, so that both can be shifted."""
        below = self.p.width - 2
        high = ((total >> below) + (carry >> below)) & 3
        mask = (1 << below) - 1
        return high << below | total & mask, carry & mask

    def _shifted(self, total: int, carry: int, k: int) -> State:
        """Division by 2^k; the low bits add up to 0 or to 2^k, the lost carry."""
        lost = int(total & ((1 << k) - 1) != 0)
        if self.p.cell.signed:
            total -= (total >> (self.p.width - 1)) << self.p.width
        return State(total >> k & ((1 << self.p.sum_width) - 1), carry >> k, lost)
