# SPDX-License-Identifier: Apache-2.0
"""Constants of sum-of-residues multiplication without κ and without the multiplication by M_i^-1.

Two changes to Mehrabi 2019, Algorithm 2:

- κ is left out. Then z = Σ γ_i·<M_i>_p + <-αM>_p is n + log2 N bits longer than p, and two or three more channels
  make x·y fit all the same. No condition on the form of p is left.
- Channel i stores <x·r_i> with r_i^2 = ±M_i^-1 (mod m_i), so that the product of two stored values is ±γ_i at once.
  With every m_i a prime ≡ 3 (mod 4), one of M_i^-1 and -M_i^-1 is a square, for any other moduli. Where that
  is -M_i^-1, the channel gives γ'_i ≡ -γ_i, its weight is <-M_i>_p, and α counts -γ'_i/m_i.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import gmpy2

from ....base.errors import ParameterError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligation, Obligations, Payload, first_certified, unchecked
from ....contract.obligation import owed_together
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.residue.parameters import PRODUCT, ConvertedParameters, convert, converts
from ....engines.residue.sums import SumOfResidues, no_channels
from ....rns import Base, Fold, FoldPlan, signed_weight

LARGEST_Q = 16
"""Most bits of γ_i that α may add; more are never needed for the channels that fit a device."""


@dataclass(frozen=True)
class LeanParameters(SumOfResidues):
    """Every constant of one lean multiplier: p is at least 3, and the moduli are primes ≡ 3 (mod 4).

    Parameters
    ----------
    rooted : bool
        Operands and result are stored times a root. Otherwise, for use between converters, operands are plain, x is
        first multiplied by M_i^-1, and channel j gives <z·M_j^-1>.
    """

    rooted: bool = True

    @cached_property
    def negative(self) -> tuple[bool, ...]:
        """Whether r_i^2 = -M_i^-1 (mod m_i); never without roots."""
        if not self.rooted:
            return (False,) * self.N
        pairs = zip(self.base.inverses, self.base.moduli, strict=True)
        return tuple(gmpy2.legendre(inverse, m) < 0 for inverse, m in pairs)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Roots r_i: the root of a square a modulo a prime ≡ 3 (mod 4) is a^((m+1)/4)."""
        rows = zip(self.base.inverses, self.negative, self.base.moduli, strict=True)
        return tuple(pow(-inverse if minus else inverse, (m + 1) // 4, m) for inverse, minus, m in rows)

    def stored(self, value: int, channel: int) -> int:
        """A constant that is part of the result, in the form that channel `channel` holds."""
        scale = self.roots[channel] if self.rooted else self.base.inverses[channel]
        return value * scale % self.base.moduli[channel]

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weights w_i = <±M_i>_p."""
        pairs = zip(self.base.cofactors, self.negative, strict=True)
        return tuple((-c if minus else c) % self.modulus for c, minus in pairs)

    @cached_property
    def largest_index(self) -> int:
        """Largest value of (Σ tops + D) >> q, the row of the table of corrections."""
        return (self.N * ((1 << self.q) - 1) + self.offset) >> self.q

    @cached_property
    def corrections(self) -> tuple[int, ...]:
        """Corrections <-αM>_p by row; row 0 is α = -(number of negative channels)."""
        first = -sum(self.negative)
        return tuple(-(first + row) * self.base.product % self.modulus for row in range(self.largest_index + 1))

    @cached_property
    def bound(self) -> int:
        """Exclusive bound of the result and of each operand: Σ (2^n - 1)·w_i + max <-αM>_p + 1."""
        return ((1 << self.n) - 1) * sum(self.weights) + max(self.corrections) + 1

    @cached_property
    def alpha_errors(self) -> tuple[Fraction, Fraction]:
        """Distances by which the true Σ ±γ_i/m_i lies above (first) and below (second) the sum of the tops.

        γ counts floor(γ/2^(n-q))/2^q ≤ γ/2^n ≤ γ/m: short by at most a truncation and γ(1/m - 1/2^n). A negative
        channel counts 1 - 2^-q - floor(γ'/2^(n-q))/2^q for 1 - γ'/m: short by at most 2^-q, over by γ'(1/m - 1/2^n).
        """
        largest = (1 << self.n) - 1
        above = below = Fraction(0)
        for m, minus in zip(self.base.moduli, self.negative, strict=True):
            scale = Fraction(largest, m) - Fraction(largest, 1 << self.n)
            if minus:
                above += Fraction(1, 1 << self.q)
                below += scale
            else:
                above += Fraction((1 << (self.n - self.q)) - 1, 1 << self.n) + scale
        return above, below

    def first_fold(self, channel: int) -> Fold:
        """First fold: of a product of stored values, or of the accumulated γ_i·w_i."""
        word = (1 << self.n) - 1
        m = self.base.moduli[channel]
        return Fold(self.n, self.base.u[channel], max(word * word, self.groups * self.multipliers * word * (m - 1)))

    def rest_plan(self, channel: int) -> FoldPlan:
        """The other folds; <-αM>_p joins the first one's result."""
        bound = self.first_fold(channel).result + self.base.moduli[channel] - 1
        return FoldPlan(self.n, self.base.u[channel], bound)

    def obligations(self) -> Obligations:
        """Every reduction, and the first folds with the largest <-αM>_p that joins them."""
        owed: list[Obligation] = []
        for channel in range(self.N):
            first = self.first_fold(channel)
            whole = FoldPlan(self.n, self.base.u[channel], first.bound)
            owed += [whole.obligation, self.rest_plan(channel).obligation]
        joined = (self.first_fold(channel).with_addend(self.base.moduli[channel] - 1) for channel in range(self.N))
        return owed_together((*owed, *joined))

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        above, below = self.alpha_errors
        delta = Fraction(self.offset, 1 << self.q)
        z_over_m = Fraction((self.bound - 1) ** 2, self.base.product)
        return Certificate(
            (
                Inequality(
                    "modulus",
                    "p >= 3",
                    self.modulus,
                    ">=",
                    3,
                    "a smaller modulus has no products",
                    "the sums are right modulo 1 and 2 as well; requests name odd moduli from 3 on",
                ),
                Inequality(
                    "roots",
                    "channels with m_i prime and m_i mod 4 = 3",
                    sum(bool(gmpy2.is_prime(m)) and m % 4 == 3 for m in self.base.moduli),
                    "=",
                    self.N,
                    "then M_i^-1 or -M_i^-1 is a square",
                ),
                Inequality(
                    "range",
                    "(B-1)^2 < M",
                    (self.bound - 1) ** 2,
                    "<",
                    self.base.product,
                    "x·y must be below M",
                    "alpha-high implies it, and requires more",
                ),
                Inequality(
                    "alpha-low",
                    "E_above < Δ + 2^-q",
                    above,
                    "<",
                    delta + Fraction(1, 1 << self.q),
                    "else α can come out one too small",
                ),
                Inequality(
                    "alpha-high",
                    "(B-1)^2/M + E_below + Δ < 1",
                    z_over_m + below + delta,
                    "<",
                    1,
                    "else α can come out one too large; chained operands are below B",
                ),
            )
        )

    @property
    def domain(self) -> Residues:
        """Residues times their roots."""
        if not self.rooted:
            return Residues(self.base)
        return Residues(self.base, self.roots, parts=(NamedChannels("", self.N, "r_i, a root of ±M_i^-1 mod m_i"),))

    @cached_property
    def i(self) -> Payload:
        """Operand residues, each times its root."""
        roles = (Operand(name, self.domain, self.bound) for name in "xy")
        return Payload(tuple(Field(r.name, self.n, self.N, role=r, more=self._scale) for r in roles))

    @property
    def _scale(self) -> str:
        return "each times its root r_i" if self.rooted else ""

    @cached_property
    def o(self) -> Payload:
        """Result residues, each times its root."""
        role = Result("z", self.domain, self.bound, PRODUCT)
        return Payload((Field("z", self.n, self.N, role=role, more=self._scale), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "channel_bits": self.n,
            "channels": self.N,
            "base": self.base.moduli,
            "rooted": self.rooted,
            "roots": self.roots,
            "negated": [int(minus) for minus in self.negative],
            "cox_bits": self.q,
            "cox_offset": self.offset,
            "channel_weights": self.weights,
            "corrections": self.corrections,
            "result_bound": self.bound,
            "channel_multipliers": self.multipliers,
            "multiplier_latency": self.latency,
        }


def derive(request: Request) -> LeanParameters | ConvertedParameters[LeanParameters]:
    """The fewest channels, then the fewest bits of α, for which the certificate holds."""
    modulus, options = request.fixed_modulus("--field P-256"), request.options
    width = options["width"]
    if options["channels"]:
        counts = range(options["channels"], options["channels"] + 1)
    else:
        least = -(-2 * (modulus.bit_length() + width - 1) // width)
        counts = range(least, least + 4)

    def candidates() -> Iterator[LeanParameters]:
        for count in counts:
            base = root_base(width, count)
            for q in range(1, min(width, LARGEST_Q) + 1):
                settings = (options["multipliers"], options["latency"], request.target, not converts(options))
                found = LeanParameters(modulus, base, q, 0, *settings)
                # the least D with E_above < (D + 1) / 2^q
                yield replace(found, offset=int(found.alpha_errors[0] * (1 << q)))

    def refused(failure: Inequality) -> ParameterError:
        return no_channels(request, counts, width, failure, "more channels, or wider ones")

    return convert(first_certified(candidates(), refused), options)


def root_base(width: int, count: int) -> Base:
    """The `count` primes 2^width - u ≡ 3 (mod 4) with small u of few signed digits.

    Among the first 2·count such primes the ones with the fewest digits are taken: a digit of u is an adder of n bits in
    every fold, while the size of u costs little until it lengthens the first fold's result by a carry.
    """
    found = []
    u = 1 if width > 2 else 0
    while len(found) < 2 * count and u < 1 << (width - 1):
        m = (1 << width) - u
        if m % 4 == 3 and gmpy2.is_prime(m):
            found.append(u)
        u += 4
    if len(found) < count:
        raise ParameterError(
            f"a base of {count} primes 2^{width} - u ≡ 3 (mod 4)",
            rule="primes with u < 2^(n-1)",
            left=len(found),
            right=count,
            hint="a wider channel",
        )
    chosen = sorted(found, key=lambda u: (signed_weight(u), u))[:count]
    return Base(width, tuple(sorted(chosen)))
