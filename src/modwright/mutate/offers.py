# SPDX-License-Identifier: Apache-2.0
"""Every payload of a contract, one by one or by covers: the payloads of `offered`, as lanes of `ternary`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from random import Random

from ..contract import Payload
from ..contract.operands import Bits, Cover, Residues, Unpromised
from .ternary import Bit

MOST_PAYLOADS = 1 << 20
"""Most payloads, or covers, that are enumerated."""
WIDEST = 64
"""Bits of a payload of which covers are listed; a wide core has too many."""


@dataclass(frozen=True)
class Offers:
    """Payloads next to each other, a lane each, of which bits may be unknown.

    Parameters
    ----------
    bits : sequence of (int, int)
        For each bit of the payload, the lanes in which it can be 1, and those in which it can be 0.
    lanes : int
        Number of lanes.
    """

    bits: Sequence[Bit]
    lanes: int

    @classmethod
    def of(cls, words: Iterable[int], width: int) -> Offers:
        """Offers of packed payloads of `width` bits."""
        return cls.between(((word, word) for word in words), width)

    @classmethod
    def covering(cls, covers: Iterable[Cover], i: Payload) -> Offers:
        """Offers that agree with covers."""
        return cls.between((_least_and_most(cover, i) for cover in covers), i.width)

    @classmethod
    def between(cls, pairs: Iterable[tuple[int, int]], width: int) -> Offers:
        """Offers by the bits that are certainly 1, and those that can be 1."""
        rows = [(format(low, f"0{width}b"), format(high, f"0{width}b")) for low, high in pairs]
        rows.reverse()  # the first payload is the lowest lane
        low, high = ("".join(texts) for texts in zip(*rows, strict=True)) if rows else ("", "")
        every = (1 << len(rows)) - 1
        columns = [(int(high[k::width] or "0", 2), every ^ int(low[k::width] or "0", 2)) for k in range(width)]
        return cls(columns[::-1], len(rows))

    @classmethod
    def unknown(cls, width: int) -> Offers:
        """One lane in which a payload of that many bits may be anything."""
        return cls([(1, 1)] * width, 1)

    def part(self, first: int, count: int) -> Offers:
        """Operands from `first` on, `count` of them; fewer at the end."""
        count = min(count, self.lanes - first)
        every = (1 << count) - 1
        return Offers([(a >> first & every, b >> first & every) for a, b in self.bits], count)

    def parts(self, count: int) -> Iterator[Offers]:
        """All payloads, `count` at a time."""
        return (self.part(first, count) for first in range(0, self.lanes, count))

    def some(self, count: int) -> Offers:
        """Sample of `count` operands, the same each time."""
        chosen = Random(self.lanes).sample(range(self.lanes), min(count, self.lanes))
        return Offers.between((self._between(lane) for lane in chosen), len(self.bits))

    def repeated(self, times: int) -> Offers:
        """All payloads, repeated `times` times."""
        ones = sum(1 << self.lanes * k for k in range(times))
        return Offers([(a * ones, b * ones) for a, b in self.bits], self.lanes * times)

    def word(self, lane: int) -> int:
        """A payload, packed; unknown bits are 0."""
        return self._between(lane)[0]

    def _between(self, lane: int) -> tuple[int, int]:
        low = sum((b >> lane & 1 ^ 1) << k for k, (_, b) in enumerate(self.bits))
        return low, sum((a >> lane & 1) << k for k, (a, _) in enumerate(self.bits))


def _least_and_most(cover: Cover, i: Payload) -> tuple[int, int]:
    """The payload of a cover with 0 in the open bits, and the one with 1."""
    low, given = 0, 0
    for name, value in cover.items():
        bits = value if isinstance(value, Bits) else Bits(value, (1 << i[name].width) - 1)
        low |= bits.value << i.offsets[name]
        given |= bits.known << i.offsets[name]
    return low, low | (1 << i.width) - 1 ^ given


def covering(i: Payload, covers: Callable[[], Iterator[Cover]]) -> Offers | None:
    """Offers of the covers of a contract; None when there are more than `MOST_PAYLOADS`."""
    if i.width > WIDEST:
        return None
    found = list(islice(covers(), MOST_PAYLOADS + 1))
    return Offers.covering(found, i) if len(found) <= MOST_PAYLOADS else None


def payloads(
    i: Payload, residues: Sequence[Residues] = (), unpromised: Sequence[Unpromised] = ()
) -> Iterator[int] | None:
    """Every payload of a contract, packed; None when there are more than `MOST_PAYLOADS`.

    Parameters
    ----------
    i : Payload
        Payload, whose elements are below their bounds.
    residues : sequence of Residues
        Elements that are any representatives of the residues of one integer.
    unpromised : sequence of Unpromised
        Payloads that are left out.
    """
    covered = {place[:2] for group in residues for place in group.places}
    free = [(f.name, k, f.limit) for f in i.fields for k in range(f.count) if (f.name, k) not in covered]
    elements = [[*range(limit)] for _, _, limit in free] if prod(limit for *_, limit in free) <= MOST_PAYLOADS else None
    if elements is None:
        return None
    groups = [_representatives(i, group) for group in residues]
    if prod(map(len, (*elements, *groups))) > MOST_PAYLOADS:
        return None
    places = [*((name, k) for name, k, _ in free), *(place[:2] for group in residues for place in group.places)]
    return _packed(i, places, [[(value,) for value in values] for values in elements] + groups, unpromised)


def _representatives(i: Payload, group: Residues) -> list[tuple[int, ...]]:
    """The elements of a group, for each of its integers and each choice of representatives."""
    found: list[tuple[int, ...]] = []
    for value in range(group.least, min(group.limit, group.least + MOST_PAYLOADS)):
        rows = [range(value * factor % m, 1 << i[name].width, m) for name, _, m, factor in group.places]
        found += product(*rows)
        if len(found) > MOST_PAYLOADS:
            break
    return found


def _packed(
    i: Payload,
    places: Sequence[tuple[str, int]],
    choices: Sequence[Sequence[tuple[int, ...]]],
    unpromised: Sequence[Unpromised],
) -> Iterator[int]:
    shifts = [i.offsets[name] + index * i[name].width for name, index in places]
    for choice in product(*choices):
        values = [value for part in choice for value in part]
        word = sum(value << shift for value, shift in zip(values, shifts, strict=True))
        if not unpromised or not any(pattern.excludes(i.unpack(word)) for pattern in unpromised):
            yield word
