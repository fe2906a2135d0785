# SPDX-License-Identifier: Apache-2.0
"""Make every record of bench/results/, statistics/, gates/ and peers/ again, by the protocol, and render the tables.

    python bench/again.py              measure, and render the tables when every record is made
    python bench/again.py --dry-run    print how many records are left, and for about how long
    python bench/again.py --only TEXT  only records whose name has this text
    python bench/again.py --missing    only records that lack seeds, of the core or of one channel, and only these seeds
    python bench/again.py --peers DIR  peers as well, whose checkouts are in DIR under the names of their repositories

The protocol: docs/measuring.md. Gates need OpenSTA and the files of three libraries (bench/gates.py).
What is done is noted in a folder (build/again; --folder), so that the same command continues after an interruption,
and every further process that starts it with the same folder, on this machine or another one that shares it, takes
its part.
A record that cannot be made is named at the end, and the old one stays; it is tried again in a new folder.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import beside
import tables
from endings import exit_code
from modwright.base import farm
from modwright.base.errors import UsageError, VerificationError
from modwright.base.json import JsonMapping
from modwright.base.store import source_digest
from modwright.measurement import protocol
from modwright.report.evidence import NOT_RUN
from modwright.tables import Sources
from modwright.tables.commands import campaigns, commands

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "again"
KIND = "records"
OF_THE_PROTOCOL = ("--seeds", "--router", "--frequency")
"""Settings with a value that bench/measure.py takes from the protocol where they are not given."""

START_SECONDS, PLACER_SECONDS = 2.5, 1.0
SYNTHESIS_SECONDS, PLACEMENT_SECONDS, GROWTH, SAMPLES_A_SECOND = 5.0, 7.0, 1.5, 3000
"""Time of one processor before any record of a run is made: seconds of a command and of a placement of nothing, of
synthesis and of a placement for 1,000 LUTs, and the power with which the latter grows. On a core of an EPYC a placement
took 7 s for 1,646 LUTs and 70 s for 4,998, and a campaign a second for 2,000 to 4,000 samples."""

MINUTES = 180
"""Minutes from which hours are shown."""


def by_protocol(command: str) -> list[str]:
    """Words of a command of `commands`, without the settings that the protocol has."""
    words = iter(shlex.split(command))
    result: list[str] = []
    for word in words:
        if word in OF_THE_PROTOCOL:
            next(words)
        elif word != "--wide-lut":
            result.append(word)
    return result


def lacking(record: JsonMapping) -> list[int]:
    """Number of the protocol's seeds that each placement of a record lacks, of the whole core and of one channel."""
    placements = (record.get(name, NOT_RUN) for name in ("timing", "channel_timing"))
    seeds_placed = [
        {each["seed"] for each in timing["per_seed"]}
        for timing in placements
        if timing != NOT_RUN and "per_seed" in timing
    ]
    return [len({*protocol.seeds(record["resources"]["lut"])} - seeds) for seeds in seeds_placed]


def seconds_of(record: JsonMapping, seeds_placed: int = 0) -> float:
    """Estimated seconds of a record, on one processor, with as many seeds that are placed already."""
    if "samples" in record:
        return START_SECONDS + record["samples"] / SAMPLES_A_SECOND
    lut = record["resources"].get("lut") or record["resources"]["nand2"] or 0
    sizes = [lut] if record["timing"] != NOT_RUN else []
    sizes += [_channel_size(record["channel_timing"], lut)] if record["channel_timing"] != NOT_RUN else []
    number = 0 if "liberty" in record else len(protocol.seeds(lut)) - seeds_placed / max(len(sizes), 1)
    of_placements = sum(number * (PLACER_SECONDS + PLACEMENT_SECONDS * (size / 1000) ** GROWTH) for size in sizes)
    return START_SECONDS + SYNTHESIS_SECONDS * lut / 1000 + of_placements


def _channel_size(timing: JsonMapping, lut: int) -> int:
    """LUTs of a placed channel, about: the most that it takes of a kind of element; those of the core where it is not
    known."""
    return max((each["used"] for each in timing.get("utilisation", {}).values()), default=lut)


def work(sources: Sources, *, only_missing: bool = False) -> Iterator[tuple[farm.Point, float]]:
    """Each record, or each that lacks seeds, as a point, with its estimated seconds; the quickest first."""
    lines = [*commands(sources.results), *campaigns(sources.statistics)]
    records = [*sources.results.items(), *sources.statistics.items()]
    all_points = zip(records, lines, strict=True)
    made = (
        _only_missing(name, record, line) if only_missing else _whole(name, record, line)
        for (name, record), line in all_points
        if not only_missing or any(lacking(record))
    )
    yield from sorted(made, key=lambda each: each[1])


def _whole(name: str, record: JsonMapping, line: str) -> tuple[farm.Point, float]:
    return farm.Point(_key(name), [by_protocol(line)]), seconds_of(record)


def _only_missing(name: str, record: JsonMapping, line: str) -> tuple[farm.Point, float]:
    needed = len(protocol.seeds(record["resources"]["lut"]))
    seeds_placed = sum(needed - lacks for lacks in lacking(record) if lacks)  # one that lacks none is placed again
    return farm.Point(_key(name), [[*by_protocol(line), "--keep-seeds"]]), seconds_of(record, seeds_placed)


def _key(name: str) -> str:
    return name.removesuffix("/statistics.json").removesuffix(".json")


def make(words: Sequence[str]) -> farm.Result:
    """Run one command below the root of the project: its time, and its error where it failed."""
    program = {"python": [sys.executable], "modwright": [sys.executable, "-m", "modwright"]}[words[0]]
    start = time.monotonic()
    outcome = subprocess.run([*program, *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    result: farm.Result = {"seconds": round(time.monotonic() - start, 1)}
    lines = ["no message", *outcome.stderr.strip().splitlines()]
    message = next((line for line in lines if line.startswith("error: ")), lines[-1])
    return result if outcome.returncode == 0 else result | {"error": message}


def left(folder: Path, estimates: Mapping[str, float]) -> str:
    """Records that are done and the time for the others, in words; estimates are put right by the records that are."""
    results = farm.results(folder) if folder.exists() else ()
    done = {key: float(str(result["seconds"])) for key, result in results if key in estimates}
    guessed, all_seconds = sum(estimates[key] for key in done), sum(estimates.values())
    scale = sum(done.values()) / guessed if guessed else 1.0
    minutes = (all_seconds - guessed) * scale / 60
    rest = f"{minutes:.0f} minutes" if minutes < MINUTES else f"{minutes / 60:.0f} hours"
    return f"{len(done)} of {len(estimates)} records are made, about {rest} of one processor left"


def open_folder(folder: Path, points: Sequence[farm.Point], *, only_missing: bool = False) -> None:
    """Make the folder, or find that it is of the same work and the same Modwright.

    Of missing seeds fewer are left each time, as finished records lack none.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        farm.submit(folder, {"kind": KIND, "source": source_digest()}, points, 1, {})
    plan = farm.read_plan(folder)
    if (plan.get("kind"), plan.get("source")) != (KIND, source_digest()):
        raise UsageError(f"{folder} was begun by another version of Modwright", f"rm -r {folder}")
    keys = [point.key for point in points]
    planned = plan["keys"]
    if not (isinstance(planned, list) and (set(keys) <= set(planned) if only_missing else planned == keys)):
        raise UsageError(
            f"{folder} was begun with other records", f"rm -r {folder}, or the same --only, --missing and --peers"
        )


def _beside(checkouts: Path | None) -> Iterator[tuple[farm.Point, float]]:
    """The work on gates and formulas, and on peers where their checkouts are given."""
    yield from beside.gates_and_formulas()
    for point, lut in beside.peers(checkouts) if checkouts else ():
        yield point, seconds_of({"resources": {"lut": lut}, "timing": {}, "channel_timing": NOT_RUN})


def _chosen(given: argparse.Namespace) -> list[tuple[farm.Point, float]]:
    """The work on records with a text in their name; UsageError where no record has it, whatever it lacks."""
    sources, others = tables.sources(), list(_beside(given.peers))
    keys = [_key(name) for name in (*sources.results, *sources.statistics)] + [point.key for point, _ in others]
    if not any(given.only in key for key in keys):
        hint = "bench/results, statistics and peers have them, and gates and formulas"
        raise UsageError(f"no record has {given.only!r} in its name", hint)
    everything = [*work(sources, only_missing=given.missing), *(() if given.missing else others)]
    chosen = [each for each in everything if given.only in each[0].key]
    return sorted(chosen, key=lambda each: each[1])


def run(given: argparse.Namespace) -> None:
    """Do what the command line requests."""
    chosen = _chosen(given)
    if not chosen:
        print(f"no record{f' with {given.only!r} in its name' if given.only else ''} lacks seeds")
        return
    estimates = {point.key: seconds for point, seconds in chosen}
    if given.dry_run:
        print(left(given.folder, estimates))
        return
    open_folder(given.folder, [point for point, _ in chosen], only_missing=given.missing)

    def counted(words: Sequence[str]) -> farm.Result:
        print(f"{left(given.folder, estimates)}\n{shlex.join(words)}", file=sys.stderr, flush=True)
        return make(words)

    farm.Worker(given.folder, counted).work()
    print(left(given.folder, estimates))
    finish(given.folder)


def finish(folder: Path) -> None:
    """Render the tables; VerificationError for records that could not be made, which name themselves."""
    if farm.state(folder).done < farm.state(folder).points:
        return
    if tables.main([]):
        raise VerificationError("the tables could not be rendered")
    results = dict(farm.results(folder))
    if results.keys() & beside.IN_CELLS.keys():
        beside.render()
    failed = [f"{key} ({result['error']})" for key, result in results.items() if "error" in result]
    if failed:
        raise VerificationError(f"not made: {', '.join(failed)}; they are tried again when {folder} is removed")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Make every record again, by the protocol, and render the tables.")
    result.add_argument("--dry-run", action="store_true", help="only print what is left, and the time that it takes")
    result.add_argument("--folder", type=Path, default=FOLDER, help="where it is noted what is done (build/again)")
    result.add_argument("--missing", action="store_true", help="only records that lack seeds, and only these seeds")
    result.add_argument("--peers", type=Path, metavar="DIR", help="peers as well, from the checkouts in this folder")
    result.add_argument("--only", default="", metavar="TEXT", help="records whose name has this text")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, and return the exit code of the `modwright` command."""
    given = parser().parse_args(arguments)
    return exit_code(lambda: run(given))


if __name__ == "__main__":
    sys.exit(main())
