# SPDX-License-Identifier: Apache-2.0
"""Widths of programs of field operations over an interleaved row multiplier, and the bounds of their values.

Values are classes modulo M~ = m·2^K - 1, a multiple of the modulus M (`engines.orup`), and are never reduced. In units
of U = m·2^K = M~ + 1, of operands below a·U and b·U,

    a product      x·y·R^-1           is below (1 + a·b·2^(n+K-T))·U, as R = 2^T and m < 2^n
    a sum          x + y + 4·M~       below (a + b + 4)·U
    a difference   x - y + 4·M~       below (a + 4)·U, and not negative where b <= 4 - 2^-(K-2): 4·M~ >= b·U then

so that no value has a sign and none is compared. `limits` follows a graph of operations with these rules. The operands
of the multiplier have `HEADROOM` bits more than for a modulus of n bits, and its own conditions are for those.

Tests of a value modulo M, that is whether it is 0 and what its remainder is, a product with
t = M~ / M = -M^-1 mod 2^K says: t·v mod M~ is t·(v mod M). As t has K bits, a test for 0 takes few digits: after s of
them t·v·2^-ks mod M~ is known as a number below (1 + b·2^(K-ks))·U, which is M~ or 0 where v is 0 modulo M.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...contract import Field
from ...contract.request import Request
from ...contract.roles import NegInverse, Power
from ..ladder.dataflow import ADD, FACTOR, INTEGER, PRODUCT, SCALE, SQUARE, SUBTRACT, WHOLE, Graph
from ..ladder.lazy import Rules, follow
from ..orup.ahead import certified_sizes, sizes_of
from ..orup.interleaved import STEP, InterleavedParameters

HEADROOM = 8
"""Bits of an operand above those of a product: sums of the programs stay below 2^9 U, and products of two of them
below 2^(n+K-T)·2^18·U, with T >= n + 8 + K + 2."""
TESTED = 7
"""Bits of the limit of a value that is tested for 0, in units of U."""
LIMB = 36
"""Bits of a limb of the converter, rounded down to chunks; its chains are next to those of the sums."""
LIFT = 2
"""Exponent of the lift: a sum is lifted by 2^LIFT·M~."""


@dataclass(frozen=True)
class RowParameters(InterleavedParameters):
    """Every constant of a multiplier whose converter also serves sums, which are as long as its operands.

    Parameters
    ----------
    contexts : int
        Programs that take the cycles of the data path in turn, with slots of their own.
    """

    contexts: int = 1

    @property
    def result_chunks(self) -> int:
        """Chunks of a last S, or of a sum without its lowest digits: what the converter takes."""
        return -(-self.last_sum_bits // self.w)

    @property
    def sum_bits(self) -> int:
        """Bits of a sum: the d digits that a last S has dropped, and the chunks."""
        return self.k * self.d + self.w * self.result_chunks

    @property
    def limbs(self) -> int:
        """Limbs of these chunks."""
        return -(-self.result_chunks * self.w // self.limb)


SHORT = (SCALE, FACTOR)
"""Kinds whose first operand has K bits; no limit of it counts."""


def row_of(request: Request, n: int, slots: int, contexts: int = 1) -> RowParameters:
    """Parameters of the multiplier for a modulus of n bits, with headroom.

    Raises
    ------
    ParameterError
        For digits or tiles that do not fit each other or a block.
    """
    k, w = sizes_of(request)
    d = -(-STEP // slots) - 1
    wide = n + max(HEADROOM, k * (d + 1) - n)  # what divsteps take lies below the top bit of a word
    N = -(-(wide + k * (d + 1) + 2) // k)
    one = RowParameters(wide, k, d, N, w, 1, max(1, LIMB // w), request.target, None, slots, contexts)
    return certified_sizes(replace(one, chunks=-(-one.largest_sum.bit_length() // w)), request.core)


def constants(row: InterleavedParameters, n: int) -> tuple[Field, ...]:
    """Operands that follow from the modulus: m = 2^-K, R² and t."""
    return (
        Field("mk", n, role=Power(-row.K)),
        Field("r2", n, role=Power(2 * row.T)),
        Field("t", row.K, role=NegInverse(row.K)),
    )


def short_digits(row: InterleavedParameters) -> int:
    """Digits s of t in a test for 0: those of t, and above them enough that the result is below 2·M~."""
    return row.d + 1 + -(-TESTED // row.k)


def factor_digits(row: InterleavedParameters) -> int:
    """Digits of a factor of K bits."""
    return row.d + 1


def product_limit(row: InterleavedParameters, n: int, a: Fraction, b: Fraction) -> Fraction:
    """Limit of a product of operands below a·U and b·U, in units of U."""
    return 1 + a * b / Fraction(1 << row.T, 1 << (n + row.K))


def limits(
    row: InterleavedParameters, n: int, graph: Graph, given: Mapping[str, Fraction], lift: int = 1 << LIFT
) -> dict[str, Fraction]:
    """Exclusive limit of each value of a graph in units of U, from those of its inputs (`engines.ladder.lazy`)."""

    def product(terms: Sequence[Fraction]) -> Fraction:
        return product_limit(row, n, terms[0], terms[-1])

    rules: Rules = {
        PRODUCT: product,
        SQUARE: product,
        SCALE: lambda terms: 1 + terms[0] / (1 << row.k * short_digits(row) - row.K),
        FACTOR: lambda terms: 1 + terms[0],
        INTEGER: product,
        WHOLE: product,
        ADD: lambda terms: terms[0] + terms[1] + lift,
        SUBTRACT: lambda terms: terms[0] + lift,
    }
    return follow(graph, given, rules, SHORT)
