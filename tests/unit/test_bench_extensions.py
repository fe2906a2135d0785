# SPDX-License-Identifier: Apache-2.0
"""Measured base extensions next to the paper's."""

import dataclasses
import json
from pathlib import Path

import pytest

from modwright.base.table import as_markdown
from modwright.measurement.rows import load, rows_of
from modwright.tables import extensions

BENCH = Path(__file__).parents[2] / "bench"
PAPER = json.loads((BENCH / "paper" / "djath-2019-table-3.json").read_text(encoding="utf-8"))
ROWS = rows_of(load(BENCH / "results").values())


def lines(rows):
    """Cells of the table by (bits, w, extension, source, device)."""
    found = {}
    for line in as_markdown(extensions.base_extensions(rows, PAPER)).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].isdigit():
            found[(cells[0], cells[2], cells[4], cells[5], cells[6])] = cells[7:]
    return found


@pytest.mark.parametrize(
    ("bits", "channels"), [(256, (16, 14, 12, 10)), (384, (24, 20, 18, 14))]
)  # from the page of the algorithms
def test_the_papers_number_of_channels(bits, channels):
    assert tuple(extensions.fewest(bits, width) for width in (17, 20, 24, 28)) == channels


def test_without_records_nothing_is_measured():
    found = lines([])
    assert len(found) == 16 * 3
    for (_, _, _, source, _), cells in found.items():
        if source == "measured":
            assert set(cells) == {"not run", "–"}
        else:
            assert "not run" not in cells


def test_the_papers_figures_are_the_papers():
    cells = lines([])["256", "17", "HBE", "paper", "XC7Z020"]
    assert cells == ["91", "35", "3,185", "–", "–", "758", "97.1", "937.3"]


def test_blocks_times_cycles_of_an_extension_at_256_bits():
    """From the checked-in records of synthesis: at most 560 for HBE at w = 17."""
    cells = lines(ROWS)["256", "17", "HBE", "measured", extensions.DEVICES["xc7"]]
    assert cells[:3] == ["22", "16", "352"]


@pytest.mark.parametrize("change", [{"t": 7}, {"sigma": "3/4"}, {"channels": None}, {"cox": "sum"}, {"latency": 4}])
def test_a_record_of_other_options_is_not_shown(change):
    row = next(r for r in ROWS if r.request["core"] == "basext/hbe" and r.target == "xc7")
    bits = str(row.bits), str(row.request["options"]["width"])
    other = dataclasses.replace(row, request={**row.request, "options": {**row.request["options"], **change}})
    place = (*bits, "HBE", "measured", extensions.DEVICES["xc7"])
    assert lines([row])[place][0] != "not run"
    assert lines([other])[place][0] == "not run"


def test_exact_extensions_have_a_row_on_each_device():
    made, empty = extensions.exact_extensions(ROWS), extensions.exact_extensions([])
    assert len(made.rows) == len(empty.rows) == 8
    assert {row[3] for row in empty.rows} == {"not run"}
    cycles = {row[1]: row[3] for row in made.rows if row[2] == extensions.DEVICES["xc7"]}
    assert cycles["`basext/shenoy-kumaresan`"] == cycles["`basext/kbe`"] == "27"
    assert cycles["`basext/mixed-radix`"] == "117"
