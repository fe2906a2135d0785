# SPDX-License-Identifier: Apache-2.0
"""Constants of the binary multipliers, and the inequalities that make them correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .....base.errors import ParameterError
from .....base.json import Constant
from .....contract import Certificate, Inequality
from .....contract.fixed_modulus import FixedModulus, modulus_of
from .....contract.request import Request
from ..plan.heap import Heap, Term
from ..plan.product import BLOCK_COST, REFERENCE, ProductPlan, plan_product
from ..plan.reduction import TABLE, Barrett, Fold, Reduction, Table, plan_barrett, plan_reduction

COUNTED = "however much is left, `subtractions` counts it, and so many candidates are built"
"""Reason why an inequality is stronger than needed that only lowers the number of subtractions."""


@dataclass(frozen=True)
class Multiply:
    """A step of the datapath: the products of a plan, called `name`0, `name`1, ..., each an open sum.

    Factors a and b are (source, first bit), or a constant.
    """

    name: str
    plan: ProductPlan
    a: tuple[str, int]
    b: tuple[str, int] | int


@dataclass(frozen=True)
class Sum:
    """A step of the datapath: a heap with one result, called `name`, or the candidates r - j·p, `name`1 for j = 1."""

    name: str
    heap: Heap


@dataclass(frozen=True)
class Lookup:
    """A step of the datapath: numbers from memories of constants, each by the name of its table."""

    name: str
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class BinaryParameters(FixedModulus):
    """Constants of the pipelined multiplier.

    Parameters
    ----------
    modulus : int
        p.
    target : str
        Target of the request.
    karatsuba : int
        Levels of Karatsuba's method in each product.
    reduction : str
        "folding" or "barrett".
    segment : int
        Bits of a segment of sums, whose carries are added later.
    latency : int or None
        Cycles, or None for the fastest clock.
    tables : int
        Most slices of the product that are looked up.
    """

    target: str
    karatsuba: int
    reduction: str
    segment: int
    latency: int | None
    tables: int

    @property
    def bound(self) -> int:
        """Largest product."""
        return (self.modulus - 1) ** 2

    @cached_property
    def product(self) -> ProductPlan:
        """Plan of the product x·y."""
        return plan_product(self.width, self.karatsuba, self.segment)

    @cached_property
    def folding(self) -> Reduction | None:
        """The folds; None with Barrett's method, or where the product needs none."""
        if self.reduction == "barrett" or self.bound < 2 * self.modulus:
            return None
        plan, most = self.product, self.bound + max(0, self.product.excess(REFERENCE))
        terms = Heap(plan.terms("xy"), plan.segment, most)
        return plan_reduction(self.modulus, terms, plan.excess(self.target), self.tables)

    @property
    def folds(self) -> tuple[Fold, ...]:
        """The folds."""
        return self.folding.folds if self.folding else ()

    @cached_property
    def barrett(self) -> Barrett | None:
        """The quotient estimate; None with folding."""
        return plan_barrett(self.modulus, self.bound) if self.reduction == "barrett" else None

    @cached_property
    def last_bound(self) -> int:
        """Largest value before the subtractions."""
        if self.barrett is not None:
            return self.barrett.result
        return self.folding.result if self.folding else self.bound

    @property
    def subtractions(self) -> int:
        """J: the result is one of r, r - p, ..., r - J·p."""
        return self.last_bound // self.modulus

    @cached_property
    def datapath(self) -> tuple[Multiply | Sum | Lookup, ...]:
        """The steps from operands to candidates."""
        first = Multiply("xy", self.product, ("x", 0), ("y", 0))
        if self.barrett is not None:
            return (first, *self._barrett_steps(self.barrett))
        if self.folding is None:
            return (first, self._candidates(self.product.terms("xy"), -self.product.excess(self.target)))
        product, *sums = (Sum(self.folding.name(n), heap) for n, heap in enumerate(self.folding.sums))
        tables = self.folds[0].tables
        found = [Lookup("tables", tables)] if tables else []
        return (first, product, *found, *sums, self._candidates(self.folds[-1].terms, self.folding.offset))

    def _barrett_steps(self, plan: Barrett) -> list[Multiply | Sum]:
        width = max(plan.high_width, plan.mu.bit_length())
        estimate = plan_product(width, self.karatsuba, self.segment)
        multiple = plan_product(self.width, self.karatsuba, self.segment)
        low = Term("product", 0, min(self._signed_width, self.bound.bit_length()), 0)
        taken = tuple(Term(t.source, t.low, t.width, t.shift, -t.sign) for t in multiple.terms("qp"))
        return [
            Sum("product", self._closed(self.product, "xy", self.bound)),
            Multiply("xmu", estimate, ("product", plan.low_shift), plan.mu),
            Sum("estimate", self._closed(estimate, "xmu", (self.bound >> plan.low_shift) * plan.mu)),
            Multiply("qp", multiple, ("estimate", plan.total_shift - plan.low_shift), self.modulus),
            self._candidates((low, *taken), multiple.excess(self.target)),
        ]

    @property
    def _signed_width(self) -> int:
        """Bits of r - j·p in two's complement."""
        return self.last_bound.bit_length() + 1

    def _closed(self, plan: ProductPlan, name: str, bound: int) -> Heap:
        """A product as a binary number."""
        constants = (-plan.excess(self.target),)
        return Heap(plan.terms(name), plan.segment, bound, width=bound.bit_length(), constants=constants)

    def _candidates(self, terms: Sequence[Term], offset: int) -> Sum:
        constants = tuple(offset - j * self.modulus for j in range(self.subtractions + 1))
        width, segment = self._signed_width, self.product.segment
        return Sum("reduced", Heap(tuple(terms), segment, self.last_bound, width=width, constants=constants))

    @property
    def blocks(self) -> int:
        """Multiplier blocks on the reference target."""
        return sum(step.plan.blocks for step in self.datapath if isinstance(step, Multiply))

    @property
    def cost(self) -> int:
        """Estimated LUT4, blocks included; for comparing reductions only."""
        adders = 0
        for step in self.datapath:
            if not isinstance(step, Lookup):
                adders += step.heap.cost if isinstance(step, Sum) else step.plan.adders
        return self.blocks * BLOCK_COST + adders

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities that make the constants correct, in exact integers."""
        rows = [self._factor_row(step) for step in self.datapath if isinstance(step, Multiply)]
        rows += self._barrett_rows(self.barrett) if self.barrett else self._fold_rows()
        rows += [self._carry_row(step) for step in self.datapath if isinstance(step, Sum) and not step.heap.open]
        rows.append(
            Inequality(
                "subtractions",
                "r_max < (J+1)·p",
                self.last_bound,
                "<",
                (self.subtractions + 1) * self.modulus,
                "the result is one of r, r - p, ..., r - J·p",
            )
        )
        rows.append(
            Inequality(
                "sign",
                "max(r_max + 1, J·p) <= 2^(n-1)",
                max(self.last_bound + 1, self.subtractions * self.modulus),
                "<=",
                1 << (self._signed_width - 1),
                "the top bit of the n-bit r - j·p is its sign",
            )
        )
        return Certificate(tuple(rows))

    def _factor_row(self, step: Multiply) -> Inequality:
        plan = step.plan
        return Inequality(
            f"factor-{step.name}",
            "2^k·(2^limb - 1) < 2^factor",
            ((1 << plan.limb) - 1) << plan.karatsuba,
            "<",
            1 << plan.factor,
            "a factor is a sum of up to 2^k limbs (Karatsuba on k levels)",
        )

    def _carry_row(self, step: Sum) -> Inequality:
        """Behind the levels a number is wider than its segment, and overlaps the next one."""
        heap = step.heap
        size = min([heap.segment, *heap.sizes[1:-1]])
        return Inequality(
            f"carries-{step.name}",
            "h + 1 <= 2^segment",
            heap.most_over + 1 if heap.pairs else 0,
            "<=",
            1 << size,
            "a carry out of a segment is one bit: h overlaps it, and one comes from below",
            "h is the largest value of a number's high bits, and not that of the operands",
        )

    def _fold_rows(self) -> list[Inequality]:
        if self.folding is None:
            return []
        rows = []
        for number, fold in enumerate(self.folds):
            wrong = sum((v - pow(2, j, self.modulus)) % self.modulus != 0 for j, v in fold.images.items())
            wrong += sum(table.wrong for table in fold.tables)
            last = number == len(self.folds) - 1
            largest = self.folding.result if last else self.folding.sums[number + 1].largest
            rows += [
                Inequality(
                    f"fold-{number}-class",
                    "#{j: v_j not ≡ 2^j mod p} = 0",
                    wrong,
                    "=",
                    0,
                    "keeps x mod p",
                ),
                Inequality(
                    f"fold-{number}-bound", "y_max < x_max", largest, "<", fold.bound, "folding converges", COUNTED
                ),
            ]
        least = self.folds[-1].span[0] + self.folding.offset
        surplus = self.folding.surplus % self.modulus
        return [
            *rows,
            Inequality("excess", "excess of the sums mod p = 0", surplus, "=", 0, "keeps x mod p"),
            Inequality("least", "min Σ x_j·v_j + offset >= 0", least, ">=", 0, "r has no sign"),
        ]

    def _barrett_rows(self, plan: Barrett) -> list[Inequality]:
        error = (1 << plan.low_shift) - 1 + -(-plan.bound * plan.rest >> plan.total_shift)
        return [
            Inequality("mu", "mu·p <= 2^t", plan.mu * self.modulus, "<=", 1 << plan.total_shift, "q never exceeds x/p"),
            Inequality(
                "quotient",
                "2^s - 1 + ceil(x_max·(2^t mod p) / 2^t) <= p",
                error,
                "<=",
                self.modulus,
                "q is at most one too small (Barrett, Crypto '86)",
                COUNTED,
            ),
            Inequality(
                "q-width",
                "bits of floor(x_max / p) <= w",
                plan.quotient_width,
                "<=",
                self.width,
                "q fits",
                "x_max = (p - 1)^2, so q <= p - 2 for every p, and no parameters can break it",
            ),
        ]

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        described: dict[str, Any] = {
            "modulus": self.modulus,
            "bits": self.width,
            "target": self.target,
            "reduction": self.reduction,
            "karatsuba_levels": self.karatsuba,
            "limbs": self.product.limbs,
            "limb_bits": self.product.limb,
            "products": [step.plan.products for step in self.datapath if isinstance(step, Multiply)],
            "multiplier_blocks": self.blocks,
            "segment_bits": self.product.segment,
            "subtractions": self.subtractions,
            "latency": self.latency,
        }
        if self.tables:
            described["tables"] = len(self.folds[0].tables)
        if self.barrett is not None:
            plan = self.barrett
            return described | {
                "barrett_mu": plan.mu,
                "barrett_low_shift": plan.low_shift,
                "barrett_total_shift": plan.total_shift,
            }
        return described | {
            "fold_bounds": [fold.bound for fold in self.folds],
            "fold_rows": [step.heap.depth for step in self.datapath[2:] if isinstance(step, Sum)],
            "fold_images": [list(fold.images.values()) for fold in self.folds],
        }


def derive(request: Request) -> BinaryParameters:
    """Parameters of a request; options that are not set are chosen for the least estimated logic."""
    p = modulus_of(request)
    options = request.options
    known = ("folding",) if options["tables"] else ("folding", "barrett")
    reductions = known if options["reduction"] == "auto" else (options["reduction"],)
    levels = (0, 1, 2) if options["karatsuba"] is None else (options["karatsuba"],)
    karatsuba = min(levels, key=lambda level: plan_product(p.bit_length(), level, options["segment"]).cost)
    choices = [
        BinaryParameters(
            p, request.target, karatsuba, reduction, options["segment"], options["latency"], options["tables"]
        )
        for reduction in reductions
    ]
    choice = min(choices, key=lambda choice: choice.cost)
    slices = len(choice.folds[0].tables) if choice.folds else 0
    if options["tables"] and choice.reduction == "barrett":
        raise ParameterError(
            f"{request.core}: tables fold, and the reduction is {choice.reduction}",
            rule="tables = 0 without folds",
            left=options["tables"],
            right=0,
            hint="reduction=folding",
        )
    if slices < options["tables"]:
        raise ParameterError(
            f"tables for {options['tables']} slices of {TABLE} bits, and the product has {slices} above the modulus",
            rule=f"0 <= tables <= {slices}",
            hint=f"tables from 0 to {slices}, with reduction folding",
        )
    return choice
