# SPDX-License-Identifier: Apache-2.0
"""The products of the column units, column by column, and the cycle and the multiplier of each.

Column c has weight 2^(wc). A unit works through the columns 0 to 2s - 2 in order, with one accumulator: the products of
a column, in any order that their operands allow, then the next column. A cycle in which no product of the current
column has its operands is left free. When column c is complete, the accumulator's lowest limb leaves it: for c < s it
gives t_c, whose multiple of m (or of mu) removes it; for c >= s it is a limb of the result.

Several multipliers take as many products in a cycle. A multiplier that no product of the current column can use takes
one of the next column, with 2^w times the weight. The last product of a column waits for its column, so that a column
is never complete before the one below it. The first multiplier alone has the hardware for a quotient,
for a product without its lowest limb, and for one that enters U.

t_c without folds, and t_(s-1) with them, is limb·q modulo 2^w with q = -m^-1 mod 2^w, which takes a separate
product. The lowest limb of t_c·m_0 then cancels the limb, so only floor(t_c·m_0 / 2^w) is added, in the next column,
and a carry where the limb is not 0. So no column waits for its own quotient. With folds, the other t_c are the limbs
themselves: t_c·mu counts from column c + 1 on.

Karatsuba's method uses a_i·b_j + a_j·b_i = a_i·b_i + a_j·b_j + (a_i - a_j)(b_j - b_i). With D_i = x_i·y_i,
E_i = t_i·mu_i and

    U_0 = D_0,   V_c = U_c + E_c,   U_(c+1) = V_c + D_(c+1)

the squares of the columns add up to U_c in column c < s and to U_(s-1) - V_k in column s + k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from .operands import Factor, Limb
from .parameters import UnitParameters
from .units import PRODUCT, SQUARE, SUM


@dataclass(frozen=True)
class Product:
    """Product a·b, with its use.

    Parameters
    ----------
    a, b : Factor
    double : bool
        Whether it is added twice.
    high : bool
        Whether its lowest limb cancels; the limbs above are added, and a carry where the cancelled limb is not 0.
    chain : str
        "D" or "E" when it is added to U, with Karatsuba's method; V_c is U after E_c.
    quotient : int or None
        Index c where its lowest limb is t_c; such a product is not added.
    """

    a: Factor
    b: Factor
    double: bool = False
    high: bool = False
    chain: str = ""
    quotient: int | None = None

    @property
    def name(self) -> str:
        """Product in symbols."""
        return f"{'2·' if self.double else ''}{self.a}·{self.b}"

    @property
    def alone(self) -> bool:
        """Whether only the first multiplier has the hardware for this product."""
        return self.high or bool(self.chain) or self.quotient is not None


@dataclass(frozen=True)
class Slot:
    """A product in its cycle, from 1.

    Parameters
    ----------
    product : Product
    cycle : int
    column : int
        Column of the product; for a quotient, that of the limb.
    opens, closes : bool
        Whether it is the first of its column after the column below was complete, or the one that completes it.
    forwarded : bool
        Whether factor a is the lowest limb of the product that leaves the first multiplier in this cycle, a quotient.
    after : tuple of str
        Names of the products whose results are read.
    lane : int
        Index of the multiplier, from 0.
    ahead : bool
        Whether the column below is not complete yet.
    """

    product: Product
    cycle: int
    column: int
    opens: bool = False
    closes: bool = False
    forwarded: bool = False
    after: tuple[str, ...] = ()
    lane: int = 0
    ahead: bool = False


def _product(a: str, i: int, b: str, j: int, *, double: bool = False, high: bool = False, chain: str = "") -> Product:
    return Product(Factor(Limb(a, i)), Factor(Limb(b, j)), double, high, chain)


def _cross(a: str, b: str, i: int, j: int) -> Product:
    return Product(Factor(Limb(a, i), Limb(a, j)), Factor(Limb(b, j), Limb(b, i)))


def _pairs(column: int, limbs: int) -> Iterator[tuple[int, int]]:
    """Pairs (i, j) with i + j = column, both below `limbs`."""
    return ((i, column - i) for i in range(max(0, column - limbs + 1), min(column, limbs - 1) + 1))


def column_products(p: UnitParameters, kind: str, column: int) -> list[Product]:
    """The products of one column, without those for a quotient."""
    operands = [("x", "y"), ("x2", "y2")] if kind == SUM else [("x", "y")]
    found: list[Product] = []
    for x, y in operands:
        found += _of_operands(p, kind, column, x, y)
    return [*found, *_of_modulus(p, column)]


def _of_operands(p: UnitParameters, kind: str, column: int, x: str, y: str) -> Iterator[Product]:
    if p.unit.karatsuba:
        yield from (_cross(x, y, i, j) for i, j in _pairs(column, p.s) if i < j)
        if column < p.s:
            yield _product(x, column, y, column, chain="D")
    elif kind == SQUARE:
        yield from (_product(x, i, y, j, double=i < j) for i, j in _pairs(column, p.s) if i <= j)
    else:
        yield from (_product(x, i, y, j) for i, j in _pairs(column, p.s))


def _of_modulus(p: UnitParameters, column: int) -> Iterator[Product]:
    s = p.s
    last = s - 1
    if not p.unit.folds:
        yield from (_product("t", i, "m", j) for i, j in _pairs(column, s) if j > 0)
    elif p.unit.karatsuba:
        if 1 <= column < s:
            yield _product("t", column - 1, "mu", column - 1, chain="E")
        yield from (_cross("t", "mu", i, j) for i, j in _pairs(column - 1, last) if i < j)
        if s <= column:
            yield _product("t", column - s, "mu", last)
    else:
        yield from (_product("t", i, "mu", j) for i, j in _pairs(column - 1, s) if i < last)
    if p.unit.folds and column > last:
        yield _product("t", last, "m", column - last)
    if column - 1 in quotient_columns(p):
        yield _product("t", column - 1, "m", 0, high=True)


def quotient_columns(p: UnitParameters) -> range:
    """The columns whose limb is multiplied by q."""
    return range(p.s - 1, p.s) if p.unit.folds else range(p.s)


@dataclass
class _Placement:
    """Slots under construction."""

    p: UnitParameters
    pending: list[list[Product]]
    """The products of each column that are not placed yet."""
    cycle: int = 1
    slots: list[Slot] = field(default_factory=list)
    ready: dict[int, int] = field(default_factory=dict)
    """First cycle in which t_c is an operand."""
    source: dict[int, str] = field(default_factory=dict)
    """Name of the product that computes t_c."""
    leaving: dict[int, int] = field(default_factory=dict)
    """Index c by the cycle in which t_c leaves the multiplier."""
    waiting: Slot | None = None
    """A quotient that is not placed yet, in its first possible cycle."""

    def column(self, column: int) -> None:
        """Place all products of a column, some of the next column in addition, and the reading of its limb."""
        opened = False
        while self.pending[column]:
            slots = self._cycle(column)
            own = [at for at, slot in enumerate(slots) if slot.product.quotient is None and not slot.ahead]
            if own:
                first = own[0]
                slots[first] = replace(slots[first], opens=not opened, closes=not self.pending[column])
                opened = True
                if slots[first].closes:
                    self._read_limb(column, slots[first])
            self.slots += slots
            self.cycle += 1

    def _cycle(self, column: int) -> list[Slot]:
        """The products of one cycle: a quotient first, then those of the column, then those of the next."""
        slots: list[Slot] = []
        if self.waiting is not None and self.waiting.cycle <= self.cycle:
            slots.append(self._quotient(self.waiting))
        while len(slots) < self.p.macs:
            free = not any(slot.product.alone for slot in slots)
            slot = self._choose(column, free) or self._choose_ahead(column + 1)
            if slot is None:
                break
            slots.append(slot)
        slots.sort(key=lambda slot: not slot.product.alone)
        return [replace(slot, lane=lane) for lane, slot in enumerate(slots)]

    def _choose_ahead(self, column: int) -> Slot | None:
        """A product of the next column, unless it is the last one of that column."""
        if self.p.macs == 1 or column == len(self.pending) or len(self.pending[column]) == 1:
            return None
        slot = self._choose(column, free=False)
        return slot and replace(slot, ahead=True)

    def _choose(self, column: int, free: bool) -> Slot | None:
        """The first product whose operands are ready; else one whose quotient leaves the multiplier in this cycle.

        `free` is whether the first multiplier is free.
        """
        pending = self.pending[column]
        for possible in (self._possible, self._forwardable):
            for product in pending:
                if (free or not product.alone) and possible(product, pending):
                    pending.remove(product)
                    forwarded = not self._possible(product, pending)
                    indices = () if forwarded else sorted(product.a.quotients)
                    after = tuple(self.source[index] for index in indices)
                    return Slot(product, self.cycle, column, forwarded=forwarded, after=after)
        return None

    def _possible(self, product: Product, pending: list[Product]) -> bool:
        """Whether the operands of a product are ready; for Karatsuba's squares, E_(c-1) comes before D_c, with V_(c-1)
        between."""
        if product.chain == "D" and any(other.chain == "E" for other in pending):
            return False
        return all(self.ready.get(index, self.cycle + 1) <= self.cycle for index in product.a.quotients)

    def _forwardable(self, product: Product, pending: list[Product]) -> bool:
        """Whether a limb may go to the multiplier as it leaves: Karatsuba's subtraction before it would be too slow."""
        return not self.p.unit.karatsuba and product.a.quotients == {self.leaving.get(self.cycle)}

    def _read_limb(self, column: int, closing: Slot) -> None:
        there = closing.cycle + self.p.delay + 1
        if column in quotient_columns(self.p):
            product = Product(Factor(Limb("t", column)), Factor(Limb("q")), quotient=column)
            self.waiting = Slot(product, there, column, after=(closing.product.name,))
        else:
            self.ready[column], self.source[column] = there, closing.product.name

    def _quotient(self, slot: Slot) -> Slot:
        self.ready[slot.column] = self.cycle + self.p.delay + 1
        self.leaving[self.cycle + self.p.delay] = slot.column
        self.source[slot.column] = slot.product.name
        self.waiting = None
        return replace(slot, cycle=self.cycle)


def slots_of(p: UnitParameters, kind: str = PRODUCT) -> tuple[Slot, ...]:
    """All products of one operation, with their cycles and multipliers."""
    columns = range(2 * p.s - 1)
    placement = _Placement(p, [column_products(p, kind, column) for column in columns])
    for column in columns:
        placement.column(column)
    return tuple(placement.slots)
