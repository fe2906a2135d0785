# SPDX-License-Identifier: Apache-2.0
"""The command mutate: faults in the netlist of a core, and how many of them the evidence finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..base.json import JsonObject
from ..base.words import counted
from .batches import Batch, until_submitted
from .common import (
    JsonOption,
    SchedulerOption,
    WorkersOption,
    check_processes,
    finite,
    print_json,
    table,
)
from .groups import grouped
from .selection import Selection
from .statistics import progress
from .trials import BuildOperands

if TYPE_CHECKING:
    from ..mutate import Mutants

MOST_MEMORY = 1024
"""Most GiB for the states of control."""
MISSED = 5
"""Exit code of a target that was missed."""


@grouped
def mutate(
    selection: Selection,
    batch: Batch,
    operands: BuildOperands,
    mutants: Annotated[int, typer.Option("--mutants", "-n", min=1, max=100_000, metavar="N", help="Faults to plant.")],
    least: Annotated[
        float | None,
        typer.Option(
            "--least",
            callback=finite,
            min=0,
            max=100,
            metavar="P",
            help="Per cent to kill; exit code 5 when it is missed.",
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory",
            min=1,
            max=MOST_MEMORY,
            metavar="GIB",
            help="Memory of each worker for the states of control; a core with more is left to other methods.  "
            "[default: 1]",
        ),
    ] = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plant random faults in a core, and count those that are found.

    Each mutant has one change in the netlist: an operator, a constant, a width, an enable, a reset, exchanged operands.
    It is killed when a simulation or a proof of `build` fails. Survivors that are proved equivalent to the core do not
    count. Verdicts are stored, so an interrupted run resumes, and the next datasheet of the same request shows the
    figure. On a batch system, --submit writes what is missing into a shared folder, and the same command with
    --collect reads the verdicts.

    Examples:
      modwright mutate modmul/blakley -m 13 --mutants 2 --random 50
      modwright mutate modmul/sor-1m-p -m 61 -t generic -O width=8 --mutants 300
    """
    from ..mutate import MEMORY
    from ..mutate import mutate as judge
    from ..mutate.batch import KIND, submit

    check_processes(workers, scheduler)
    queue = batch.queue(least, as_json)
    prepared = selection.prepare()
    batch.collect_into(KIND, prepared.store)
    more = {} if queue is None else {"elsewhere": lambda missing: submit(prepared, missing, queue)}
    with until_submitted(), progress(f"{prepared.core.name}: mutants judged", mutants) as judged:
        found = judge(
            *(prepared, mutants, operands.seed, operands.plan()),
            memory=memory or MEMORY,
            workers=workers,
            scheduler=scheduler,
            progress=judged,
            **more,
        )
    batch.end_dry_run()
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    if least is not None and (found.share is None or found.share < least):
        raise typer.Exit(MISSED)


def _print(mutants: Mutants) -> None:
    record = mutants.to_json()
    rows = [
        (
            mutant["kind"],
            f"{mutant['place']}\n{mutant['source']}".strip(),
            f"{mutant['original']} -> {mutant['mutated']}",
            mutant["detail"],
        )
        for mutant in record["survived"]
    ]
    if rows:
        table(("kind", "place", "change", "what is known"), rows)
    print(_sentence(record))


def _sentence(record: JsonObject) -> str:
    share, mutants = record["killed_percent"], counted(record["mutants"], "mutant")
    of = "none that can be killed" if share is None else f"{share:.2f} % of those not equivalent"
    return (
        f"{record['core']}: {mutants}, {record['killed']} killed, {record['equivalent']} equivalent, "
        f"{len(record['survived'])} survived: {of} killed"
    )
