# SPDX-License-Identifier: Apache-2.0
"""Survivors of a record that are judged again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..base.json import JsonMapping, JsonObject
from ..pipeline import Plan
from ..prepared import Prepared
from .run import EQUIVALENT, KILLED, SURVIVED, Mutants, Work
from .states import MEMORY

PART = 5
"""Survivors that are judged together: fewer are lost where a run ends early."""


def survivors_again(prepared: Prepared, record: JsonMapping, plan: Plan, memory: int = MEMORY) -> Iterator[JsonObject]:
    """Judge the survivors of a record of the same netlist: by other methods than before, or other cases.

    With more memory than usual, those that were judged with as much before are left out.

    Parameters
    ----------
    prepared : Prepared
    record : mapping
        Record of `Mutants.to_json`.
    plan : Plan
        Plan of the first run.
    memory : int
        See `mutate`.

    Yields
    ------
    dict
        The record after each part of the survivors.

    Raises
    ------
    VerificationError
        When the core itself fails.
    ToolMissingError
        Without the compiled simulator or ABC.
    """
    waiting = [mutant for mutant in record["survived"] if memory == MEMORY or mutant.get("memory", MEMORY) < memory]
    work = Work(prepared, plan, memory) if waiting else None
    while work and waiting:
        part = [mutant for mutant in waiting if mutant in waiting[:PART]]  # two mutants can have one description
        waiting = [mutant for mutant in waiting if mutant not in part]
        places = work.places_of(part, record["mutants"], record["seed"])
        mutants = Mutants(prepared, record["seed"], plan, work.judged_at(places, record["seed"]), memory)
        record = _counted(record, part, mutants.to_json())
        yield dict(record)


def _counted(record: JsonMapping, part: Sequence[JsonMapping], judged: JsonMapping) -> JsonObject:
    """A record in whose place of some survivors is what was found of them."""
    kinds = {kind: dict(counts) for kind, counts in record["kinds"].items()}
    for kind, counts in judged["kinds"].items():
        _moved(kinds[kind], counts, sum(mutant["kind"] == kind for mutant in part))
    killed, equivalent, survived = (
        sum(counts[verdict] for counts in kinds.values()) for verdict in (KILLED, EQUIVALENT, SURVIVED)
    )
    share = killed * 10_000 // (killed + survived) / 100 if killed + survived else None
    left = [mutant for mutant in record["survived"] if mutant not in part]
    counted = {"killed": killed, "equivalent": equivalent, "killed_percent": share, "kinds": kinds}
    most = max(judged["memory"], record.get("memory", MEMORY))
    return {**record, **counted, "memory": most, "survived": [*left, *judged["survived"]]}


def _moved(counts: dict[str, int], now: Mapping[str, int], before: int) -> None:
    """Count mutants of a kind that were judged again, `before` of which had survived.

    More may be judged than survived, as two mutants can have one description. A mutant that a simulation killed is
    killed again; so of the others, as many as are killed now were killed then, and the rest were equivalent.
    """
    others = sum(now.values()) - before
    killed = min(now[KILLED], others)
    counts[KILLED] += now[KILLED] - killed
    counts[EQUIVALENT] += now[EQUIVALENT] - (others - killed)
    counts[SURVIVED] += now[SURVIVED] - before
