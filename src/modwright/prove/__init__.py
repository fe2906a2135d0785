# SPDX-License-Identifier: Apache-2.0
"""Formal proofs of a core: its reductions, its estimate of α, its timing under any stalls, and constant latency.

What can be proved follows from what the parameters offer:

- `fold_plans() -> Sequence[FoldPlan]`: the reductions of the core.
- `addend_folds() -> Sequence[tuple[Fold, int]]`: single folds to which a value of at most the integer is added.
- `modular_sums() -> Sequence[tuple[int, int]]`: w and u of sums modulo 2^w - u.
- `cox: CoxBound`: the estimate of α.

A core whose folds are hardware of its own offers them by `Core.folds`.

Admission, latency, constant latency and the result queue are proved for every core, from its handshakes alone. Which
addresses and enables depend on operands is searched for in the netlist of every core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from ..base.errors import ToolMissingError
from ..base.store import Store, digest_of, source_digest, version_of
from ..prepared import Prepared
from ..rns.bounds import CoxBound
from ..rtl.streams import places
from ..schedule import Schedule
from . import abc, cone, cox, queue, reduction, streams
from .dependence import METHOD as SEARCH
from .dependence import Dependence, dependence, known_dependence
from .limit import TimeIsUpError, at_most, limited
from .proof import Proof, Verdict

__all__ = ["Check", "Dependence", "Proof", "Verdict", "dependence", "handshake_checks", "known_dependence", "prove"]

SOLVERS = ("amaranth", "pyosys", "bitwuzla")


def prove(prepared: Prepared, seconds: float | None = None) -> list[Proof]:
    """Prove what the core offers; results are kept in its store, those that were not run excepted.

    Parameters
    ----------
    prepared : Prepared
        The core.
    seconds : float, optional
        That one proof may take; a longer one was not run. The first proof of the handshakes makes the netlist of the
        core as well.

    Returns
    -------
    list of Proof
        A refuted one carries the counter-example, one that was not run the reason.
    """
    with at_most(seconds):
        return [*_arithmetic(prepared), *_control(prepared), _addresses(prepared)]


def _addresses(prepared: Prepared) -> Proof:
    """The search as a proof: its statement names what it found, and excludes the rest."""
    try:
        with limited():
            found = dependence(prepared)
    except TimeIsUpError as end:
        return Proof(
            "operands in addresses and enables", "which of them depend on operands", "not run", SEARCH, str(end)
        )
    return Proof("operands in addresses and enables", found.statement, "proved", SEARCH, seconds=found.seconds)


def _arithmetic(prepared: Prepared) -> Iterator[Proof]:
    parameters, store = prepared.parameters, prepared.store
    for plan in dict.fromkeys(_offered(parameters, "fold_plans")):
        name = f"reduction modulo 2^{plan.width} - {plan.u} from {plan.bound.bit_length()} bits"
        statement = reduction.describe_plan(plan)
        yield kept(store, name, statement, reduction.METHOD, lambda plan=plan: reduction.prove_plan(plan))
    for step, most in dict.fromkeys(_offered(parameters, "addend_folds")):
        name = f"fold modulo 2^{step.width} - {step.u} with an addend"
        statement = reduction.describe_fold(step, most)
        yield lemma(store, name, statement, lambda step=step, most=most: reduction.lemma_of_fold(step, most))
    built = prepared.core.folds(parameters) if prepared.core.folds else ()
    for (step, most), make in {(step, most): make for step, most, make in built}.items():
        name = f"fold modulo 2^{step.width} - {step.u} from {step.bound.bit_length()} bits, as built"
        statement = reduction.describe_built(step, most)
        yield lemma(store, name, statement, lambda s=step, n=most, f=make: reduction.lemma_of_built(s, n, f))
    for width, u in dict.fromkeys(_offered(parameters, "modular_sums")):
        name, statement = f"sum modulo 2^{width} - {u}", reduction.describe_sum(width, u)
        yield lemma(store, name, statement, lambda width=width, u=u: reduction.lemma_of_sum(width, u))
    bound = getattr(parameters, "cox", None)
    if isinstance(bound, CoxBound):
        statement = cox.describe_cox(bound)
        yield kept(store, "α exact", statement, cox.METHOD, lambda: cox.prove_cox(bound))


def _streams(bench: abc.Bench, schedule: Schedule) -> Verdict:
    if schedule.burst > 1:
        return Verdict("not run", "the property speaks of one operation an interval, and this core admits a burst")
    return streams.prove_streams(bench, schedule)


def lemma(store: Store, name: str, statement: str, make: Callable[[], reduction.Lemma]) -> Proof:
    """A lemma that stands alone."""
    return kept(store, name, statement, reduction.METHOD, lambda: reduction.prove_lemmas([make()]))


def _offered(parameters: Any, name: str) -> Any:
    function = getattr(parameters, name, None)
    return function() if function is not None else ()


@dataclass(frozen=True)
class Check:
    """A statement about the handshakes of a core, decided on the bench of its monitor."""

    name: str
    statement: str
    method: str
    find: Callable[[abc.Bench], Verdict]


def handshake_checks(schedule: Schedule) -> Iterator[Check]:
    """Proofs about the handshakes of every core."""

    def fixed(find: Callable[[abc.Bench], Verdict]) -> Callable[[abc.Bench], Verdict]:
        """For what a core without constant latency does not claim."""
        if schedule.constant_time:
            return find
        return lambda bench: Verdict("not run", "the schedule depends on operand values, and says so")

    yield Check(
        "control independent of data",
        "i.ready and o.valid do not depend on any payload bit, in any clock: constant latency",
        cone.METHOD,
        fixed(cone.prove_independent),
    )
    yield Check(
        "handshakes registered",
        "i.ready and o.valid depend on registers only: no input reaches them within a clock",
        cone.METHOD,
        cone.prove_registered,
    )
    yield Check(
        "latency under any stalls",
        streams.describe_streams(schedule),
        abc.METHOD,
        fixed(lambda bench: _streams(bench, schedule)),
    )


def _control(prepared: Prepared) -> Iterator[Proof]:
    schedule = prepared.schedule
    results = places(schedule.latency, schedule.interval)

    @cache
    def bench() -> abc.Bench:
        core = prepared.core.build(prepared.parameters, schedule)
        return abc.Bench.of(streams.Monitor(core, schedule))

    def keep(name: str, statement: str, method: str, find: Callable[[], Verdict]) -> Proof:
        return kept(prepared.store, name, statement, method, find, prepared.digest)

    for check in handshake_checks(schedule):
        yield keep(check.name, check.statement, check.method, lambda check=check: check.find(bench()))
    yield keep(
        "result queue",
        queue.describe_queue(results),
        abc.METHOD,
        lambda: queue.prove_queue(prepared.core.build(prepared.parameters, schedule), results),
    )


def kept(store: Store, name: str, statement: str, method: str, find: Callable[[], Verdict], subject: str = "") -> Proof:
    """A proof from the store, or found now; `subject` is the digest of what a statement leaves open."""
    key = digest_of(name, statement, subject, source_digest(), [version_of(solver) for solver in SOLVERS])
    found = store.peek("proof", key)
    if found is not None:
        return Proof(**found)
    start = time.perf_counter()
    try:
        with limited():
            verdict = find()
    except ToolMissingError as error:
        verdict = Verdict("not run", error.message)
    except TimeIsUpError as end:
        verdict = Verdict("not run", str(end))
    proof = Proof(name, statement, verdict.status, method, verdict.detail, round(time.perf_counter() - start, 2))
    if proof.status != "not run":
        store.json("proof", key, lambda: asdict(proof))
    return proof
