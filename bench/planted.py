# SPDX-License-Identifier: Apache-2.0
"""Bugs that are planted in small cores whose theorem is proved: `python bench/planted.py [CORE..]` tries the theorem of
each and writes the rows of the table in docs/proof.md; rows of other cores stay."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from modwright.prepared import Prepared
from modwright.prove.theorem import (
    NOT_PROVED,
    PROVED,
    REFUTED,
    InversionClaim,
    PointClaim,
    PowerClaim,
    Theorem,
    stated,
)
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.inversions.prove import prove_operations
from modwright.prove.theorem.inversions.refute import find_failing_inversion
from modwright.prove.theorem.netlist import Netlist, UnsupportedError, netlist_of
from modwright.prove.theorem.points.cut import Parts
from modwright.prove.theorem.points.prove import prove_parts
from modwright.prove.theorem.refute import AnyClaim, find_failure
from modwright.prove.theorem.theorem import prove_claim, settled
from rows import Rows

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # the bugs and the cores are part of the tests
from tests.unit import inversion_bugs, point_bugs, point_simulation, small_inversions, small_points  # noqa: E402
from tests.unit.planted_bugs import KINDS  # noqa: E402
from tests.unit.small_theorems import FAMILIES, small, small_netlist  # noqa: E402

PAGE = ROOT / "docs" / "proof.md"
POINTS = ("ecpm/ladder",)
"""Point multipliers, in whose parts bugs of other kinds are planted."""
INVERSIONS = tuple(small_inversions.CORES)
"""Inverters, with bugs of more kinds."""
SUBJECTS = (*FAMILIES, *INVERSIONS, *POINTS)
SHOWN_POINTS, MORE_POINTS = 3, 12
"""Operations of a point multiplier in simulation: before the proof, and again where the theorem is proved."""
Kinds = Mapping[str, Callable[[dict[str, Any]], Iterable[Any]]]
"""Kinds of bugs: functions of a module that yield it with one bug of the kind at a time."""
TRIED = 6
"""Most places of a bug of one kind in a core; the first is taken at which it shows in simulation."""
SHOWS, SEARCHED = 0.3, 2.0
"""CPU seconds of a search for operands that fail: before the proof, and again where the theorem is proved."""
RIGHT, WRONG = "proved, as no operands fail", "proved, and some fail"
OUTCOMES = (REFUTED, NOT_PROVED, RIGHT, WRONG)
TABLE = Rows(
    "planted bugs",
    (f"| core | kinds | {' | '.join(OUTCOMES)} |", "| --- " + "| ---: " * (1 + len(OUTCOMES)) + "|"),
    1,
)


def kinds_of(name: str) -> Kinds:
    """Kinds of bugs in the netlist of a core."""
    return inversion_bugs.KINDS if name in INVERSIONS else KINDS


def core_of(name: str) -> Prepared:
    """The small core."""
    return small_inversions.small(name) if name in INVERSIONS else small(name)


def bug_of(name: str, kind: str) -> Netlist | None:
    """The netlist of a core with a bug of a kind, where that shows in simulation if there is such a place; None where a
    core has none."""
    whole = small_inversions.netlist(name) if name in INVERSIONS else small_netlist(name)
    found = list(map(netlist_of, islice(kinds_of(name)[kind](dict(whole.module)), TRIED)))
    core = core_of(name)
    return next((netlist for netlist in found if fails(core, netlist, SHOWS)), found[0] if found else None)


def claim_of(core: Prepared) -> AnyClaim | InversionClaim:
    """The claim about one operation of a core that is proved as a whole."""
    claim = stated(core)
    if isinstance(claim, PowerClaim | PointClaim):
        raise TypeError(f"{core.core.name} is proved by the claim of a part")
    return claim


def fails(core: Prepared, netlist: Netlist, seconds: float) -> bool:
    """Whether a search for operands that fail finds some."""
    claim, latency = claim_of(core), core.schedule.latency
    if isinstance(claim, InversionClaim):
        return bool(find_failing_inversion(netlist, claim, latency, seconds)[0])
    return bool(find_failure(netlist, claim, latency, seconds)[0])


def outcome(core: Prepared, netlist: Netlist) -> str:
    """Outcome of the theorem of a netlist with a bug; where it is proved, whether operands fail all the same."""
    shows, claim, latency = fails(core, netlist, SHOWS), claim_of(core), core.schedule.latency
    if isinstance(claim, InversionClaim):
        found = settled("", latency, lambda: prove_operations(netlist, claim, latency), None)
    else:
        found = Theorem(NOT_PROVED, "")
        prove_claim(netlist, claim, latency, found, search=False)
    if found.status == PROVED:
        return WRONG if shows or fails(core, netlist, SEARCHED) else RIGHT
    return REFUTED if shows else found.status


def point_bug_of(kind: str) -> tuple[Parts, bool]:
    """A point multiplier with a bug of a kind, where it shows if there is such a place; and whether it does."""
    found = list(islice(point_bugs.KINDS[kind](small_points.parts()), TRIED))
    return next(((parts, True) for parts in found if points_fail(parts, SHOWN_POINTS)), (found[0], False))


def points_fail(parts: Parts, operations: int) -> bool:
    """Whether one of some operations has a wrong result, with the unit in integers."""
    core = small_points.small()
    return bool(point_simulation.first_failure(parts, stated(core), core.schedule.latency, operations))


def point_outcome(kind: str) -> str:
    """The outcome of the theorem with a bug of a kind in a point multiplier."""
    parts, shows = point_bug_of(kind)
    core = small_points.small()
    claim = stated(core)
    if not isinstance(claim, PointClaim):
        raise TypeError(f"{core.core.name} has no claim on points")
    try:
        prove_parts(parts, claim, core.schedule.latency)
    except (UnsupportedError, UndecidedError):
        return REFUTED if shows else NOT_PROVED
    return WRONG if shows or points_fail(parts, MORE_POINTS) else RIGHT


def point_row(name: str) -> str:
    """The row of a point multiplier."""
    counts = Counter(point_outcome(kind) for kind in point_bugs.KINDS)
    cells = (len(point_bugs.KINDS), *(counts[each] for each in OUTCOMES))
    return f"| `{name}` | {' | '.join(map(str, cells))} |"


def row(name: str) -> str:
    """A row of the table."""
    if name in POINTS:
        return point_row(name)
    bugs = [netlist for netlist in (bug_of(name, kind) for kind in kinds_of(name)) if netlist is not None]
    counts = Counter(outcome(core_of(name), netlist) for netlist in bugs)
    cells = (len(bugs), *(counts[each] for each in OUTCOMES))
    return f"| `{name}` | {' | '.join(map(str, cells))} |"


def main(arguments: Sequence[str]) -> None:
    """Plant bugs in the cores of some names, or all, and write their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cores", nargs="*", metavar="CORE", help=", ".join(SUBJECTS))
    names = parser.parse_args(arguments).cores
    if unknown := [name for name in names if name not in SUBJECTS]:
        parser.error(f"no small core for planted bugs: {', '.join(unknown)}")
    for name in names or SUBJECTS:
        found = row(name)
        print(found, flush=True)
        TABLE.write(PAGE, (name,), found, [(each,) for each in SUBJECTS])


if __name__ == "__main__":
    main(sys.argv[1:])
