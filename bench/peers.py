# SPDX-License-Identifier: Apache-2.0
"""Measure an open core of others: `python bench/peers.py NAME --source FOLDER`.

FOLDER is the root of a checkout of the commit that the recipe bench/peers/NAME.yaml names; nothing is downloaded, and
a file that differs is refused. The record is bench/peers/NAME.json, which `modwright compare` reads. Without NAME the
recipes are listed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from endings import exit_code
from modwright.base.errors import UsageError
from modwright.base.store import whole_file
from modwright.measurement import Settings, bench_folder, protocol
from modwright.measurement.peers import Recipe, peer_figures, recipes
from modwright.synthesize import FREQUENCY_MHZ, ROUTERS


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write, and return the exit code of the `modwright` command."""
    words = parser().parse_args(arguments)
    return exit_code(lambda: show(recipes()) if words.name is None else print(measured(words)))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Measure an open core of others from its sources.")
    result.add_argument("name", metavar="NAME", nargs="?", help="a recipe; without one they are listed")
    result.add_argument("--source", type=Path, metavar="FOLDER", help="root of a checkout of the recipe's commit")
    result.add_argument("--target", default="ecp5", help="default: ecp5")
    result.add_argument("--place", action="store_true", help="place and route it")
    result.add_argument("--seeds", type=_seeds, metavar="N,N,..", help="default: those of the protocol")
    result.add_argument("--frequency", type=float, default=FREQUENCY_MHZ, metavar="MHZ", help="nextpnr's target")
    result.add_argument("--router", choices=list(ROUTERS), help="default: by how full the device is")
    result.add_argument("--timeout", type=float, metavar="SECONDS", help="that a seed may take")
    result.add_argument("-o", "--output", type=Path, help="default: bench/peers/NAME.json, next to the recipe")
    return result


def _seeds(text: str) -> tuple[int, ...]:
    return tuple(int(seed) for seed in text.split(","))


def show(known: dict[str, Recipe]) -> None:
    """Print a line for each recipe."""
    for name, peer in known.items():
        print(f"{name:28} {peer.title}: {peer.repository} {peer.commit[:12]}")


def measured(words: argparse.Namespace) -> Path:
    """Measure a peer; the file with its record."""
    known = recipes()
    if words.name not in known:
        raise UsageError(f"no recipe {words.name!r}", f"one of {', '.join(known)}")
    if words.source is None:
        raise UsageError("a peer is measured from its sources, which Modwright does not have", "--source FOLDER")
    recipe, given = known[words.name], {name: getattr(words, name) for name in ("frequency", "router", "timeout")}
    record = peer_figures(recipe, words.source, Settings(**given), target=words.target, place=False)
    if words.place:
        settings = Settings(seeds=words.seeds or protocol.seeds(record["lut"]), **given)
        record = peer_figures(recipe, words.source, settings, target=words.target, place=True)
    output = words.output or bench_folder() / "peers" / f"{words.name}.json"
    with whole_file(output) as partial:
        partial.write_text(json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    return output


if __name__ == "__main__":
    sys.exit(main())
