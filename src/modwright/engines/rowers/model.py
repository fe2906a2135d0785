# SPDX-License-Identifier: Apache-2.0
"""A field in residues in exact integers: representatives as the rowers have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .parameters import RowerField, plain_digits
from .program import Operation


@dataclass(frozen=True)
class Words:
    """A stored number: residues in A, hats in B, and the second form of those.

    Parameters
    ----------
    a, x, y : tuple of int
    """

    a: tuple[int, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]


class ResidueField:
    """Numbers by name, and operations on them.

    Attributes
    ----------
    words : dict
        Stored numbers.
    quotients : list of (int, int)
        Quotients h of both extensions, of every operation.
    """

    def __init__(self, p: RowerField) -> None:
        self.p = p
        self.words: dict[str, Words] = {}
        self.quotients: list[tuple[int, int]] = []

    def load(self, name: str, x: int) -> None:
        """Store a plain number, digit by digit."""
        p = self.p
        digits = plain_digits(p, x)
        a = [self._sum(0, k, zip(digits, p.digit_weights[0][k], strict=True)) for k in range(p.n)]
        b = [self._sum(1, k, zip(digits, p.digit_weights[1][k], strict=True)) for k in range(p.n)]
        self._store(name, tuple(a), tuple(b))

    def run(self, operation: Operation, chosen: Mapping[str, int]) -> tuple[int, ...]:
        """Run an operation, with a value of each flag that it reads; the hats of its result in B."""
        p, terms = self.p, operation.terms
        factors = [(t.minus, self.words[t.x.name(chosen)], self._second(t.y.name(chosen))) for t in terms]
        hats = []
        for k, (_, negative) in enumerate(p.roots):
            signed = [(-1 if minus != negative else 1, x.a[k], y.a[k]) for minus, x, y in factors]
            hats.append(p.in_a[k].apply(p.bias(0, k) + sum(sign * x * y for sign, x, y in signed)))
        first, s = p.first.estimate(hats), []
        for k, m in enumerate(p.B.moduli):
            total = p.bias(1, k) + sum((-1 if minus else 1) * x.x[k] * y.y[k] for minus, x, y in factors)
            total += sum(hat * weight for hat, weight in zip(hats, p.weights[1][k], strict=True))
            s.append(p.in_b[k].apply(total, first * p.corrections[1][k] % m))
        second, a = p.second.estimate(s), []
        for k, m in enumerate(p.A.moduli):
            total = p.bias(0, k) + sum(hat * weight for hat, weight in zip(s, p.weights[0][k], strict=True))
            a.append(p.in_a[k].apply(total, second * p.corrections[0][k] % m))
        self._store(operation.name, tuple(a), tuple(s))
        self.quotients.append((first, second))
        return tuple(s)

    def number(self, name: str) -> int:
        """The stored integer, above -B/2 and below B/2; both bases have it."""
        p, words = self.p, self.words[name]
        hats = zip(words.x, p.B.cofactors, strict=True)
        x = sum(hat * cofactor for hat, cofactor in hats) % p.B.product
        x -= p.B.product if 2 * x > p.B.product else 0
        if any((r - x * g) % a for r, (g, _), a in zip(words.a, p.roots, p.A.moduli, strict=True)):
            raise ValueError(f"the two bases do not hold one integer for {name}")
        return x

    def _second(self, name: str) -> Words:
        """A word as a second factor, or a constant."""
        if not name.startswith("#"):
            return self.words[name]
        at = list(self.p.constants).index(name[1:])
        a, b = (tuple(row[at] for row in side) for side in self.p.by_constant)
        return Words(a, (), b)

    def _sum(self, side: int, channel: int, products: Iterable[tuple[int, int]]) -> int:
        plans = (self.p.in_a, self.p.in_b)[side]
        return plans[channel].apply(self.p.bias(side, channel) + sum(x * y for x, y in products))

    def _store(self, name: str, a: tuple[int, ...], x: tuple[int, ...]) -> None:
        p = self.p
        y = tuple(p.in_b[k].apply(p.bias(1, k) + hat * p.second_form[k]) for k, hat in enumerate(x))
        self.words[name] = Words(a, x, y)
