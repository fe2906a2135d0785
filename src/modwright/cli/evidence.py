# SPDX-License-Identifier: Apache-2.0
"""Commands that gather evidence: simulate, prove, wave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError, shortened
from ..base.json import JsonObject
from ..base.words import counted
from .common import (
    MOST_CASES,
    ForceOption,
    JsonOption,
    note,
    prepare_selected,
    print_json,
    table,
)
from .groups import grouped
from .selection import Selection
from .trials import Seeded, SomeOperands

if TYPE_CHECKING:
    from ..functions.vectors import VectorFile
    from ..prepared import Prepared
    from ..prove.theorem import Answer
    from ..simulate.runs import Summary

FAILED = 1
MOST_VERILOG = 1 << 28
"""Bytes of a Verilog file that a theorem is proved of; that of a core of 2048 bits has some megabytes."""
SHOWN = 5
"""Failures that a terminal gets; --json has them all."""


class PatternName(StrEnum):
    """Patterns of the handshakes on the streams."""

    free = "free"
    stalled = "stalled"
    bursts = "bursts"
    all = "all"


class Simulator(StrEnum):
    """Names of the simulators that can run the core."""

    auto = "auto"
    compiled = "compiled"
    pure = "pure"


@dataclass(frozen=True, kw_only=True)
class Operations(Seeded):
    """Operations that are simulated, and how the streams are driven."""

    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", "-v", metavar="FILE", help="JSON file of operands and expected results."),
    ] = None
    random: Annotated[
        int | None,
        typer.Option("--random", min=1, max=MOST_CASES, metavar="N", help="Edge products and N random operations."),
    ] = None
    pattern: Annotated[PatternName, typer.Option("--pattern", help="How the streams are driven.")] = PatternName.all
    stalls: Annotated[
        int | None,
        typer.Option(
            "--stalls",
            min=0,
            max=99,
            metavar="P",
            help="Per cent of cycles that stall at random.  [default: 50]",
        ),
    ] = None
    chain: Annotated[bool, typer.Option("--chain", help="Each operation takes the result of the one before it.")] = (
        False
    )
    simulator: Annotated[Simulator, typer.Option("--simulator", help="Compiled C++ (Verilator), or pure Python.")] = (
        Simulator.auto
    )

    def simulate(self, selection: Selection) -> Summary:
        """Run them on a core."""
        from ..functions.vectors import load
        from ..simulate.patterns import STALLED
        from ..simulate.runs import Run, simulate_file, simulate_random

        if (self.vectors is None) == (self.random is None):
            raise UsageError("simulate takes exactly one of --vectors FILE and --random N")
        if self.stalls is not None and self.pattern is PatternName.free:
            raise UsageError("--stalls has no effect with --pattern free", "one of them")
        if self.vectors is not None and self.chain:
            raise UsageError(
                "--chain gives each operation the result of the one before; --vectors has results of other operands",
                "one of them",
            )
        stalls = STALLED if self.stalls is None else self.stalls
        run = Run(self.simulator.value, stalls, self.seed, self.chain, self.pattern.value)
        if self.vectors is None:
            return simulate_random(selection.prepare(), self.random or 0, run)
        file = load(self.vectors)
        if file.unread:
            note(f"{self.vectors}: keys of cases that are not read: {shortened(', '.join(file.unread), 300)}")
        return simulate_file(*selection.select(_named_by(file)), file, run)


@grouped
def simulate(selection: Selection, operations: Operations, as_json: JsonOption = False) -> None:
    """Simulate a core against its model and the plain function.

    Three things are compared: the value of the result, each bit of the payload, and the cycle in which it is valid.
    Every case runs with free streams, and a quarter of them twice more: with stalls at random, and in bursts that fill
    the core and drain it. Registers and memories start at random values, and resets come in the middle of operations.
    The field may be left out when the vector file names it. Exit code 1 when an operation failed.

    Examples:
      modwright simulate modmul/sor-1m-p -f secp256k1 --random 1000
      modwright simulate modmul/csa -O bits=16 --random 100 --simulator pure
      modwright simulate modmul/csa -O bits=16 -v vectors.json --simulator pure
    """
    summary = operations.simulate(selection)
    if as_json:
        print_json(summary.to_json())
    else:
        _print_summary(summary)
    if summary.failed:
        raise typer.Exit(FAILED)


@grouped
def prove(
    selection: Selection,
    verilog: Annotated[
        Path | None,
        typer.Option("--verilog", metavar="FILE", help="Prove this Verilog, which has the core's ports."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Write the log of the theorem, where it is proved, for `python -m modwright.checker`.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Prove the whole operation of a core, and the lemmas it owes.

    The theorem says, for every operand and every pattern of the handshakes, that the Verilog computes the function. It
    is proved, refuted, or "not proved" with the reason. With --verilog only the theorem is tried, on that file; a
    refutation names operands that fail in simulation, where some were found. Also lists the addresses and enables that
    depend on operands. Exit code 1 when the theorem or a lemma is refuted, 2 when there is no log to write.

    Examples:
      modwright prove modmul/r64 --field P-256
      modwright prove modmul/blakley --modulus 13 --log blakley.json
      modwright prove modmul/blakley --modulus 13 --verilog changed.v
    """
    from ..base.disk import read_text_bounded
    from ..base.store import check_writable
    from ..deliver.verilog import core_verilog
    from ..pipeline import proofs_of
    from ..prove import dependence
    from ..prove.theorem import require_log

    check_writable(log)
    prepared = selection.prepare()
    if log:
        require_log(prepared, "without --log")
    text = core_verilog(prepared) if verilog is None else read_text_bounded(verilog, MOST_VERILOG)
    note(f"proving {prepared.top}")
    theorem = _logged(prepared, text, log)
    _check_written(log, prepared, theorem)
    proofs = [] if verilog else proofs_of(prepared)
    if as_json:
        found = {"core": prepared.core.name, "theorem": theorem, "proofs": proofs}
        print_json(found if verilog else found | {"dependence": dependence(prepared).to_json()})
    else:
        rows = [("theorem", theorem["status"], _described(theorem))]
        rows += [(p["name"], p["status"], "\n".join(filter(None, (p["statement"], p["detail"])))) for p in proofs]
        table(("lemma", "status", "statement"), rows)
    if any(row["status"] == "refuted" for row in (theorem, *proofs)):
        raise typer.Exit(FAILED)


def _logged(prepared: Prepared, text: str, log: Path | None) -> Answer:
    """The theorem of a Verilog, with its log in the requested file where it is proved."""
    from ..base.store import whole_file
    from ..prove.theorem import logged

    theorem, written = logged(prepared, text)
    if log and written:
        with whole_file(log) as partial:
            partial.write_text(written, encoding="utf-8")
    return theorem


def _check_written(log: Path | None, prepared: Prepared, theorem: Answer) -> None:
    """UsageError where `--log` is given and a theorem is neither proved nor refuted: a refutation is shown whole."""
    if log and theorem["status"] not in ("proved", "refuted"):
        raise UsageError(f"no log: the theorem of {prepared.core.name} is {theorem['status']}", "without --log")


def _described(theorem: Answer) -> str:
    """Statement, reason and operands of a theorem."""
    operands = [f"{name} = {value}" for name, value in theorem["operands"].items()]
    return "\n".join(filter(None, (theorem["statement"], theorem["detail"], *operands)))


@grouped
def wave(
    selection: Selection,
    operands: SomeOperands,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to make.")],
    force: ForceOption = False,
) -> None:
    """Record waveforms of a few operations.

    For GTKWave or Surfer, with the plain operands and results next to the signals.

    Example:
      modwright wave modmul/csa -O bits=16 -o waves
    """
    from ..deliver import check_folder, filled_folder
    from ..functions.cases import plain_cases
    from ..simulate import wave as record

    found, request = selection.select()
    check_folder(output, force=force)
    prepared = prepare_selected(found, request)
    note(f"simulating {counted(operands.random, 'operation')} of {prepared.top}")
    with filled_folder(output, prepared.digest, force=force) as work:
        names = [path.name for path in record(prepared, plain_cases(prepared, operands.random, operands.seed), work)]
    for name in names:
        print(output / name)


def _named_by(file: VectorFile) -> dict[str, str]:
    """The part of a request that a vector file names; with a modulus in every case, that of the first; of a curve that
    is not in the catalog, its field."""
    from ..catalog import curves

    if file.curve is not None and file.curve not in curves():
        return {"modulus": hex(file.curve.p)}
    return file.request or {"modulus": hex(file.cases[0]["modulus"])}


def _print_summary(summary: Summary) -> None:
    from ..simulate.runs import describe_failure

    failures = summary.failures
    for name, failure in failures[:SHOWN]:
        print(describe_failure(failure, name))
    if len(failures) > SHOWN:
        print(f"  and {len(failures) - SHOWN} more")
    cycles = summary.cycles
    spread = f"{cycles['min']} / {cycles['median']} / {cycles['max']}" if cycles else "none measured"
    print(f"{summary.core}: {summary.passed} of {summary.cases} cases passed ({', '.join(summary.simulators)})")
    for row in summary.patterns():
        print(
            f"  {row['pattern']}: {row['passed']} of {row['operations']} operations passed; "
            f"{counted(row['resets'], 'reset')} ended {row['lost']} more"
        )
    print(f"cycles of an operation, least / median / most: {spread}")
    _print_extremes(summary.extremes)


def _print_extremes(rows: list[JsonObject]) -> None:
    """How far each number inside the core went, and why some ends cannot be reached."""
    if not rows:
        print("numbers inside an operation: none stated")
        return
    print(f"numbers inside an operation, over {rows[0]['observed']} observed:")
    for row in rows:
        seen = "no value" if row["reached"] is None else f"{row['reached'][0]} to {row['reached'][1]}"
        ends = f"least {row['least_status']}, most {row['most_status']}"
        print(f"  {row['name']}: {seen}, of {row['least']} to {row['most']}: {ends}")
        if row["possible"] is not None:
            print(f"    possible {row['possible'][0]} to {row['possible'][1]}: {row['reason']}")
