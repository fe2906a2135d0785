# SPDX-License-Identifier: Apache-2.0
"""Programs of a field in residues: sums of products, one a line, and their places in time.

    D = U * U - U * L + b?V:W * H - x * #2

A factor is a word, one of two words by a flag (`b?V:W` is V where b is 0), or as the second one a constant. All cycles
count from the word that issues an operation's first address. R is the cycles of a residue, r those of the hats on a
bus, κ the products of a sum that starts in cycle t, whose last product is issued in cycle e = t + κ - 1:

    cycles                          rowers of A                     rowers of B
    t to e                          products, for q̂
    e + R - κ + 1 to e + R - 1                                      products (the last one in cycle e + R - 1)
    e + R to e + R + r - 1                                          hats of Q, in the same sum
    f = e + 2R + r - 1 to f + r - 1 hats of S; ŝ is stored in f
    g = f + R + r - 1               s is stored
    u > f                                                           ŝ times the factor of the second form
    u + R                                                           that is stored
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .parameters import RowerField

CONSTANT = "#"
"""First character of a constant's name."""


@dataclass(frozen=True)
class Factor:
    """A word, or one of two by a flag; or a constant.

    Parameters
    ----------
    words : tuple of str
        One name, or two.
    flag : str
        The flag that chooses; empty for one word.
    """

    words: tuple[str, ...]
    flag: str = ""

    @property
    def constant(self) -> bool:
        """Whether it is a constant."""
        return self.words[0].startswith(CONSTANT)

    def name(self, chosen: Mapping[str, int]) -> str:
        """The word by the values of the flags."""
        return self.words[chosen[self.flag]] if self.flag else self.words[0]


@dataclass(frozen=True)
class Term:
    """A product of two factors, added or subtracted."""

    x: Factor
    y: Factor
    minus: bool


@dataclass(frozen=True)
class Operation:
    """A sum of products; without terms, a plain number that comes in digit by digit."""

    name: str
    terms: tuple[Term, ...]
    text: str

    @property
    def sources(self) -> tuple[str, ...]:
        """Words that it may read, each once."""
        every = (word for t in self.terms for f in (t.x, t.y) if not f.constant for word in f.words)
        return tuple(dict.fromkeys(every))


def parse(text: str) -> tuple[Operation, ...]:
    """Operations of a program, one a line; a line with a name alone is a number that comes in."""
    found: list[Operation] = []
    for line in filter(None, (line.split("# ")[0].strip() for line in text.splitlines())):
        name, _, formula = (part.strip() for part in line.partition("="))
        found.append(Operation(name, tuple(_terms(formula.split())), line))
    return tuple(found)


def _terms(words: list[str]) -> Iterable[Term]:
    if words and words[0] not in "+-":
        words = ["+", *words]
    for first in range(0, len(words), 4):
        sign, x, _, y = words[first : first + 4]
        yield Term(_factor(x), _factor(y), sign == "-")


def _factor(text: str) -> Factor:
    flag, _, pair = text.partition("?")
    return Factor(tuple(pair.split(":")), flag) if pair else Factor((text,))


@dataclass(frozen=True)
class Places:
    """Cycles of an operation that starts in cycle `start`.

    Parameters
    ----------
    p : RowerField
    operation : Operation
    start : int
        t, cycle of the first product, or of the first digits.
    second : int
        u, cycle of the product for the second form.
    """

    p: RowerField
    operation: Operation
    start: int
    second: int

    @property
    def count(self) -> int:
        """Products, κ; 0 for a number that comes in."""
        return len(self.operation.terms)

    @property
    def hats(self) -> int:
        """First cycle of the hats of Q in the rowers of B."""
        return self.start + self.count - 1 + self.p.result

    @property
    def stored_b(self) -> int:
        """Cycle in which ŝ is stored."""
        last = self.hats + self.p.rows - 1 if self.count else self.start + self.p.digit_rows - 1
        return last + self.p.result

    @property
    def stored_a(self) -> int:
        """Cycle in which s is stored."""
        return self.stored_b + (self.p.rows - 1 + self.p.result if self.count else 0)

    @property
    def stored_second(self) -> int:
        """Cycle in which the second form is stored."""
        return self.second + self.p.result

    @property
    def ready(self) -> int:
        """First cycle in which a product in A can read the result, and one in B that follows it."""
        return max(self.stored_a + 1, self.stored_second + 2 - self.p.result)

    @property
    def in_a(self) -> tuple[int, ...]:
        """Cycles in which the rowers of A take factors."""
        if not self.count:
            return tuple(range(self.start, self.start + self.p.digit_rows))
        hats = range(self.stored_b, self.stored_b + self.p.rows)
        return (*range(self.start, self.start + self.count), *hats)

    @property
    def in_b(self) -> tuple[int, ...]:
        """Cycles in which the rowers of B take factors, but for that of the second form."""
        if not self.count:
            return tuple(range(self.start, self.start + self.p.digit_rows))
        return tuple(range(self.hats - self.count, self.hats + self.p.rows))

    @property
    def last_read(self) -> int:
        """Cycle of the last product, in B."""
        return self.hats - 1


class Table:
    """Cycles in which rowers are busy, of a part that runs once or of a loop.

    Parameters
    ----------
    p : RowerField
    period : int
        Cycles of a round; 0 for a part that runs once.
    """

    def __init__(self, p: RowerField, period: int = 0) -> None:
        self.p, self.period = p, period
        self.busy: tuple[set[int], set[int]] = set(), set()
        self.placed: dict[str, Places] = {}

    def _at(self, cycles: Iterable[int]) -> list[int]:
        return [cycle % self.period for cycle in cycles] if self.period else list(cycles)

    def occupy(self, places: Places, shift: int = 0) -> None:
        """Take the cycles of an operation, moved by `shift`."""
        for side, cycles in enumerate((places.in_a, (*places.in_b, places.second))):
            self.busy[side].update(self._at(cycle + shift for cycle in cycles))

    def fits(self, places: Places) -> bool:
        """Whether the rowers are free, and no cycle of a round is taken twice."""
        for side, cycles in enumerate((places.in_a, (*places.in_b, places.second))):
            at = self._at(cycles)
            if len(set(at)) < len(at) or self.busy[side].intersection(at):
                return False
        return True

    def put(self, places: Places) -> None:
        """Place an operation."""
        self.occupy(places)
        self.placed[places.operation.name] = places

    def place(self, operation: Operation, earliest: int) -> bool:
        """Place an operation as early as possible; in a loop within a round from `earliest`."""
        around = self.period or 1 << 20
        for start in range(earliest, earliest + around):
            made = Places(self.p, operation, start, 0)
            free = range(made.stored_b + 1, made.stored_a)  # in none of these cycles does it delay what follows
            for second in itertools.chain(reversed(free), range(max(made.stored_a, free.start), free.start + around)):
                if self._at([second])[0] in self.busy[1]:
                    continue
                places = Places(self.p, operation, start, second)
                if self.fits(places):
                    self.put(places)
                    return True
                break
        return False


def place_once(
    p: RowerField, operations: Sequence[Operation], ready: Mapping[str, int], before: Iterable[tuple[Places, int]] = ()
) -> tuple[Places, ...]:
    """Place operations in the order of their longest ways to the end, each as early as possible.

    Parameters
    ----------
    ready : mapping of str to int
        First cycle in which a word of an earlier part can be read, where it is not 0.
    before : iterable of (Places, int)
        Operations whose cycles, moved by a number, are taken.
    """
    table, known = Table(p), dict(ready)
    for places, shift in before:
        table.occupy(places, shift)
    heights: dict[str, int] = {}
    for operation in reversed(operations):
        users = [heights[user.name] for user in operations if operation.name in user.sources and user.name in heights]
        heights[operation.name] = 1 + max(users, default=0)
    left = list(operations)
    while left:
        names = {operation.name for operation in left}
        free = [operation for operation in left if not names.intersection(operation.sources)]
        earliest = {
            operation.name: max(0, *(known.get(name, 0) for name in operation.sources), 0) for operation in free
        }
        chosen = min(free, key=lambda operation: (earliest[operation.name], -heights[operation.name]))
        if not table.place(chosen, earliest[chosen.name]):
            raise ValueError(f"no place for {chosen.text}")
        known[chosen.name] = table.placed[chosen.name].ready
        left.remove(chosen)
    return tuple(table.placed.values())


def place_loop(
    p: RowerField, operations: Sequence[Operation], order: Sequence[str], period: int, limit: int = 0
) -> tuple[Places, ...] | None:
    """Place operations of a loop in an order, each as early as possible; None where a value comes too late.

    A word that an operation reads before it is made in the text is that of the round before. `limit` is the first cycle
    in which nothing reads those.
    """
    text = [operation.name for operation in operations]
    by_name = dict(zip(text, operations, strict=True))
    table = Table(p, period)
    for name in order:
        operation, earliest = by_name[name], 0
        for source in operation.sources:
            if source in table.placed:
                before = text.index(source) >= text.index(name)
                earliest = max(earliest, table.placed[source].ready - (period if before else 0))
        if not table.place(operation, earliest):
            return None
    found = tuple(table.placed[name] for name in text)
    return found if loop_is_right(found, period, limit or 2 * period) else None


def loop_is_right(placed: Sequence[Places], period: int, limit: int) -> bool:
    """Whether every value is there when it is read, and not yet replaced; those of the round before are read before
    cycle `limit`."""
    at = {places.operation.name: number for number, places in enumerate(placed)}
    for number, reader in enumerate(placed):
        for source in reader.operation.sources:
            if source not in at:
                continue
            maker = placed[at[source]]
            shift = period if at[source] >= number else 0
            if reader.start + shift < maker.ready:
                return False
            replaced = period + min(maker.stored_a, maker.stored_b, maker.stored_second)
            if reader.last_read + shift >= replaced or (shift and reader.last_read >= limit):
                return False
    last = max(end for places in placed for end in (places.stored_a, places.stored_second))
    return min(places.start for places in placed) >= 0 and last < 2 * period and _apart(placed, period)


def _apart(placed: Sequence[Places], period: int) -> bool:
    table = Table(placed[0].p, period)
    for places in placed:
        if not table.fits(places):
            return False
        table.put(places)
    return True
