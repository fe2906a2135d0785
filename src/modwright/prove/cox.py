# SPDX-License-Identifier: Apache-2.0
"""The estimate of α is exact when its offset is large enough: every γ of small bases, by SMT.

At a core's width the condition is an inequality of its certificate (`rns.bounds`). Here the rule behind it is checked
without that algebra: scaled-down bases, every value, the smallest offset that the rule allows. Where the core's offset
is k below the requirement of the rule, so is the scaled-down one, which is then refuted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from ..contract import CoxEstimate
from ..rns import find_base
from ..rns.bounds import CoxBound
from .proof import Verdict
from .reduction import first_failure
from .smt import Term, constant, decide, total_of

METHOD = "Bitwuzla: SMT over every γ of scaled-down bases"
WIDTH, TOP_BITS, COUNTS = 8, 4, (2, 3)
"""Scaled-down bases: moduli of 8 bits of which 4 are added, two and three of them; under a second."""
BELOW = Fraction(1, 4)
"""L of the scaled-down bases where a core's values may be negative."""


def least_offset(error: Fraction, below: Fraction, f: int) -> int:
    """The smallest D with E + L < (D + 1) / 2^f, where values lie at most L below 0."""
    return ((error + below) * (1 << f)).__floor__()


@dataclass(frozen=True)
class Scaled:
    """A small estimate of the rule.

    Parameters
    ----------
    cox : CoxBound
    below : Fraction
        Bound of the distance of values below 0, as a share of M.
    """

    cox: CoxBound
    below: Fraction


def scaled(owed: CoxEstimate) -> list[Scaled]:
    """Small estimates with the slack of a core's, but no more slack than the rule needs."""
    slack = min(0, owed.offset - least_offset(owed.error, owed.below, owed.f))
    below = BELOW if owed.below else Fraction(0)
    found = []
    for count in COUNTS:
        small = CoxBound(WIDTH, find_base(WIDTH, count=count).moduli, TOP_BITS, 0)
        offset = max(0, least_offset(small.error, below, small.f) + slack)
        found.append(Scaled(replace(small, offset=offset), below))
    return found


def prove_cox(owed: CoxEstimate) -> Verdict:
    """Prove the rule that makes the estimate of a core exact."""
    return first_failure(
        [(f"N = {len(c.cox.moduli)}, D = {c.cox.offset}", prove_estimate(c.cox, c.below)) for c in scaled(owed)]
    )


def prove_estimate(cox: CoxBound, below: Fraction = Fraction(0)) -> Verdict:
    """floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f) = α for every γ whose Z = Σ γ_i M_i - αM is in [-LM, (1 - D/2^f)M).

    α is a free number; with L = 0 there is one in each case. All sides fit `bits`, Z with LM added.
    """
    count, total = len(cox.moduli), prod(cox.moduli)
    bits = (2 * count * total << cox.f).bit_length()
    names = [f"gamma_{index}" for index in range(count)]
    model = "(set-logic QF_BV)\n" + "".join(f"(declare-const {name} (_ BitVec {cox.width}))\n" for name in names)
    model += f"(declare-const alpha (_ BitVec {bits}))\n"
    alpha = Term("alpha", bits)
    gammas = [Term(name, cox.width) for name in names]
    value = total_of([g.extended(bits).times(total // m) for g, m in zip(gammas, cox.moduli, strict=True)])
    tops = [g.bits(cox.width - cox.f, cox.f).extended(bits) for g in gammas]
    cut = constant(cox.f, bits).text
    estimate = Term(f"(bvlshr {total_of([*tops, constant(cox.offset, bits)]).text} {cut})", bits)
    lowest = int(below * total)
    raised = value + constant(lowest, bits)
    rest = raised - alpha.times(total)  # Z + LM
    limit = max(0, (((1 << cox.f) - cox.offset) * total + (lowest << cox.f)) - 1)
    assumed = [g.at_most(m - 1) for g, m in zip(gammas, cox.moduli, strict=True)]
    assumed += [alpha.at_most(count), f"(bvule {alpha.times(total).text} {raised.text})"]
    assumed += [rest.at_most(total + lowest - 1), rest.shifted(cox.f).at_most(limit)]
    return decide(model, assumed, estimate.equals(alpha), dict(zip([*names, "alpha"], [*gammas, alpha], strict=True)))


def describe_cox(owed: CoxEstimate) -> str:
    """The statement of `prove_cox`."""
    small = "; ".join(
        f"moduli {', '.join(map(str, c.cox.moduli))}, top {c.cox.f} bits, D = {c.cox.offset}" for c in scaled(owed)
    )
    least = least_offset(owed.error, owed.below, owed.f)
    if not owed.below:
        return (
            f"α = floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f) is floor(Σ γ_i M_i / M) for every γ with Z < (1 - D/2^f)M, "
            f"at the smallest D of the rule E < (D + 1) / 2^f which the core's D = {owed.offset} meets (least "
            f"{least}): {small}"
        )
    return (
        f"q = floor((Σ floor(γ_i / 2^(w-f)) + D) / 2^f) is the q with Σ γ_i M_i - qM = Z for every γ and every Z from "
        f"-LM to (1 - D/2^f)M, at the smallest D of the rule E + L < (D + 1) / 2^f which the core's D = {owed.offset} "
        f"meets (least {least}), with L = {BELOW}: {small}"
    )
