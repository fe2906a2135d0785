# SPDX-License-Identifier: Apache-2.0
"""Proofs of a core's arithmetic: a row for each obligation that its parameters state.

A lemma is proved once and stored for all cores that owe it: its key in the store does not depend on the core. An
obligation of a part of a core has the part's name in front of its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from amaranth.hdl import Module, Value

from ..base.store import Store
from ..contract import (
    BuiltFold,
    CoxEstimate,
    FoldWithAddend,
    ModularSum,
    NothingOwed,
    Obligation,
    Reduction,
)
from ..engines.coxrower.hardware import folds as coxrower
from ..engines.coxrower.obligations import FOLD, LAST_FOLD
from ..prepared import Prepared
from ..rns import Fold, FoldPlan
from . import cox, reduction
from .proof import NOTHING_OWED, Proof, Verdict
from .store import proved

ARITHMETIC = "arithmetic"
"""Name of the row of a core that owes no lemma."""

HARDWARE: dict[str, Callable[[BuiltFold], Callable[[Module, Value, str], Value]]] = {
    FOLD: coxrower.build,
    LAST_FOLD: coxrower.build,
}
"""Builders of the hardware of a `BuiltFold`, by its name."""


@dataclass(frozen=True)
class Lemma:
    """An obligation as a statement.

    Parameters
    ----------
    name, statement, method : str
        Entries of the `Proof`.
    find : callable
    subject : str
        Part that the statement leaves open: the hardware of a fold that an engine builds itself.
    """

    name: str
    statement: str
    method: str
    find: Callable[[], Verdict]
    subject: str = ""


def prove(prepared: Prepared) -> Iterator[Proof]:
    """A row for each obligation, in order; one row with the reason where nothing is owed."""
    counts: Counter[str] = Counter()
    for obligation in dict.fromkeys(prepared.parameters.obligations()):
        found = row(obligation, prepared.store)
        counts[found.name] += 1
        yield found if counts[found.name] == 1 else replace(found, name=f"{found.name} ({counts[found.name]})")


def statements(prepared: Prepared) -> list[str]:
    """The statements of all obligations, none of them proved."""
    return [statement_of(obligation) for obligation in dict.fromkeys(prepared.parameters.obligations())]


def statement_of(owed: Obligation) -> str:
    """The statement of one obligation."""
    return f"nothing to prove: {owed.reason}" if isinstance(owed, NothingOwed) else lemma_of(owed).statement


def row(owed: Obligation, store: Store) -> Proof:
    """The proof of an obligation, from the store or made now."""
    match owed:
        case NothingOwed():
            return Proof(ARITHMETIC, statement_of(owed), NOTHING_OWED, "")
        case _:
            found = lemma_of(owed)
            proof = proved(store, found.name, found.statement, found.method, found.find, found.subject)
            return replace(proof, name=owed.name_of(proof.name))


def lemma_of(owed: Reduction | FoldWithAddend | ModularSum | CoxEstimate | BuiltFold) -> Lemma:
    """The statement of an obligation, and how it is decided."""
    match owed:
        case Reduction(width=width, u=u, bound=bound):
            plan = FoldPlan(width, u, bound)
            name = f"reduction modulo 2^{width} - {u} from {bound.bit_length()} bits"
            return Lemma(name, reduction.describe_plan(plan), reduction.METHOD, lambda: reduction.prove_plan(plan))
        case FoldWithAddend(width=width, u=u, bound=bound, addend=addend):
            step = Fold(width, u, bound)
            name, statement = f"fold modulo 2^{width} - {u} with an addend", reduction.describe_fold(step, addend)
            return _single(name, statement, lambda: reduction.lemma_of_fold(step, addend))
        case BuiltFold(width=width, u=u, bound=bound, most=most):
            step, build = Fold(width, u, bound), HARDWARE[owed.hardware](owed)
            name = f"fold modulo 2^{width} - {u} from {bound.bit_length()} bits, as built"
            statement, subject = reduction.describe_built(step, most), f"{owed.hardware} {owed.chosen} {owed.folds}"
            return _single(name, statement, lambda: reduction.lemma_of_built(step, most, build), subject)
        case ModularSum(width=width, u=u):
            name, statement = f"sum modulo 2^{width} - {u}", reduction.describe_sum(width, u)
            return _single(name, statement, lambda: reduction.lemma_of_sum(width, u))
        case CoxEstimate():
            return Lemma("α exact", cox.describe_cox(owed), cox.METHOD, lambda: cox.prove_cox(owed))


def _single(name: str, statement: str, make: Callable[[], reduction.FoldLemma], subject: str = "") -> Lemma:
    """A lemma of one query."""
    return Lemma(name, statement, reduction.METHOD, lambda: reduction.prove_lemmas([make()]), subject)
