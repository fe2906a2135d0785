# SPDX-License-Identifier: Apache-2.0
"""Golden model of the multiplier: results in one piece, and S chunk by chunk with its carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ....contract import Outcome, PayloadValue
from ....engines.orup.ahead import BAD_MODULUS, OUT_OF_RANGE, OrupParameters
from ....schedule import Schedule


class State(NamedTuple):
    """S = word + Σ carries[j]·2^(w(j+1)); carry j comes out of chunk j, that of the top chunk is 0 and left out."""

    word: int
    carries: tuple[int, ...]


class Sums(NamedTuple):
    """Sums of a step in a chunk: S / 2^k with its carry and b·Y; and with q·m."""

    base: int
    total: int


Waiting = tuple[State, tuple[int, ...]]
"""S, and the last d quotient digits, the oldest one first."""


class OrupModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: OrupParameters, schedule: Schedule) -> None:
        self.p = p
        self._latency = schedule.latency
        self._inverse = (0, 0)  # m, and M~^-1 mod R

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        x, y, m, modulus = (operands[name] for name in ("x", "y", "m", "modulus"))
        assert isinstance(x, int)
        assert isinstance(y, int)
        assert isinstance(m, int)
        assert isinstance(modulus, int)
        error = self._error(x, y, m, modulus)
        z = 0 if error else self._product(x, y, m)
        return Outcome({"z": z, "m": m, "modulus": modulus, "error": error}, self._latency)

    def states(self, x: int, y: int, m: int) -> Iterator[State]:
        """S after each of the I digits."""
        return (state for state, _ in self.steps(x, y, m))

    def steps(self, x: int, y: int, m: int) -> Iterator[tuple[State, list[Sums]]]:
        """S after each of the I digits, and the sums of its chunks."""
        p = self.p
        mask = (1 << p.k) - 1
        state, quotients = self.start
        for index in range(p.digits):
            (state, quotients), sums = self.step(state, quotients, x >> (p.k * index) & mask, y, m)
            yield state, sums

    @property
    def start(self) -> Waiting:
        """S and the pending quotient digits before the first digit."""
        return State(0, (0,) * (self.p.chunks - 1)), (0,) * self.p.d

    def step(self, state: State, quotients: tuple[int, ...], digit: int, y: int, m: int) -> tuple[Waiting, list[Sums]]:
        """One digit of X: S and the pending quotient digits after it, and the sums of its chunks."""
        quotient, *waiting = (*quotients, state.word & (1 << self.p.k) - 1)
        sums = self._sums(state, digit, y, quotient, m)
        return (self._added(sums), tuple(waiting)), sums

    def shifted(self, state: State, chunk: int) -> int:
        """Part of S / 2^k in the next sum of a chunk: its word after the shift, and the carry at its bits."""
        p = self.p
        carry = state.carries[chunk] << (p.w - p.k) if chunk < p.chunks - 1 else 0
        return (state.word >> (p.k + p.w * chunk) & (1 << p.w) - 1) + carry

    def value(self, state: State) -> int:
        """Value S of a state in carry-save form."""
        return state.word + sum(carry << (self.p.w * (j + 1)) for j, carry in enumerate(state.carries))

    def _error(self, x: int, y: int, m: int, modulus: int) -> int:
        if m == 0 or modulus % 2 == 0 or modulus < 3:
            return BAD_MODULUS
        return OUT_OF_RANGE if max(x, y) >> (self.p.K + 1) >= m else 0

    def _product(self, x: int, y: int, m: int) -> int:
        """Result (x·y + Q·M~) / R; the remainder modulo R determines Q, as 0 <= Q < R."""
        p = self.p
        tilde, mask = (m << p.K) - 1, (1 << p.T) - 1
        if self._inverse[0] != m:
            self._inverse = (m, pow(tilde, -1, mask + 1))
        product = x * y
        Q = -(product & mask) * self._inverse[1] & mask
        return product + Q * tilde >> p.T

    def _sums(self, state: State, digit: int, y: int, quotient: int, m: int) -> list[Sums]:
        """One digit, chunk by chunk: no carry goes further than into the carry of its chunk."""
        parts = zip(self._tiles(digit, y), self._tiles(quotient, m), strict=True)
        found = []
        for j, (of_y, of_m) in enumerate(parts):
            base = self.shifted(state, j) + of_y
            found.append(Sums(base, base + of_m))
        return found

    def _added(self, sums: list[Sums]) -> State:
        """Next S from the sums of its chunks."""
        w = self.p.w
        *carries, above = (total >> w for _, total in sums)
        assert above == 0
        return State(sum((total & (1 << w) - 1) << (w * j) for j, (_, total) in enumerate(sums)), tuple(carries))

    def _tiles(self, digit: int, word: int) -> list[int]:
        """Addends of each chunk from the products of a word: low part of its tile, high part of the tile below."""
        w, mask = self.p.w, (1 << self.p.w) - 1
        products = [(word >> (w * j) & mask) * digit for j in range(self.p.chunks)]
        return [(product & mask) + (below >> w) for product, below in zip(products, [0, *products], strict=False)]
