# SPDX-License-Identifier: Apache-2.0
"""Figure 6 of Mehrabi 2019 again, latency and throughput by device: `python bench/platforms.py`.

The paper's bars are the figures of its Table 4 as printed; ours are the placed record that answers a row in `modwright
paper sum-of-residues`, where there is one.

    python bench/platforms.py           draw the figure
    python bench/platforms.py --check   exit code 1 when it is stale
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from generated import write_or_check
from modwright.base.store import Store
from modwright.papers import Reproduced, find_paper, reproduce
from modwright.papers.pictures import drawn

FIGURE = Path(__file__).parent / "figures" / "mehrabi-figure-6.svg"
NAME = "Figure 6"


def figure() -> Reproduced:
    """The figure with our records, and none of the user's, so that everybody draws the same."""
    (paper,) = find_paper("sum-of-residues")
    with TemporaryDirectory() as empty:
        (found,) = (table for table in reproduce(paper, Store(Path(empty))) if table.document["table"] == NAME)
    return found


def draw() -> str:
    """SVG of both panels."""
    return drawn(figure())


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Draw latency and throughput of sums of residues by device.")
    result.add_argument("--check", action="store_true", help="exit code 1 when the figure is stale")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw or check the figure, and return an exit code."""
    words = parser().parse_args(arguments)
    return write_or_check({FIGURE: draw()}, "python bench/platforms.py", check=words.check)


if __name__ == "__main__":
    sys.exit(main())
