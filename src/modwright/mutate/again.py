# SPDX-License-Identifier: Apache-2.0
"""Survivors of a record that are judged again."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.json import JsonMapping, JsonObject
from ..pipeline import Plan
from ..prepared import Prepared
from .run import EQUIVALENT, KILLED, SURVIVED, Mutants, Work
from .states import MEMORY


def survivors_again(prepared: Prepared, record: JsonMapping, plan: Plan, memory: int = MEMORY) -> JsonObject:
    """A record of the same netlist, once its survivors were judged again: by other methods than before, or other cases.

    Parameters
    ----------
    prepared : Prepared
    record : mapping
        Record of `Mutants.to_json`.
    plan : Plan
        Plan of the first run.
    memory : int
        See `mutate`.

    Raises
    ------
    VerificationError
        When the core itself fails.
    ToolMissingError
        Without the compiled simulator or ABC.
    """
    if not record["survived"]:
        return dict(record)
    work, seed = Work(prepared, plan, memory), record["seed"]
    places = work.places_of(record["survived"], record["mutants"], seed)
    found = Mutants(prepared, seed, plan, work.judged_at(places, seed))
    new = found.to_json()
    kinds = {kind: dict(counts) for kind, counts in record["kinds"].items()}
    for kind, counts in new["kinds"].items():
        before = sum(mutant["kind"] == kind for mutant in record["survived"])
        _moved(kinds[kind], counts, before)
    killed, equivalent, survived = (
        sum(counts[verdict] for counts in kinds.values()) for verdict in (KILLED, EQUIVALENT, SURVIVED)
    )
    share = killed * 10_000 // (killed + survived) / 100 if killed + survived else None
    counted = {"killed": killed, "equivalent": equivalent, "survived": new["survived"], "killed_percent": share}
    return {**record, **counted, "kinds": kinds, "memory": memory}


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
