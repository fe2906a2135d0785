# SPDX-License-Identifier: Apache-2.0
"""Constants of RNS Montgomery multiplication with a runtime modulus P: bases and extensions for every P of n bits.

Algorithm 3 of Djath, Bigou and Tisserand 2019, in its order, as what depends on P is then two words a channel:

    q̂_a = <x_a·y_a·f_a>                  f_a = <-P^-1·T_a>, the hats of Q in A
    q_b = <Σ Q̂_i·A/A_i - h·A>            Q or Q + A, with constants alone
    ŝ_b = <x̂_b·ŷ_b·(A·T_b)^-1 + q_b·g_b> g_b = <P·A^-1·T_b>, the hats of S in B
    s_a = <Σ Ŝ_i·B/B_i - h·B>            S in A, exact
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....catalog.resolve import is_prime
from ....contract import Certificate, Field, Inequality, Obligations, Payload, PayloadValue
from ....contract.obligation import owed_together
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import (
    Determined,
    ErrorCode,
    Errors,
    Modulus,
    Multiple,
    Operand,
    Residues,
    Result,
    Table,
)
from ....contract.runtime_modulus import BAD_MODULUS, width_of
from ....engines.coxrower.bases import OnTwoBases, describe, fewest, make_extension, sigma_of
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.montgomery import HATS_OF_B
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import Base
from ....rns.extension import Extension

LIMIT = 4
"""λ: operands and results are below λ·P. A power of 2 with room above 1 + E1, which is below 2: see `SPARE`."""
SPARE = 3
"""Bits of A beyond those of P: λ²/(λ - 1 - E1) is from 16/3 to 8."""
WORD_F, WORD_G = 0, 1
"""Words of the modulus in a rower: f, then g."""
EXAMPLE_BITS = 512
"""A width to suggest: the halves of RSA-1024."""


@dataclass(frozen=True)
class RuntimeParameters(OnTwoBases):
    """Every constant of one RNS Montgomery multiplier for any modulus.

    Parameters
    ----------
    bits : int
        n: P has at most that many.
    into_b, into_a : Extension
        Extension of Q, with σ = 0, and of S, exact.
    slots : int
        Operations in flight, 1 or 2: a rower holds the words of P of each.
    example : int or None
        A modulus for edge cases.
    """

    bits: int
    into_b: Extension
    into_a: Extension
    slots: int = 1
    example: int | None = None

    @property
    def modulus(self) -> None:
        """P is an operand."""
        return

    @property
    def first(self) -> Extension:
        """The extension of Q."""
        return self.into_b

    @cached_property
    def base(self) -> Base:
        """A and B together, in the order of the payload."""
        return Base(self.width, (*self.A.u, *self.B.u))

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """Factor that a residue is stored times: 1 in A, T_b in B."""
        return (*(1 for _ in range(self.n)), *self.B.inverses)

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower: one factor, fixed weights, two words of the modulus in a rower."""
        A, B = self.A, self.B
        to_s = tuple(pow(A.product * t, -1, b) for t, b in zip(B.inverses, B.moduli, strict=True))
        weights = tuple(
            tuple(tuple(e.source.product // row % m for row in e.super_moduli) for m in e.target.moduli)
            for e in (self.into_b, self.into_a)
        )
        corrections = (tuple(-A.product % b for b in B.moduli), tuple(-B.product % a for a in A.moduli))
        return CoxrowerEngine(
            (A, B),
            (self.into_b, self.into_a),
            (to_s,),
            weights,
            corrections,
            self.target,
            self.latency + int(self.local),
            operands=2,
            initial=True,
            products=1,
            rowers=self.n,
            sums_of_kept=2,  # x̂·ŷ·(A·T)^-1 and q·g, modulo B
            local=self.local,
            given=2,
        )

    def hats(self, operands: Mapping[str, PayloadValue]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Hats of Q in A and of S in B of one product, as the rowers give them for any words of f and g."""
        engine, n = self.engine, self.n
        x, y, f, g = (_words(operands, name) for name in ("x", "y", "f", "g"))
        products = [a * b for a, b in zip(x, y, strict=True)]
        in_a, in_b = engine.reduce(0, products[:n]), engine.reduce(1, products[n:])
        q_hats = engine.reduce(0, [a * k for a, k in zip(in_a, f, strict=True)])
        q = engine.extend(0, q_hats)
        sums = zip(in_b, engine.factors[0], q, g, strict=True)
        return q_hats, engine.reduce(1, [xy * k + qb * gb for xy, k, qb, gb in sums])

    # --- certificate

    @property
    def largest(self) -> int:
        """Exclusive bound of P, 2^n."""
        return 1 << self.bits

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate of the second extension."""
        return owed_together((*built_folds(self.engine), self.into_a.cox.obligation()))

    @cached_property
    def certificate(self) -> Certificate:
        """Conditions for every odd P < 2^n that shares no factor with A."""
        low, high = self.into_a.exact(LIMIT * self.largest - 1)
        E1 = self.into_b.error
        return Certificate(
            (
                Inequality(
                    "bases",
                    "gcd(A, B) = 1",
                    math.gcd(self.A.product, self.B.product),
                    "=",
                    1,
                    "A is inverted modulo B (Algorithm 3, line 4)",
                ),
                Inequality(
                    "range-A",
                    "(3 - E1)·A >= 16·2^n",
                    (LIMIT - 1 - E1) * self.A.product,
                    ">=",
                    LIMIT * LIMIT * self.largest,
                    "S < (4P)²/A + (1+E1)·P is below 4P then, for every P < 2^n",
                    "it is for the largest operands and the largest Q at once",
                ),
                Inequality(
                    "range-B",
                    "(1-σ2)·B >= 4·2^n",
                    (1 - self.into_a.sigma) * self.B.product,
                    ">=",
                    LIMIT * self.largest,
                    "what the second extension takes",
                    "cox2-high says the same of 4·2^n - 1",
                ),
                Inequality(
                    "leave",
                    "E1 + 4/A <= 1",
                    E1 + Fraction(LIMIT, self.A.product),
                    "<=",
                    1,
                    "a product with a 1 that is not in the domain is below 2P: one subtraction reduces it",
                    "it is for the largest operand and the largest Q at once, as range-A",
                ),
                replace(
                    self.into_b.nearly,
                    name="cox1",
                    stronger="Q + k·A is right for every k <= E1, which all bounds count",
                ),
                replace(low, name="cox2-low"),
                replace(
                    high,
                    name="cox2-high",
                    stronger="S is near 4P only for the largest operands, and A hardly more than range-A requires",
                ),
            )
        )

    # --- payloads

    @property
    def domain(self) -> Residues:
        """Residues in both bases, with the Montgomery factor A."""
        return Residues(
            self.base, self.scale, self.A.product, (NamedChannels("A", self.n), NamedChannels("B", self.n, HATS_OF_B))
        )

    @cached_property
    def modulus_role(self) -> Modulus:
        """P, which no modulus of A divides."""
        return Modulus(coprime=self.A.product)

    @cached_property
    def i(self) -> Payload:
        """Operands in both bases, and P with its words."""
        return Payload(
            (*(self._number(Operand(name, self.domain, Multiple(LIMIT))) for name in "xy"), *self.of_modulus())
        )

    def of_modulus(self) -> tuple[Field, ...]:
        """P, f in A and g in B."""
        A, B = self.A, self.B
        to_g = tuple(pow(A.product, -1, b) * t % b for t, b in zip(B.inverses, B.moduli, strict=True))
        in_a, in_b = (
            NamedChannels("A", self.n, "T_a = (A/a)^-1 mod a"),
            NamedChannels("B", self.n, "T_b/A mod b, T_b = (B/b)^-1 mod b"),
        )
        tables = {
            "f": Table(Determined.NEG_INVERSE, A, A.inverses, parts=(in_a,)),
            "g": Table(Determined.MODULUS, B, to_g, parts=(in_b,)),
        }
        return (
            Field("m", self.bits, role=self.modulus_role),
            *(Field(name, self.width, self.n, role=role) for name, role in tables.items()),
        )

    @cached_property
    def o(self) -> Payload:
        """Result in both bases, P again, and the error."""
        error = ErrorCode({BAD_MODULUS: Errors.BAD_MODULUS}, {BAD_MODULUS: "m even or below 3"})
        return Payload(
            (
                self._number(Result("z", self.domain, Multiple(LIMIT), "x·y")),
                Field("modulus", self.bits, role=self.modulus_role),
                Field("error", 1, bound=BAD_MODULUS + 1, role=error),
            )
        )

    def _number(self, role: Operand | Result) -> Field:
        layout = "the factor is A: n residues in A, then n in B, scaled by T_b; not checked"
        return Field(role.name, self.width, 2 * self.n, role=role, more=layout)

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        second = self.into_a
        own: dict[str, Constant] = {"bits": self.bits, "result_multiple": LIMIT, "slots": self.slots}
        own |= {"second_cox_error": str(second.error), "second_sigma": str(second.sigma)}
        return own | describe(self.engine, self.into_b)


def _words(operands: Mapping[str, PayloadValue], name: str) -> tuple[int, ...]:
    value = operands[name]
    assert isinstance(value, tuple)
    return value


# --- from a request


def bases_for_any(width: int, count: int, example: int = 1) -> tuple[Base, Base]:
    """Two bases of `count` odd moduli 2^w - u each, pairwise co-prime: the primes with the smallest u, but divisors of
    the example, then others.

    A of primes, so that only their multiples have no inverse modulo A: no odd P below 2^(w-1), and no prime above 2^w.

    Raises
    ------
    ParameterError
        When there are not enough.
    """
    primes: list[int] = []
    others: list[int] = []
    product = 1
    for u in range(1, 1 << (width - 1), 2):
        m = (1 << width) - u
        if len(primes) < count and example % m and is_prime(m):
            primes.append(u)
        elif len(others) < count and math.gcd(m, product) == 1:
            others.append(u)
            product *= m
        if len(primes) == len(others) == count:
            return Base(width, tuple(primes)), Base(width, tuple(others))
    raise ParameterError(
        f"two bases of {count} odd moduli of {width} bits, pairwise co-prime, one of primes",
        rule="moduli found >= 2n",
        left=len(primes) + len(others),
        right=2 * count,
        hint="a wider channel",
    )


def derive_runtime(request: Request) -> RuntimeParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    bits, options = width_of(request, EXAMPLE_BITS), request.options
    example = request.modulus.value if request.modulus else None
    sigma = sigma_of(options["sigma"])
    if sigma == 0:
        raise UsageError("option sigma belongs to the second extension, which is exact: above 0", "such as 1/2")

    def derived(count: int) -> RuntimeParameters:
        A, B = bases_for_any(options["width"], count, example or 1)
        second = make_extension(options, B, A, sigma)
        return RuntimeParameters(
            bits,
            Extension(A, B, second.columns, second.f, 0, second.fed),
            second,
            options["slots"],
            example,
            target=request.target,
            latency=options["latency"],
            local=local_of(request),
        )

    return fewest(request, bits + SPARE, derived)
