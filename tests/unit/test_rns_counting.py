# SPDX-License-Identifier: Apache-2.0
"""Operations of base extensions and multiplications, counted as they are executed, against what is claimed of them."""

import random
from fractions import Fraction

import pytest

from modwright.rns import counting
from modwright.rns.costs import one_extension, one_hybrid, one_reduction
from modwright.rns.counting import CMM, CMR, CMUL, Operations, cost

SIZES = (6, 8, 16, 32)
RATIOS = (Fraction(2), Fraction(4))


@pytest.mark.parametrize("n", SIZES)
def test_an_extension(n):
    """KBE: n² + n CMM. HBE: n²/2 + n CMM, n²/2 CMR, n CMUL. Ten values each are extended rightly."""
    rng = random.Random(n)
    for columns in (1, 2):
        one = one_extension(n, columns)
        for _ in range(10):
            ops = Operations()
            x = rng.randrange(one.source.product // 2)
            assert counting.extend(ops, one, one.source.to_residues(x)) == one.target.to_residues(x)
            claimed = {CMM: n * n // columns + n} | ({CMR: n * n // 2, CMUL: n} if columns == 2 else {})
            assert {name: count for name, count in ops.counts.items() if name != "CADD"} == claimed


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_an_extension_of_more_columns(columns):
    """r²c CMM and CMR for the rows, rc CMM and CMUL before (section IV-C)."""
    n = 12
    one, ops = one_extension(n, columns), Operations()
    x = one.source.product // 3
    assert counting.extend(ops, one, one.source.to_residues(x)) == one.target.to_residues(x)
    r = n // columns
    assert (ops.counts[CMM], ops.counts[CMR], ops.counts[CMUL]) == (r * r * columns + n, r * r * columns, n)


@pytest.mark.parametrize("n", SIZES)
def test_a_montgomery_reduction(n):
    """2n² + 5n as it stands, 2n² + 2n reordered, and 2n more for a multiplication."""
    rng = random.Random(n)
    one = one_reduction(n, 1)
    x, y = (rng.randrange(one.bound) for _ in range(2))
    plain = Operations()
    s_a, s_b = counting.reduce_plainly(plain, one, *(base.to_residues(x * y) for base in (one.A, one.B)))
    s = one.B.from_residues(s_b)
    assert one.A.to_residues(s) == s_a
    assert s * one.A.product % one.modulus == x * y % one.modulus
    assert plain.counts[CMM] == 2 * n * n + 5 * n
    reordered = Operations()
    assert counting.multiply(reordered, one, x, y) == s
    assert reordered.counts[CMM] == 2 * n * n + 2 * n + 2 * n
    assert (reordered.counts[CMR], reordered.counts[CMUL]) == (0, 0)


@pytest.mark.parametrize("n", SIZES)
def test_a_multiplication_by_hbe(n):
    """3n²/2 + 6n for CMM/CMR = 2, 5n²/4 + 6n for 4, with CMUL = CMM."""
    one, ops = one_reduction(n, 2), Operations()
    x, y = one.modulus - 2, one.modulus // 3
    s = counting.multiply(ops, one, x, y)
    assert s < one.bound
    assert s * one.A.product % one.modulus == x * y % one.modulus
    assert [cost(ops.counts, ratio) for ratio in RATIOS] == [
        Fraction(3 * n * n, 2) + 6 * n,
        Fraction(5 * n * n, 4) + 6 * n,
    ]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("degree", [2, 4])
def test_a_hybrid_multiplication(degree, columns):
    """n² products for d = 2 and n²/2 for d = 4, as claimed; of linear terms d·2n + 3n, where 8n and 12n are claimed.

    40 products, chained.
    """
    rng = random.Random(degree)
    n = 16
    one = one_hybrid(n, columns, degree)
    assert all(i.holds for i in one.inequalities())
    P, value = one.modulus, 1
    x = one.digits(1)
    for _ in range(40):
        y = tuple(rng.randrange(one.bound) for _ in range(degree))
        ops = Operations()
        x, value = counting.multiply_hybrid(ops, one, x, y), value * one.value(y) % P
        assert one.value(x) == value
        assert all(0 <= c < one.bound for c in x)
        square = Fraction(2 * n * n, degree)
        assert ops.counts[CMM] == square / columns + (2 * degree + 3) * n
        assert ops.counts[CMR] == (square / 2 if columns == 2 else 0)
        assert ops.counts[CMUL] == (2 * n if columns == 2 else 0)


def test_hybrid_results_of_small_products():
    """Products of coefficients 0, 1 and K - 1: r comes out as r + M and q as -1, and nothing is negative."""
    one = one_hybrid(8, 1, 2)
    top = one.bound - 1
    for x in ((0, 0), (1, 0), (0, 1), (top, top), (top, 0), (1, top)):
        for y in ((0, 0), (1, 0), (0, 1), (top, top), (0, top)):
            z = counting.multiply_hybrid(Operations(), one, x, y)
            assert one.value(z) == one.value(x) * one.value(y) % one.modulus
            assert all(0 <= c < one.bound for c in z)


def test_the_fair_baseline():
    """Sums that are reduced once: the n² terms of HBE over KBE are 1 at CMM/CMR = 2 and 2/3 at 4."""
    counts = {}
    for columns in (1, 2):
        one, ops = one_extension(32, columns), Operations(lazy=True)
        x = one.source.product // 7
        assert counting.extend(ops, one, one.source.to_residues(x)) == one.target.to_residues(x)
        counts[columns] = ops.counts
    n = 32
    assert (counts[1][CMUL], counts[1][CMR], counts[1][CMM]) == (n * n, n, n)
    assert (counts[2][CMUL], counts[2][CMR], counts[2][CMM]) == (n * n // 2 + n, n * n // 2 + n, n)
    for ratio, wanted in zip(RATIOS, (Fraction(1), Fraction(2, 3)), strict=True):
        square = {c: (n * n // c) * (1 - 1 / ratio) + (n * n // 2 / ratio if c == 2 else 0) for c in (1, 2)}
        assert square[2] / square[1] == wanted
        linear = {c: cost(counts[c], ratio, lazy=True) - square[c] for c in (1, 2)}
        assert all(0 < term <= 3 * n for term in linear.values())
