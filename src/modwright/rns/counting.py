# SPDX-License-Identifier: Apache-2.0
"""Base extensions and modular multiplications in integers, in which every operation of a channel is counted.

The algorithms are executed operation by operation, as Djath, Bigou and Tisserand 2019 write them: the counts are what
was done, and no formula. The names of the operations are the paper's (section II):

    CMM   a product of two channel values, reduced
    CMR   the reduction of a wider value
    CMUL  a product that is not reduced
    CADD  a sum

The paper reduces every product. A rower with an accumulator need not: with `lazy`, sums of products are not reduced
until they are complete, which KBE gains more by than HBE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from .extension import Extension, Reduction
from .hybrid import Hybrid

CMM, CMR, CMUL, CADD = "CMM", "CMR", "CMUL", "CADD"


@dataclass
class Operations:
    """Operations of channels, counted as they are executed.

    Parameters
    ----------
    lazy : bool
        Sums of products are reduced once.
    """

    lazy: bool = False
    counts: Counter[str] = field(default_factory=Counter)

    def product_mod(self, x: int, y: int, m: int) -> int:
        """Product x·y mod m: one CMM."""
        self.counts[CMM] += 1
        return x * y % m

    def reduced(self, x: int, m: int) -> int:
        """Residue x mod m of a wider value: one CMR."""
        self.counts[CMR] += 1
        return x % m

    def product(self, x: int, y: int) -> int:
        """Product x·y, not reduced: one CMUL."""
        self.counts[CMUL] += 1
        return x * y

    def total(self, x: int, y: int, m: int | None = None) -> int:
        """Sum x + y, modulo m where m is given: at most one subtraction, which is part of a CADD."""
        self.counts[CADD] += 1
        return x + y if m is None else (x + y) % m

    # --- steps of the algorithms

    def scaled(self, values: Sequence[int], factors: Sequence[int], moduli: Sequence[int]) -> tuple[int, ...]:
        """A product in each channel."""
        return tuple(self.product_mod(x, f, m) for x, f, m in zip(values, factors, moduli, strict=True))

    def extended(
        self,
        extension: Extension,
        hats: Sequence[int],
        scale: Sequence[int],
        initial: Sequence[int] | None = None,
    ) -> tuple[int, ...]:
        """(X + initial)·scale in the target base, from the hats of X: lines 4 to 11 of Algorithm 1, 4 to 15 of 2.

        The scale is in the constants, and `initial` is scaled already.
        """
        operands = list(hats) if extension.columns == 1 else self.super_residues(extension, hats)
        correction = -extension.estimate(hats) * extension.source.product
        result = []
        for k, b in enumerate(extension.target.moduli):
            value = initial[k] if initial else 0
            for operand, modulus in zip(operands, extension.super_moduli, strict=True):
                weight = extension.source.product // modulus * scale[k] % b
                x = operand if extension.columns == 1 else self.reduced(operand, b)
                value = self._added(value, x, weight, b)
            value = self.total(value, correction * scale[k] % b, b)
            result.append(self.reduced(value, b) if self.lazy else value)
        return tuple(result)

    def super_residues(self, extension: Extension, hats: Sequence[int]) -> list[int]:
        """X̂_i (line 7 of Algorithm 2), not reduced."""
        rows = zip(extension.of_rows(hats), extension.of_rows(extension.source.moduli), strict=True)
        result = []
        for (row, moduli), product in zip(rows, extension.super_moduli, strict=True):
            value = 0
            for x, m in zip(row, moduli, strict=True):
                value = self.total(value, self.product(x, product // m))
            result.append(value)
        return result

    def _added(self, value: int, x: int, weight: int, b: int) -> int:
        if self.lazy:
            return self.total(value, self.product(x, weight))
        return self.total(value, self.product_mod(x, weight, b), b)


def extend(ops: Operations, extension: Extension, residues: Sequence[int]) -> tuple[int, ...]:
    """Algorithm 1 or 2: residues of the source base to those of the target base."""
    hats = ops.scaled(residues, extension.source.inverses, extension.source.moduli)
    return ops.extended(extension, hats, [1] * extension.target.count)


def reduce_plainly(
    ops: Operations, reduction: Reduction, in_a: Sequence[int], in_b: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Algorithm 3 as published: residues of X to those of S in A and B."""
    A, B, P = reduction.A, reduction.B, reduction.modulus
    q = extend(ops, reduction.first, ops.scaled(in_a, reduction.minus_inverse, A.moduli))
    r = ops.scaled(q, [P % b for b in B.moduli], B.moduli)
    r = [ops.total(x, y, b) for x, y, b in zip(in_b, r, B.moduli, strict=True)]
    s = ops.scaled(r, [pow(A.product, -1, b) for b in B.moduli], B.moduli)
    return extend(ops, reduction.second, s), s


def multiply(ops: Operations, reduction: Reduction, x: int, y: int) -> int:
    """Algorithm 3 with its products reordered (Gandino et al. 2012), and the products before it; S, as an integer.

    In B values are hats, as in `cores.modmul.rns_montgomery`.
    """
    A, B, P = reduction.A, reduction.B, reduction.modulus

    def stored(value: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        hats = tuple(value * t % b for t, b in zip(B.inverses, B.moduli, strict=True))
        return A.to_residues(value), hats

    (x_a, x_b), (y_a, y_b) = stored(x), stored(y)
    in_a, in_b = ops.scaled(x_a, y_a, A.moduli), ops.scaled(x_b, y_b, B.moduli)
    to_q = [t * k % a for t, k, a in zip(A.inverses, reduction.minus_inverse, A.moduli, strict=True)]
    hats = ops.scaled(in_a, to_q, A.moduli)
    pairs = list(zip(B.inverses, B.moduli, strict=True))
    initial = ops.scaled(in_b, [pow(A.product * t, -1, b) for t, b in pairs], B.moduli)
    s = ops.extended(reduction.first, hats, [P * pow(A.product, -1, b) * t % b for t, b in pairs], initial)
    s_a = ops.extended(reduction.second, s, [1] * A.count)
    value = B.from_residues([hat * pow(t, -1, b) % b for hat, (t, b) in zip(s, pairs, strict=True)])
    if A.to_residues(value) != s_a:
        raise ValueError("the two bases do not hold one integer: the second extension was not exact")
    return value


def multiply_hybrid(ops: Operations, hybrid: Hybrid, x: Sequence[int], y: Sequence[int]) -> tuple[int, ...]:
    """Product of two polynomials in M (`hybrid`) with integer coefficients, as such a polynomial."""
    d, A, B = hybrid.degree, hybrid.A, hybrid.B
    both = (*A.moduli, *B.moduli)
    x_rns, y_rns = ([tuple(value % m for m in both) for value in operand] for operand in (x, y))
    sums = []
    for k in range(d):
        value = (0,) * len(both)
        for i in range(d):
            j = (k - i) % d
            products = ops.scaled(x_rns[i], y_rns[j], both)
            for _ in range(hybrid.beta if i + j >= d else 1):
                value = tuple(ops.total(v, p, m) for v, p, m in zip(value, products, both, strict=True))
        sums.append(value)
    inverse = [pow(A.product, -1, b) for b in B.moduli]
    low, high, carry = [], [], []
    for value in sums:
        in_a, in_b = value[: A.count], value[A.count :]
        r_b = extend(ops, hybrid.first, in_a)
        difference = [ops.total(z, -r, b) % b for z, r, b in zip(in_b, r_b, B.moduli, strict=True)]
        q_b = ops.scaled(difference, inverse, B.moduli)
        hats = ops.scaled(q_b, B.inverses, B.moduli)
        q_a = ops.extended(hybrid.second, hats, [1] * A.count)
        t = hybrid.carry(hats)
        carry.append(t)
        low.append((*in_a, *r_b))
        minus = [-t * A.product % b for b in B.moduli]
        high.append((*q_a, *(ops.total(q, c, b) for q, c, b in zip(q_b, minus, B.moduli, strict=True))))
    result = []
    for k in range(d):
        more = hybrid.times(k - 2, carry[k - 2]) + hybrid.zero[k]
        residues = []
        for channel, m in enumerate(both):
            value = low[k][channel]
            for _ in range(hybrid.times(k - 1, 1)):
                value = ops.total(value, high[k - 1][channel], m)
            residues.append(ops.total(value, more % m, m))
        value = hybrid.from_residues(residues)
        result.append(value)
    return tuple(result)


# --- costs


def cost(counts: Mapping[str, int], ratio: Fraction, *, lazy: bool = False) -> Fraction:
    """Cost in CMM, for CMM/CMR = `ratio`; sums are free, as they are part of a multiply-accumulate.

    The paper counts a CMUL as a CMM. Where products are reduced lazily a CMUL costs CMM - CMR.
    """
    prices = {CMM: Fraction(1), CMR: 1 / ratio, CMUL: 1 - 1 / ratio if lazy else Fraction(1)}
    return sum((counts.get(name, 0) * price for name, price in prices.items()), Fraction(0))
