# SPDX-License-Identifier: Apache-2.0
"""Inversion by divsteps on the machine that multiplies: constants, conditions, and a round in plain integers.

x leaves the domain first, as in conversion to binary, so that g = S < 2P. With f = P, d = 0 and e = A mod P, a round of
k divsteps on the low k bits of f and g gives (u v; q r), and

    f, g = (u·f + v·g)/2^k, (q·f + r·g)/2^k
    d, e = (u·d + v·e + c_d·P)/2^k, (q·d + r·e + c_e·P)/2^k      c_d = (u·d' + v·e') mod 2^k, d' = -d/P mod 2^k

(Bernstein and Yang 2019, section 5). All four are stored times 2^-k, so that each is one sum of products. In the end
f is ±1, and f·d + κP is x^-1·A, below 2κP; a product with A mod P brings that below λP.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from .....contract import Inequality
from .....engines.divsteps import matrix, source_of_twice, steps_for_twice
from .....rns.extension import Reduction
from .conversions import OVER_A

PER_CYCLE = 2
"""Divsteps in a cycle."""
HALF_P, HALF_START, NOTHING, UNIT = "P/2", "(A mod P)/2", "0", "1"
SCALE, OF_P, BACK, BACK_MINUS, HALF_OFFSET = "2^-k", "P/2^k", "2^k", "-2^k", "κP/2"
INTO_Q, INTO_S = "A·(-T/P) in A", "(A mod P)/A in B"
"""Names of factors: of the start, of a round, of the end, and of the product behind it."""


@dataclass(frozen=True)
class Divsteps:
    """Rounds of one modulus.

    Parameters
    ----------
    reduction : Reduction
    """

    reduction: Reduction

    @property
    def modulus(self) -> int:
        """Modulus P."""
        return self.reduction.modulus

    @property
    def k(self) -> int:
        """Divsteps of a round, so many that 2^k is below every modulus, in whole cycles."""
        return (self.reduction.A.width - 1) // PER_CYCLE * PER_CYCLE

    @cached_property
    def needed(self) -> int:
        """Number of divsteps that suffice for 0 ≤ g < 2P."""
        return steps_for_twice(self.modulus.bit_length())

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return -(-self.needed // self.k)

    @property
    def counter_bits(self) -> int:
        """Bits of δ - 1/2 with its sign."""
        return (self.rounds * self.k).bit_length() + 1

    @property
    def offset(self) -> int:
        """κ: |d| and |e| are below κP, as they grow by P a round at most."""
        return 1 + self.rounds

    @property
    def start(self) -> int:
        """Start of e, A mod P."""
        return self.reduction.A.product % self.modulus

    @cached_property
    def factors(self) -> dict[str, tuple[int, ...]]:
        """Factors by name, modulo the moduli of B but for the product's in A."""
        A, B, P, k = self.reduction.A, self.reduction.B, self.modulus, self.k
        pairs = list(zip(B.inverses, B.moduli, strict=True))

        def hats(value: int, divisor: int = 1) -> tuple[int, ...]:
            return tuple(value * t * pow(divisor, -1, b) % b for t, b in pairs)

        into_q = zip(A.inverses, self.reduction.minus_inverse, A.moduli, strict=True)
        return {
            OVER_A: tuple(pow(A.product, -1, b) for b in B.moduli),
            UNIT: (1,) * B.count,
            NOTHING: (0,) * B.count,
            HALF_P: hats(P, 2),
            HALF_START: hats(self.start, 2),
            SCALE: tuple(pow(2, -k, b) for b in B.moduli),
            OF_P: hats(P, 1 << k),
            BACK: tuple(pow(2, k, b) for b in B.moduli),
            BACK_MINUS: tuple(-pow(2, k, b) % b for b in B.moduli),
            HALF_OFFSET: hats(self.offset * P, 2),
            INTO_Q: tuple(self.start * t * q % a for t, q, a in into_q),
            INTO_S: tuple(self.start * pow(A.product, -1, b) % b for b in B.moduli),
        }

    def inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of rounds, and of the products around them."""
        P, A, B, second = self.modulus, self.reduction.A, self.reduction.B, self.reduction.second
        growth, room = self.reduction.growth, 2 * self.offset * P
        return (
            Inequality("odd", "P mod 2 = 1", P & 1, "=", 1, "f is odd in every state", "the core takes no even P"),
            Inequality(
                "g",
                "λP/A + (1+E1)P < 2P",
                Fraction(self.reduction.bound, A.product) + growth * P,
                "<",
                2 * P,
                "the divsteps are counted for 0 <= g < 2f",
                "it is for the largest operand and the largest Q at once",
            ),
            Inequality(
                "steps",
                "rounds·k >= bound",
                self.rounds * self.k,
                ">=",
                self.needed,
                f"else g != 0 in the end, from 0 <= g < 2f on; {source_of_twice(P.bit_length())}",
                "rounds are derived from it",
            ),
            Inequality(
                "range-d",
                "2κP <= (1-σ2)B",
                room,
                "<=",
                (1 - second.sigma) * B.product,
                "numbers of rounds, and f·d + κP, are extended and counted right",
                "d and e are far below their bound",
            ),
            Inequality(
                "inverse",
                "2κP/A <= 1 + E1",
                Fraction(room, A.product),
                "<=",
                growth,
                "the product behind the end is below λP",
                "d and e are far below their bound",
            ),
        )


@dataclass
class Rounds:
    """State of an inversion in integers.

    Parameters
    ----------
    plan : Divsteps
    g : int
        Operand, below 2P.
    """

    plan: Divsteps
    g: int

    def __post_init__(self) -> None:
        self.D, self.f, self.d, self.e = 0, self.plan.modulus, 0, self.plan.start

    def step(self) -> tuple[int, int, int, int, int, int]:
        """One round; u, v, q, r, c_d and c_e of it."""
        k, P = self.plan.k, self.plan.modulus
        low = (1 << k) - 1
        self.D, u, v, q, r = matrix(self.D, self.f & low, self.g & low, k)
        minus = -pow(P, -1, 1 << k)
        sums = u * self.d + v * self.e, q * self.d + r * self.e
        c_d, c_e = (total * minus & low for total in sums)
        self.f, self.g = (u * self.f + v * self.g) >> k, (q * self.f + r * self.g) >> k
        self.d, self.e = (sums[0] + c_d * P) >> k, (sums[1] + c_e * P) >> k
        return u, v, q, r, c_d, c_e

    @property
    def sign(self) -> int:
        """f where it is 1 or -1, else 0."""
        return self.f if self.f in (1, -1) else 0
