# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of the documentation: `python docs/pictures/draw.py`. The same code draws the same bytes."""

from __future__ import annotations

from pathlib import Path

from modwright.cli.common import select
from modwright.draw import gantt
from modwright.draw.lines import Curve, lines
from modwright.prepared import prepare
from modwright.report import build_report
from modwright.tables.growth import growths

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "secp256k1-sor.yaml"


def pictures() -> dict[str, str]:
    """SVG by file name: the schedule of an example, as it stands in its datasheet; cycles of multipliers by width."""
    core, request = select(str(EXAMPLE), None, None, None, None, None)
    curves = [Curve(growth.name, growth.intervals) for growth in growths([])]
    title = "Products modulo a runtime modulus: cycles between two at full rate"
    return {
        "schedule-sor-1m-p.svg": gantt(build_report(prepare(core, request))),
        "growth.svg": lines(curves, title, "bits of the modulus", "cycles"),
    }


def main() -> None:
    """Write every picture."""
    for name, svg in pictures().items():
        (HERE / name).write_text(svg, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
