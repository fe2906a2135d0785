# SPDX-License-Identifier: Apache-2.0
"""Constants of sum-of-residues multiplication with κ, and the inequalities that make them correct.

Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm", Cryptography 3(2):14, 2019, Algorithm 2, with
the conditions it needs in exact form (the page's "precise" result is only a bounded one; see README.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, ModularSum, Obligations, Payload, first_certified, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.residue.parameters import PRODUCT, ConvertedParameters, convert, converts
from ....engines.residue.sums import SumOfResidues, no_channels
from ....rns import Base, FoldPlan, find_base
from ....rns.bounds import CoxBound

PAPER_WIDTH = 66
PAPER_T = (0, 2, 3, 4, 5, 6, 8, 9, 1, 12, 14, 16, 17, 18, 21, 22)
"""Exponents t of the 66-bit moduli 2^66 - 2^t - 1, Table 1 and, from the ninth on, its extension to 12 and 16 moduli.
The first stands for 2^66 - 1 itself."""
PAPER_Q, PAPER_D = 8, 16
"""q = 8 and Δ = 1/16 (section 2.2)."""
PAPER_KAPPA_BITS = {256: 72, 255: 71}
"""T by the bits W of p (section 3.1); the paper gives none for other sizes, where 72 is used."""

DEEP = 7
"""Cycles of an RNS multiplier from which the logic around it is pipelined as deeply: with fewer, a stretch of the
multiplier has two carry chains and limits the clock."""

MULTIPLIERS = {"sor-1m-n": 1, "sor-1m-p": 1, "sor-2m": 2, "sor-nm": 0}
"""RNS multipliers of each architecture; 0 means one for each channel (N)."""

_HINTS = {
    "odd": "an odd modulus",
    "alpha-low": "--option constants=smallest chooses D for this N",
    "alpha-high": "--option constants=smallest, or more channels",
}
"""Hints by the inequality that fails."""


@dataclass(frozen=True)
class SorParameters(SumOfResidues):
    """Every constant of one sum-of-residues multiplier; p is odd, of W bits.

    Parameters
    ----------
    T : int
        Fraction bits of κ.
    strict_kappa : bool
        Whether ε < 2^(W-n)/N is required (eq. 22).
    overlap : bool
        Whether a product is issued while the previous one is accumulated (register Q3 of Figure 4).
    issue : int
        Cycles between two products of one RNS multiplier.
    scaled : bool
        Whether channel j gives <z·M_j^-1>, for a converter.
    """

    T: int
    strict_kappa: bool
    overlap: bool
    issue: int
    scaled: bool = False

    @property
    def W(self) -> int:
        """Bits of p."""
        return self.modulus.bit_length()

    @property
    def deep(self) -> bool:
        """Whether the RNS multiplier has more cycles than stages, so that the logic around it has registers, too."""
        return self.latency >= DEEP

    @property
    def adder(self) -> int:
        """Cycles of an accumulator: two for a sum of three terms or more, and behind a deep multiplier."""
        return 1 if self.multipliers == 1 and not self.deep else 2

    @property
    def kappa_cycles(self) -> int:
        """Cycles from κ to the choice of an operand: a copy in each channel, then sums and carries of its folds."""
        if not self.deep:
            return 0
        return max(1, *(2 * len(self.kappa_plan(channel).folds) for channel in range(self.N)))

    @cached_property
    def epsilon(self) -> int:
        """Difference ε = 2^W - p."""
        return (1 << self.W) - self.modulus

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weights w_i = <M_i>_p."""
        return tuple(c % self.modulus for c in self.base.cofactors)

    @cached_property
    def corrections(self) -> tuple[int, ...]:
        """Corrections <-αM>_p for every α in [0, N)."""
        return tuple(-alpha * self.base.product % self.modulus for alpha in range(self.cox.largest_alpha + 1))

    def correction(self, alpha: int) -> int:
        """Correction <-αM>_p of the table: α has the bits of N - 1, and values above the last row read that one.

        Only operands of integers at or above `bound` lead to these.
        """
        bits = (max(2, self.N) - 1).bit_length()
        return self.corrections[min(alpha & ((1 << bits) - 1), len(self.corrections) - 1)]

    def stored(self, value: int, channel: int) -> int:
        """A constant that is part of the result, in the form that channel `channel` holds."""
        scale = self.base.inverses[channel] if self.scaled else 1
        return value * scale % self.base.moduli[channel]

    @cached_property
    def kappa_weights(self) -> tuple[int, ...]:
        """Weights K_i = floor(w_i / 2^(W-T)) of κ: T bits at most."""
        return tuple(w >> (self.W - self.T) for w in self.weights)

    @cached_property
    def kappa_width(self) -> int:
        """Bits of the widest K_i (n' of the paper), at least 1."""
        return max(1, max(self.kappa_weights).bit_length())

    @cached_property
    def kappa_sum(self) -> int:
        """Largest Σ γ_i·K_i."""
        return sum((m - 1) * k for m, k in zip(self.base.moduli, self.kappa_weights, strict=True))

    @property
    def kappa_bound(self) -> int:
        """Largest κ."""
        return self.kappa_sum >> self.T

    @cached_property
    def cox(self) -> CoxBound:
        """The estimate of α."""
        return CoxBound(self.n, self.base.moduli, self.q, self.offset)

    @cached_property
    def bound(self) -> int:
        """Exclusive bound of the result, and of each operand.

        z = Σ γ_i w_i + <-αM>_p - κp. From κ > 2^-T Σ γ_i K_i - 1 and K_i = (w_i - f_i)/2^(W-T):
        z < Σ γ_i w_i·ε/2^W + p·Σ γ_i f_i/2^W + p + max <-αM>_p. And z ≥ 0, for κ·p ≤ κ·2^W ≤ Σ γ_i w_i.
        """
        rest = (1 << (self.W - self.T)) - 1
        lost = sum(
            (m - 1) * (w * self.epsilon + self.modulus * (w & rest))
            for m, w in zip(self.base.moduli, self.weights, strict=True)
        )
        return (Fraction(lost, 1 << self.W) + self.modulus + max(self.corrections)).__ceil__()

    def product_plan(self, channel: int) -> FoldPlan:
        """Reduction of a product of two n-bit numbers."""
        return FoldPlan(self.n, self.base.u[channel], ((1 << self.n) - 1) ** 2)

    def term_bound(self, channel: int) -> int:
        """Largest term that a round adds to an accumulator: canonical from one or two multipliers, else a plain sum."""
        return (self.multipliers if self.multipliers > 2 else 1) * (self.base.moduli[channel] - 1)

    def sum_plan(self, channel: int) -> FoldPlan:
        """Reduction of the accumulator plus a term."""
        return FoldPlan(self.n, self.base.u[channel], self.base.moduli[channel] - 1 + self.term_bound(channel))

    def kappa_plan(self, channel: int) -> FoldPlan:
        """Reduction of κ in a channel: no fold where κ < 2^n."""
        return FoldPlan(self.n, self.base.u[channel], self.kappa_bound)

    def obligations(self) -> Obligations:
        """Every reduction, the sums of accumulators that add with one carry chain, and the estimate of α."""
        plans = (self.product_plan, self.sum_plan, self.kappa_plan)
        sums = [ModularSum(self.n, u) for u in self.base.u] if self.multipliers <= 2 else []
        reductions = [plan(channel).obligation for channel in range(self.N) for plan in plans]
        return owed_together((*reductions, *sums, self.cox.obligation()))

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        rows = [
            Inequality(
                "odd",
                "p mod 2 = 1",
                self.modulus % 2,
                "=",
                1,
                "a modulus of this core is odd",
                "a sum of residues is right for even p as well; requests name odd ones only",
            )
        ]
        if self.strict_kappa:
            rows.append(
                Inequality(
                    "kappa",
                    "N·2^n·ε < 2^W",
                    self.N * self.epsilon << self.n,
                    "<",
                    1 << self.W,
                    "p must lie just below a power of two, or κ is too coarse (Mehrabi 2019, eq. 22)",
                    "it keeps the result near p; what makes chained results right is alpha-high, with the bound itself",
                )
            )
        low, high = self.cox.exact((self.bound - 1) ** 2)
        rows += [
            low,
            high,
            Inequality(
                "alpha-table",
                "floor(Σ (m_i-1)/m_i) < rows",
                self.cox.largest_alpha,
                "<",
                len(self.corrections),
                "one table row an α",
            ),
            Inequality(
                "kappa-fraction",
                "T <= W",
                self.T,
                "<=",
                self.W,
                "K_i = floor(w_i / 2^(W-T))",
                "a larger T gives every K_i zeros behind, and the same κ",
            ),
            Inequality(
                "result",
                "bound of z <= M",
                self.bound,
                "<=",
                self.base.product,
                "else the residues do not determine z",
                "alpha-high implies it: (B-1)^2 < M",
            ),
        ]
        return Certificate(tuple(rows))

    @cached_property
    def i(self) -> Payload:
        """Operand residues."""
        roles = (Operand(name, Residues(self.base), self.bound) for name in "xy")
        return Payload(tuple(Field(role.name, self.n, self.N, role=role) for role in roles))

    @cached_property
    def o(self) -> Payload:
        """Result residues, canonical."""
        role = Result("z", Residues(self.base), self.bound, PRODUCT)
        z = Field("z", self.n, self.N, bound=max(self.base.moduli), role=role)
        return Payload((z, unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {
            "modulus": self.modulus,
            "bits": self.W,
            "epsilon": self.epsilon,
            "channel_bits": self.n,
            "channels": self.N,
            "base": self.base.moduli,
            "base_inverses": self.base.inverses,
            "cox_bits": self.q,
            "cox_offset": self.offset,
            "kappa_exponent": self.T,
            "channel_weights": self.weights,
            "kappa_weights": self.kappa_weights,
            "corrections": self.corrections,
            "result_bound": self.bound,
            "channel_multipliers": self.multipliers,
            "multiplier_latency": self.latency,
            "multiplier_interval": self.issue,
            "scaled": self.scaled,
        }


def derive(request: Request) -> SorParameters | ConvertedParameters[SorParameters]:
    """Choose N and T, or take them from the request; ParameterError names the inequality that fails."""
    architecture = request.core.partition("/")[2]
    modulus, options = request.fixed_modulus("--field secp256k1"), request.options
    width = options["width"]
    least = -(-2 * modulus.bit_length() // width)
    given = _given_count(options)
    counts = range(given, given + 1) if given else range(least, least + 4)

    def refused(failure: Inequality) -> ParameterError:
        hint = _HINTS.get(failure.name, "modmul/sor-lean has no condition on p's form")
        return no_channels(request, counts, width, failure, hint)

    candidates = (_with_count(architecture, modulus, count, request) for count in counts)
    return convert(first_certified(candidates, refused), options)


def _given_count(options: Mapping[str, Any]) -> int | None:
    """N where the request sets it, by a number or by a base; UsageError when the two differ."""
    count, base = options["channels"], options["base"]
    if base is None:
        return count
    listed = len(parse_u(base))
    if count not in (None, listed):
        raise UsageError(f"channels is {count}, and base {base!r} has {listed} moduli", "one of the two options")
    return listed


def _with_count(architecture: str, modulus: int, count: int, request: Request) -> SorParameters:
    options = request.options
    base = choose_base(options["width"], count, options["base"])
    W = modulus.bit_length()
    # For W <= n no ε >= 1 meets eq. (22); such scaled-down cores rest on the exact bound alone.
    strict = options["kappa"] == "strict" or (options["kappa"] == "auto" and base.width < W)
    latency = options["latency"]
    # The paper's two-cycle multiplier holds its operands for both cycles; deeper ones are pipelined.
    issue = options["interval"] or (2 if latency == 2 else 1)
    if issue > latency:
        raise UsageError(
            f"{request.core}: an RNS multiplier of {latency} cycles takes a product every 1 to {latency} cycles, not "
            f"every {issue}",
            f"--option interval={latency}",
        )
    common: dict[str, Any] = {
        "modulus": modulus,
        "base": base,
        "strict_kappa": strict,
        "multipliers": MULTIPLIERS[architecture] or base.count,
        "overlap": architecture != "sor-1m-n",
        "latency": latency,
        "issue": issue,
        "target": request.target,
        "scaled": converts(options),
    }
    kappa_bits = min(PAPER_KAPPA_BITS.get(W, 72), W)
    q = min(PAPER_Q, base.width)
    parameters = SorParameters(q=q, offset=PAPER_D, T=kappa_bits, **common)
    return _smallest(parameters, common) if options["constants"] == "smallest" else parameters


def _smallest(paper: SorParameters, common: dict[str, Any]) -> SorParameters:
    """The smallest T, then the smallest q with its smallest D, that the certificate proves; else the paper's."""
    T = paper.T
    for candidate in range(1, paper.T):
        if SorParameters(q=paper.q, offset=paper.offset, T=candidate, **common).certificate.failing is None:
            T = candidate
            break
    for q in range(1, paper.q + 1):
        cox = CoxBound(paper.n, paper.base.moduli, q, 0)
        offset = (cox.error * (1 << q)).__floor__()  # the least D with E < (D + 1) / 2^q
        parameters = SorParameters(q=q, offset=offset, T=T, **common)
        if parameters.certificate.failing is None:
            return parameters
    return paper


def choose_base(width: int, count: int, text: str | None) -> Base:
    """A given base ("1,5,9": the u of 2^w - u), the paper's at 66 bits, or one by search."""
    if text is not None:
        return Base(width, parse_u(text))
    if width == PAPER_WIDTH and count <= len(PAPER_T):
        return Base(width, tuple((1 << t) + 1 if t else 1 for t in PAPER_T[:count]))
    return find_base(width, count=count)


def parse_u(text: str) -> tuple[int, ...]:
    """Read "1, 5, 9"."""
    try:
        return tuple(int(part, 0) for part in text.split(","))
    except ValueError:
        raise UsageError(f"a base is a list of u such as 1,5,9, not {text!r}") from None
