# SPDX-License-Identifier: Apache-2.0
"""Numbers in digits, side by side in one integer, as the model computes with them: bit for bit those of the hardware.

A slot of the integer holds a digit, or a sum of a column, and has room for the largest of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from ..parameters import PseudoMersenneParameters

Watch = Callable[[str, int], None]
"""Called with the name and the value of a number inside an operation, digits side by side."""


class Digits:
    """Arithmetic on N digits.

    Parameters
    ----------
    p : PseudoMersenneParameters
    watch : callable, optional
        Called with operands and products as they are made.
    """

    def __init__(self, p: PseudoMersenneParameters, watch: Watch | None = None) -> None:
        self.p, self.watch = p, watch
        self.slot = max(*p.columns, *p.digits[0], p.largest_operand**2).bit_length() + 1
        self.ones = sum(1 << self.slot * k for k in range(p.count))
        self.low, self.operand = self.ones * p.largest_digit, self.ones * p.largest_operand

    def pack(self, digits: Iterable[int]) -> int:
        """Digits side by side, the lowest first."""
        return sum(digit << self.slot * k for k, digit in enumerate(digits))

    def unpack(self, value: int) -> list[int]:
        """Slots of a number, the lowest first."""
        mask = (1 << self.slot) - 1
        return [value >> self.slot * k & mask for k in range(self.p.count)]

    def split(self, number: int) -> int:
        """Digits of w bits of a number below 2^(N·w)."""
        return self.pack(number >> self.p.w * k & self.p.largest_digit for k in range(self.p.count))

    def value(self, packed: int) -> int:
        """The number that digits stand for."""
        return sum(digit << self.p.w * k for k, digit in enumerate(self.unpack(packed)))

    @cached_property
    def bias(self) -> int:
        """The bias, modulo 2^v in each digit, as it is stored."""
        return self.pack(digit & self.p.largest_operand for digit in self.p.bias)

    def add(self, x: int, y: int) -> int:
        """Digits of a sum, modulo 2^v each."""
        return self._seen("operand", (x + y) & self.operand)

    def subtract(self, x: int, y: int) -> int:
        """Digits of a difference with its bias, modulo 2^v each."""
        borrowed = self.ones << self.p.v
        return self._seen("operand", (x + self.bias + borrowed - y) & self.operand)

    def multiply(self, x: int, digits: Iterable[int]) -> int:
        """Digits of the product by a number given in digits."""
        p, slot, columns = self.p, self.slot, 0
        top, everything = slot * (p.count - 1), (1 << slot * p.count) - 1
        for digit in digits:
            products = x * digit
            low = products & self.low
            high = products - low >> p.w
            columns += low + (high << slot & everything) + p.factor * (high >> top)
            fold = p.factor * (x >> top)
            x = (x << slot & everything) + (fold & p.largest_digit) + (fold >> p.w << slot & everything)
            x &= self.operand
        return self._seen("product", self._carried(columns))

    def _carried(self, columns: int) -> int:
        """Digits of the sums of columns, behind all passes."""
        p, slot = self.p, self.slot
        top, everything = slot * (p.count - 1), (1 << slot * p.count) - 1
        for _ in range(p.passes):
            low = columns & self.low
            high = columns - low >> p.w
            columns = low + (high << slot & everything) + p.factor * (high >> top)
        return columns & self.operand

    def _seen(self, name: str, value: int) -> int:
        if self.watch is not None:
            self.watch(name, value)
        return value

    def exact(self, packed: int) -> int:
        """The residue below p of digits: the part above n bits comes back as its multiple of c, and p is subtracted
        where it can be."""
        p, mask = self.p, (1 << self.p.n) - 1
        value = self.value(packed)
        above = value >> p.n
        if self.watch is not None:
            self.watch("above", above)
        raised = (value & mask) + p.c * (above + 1)
        return (raised if raised > mask else raised - p.c) & mask
