# SPDX-License-Identifier: Apache-2.0
"""Constants of products between bases that are drawn for each.

A rower has two moduli. A draw says which of them is in A; the other one is in B. So folds are those of fixed bases, and
every constant has a value for each draw.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd
from random import Random

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import Scalar, Value
from ....engines.coxrower.bases import describe, fewest, make_extension
from ....engines.coxrower.montgomery import Multiplication
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import Base
from ....rns.extension import Extension, Reduction, find_bases
from .plan import DrawnEngine

HALF = Fraction(1, 2)
"""Where the cox of the second extension starts, σ2."""
WORST = "both bases of the largest u, which no draw has: errors grow with the u, and products of moduli shrink"
"""Why an inequality is stronger than needed."""


@dataclass(frozen=True)
class RandomBasesParameters:
    """Every constant of products in drawn bases.

    Parameters
    ----------
    drawn : tuple of Multiplication
        The multiplication of every draw; in the first one, every rower has its first modulus in A.
    members : tuple of tuple of int
        For each draw and rower, the number of the modulus that is in A, 0 or 1.
    """

    drawn: tuple[Multiplication, ...]
    members: tuple[tuple[int, ...], ...]

    @property
    def modulus(self) -> int:
        """Modulus P."""
        return self.drawn[0].modulus

    @property
    def width(self) -> int:
        """Bits of a channel, w."""
        return self.drawn[0].width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.drawn[0].n

    @property
    def bits(self) -> int:
        """Bits of a draw."""
        return (len(self.drawn) - 1).bit_length()

    @cached_property
    def engine(self) -> DrawnEngine:
        """The cox-rower: that of the first draw, with folds for the sums of every draw."""
        return DrawnEngine.over([part.engine for part in self.drawn], self.members)

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate of every draw's second extension."""
        estimates = (part.reduction.second.cox.obligation() for part in self.drawn)
        return owed_together((*built_folds(self.engine), *estimates))

    @cached_property
    def worst(self) -> Reduction:
        """A reduction that is worse than that of any draw: in both bases the n largest u."""
        part = self.drawn[0]
        base = Base(self.width, tuple(sorted((*part.A.u, *part.B.u))[self.n :]))
        first, second = (replace(e, source=base, target=base) for e in (part.reduction.first, part.reduction.second))
        return replace(part.reduction, first=first, second=second)

    @cached_property
    def certificate(self) -> Certificate:
        """Conditions that hold for every choice among the moduli, whichever are in the set."""
        part = self.drawn[0]
        shared = gcd(self.modulus, part.A.product * part.B.product)
        own = {"bases", "coprime"}  # moduli of one pool are co-prime to each other, or make no `Base`
        worst = (replace(row, stronger=WORST) for row in self.worst.inequalities() if row.name not in own)
        coprime = Inequality("coprime", "gcd(P, A·B) = 1", shared, "=", 1, "P is inverted modulo the A of any draw")
        return Certificate((coprime, *worst))

    @cached_property
    def i(self) -> Payload:
        """The draw, and both operands in its bases."""
        draw = Field("draw", self.bits, role=Scalar("draw"), more="random: the bases of this product")
        return Payload((draw, self.drawn[0].operand_field("x"), self.drawn[0].operand_field("y")))

    @cached_property
    def o(self) -> Payload:
        """The result, and the draw again."""
        drawn = Field("drawn", self.bits, role=Value("drawn"), more="the draw of the operands")
        return Payload((self.drawn[0].result_field("x·y"), drawn, unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant of the first draw, and the draws."""
        first, second = self.worst.first, self.worst.second
        found: dict[str, Constant] = {"modulus": self.modulus, "result_bound": self.drawn[0].bound}
        found |= describe(self.engine, self.drawn[0].reduction.first)
        return found | {"cox_error": str(first.error), "second_cox_error": str(second.error), "draws": self.members}


# --- from a request


def derive(request: Request) -> RandomBasesParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds.

    Raises
    ------
    ParameterError
        When there are fewer choices than draws, or no bases fit the width.
    """
    P, options = request.fixed_modulus(), request.options
    count = options["draws"]

    def derived(n: int) -> RandomBasesParameters:
        if count > 1 << n:
            raise ParameterError(
                f"{count} draws of {n} rowers", rule="K <= 2^n", left=count, right=1 << n, hint="fewer draws"
            )
        A, B = find_bases(options["width"], n, coprime_to=P)
        large = Base(options["width"], tuple(sorted((*A.u, *B.u))[n:]))
        f = make_extension(options, large, large, HALF).f
        rng = Random(options["seed"])
        members = [(0,) * n, *(_bits(number, n) for number in _drawn(rng, n, count - 1))]
        return RandomBasesParameters(tuple(_part(request, A, B, f, row) for row in members), tuple(members))

    return fewest(request, P.bit_length() + 2, derived)


def _drawn(rng: Random, n: int, count: int) -> list[int]:
    """Different numbers in [1, 2^n)."""
    if n < sys.maxsize.bit_length():
        return rng.sample(range(1, 1 << n), count)
    found: dict[int, None] = {}  # Python samples from no longer ranges
    while len(found) < count:
        found[rng.randrange(1, 1 << n)] = None
    return list(found)


def _bits(number: int, count: int) -> tuple[int, ...]:
    return tuple(number >> k & 1 for k in range(count))


def _part(request: Request, A: Base, B: Base, f: int, members: tuple[int, ...]) -> Multiplication:
    """The multiplication of a draw."""
    pairs = [(a, b) if not member else (b, a) for a, b, member in zip(A.u, B.u, members, strict=True)]
    first, second = (Base(A.width, tuple(pair[side] for pair in pairs)) for side in (0, 1))
    back = Extension(second, first, 1, f, int(HALF * (1 << f)))
    reduction = Reduction(request.fixed_modulus(), Extension(first, second, 1, f, 0), back)
    return Multiplication(reduction, target=request.target, latency=request.options["latency"], local=local_of(request))
