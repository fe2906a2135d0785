# SPDX-License-Identifier: Apache-2.0
"""Formal proofs of a core: its reductions, its estimate of α, its timing under any stalls, and constant latency.

The arithmetic consists of the obligations of the parameters (`contract.Parameters.obligations`), with a proof for each
(`arithmetic`).

Admission, latency, constant latency and the result queue are proved for every core, from its handshakes alone. A
search in the netlist of every core lists the addresses and enables that depend on operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from ..prepared import Prepared
from ..rtl.control import in_flight
from ..schedule import Schedule
from . import abc, arithmetic, cone, queue, streams
from .dependence import METHOD as SEARCH
from .dependence import Dependence, dependence, stored_dependence
from .limit import TimeIsUpError, at_most, limited
from .proof import NOT_RUN, Proof, Verdict
from .store import SOLVERS, proved

__all__ = [
    "SOLVERS",
    "Check",
    "Dependence",
    "Proof",
    "Verdict",
    "dependence",
    "handshake_checks",
    "prove",
    "stored_dependence",
]


def prove(prepared: Prepared, seconds: float | None = None) -> list[Proof]:
    """Prove the obligations of a core; results are stored, except those that were not run.

    Parameters
    ----------
    prepared : Prepared
        The core.
    seconds : float, optional
        Limit for one proof; a longer one counts as not run. The first proof of the handshakes also makes the netlist of
        the core.

    Returns
    -------
    list of Proof
        One for each obligation and each proof of control. A refuted one carries the counter-example, one that was not
        run the reason; a core that owes no lemma has a row with the reason.
    """
    with at_most(seconds):
        return [*arithmetic.prove(prepared), *_control(prepared), _addresses(prepared)]


def _addresses(prepared: Prepared) -> Proof:
    """The search as a proof: its statement names the places found, and excludes all others."""
    try:
        with limited():
            found = dependence(prepared)
    except TimeIsUpError as end:
        return Proof("operands in addresses and enables", "which of them depend on operands", NOT_RUN, SEARCH, str(end))
    return Proof("operands in addresses and enables", found.statement, "proved", SEARCH, seconds=found.seconds)


def _streams(bench: abc.Bench, schedule: Schedule) -> Verdict:
    if schedule.burst > 1:
        return Verdict(NOT_RUN, "the property speaks of one operation an interval, and this core admits a burst")
    return streams.prove_streams(bench, schedule)


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
        """Make the row of a claim that a core without constant latency does not state."""
        if schedule.constant_time:
            return find
        return lambda bench: Verdict(NOT_RUN, "the schedule depends on operand values, and says so")

    yield Check(
        "control independent of data",
        "i.ready and o.valid do not depend on any payload bit, in any cycle: constant latency",
        cone.METHOD,
        fixed(cone.prove_independent),
    )
    yield Check(
        "handshakes registered",
        "i.ready and o.valid depend on registers only: no input reaches them within a cycle",
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
    results = in_flight(schedule)

    @cache
    def bench() -> abc.Bench:
        core = prepared.core.build(prepared.parameters, schedule)
        return abc.Bench.of(streams.Monitor(core, schedule))

    def keep(name: str, statement: str, method: str, find: Callable[[], Verdict]) -> Proof:
        return proved(prepared.store, name, statement, method, find, prepared.digest)

    for check in handshake_checks(schedule):
        yield keep(check.name, check.statement, check.method, lambda check=check: check.find(bench()))
    yield keep(
        "result queue",
        queue.describe_queue(results),
        abc.METHOD,
        lambda: queue.prove_queue(prepared.core.build(prepared.parameters, schedule), results),
    )
