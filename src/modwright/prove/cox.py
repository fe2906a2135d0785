# SPDX-License-Identifier: Apache-2.0
"""The estimate of α is exact when its offset is large enough: every γ of small bases, by SMT.

At a core's width the condition is an inequality of its certificate (`rns.bounds`). Here the rule behind it is tried
without that algebra: scaled-down bases, every value, the smallest offset that the rule allows. An offset of the core
that is k below what the rule demands is proved, and refuted, with k less.
"""

from __future__ import annotations

from math import prod

from ..rns import find_base
from ..rns.bounds import CoxBound
from .proof import Verdict
from .reduction import first_failure
from .smt import Term, constant, decide, total_of

METHOD = "Bitwuzla: SMT over every γ of scaled-down bases"
WIDTH, TOP_BITS, COUNTS = 8, 4, (2, 3)
"""Scaled-down bases: moduli of 8 bits of which 4 are added, two and three of them; under a second."""


def least_offset(cox: CoxBound) -> int:
    """The smallest D with E < (D + 1) / 2^f."""
    return (cox.error * (1 << cox.f)).__floor__()


def scaled(cox: CoxBound) -> list[CoxBound]:
    """Small estimates with the slack of a core's, but no more slack than the rule needs."""
    slack = min(0, cox.offset - least_offset(cox))
    small = [CoxBound(WIDTH, find_base(WIDTH, count=count).moduli, TOP_BITS, 0) for count in COUNTS]
    return [CoxBound(c.width, c.moduli, c.f, max(0, least_offset(c) + slack)) for c in small]


def prove_cox(cox: CoxBound) -> Verdict:
    """The rule that makes the estimate of a core exact."""
    return first_failure([(f"N = {len(c.moduli)}, D = {c.offset}", prove_estimate(c)) for c in scaled(cox)])


def prove_estimate(cox: CoxBound) -> Verdict:
    """floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f) = α for every γ whose Z = Σ γ_i M_i - αM is below (1 - D/2^f)M.

    α is a free number with αM ≤ Σ γ_i M_i < (α + 1)M, which has one solution. All sides fit `bits`.
    """
    count, total = len(cox.moduli), prod(cox.moduli)
    bits = (count * total << cox.f).bit_length()
    names = [f"gamma_{index}" for index in range(count)]
    model = "(set-logic QF_BV)\n" + "".join(f"(declare-const {name} (_ BitVec {cox.width}))\n" for name in names)
    model += f"(declare-const alpha (_ BitVec {bits}))\n"
    alpha = Term("alpha", bits)
    gammas = [Term(name, cox.width) for name in names]
    value = total_of([g.extended(bits).times(total // m) for g, m in zip(gammas, cox.moduli, strict=True)])
    tops = [g.bits(cox.width - cox.f, cox.f).extended(bits) for g in gammas]
    cut = constant(cox.f, bits).text
    estimate = Term(f"(bvlshr {total_of([*tops, constant(cox.offset, bits)]).text} {cut})", bits)
    rest = value - alpha.times(total)
    assumed = [g.at_most(m - 1) for g, m in zip(gammas, cox.moduli, strict=True)]
    assumed += [alpha.at_most(count - 1), f"(bvule {alpha.times(total).text} {value.text})", rest.at_most(total - 1)]
    assumed.append(rest.shifted(cox.f).at_most(max(0, ((1 << cox.f) - cox.offset) * total - 1)))
    return decide(model, assumed, estimate.equals(alpha), dict(zip([*names, "alpha"], [*gammas, alpha], strict=True)))


def describe_cox(cox: CoxBound) -> str:
    """The statement of `prove_cox`."""
    small = "; ".join(f"moduli {', '.join(map(str, c.moduli))}, top {c.f} bits, D = {c.offset}" for c in scaled(cox))
    return (
        f"α = floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f) is floor(Σ γ_i M_i / M) for every γ with Z < (1 - D/2^f)M, at "
        f"the smallest D of the rule E < (D + 1) / 2^f which the core's D = {cox.offset} meets (least "
        f"{least_offset(cox)}): {small}"
    )
