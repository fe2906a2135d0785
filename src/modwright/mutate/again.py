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
    waiting = [one for one in record["survived"] if memory == MEMORY or one.get("memory", MEMORY) < memory]
    work = Work(prepared, plan, memory) if waiting else None
    while work and waiting:
        part = [one for one in waiting if one in waiting[:PART]]  # two mutants can have one description
        waiting = [one for one in waiting if one not in part]
        places = work.places_of(part, record["mutants"], record["seed"])
        found = Mutants(prepared, record["seed"], plan, work.judged_at(places, record["seed"])).to_json()
        record = _counted(record, part, found, memory)
        yield dict(record)


def _counted(record: JsonMapping, part: Sequence[JsonMapping], found: JsonMapping, memory: int) -> JsonObject:
    """A record in whose place of some survivors is what was found of them."""
    kinds = {kind: dict(counts) for kind, counts in record["kinds"].items()}
    for kind, counts in found["kinds"].items():
        _moved(kinds[kind], counts, sum(mutant["kind"] == kind for mutant in part))
    killed, equivalent, survived = (
        sum(counts[verdict] for counts in kinds.values()) for verdict in (KILLED, EQUIVALENT, SURVIVED)
    )
    share = killed * 10_000 // (killed + survived) / 100 if killed + survived else None
    judged = {} if memory == MEMORY else {"memory": memory}
    left = [one for one in record["survived"] if one not in part]
    counted = {"killed": killed, "equivalent": equivalent, "killed_percent": share, "kinds": kinds}
    return {**record, **counted, "survived": [*left, *(one | judged for one in found["survived"])]}


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
