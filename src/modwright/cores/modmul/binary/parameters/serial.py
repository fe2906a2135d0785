# SPDX-License-Identifier: Apache-2.0
"""Passes of the serial multiplier: columns of limb products, planned in exact integers.

The modulus is normalised: with n limbs of W bits, N = n·W and k = N - w, everything is done modulo P = p·2^k, which
has exactly N bits. Since x·(y·2^k) mod P = (x·y mod p)·2^k, only wiring changes, and every cut lies between limbs
(Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D, normalises for the same reason).

A pass adds products of two limbs column by column from the lowest (product scanning: Comba 1990); column c has the
weight 2^(W·c). One accumulator carries from column to column. Passes:

product   X = x·(y·2^k)
fold      Y = (X mod 2^N) + (X >> N)·(2^N - P), until Y < 2P or a further fold does not help
estimate  q = floor(floor(X / 2^(N-W))·mu / 2^(N+W)), mu = floor(2^2N / P)     (Barrett)
rest      r = (X + q·(2^(N+W) - P)) mod 2^(N+W) = X - q·P

Within a column of limbs, digits of a block's operand are accumulated apart (`plan.columns`); when a column ends, its
low digits are added up to its limb, with a carry from the limb below, and the high digits pass to the next column.

The last pass gives r < (J+1)·P; while its limbs are produced, r - P, ..., r - J·P are computed limb by limb next to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .....base.errors import show_integer
from .....base.json import Constant
from .....contract import Certificate, Inequality
from .....contract.fixed_modulus import FixedModulus, modulus_of
from .....contract.request import Request
from .....plan.columns import ColumnTiling
from .....rns.folding import Fold
from ..plan.reduction import Barrett
from .pipelined import COUNTED

MOST_FOLDS, MOST_SUBTRACTIONS = 16, 8
"""Most folds and subtractions; with more, Barrett's method takes fewer products for any modulus."""


@dataclass(frozen=True)
class Operand:
    """Source of a multiplier input: a limb of x or of y·2^k, a stored word, or a constant.

    Parameters
    ----------
    kind : str
        "x", "word" (left input), "y", "constant" (right input).
    value : int
        Index of the limb, address of the word, or the constant itself.
    """

    kind: str
    value: int


Product = tuple[Operand, Operand]

ZERO: Product = (Operand("x", 0), Operand("constant", 0))
"""Operands of a column without products, through which the carry passes."""


@dataclass(frozen=True)
class Column:
    """Products that are added at one weight, and the address of the limb, None when it is not needed."""

    products: tuple[Product, ...]
    address: int | None = None


@dataclass(frozen=True)
class Pass:
    """Columns from the lowest to the highest, carried from one to the next."""

    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class SerialParameters(FixedModulus):
    """Constants of the serial multiplier.

    Parameters
    ----------
    modulus : int
        p.
    target : str
        Target of the request.
    reduction : str
        "folding" or "barrett".
    limbs : int
        n.
    """

    target: str
    reduction: str
    limbs: int

    @property
    def limb(self) -> int:
        """Bits of a limb, W."""
        return -(-self.width // self.limbs)

    @property
    def full(self) -> int:
        """N, bits of all limbs."""
        return self.limb * self.limbs

    @property
    def shift(self) -> int:
        """k, by which the modulus is normalised."""
        return self.full - self.width

    @property
    def normal(self) -> int:
        """Normalised modulus P = p·2^k."""
        return self.modulus << self.shift

    @property
    def bound(self) -> int:
        """Largest X."""
        return (self.modulus - 1) ** 2 << self.shift

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """The folds; none with Barrett's method."""
        folds: list[Fold] = []
        bound = self.bound
        while self.reduction == "folding" and bound >= 2 * self.normal and len(folds) < MOST_FOLDS:
            fold = Fold(self.full, (1 << self.full) - self.normal, bound)
            if fold.result // self.normal >= bound // self.normal:
                break
            folds.append(fold)
            bound = fold.result
        return tuple(folds)

    @cached_property
    def barrett(self) -> Barrett | None:
        """The quotient estimate, cut between limbs; None with folding."""
        if self.reduction == "folding":
            return None
        return Barrett(self.normal, self.bound, self.full - self.limb, 2 * self.full)

    @cached_property
    def last_bound(self) -> int:
        """Largest r."""
        if self.barrett is not None:
            return self.barrett.result
        return self.folds[-1].result if self.folds else self.bound

    @property
    def subtractions(self) -> int:
        """Most subtractions of p at the end, J."""
        return self.last_bound // self.normal

    def limbs_of(self, value: int, count: int) -> list[int]:
        """The `count` lowest limbs of a number."""
        return [value >> (self.limb * n) & ((1 << self.limb) - 1) for n in range(count)]

    def limbs_for(self, bound: int) -> int:
        """Limbs that hold every number up to a bound."""
        return max(1, -(-bound.bit_length() // self.limb))

    @cached_property
    def passes(self) -> tuple[Pass, ...]:
        """Passes in their order; every limb that is stored has an address of its own."""
        n = self.limbs
        product = [(i + j, (Operand("x", i), Operand("y", j))) for i in range(n) for j in range(n)]
        if self.barrett is not None:
            return self._barrett_passes(self.barrett, product)
        passes = []
        name, products, base = "product", product, 0
        for number, fold in enumerate(self.folds):
            words = self.limbs_for(fold.bound)
            passes.append(_make_pass(name, products, range(words), base))
            name, products, base = f"fold {number + 1}", self._fold_products(fold, base), base + words
        passes.append(_make_pass(name, products, range(n + 1), None))
        return tuple(passes)

    def _fold_products(self, fold: Fold, base: int) -> list[tuple[int, Product]]:
        """Products of a fold: low words times one, and high words times the limbs of 2^N - P."""
        n = self.limbs
        one = Operand("constant", 1)
        products = [(c, (Operand("word", base + c), one)) for c in range(n)]
        factor = self.limbs_of(fold.u, self.limbs_for(fold.u))
        for i in range(self.limbs_for(fold.bound) - n):
            for j, limb in enumerate(factor):
                products.append((i + j, (Operand("word", base + n + i), Operand("constant", limb))))
        return [(c, pair) for c, pair in products if pair[1].value]

    def _barrett_passes(self, plan: Barrett, product: list[tuple[int, Product]]) -> tuple[Pass, ...]:
        n, q = self.limbs, self.limbs_for(self.bound)  # X lies in words 0 to q - 1, the estimate from q on
        mu = self.limbs_of(plan.mu, self.limbs_for(plan.mu))
        complement = self.limbs_of((1 << (self.full + self.limb)) - self.normal, n + 1)
        estimate = [
            (i - (n - 1) + j, (Operand("word", i), Operand("constant", limb)))
            for i in range(n - 1, q)
            for j, limb in enumerate(mu)
            if limb
        ]
        rest = [(c, (Operand("word", c), Operand("constant", 1))) for c in range(min(n + 1, q))]
        rest += [
            (i + j, (Operand("word", q + i), Operand("constant", limb)))
            for i in range(n)
            for j, limb in enumerate(complement)
            if limb
        ]
        return (
            _make_pass("product", product, range(q), 0),
            _make_pass("estimate", estimate, range(n + 1, 2 * n + 1), q - (n + 1)),
            _make_pass("rest", rest, range(n + 1), None),
        )

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """The distinct constant limbs that the right input reads."""
        used = [b.value for _, b in self.products if b.kind == "constant"]
        return tuple(dict.fromkeys(used))

    @property
    def products(self) -> list[Product]:
        """Every product in the order of the passes."""
        return [pair for pass_ in self.passes for column in pass_.columns for pair in column.products]

    @property
    def words(self) -> int:
        """Words of memory."""
        addresses = [c.address for pass_ in self.passes for c in pass_.columns if c.address is not None]
        return max(addresses, default=-1) + 1

    @cached_property
    def columns(self) -> ColumnTiling:
        """Digits of a limb, and the columns of a product of two limbs."""
        return ColumnTiling(self.limb)

    @cached_property
    def digit_bounds(self) -> tuple[int, ...]:
        """Largest accumulator of each digit: the fullest column of products, each at its largest, on what the column
        before leaves."""
        most = max(len(column.products) for pass_ in self.passes for column in pass_.columns)
        digits = self.columns.digits
        sums = [most * bound for bound in self.columns.bounds]
        left = [high << self.columns.surplus for high in sums[digits:]]
        return tuple(low + high for low, high in zip(sums[:digits], left, strict=True)) + tuple(sums[digits:])

    @cached_property
    def carry_bound(self) -> int:
        """Largest carry out of the sum of a limb: its digits, the highest one only as far as it lies in the limb, and
        what the limb below has left above it, its highest digit and its own carry."""
        digit, count = self.columns.digit, self.columns.digits
        inside = digit - self.columns.surplus
        *lower, highest = self.digit_bounds[:count]
        total = sum(bound << (digit * k) for k, bound in enumerate(lower))
        total += min(highest, (1 << inside) - 1) << (self.limb - inside)
        total += highest >> inside
        bound = 0
        while (carry := (bound + total) >> self.limb) > bound:
            bound = carry
        return bound

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make the constants correct, in exact integers."""
        rows = [
            Inequality("normal-low", "2^(N-1) <= P", 1 << (self.full - 1), "<=", self.normal, "P has N bits", COUNTED),
            Inequality(
                "normal-high",
                "P < 2^N",
                self.normal,
                "<",
                1 << self.full,
                "P has N bits",
                "P is p shifted to N bits, so no modulus can break it",
            ),
        ]
        rows += [
            Inequality(f"fold-{n + 1}", "y_max < x_max", fold.result, "<", fold.bound, "folding converges", COUNTED)
            for n, fold in enumerate(self.folds)
        ]
        if self.barrett is not None:
            plan = self.barrett
            rows += [
                Inequality("mu", "mu·P <= 2^t", plan.mu * self.normal, "<=", 1 << plan.total_shift, "q <= X/P"),
                Inequality(
                    "q-width",
                    "floor(X_max / P) < 2^N",
                    self.bound // self.normal,
                    "<",
                    1 << self.full,
                    "q fits",
                    "floor(X_max / P) = floor((p - 1)^2 / p) = p - 2 for every p, so no parameters can break it",
                ),
            ]
        rows.append(
            Inequality(
                "subtractions",
                "r_max < (J+1)·P",
                self.last_bound,
                "<",
                (self.subtractions + 1) * self.normal,
                "the result is one of r, r - P, ..., r - J·P",
            )
        )
        rows.append(
            Inequality(
                "few-subtractions",
                f"J <= {MOST_SUBTRACTIONS}",
                self.subtractions,
                "<=",
                MOST_SUBTRACTIONS,
                f"more are left when {MOST_FOLDS} folds are not enough",
                "any number of candidates is right; more than these cost more than Barrett's method",
            )
        )
        rows.append(
            Inequality(
                "result-width",
                "r_max < 2^(N+W)",
                self.last_bound,
                "<",
                1 << (self.full + self.limb),
                "r has n + 1 limbs",
                "few-subtractions implies it for limbs of 4 bits and more, as r < 9·P < 2^(N+4); with narrower ones no "
                "odd modulus below 1200 breaks it alone",
            )
        )
        return Certificate(tuple(rows))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "bits": self.width,
            "target": self.target,
            "reduction": self.reduction,
            "limbs": self.limbs,
            "limb_bits": self.limb,
            "shift": self.shift,
            "pass_products": {pass_.name: sum(len(c.products) for c in pass_.columns) for pass_ in self.passes},
            "stored_constants": list(self.constants),
            "words": self.words,
            "subtractions": self.subtractions,
        }


def _make_pass(name: str, products: list[tuple[int, Product]], stored: range, base: int | None) -> Pass:
    """Columns up to the last one that is stored or is part of the result; the limb of column c has address base + c."""
    columns = []
    for c in range(stored.stop):
        here = tuple(pair for column, pair in products if column == c) or (ZERO,)
        columns.append(Column(here, base + c if base is not None and c in stored else None))
    return Pass(name, tuple(columns))


def derive(request: Request) -> SerialParameters:
    """Parameters of a request; a reduction that is not set is the one with fewer products."""
    p = modulus_of(request)
    limbs = -(-p.bit_length() // request.options["limb"])
    reduction = request.options["reduction"]
    reductions = ("folding", "barrett") if reduction == "auto" else (reduction,)
    choices = [SerialParameters(p, request.target, reduction, limbs) for reduction in reductions]
    usable = [choice for choice in choices if choice.certificate.failing is None]
    if not usable:
        failing = choices[0].certificate.failing
        assert failing is not None
        message = f"modmul/binary-serial by {reductions[0]} modulo {show_integer(p)}: {failing.why}"
        raise failing.refusal(message, "reduction barrett, or a wider limb")
    return min(usable, key=lambda choice: len(choice.products))
