# SPDX-License-Identifier: Apache-2.0
"""Records beside bench/results/ and bench/statistics/ that `bench/again.py` makes again: gates, formulas, peers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import formulas
import gates
from modwright.base import farm
from modwright.base.errors import UsageError, VerificationError
from modwright.measurement import bench_folder
from modwright.measurement.peers import recipes

SECONDS_A_KILOGATE = 0.4
"""Time of one processor for a core in one library, for 1,000 gates: 47 s for two cores in two libraries, 115 kGE."""
FORMULA_SECONDS = 64.0
"""Time of one processor for all formulas in three libraries."""


IN_CELLS = {"gates": ("bench/gates.py", "--again"), "formulas": ("bench/formulas.py",)}
"""The commands that measure in the cells of three libraries."""


def render() -> None:
    """Render the tables of gates and of formulas, which are on one page."""
    for page in (gates, formulas):
        if page.main(["--render"]):
            raise VerificationError(f"{page.__name__} --render failed")


def gates_and_formulas() -> Iterator[tuple[farm.Point, float]]:
    """The commands of `IN_CELLS` as points, with their estimated seconds.

    What is synthesised is stored, so that a command that was interrupted resumes.
    """
    libraries = (each for record in gates.load().values() for each in record["libraries"].values())
    kilogates = sum(each["nand2"] for each in libraries) / 1e3
    seconds = {"gates": kilogates * SECONDS_A_KILOGATE, "formulas": FORMULA_SECONDS}
    for key, words in IN_CELLS.items():
        yield _point(key, *words), seconds[key]


def peers(checkouts: Path) -> Iterator[tuple[farm.Point, int]]:
    """The command of each peer with a checkout in a folder as a point, with its LUTs; UsageError where none is there.

    A checkout has the name of its repository.
    """
    sources = {name: checkouts / Path(peer.repository).name for name, peer in recipes().items()}
    present = {name: source.resolve() for name, source in sources.items() if source.is_dir()}
    if not present:
        expected = ", ".join(sorted({source.name for source in sources.values()}))
        raise UsageError(f"{checkouts} has no checkout of a peer", f"folders in it: {expected}")
    for name, source in present.items():
        record = json.loads((bench_folder() / "peers" / f"{name}.json").read_text(encoding="utf-8"))
        yield _point(f"peer-{name}", "bench/peers.py", name, "--source", str(source), "--place"), record["lut"]


def _point(key: str, *words: str) -> farm.Point:
    return farm.Point(key, [["python", *words]])
