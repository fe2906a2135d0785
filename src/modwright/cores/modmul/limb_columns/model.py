# SPDX-License-Identifier: Apache-2.0
"""Golden model: the result in one piece, and the columns with their digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ....contract import Outcome, PayloadValue, integer
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from ....engines.columns.digits import DigitLayout, Opening
from ....engines.columns.model import reduced
from ....engines.columns.parameters import DOMAIN, ColumnParameters
from ....engines.columns.program import ONE_PRODUCT, Factors, Limb, program
from ....schedule import Schedule
from .parameters import LimbColumnParameters


class ColumnState(NamedTuple):
    """A column after its products: its digits, their carry, and the word."""

    digits: tuple[int, ...]
    carry: int
    word: int


class LimbColumnsModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: LimbColumnParameters, schedule: Schedule) -> None:
        self.p = p
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product; q and mu come from the operands: wrong ones give a wrong result, and no error."""
        values = {name: integer(operands[name]) for name in ("x", "y", "m", "q", "mu")}
        m = values["m"]
        error = self._error(values)
        z = 0 if error else result(self.p, values) & ((1 << self.p.operand_bits) - 1)
        return Outcome({"z": z, "modulus": m, "error": error}, self._latency)

    @staticmethod
    def _error(values: Mapping[str, int]) -> int:
        m = values["m"]
        if m % 2 == 0 or m < 3:
            return BAD_MODULUS
        return OUT_OF_RANGE if max(values["x"], values["y"]) >= DOMAIN * m else 0


def result(p: LimbColumnParameters, values: Mapping[str, int]) -> int:
    """Result z in one piece."""
    return reduced(p, values["x"] * values["y"], values["m"], values["mu"], values["q"])


# --- columns, digit by digit


def columns(p: ColumnParameters, values: Mapping[str, int], factors: Factors = ONE_PRODUCT) -> Iterator[ColumnState]:
    """Each column after its products, as the hardware has it: no carry goes from digit to digit."""
    w, mask = p.w, (1 << p.w) - 1
    left: dict[Limb, int] = {}
    stored: Sequence[int] = (0,) * p.D
    carry = 0

    def limb(of: Limb) -> int:
        return left[of] if of in left else values[of.bank] >> (w * of.index) & mask

    for column in program(p.s, factors):
        digits = _opened(p, column.opening, stored, carry)
        for a, b in column.products:
            digits = [digit + addend for digit, addend in zip(digits, addends(p, limb(a), limb(b)), strict=True)]
        row = _row(p, digits)
        if column.stores:
            stored, carry = (digits[p.D] + (digits[p.D - 1] >> p.b), *digits[p.D + 1 :]), row >> w
        if column.leaves is not None:
            left[column.leaves] = row & mask
        yield ColumnState(tuple(digits), row >> w, row & mask)


def addends(p: DigitLayout, a: int, b: int) -> list[int]:
    """Addends of a product at each digit: E_e below b bits, and E_(e-1) above."""
    mask = (1 << p.b) - 1
    first, second = ([value >> (p.b * i) & mask for i in range(p.D)] for value in (a, b))
    sums = [sum(first[i] * second[e - i] for i in p.diagonals(e)) for e in range(2 * p.D - 1)]
    return [(low & mask) + (high >> p.b) for low, high in zip([*sums, 0], [0, *sums], strict=True)]


def _row(p: DigitLayout, digits: Sequence[int]) -> int:
    """The lower digits in binary; of the topmost one, what is above b bits stays with the upper ones."""
    top = (digits[p.D - 1] & ((1 << p.b) - 1)) << (p.b * (p.D - 1))
    return top + sum(digit << (p.b * d) for d, digit in enumerate(digits[: p.D - 1]))


def _opened(p: DigitLayout, opening: Opening, stored: Sequence[int], carry: int) -> list[int]:
    parts = {
        "": [0] * p.D,
        "ones": [(1 << p.b) - 1] * p.D,
        "stored": [stored[0] + carry, *stored[1:]],
    }
    return [*parts[opening.low], *parts[opening.high]]
