# SPDX-License-Identifier: Apache-2.0
"""Floorplans of multiplier blocks: every site of every device, and the blocks of a row in their order."""

import json
import re
from itertools import pairwise

import pytest

from modwright.base.errors import UsageError
from modwright.synthesize import FLOORPLANS, Settings, Timing, timing
from modwright.synthesize.devices import DEVICES
from modwright.synthesize.floorplan import CELL, MOST, SITES, blocks_in_order, folded, place_blocks

from .small_designs import empty as empty

NAMES = [f"row.{row}_tiles.U${tile}" for row in "my" for tile in range(12)]
ROWS_APART, COLUMNS_APART = 24, 9
"""Distance of two rows of blocks on the largest device, and of two groups in a row."""


def spot(site):
    """Column and row of a site."""
    match = re.fullmatch(r"X(\d+)/Y(\d+)/MULT18_[0145]", site)
    assert match
    return int(match[1]), int(match[2])


@pytest.mark.parametrize("name", SITES)
def test_sites_are_those_of_the_device_and_each_is_used_once(name):
    device = DEVICES[name]
    assert SITES[name].per_row * len(SITES[name].rows) == device.dsp
    for count in range(device.dsp + 1):
        assert len(set(folded(device, count))) == count
    with pytest.raises(UsageError, match=f"which has {device.dsp}"):
        folded(device, device.dsp + 1)


@pytest.mark.parametrize("count", [MOST[0] + 1, 31, 60, 116, 156])
def test_neighbours_are_near_and_the_first_is_in_the_middle(count):
    spots = [spot(site) for site in folded(DEVICES["85k"], count)]
    for (x, y), (u, v) in pairwise(spots):
        assert abs(x - u) <= COLUMNS_APART and abs(y - v) <= ROWS_APART
    (x, y), columns, rows = spots[0], [x for x, _ in spots], {y for _, y in spots}
    middle = (min(columns) + max(columns)) / 2
    assert abs(x - middle) <= COLUMNS_APART
    assert max(abs(y - row) for row in rows) <= ROWS_APART


def test_one_row_goes_to_both_sides():
    columns = [spot(site)[0] for site in folded(DEVICES["25k"], 28)]
    assert max(abs(x - columns[0]) for x in columns[:8]) < max(abs(x - columns[0]) for x in columns)


def test_blocks_of_a_chunk_are_next_to_each_other_and_tiles_in_the_order_of_numbers():
    ordered = blocks_in_order([*reversed(NAMES), "row.sum_3", "other.U$1", "row.y_tiles.U$1.more"])
    assert ordered == [f"row.{row}_tiles.U${tile}" for tile in range(12) for row in "my"]


def netlist(names):
    cells = {name: {"type": CELL, "attributes": {}} for name in names}
    return json.dumps({"modules": {"top": {"cells": {**cells, "row.y_tiles.U$99": {"type": "LUT4"}}}}})


def test_only_blocks_get_a_site():
    device = DEVICES["85k"]
    cells = json.loads(place_blocks(netlist(NAMES), "top", device))["modules"]["top"]["cells"]
    found = [cells[name]["attributes"]["BEL"] for name in blocks_in_order(NAMES)]
    assert found == folded(device, len(NAMES))
    assert "attributes" not in cells["row.y_tiles.U$99"]
    with pytest.raises(UsageError, match="no row of multiplier blocks"):
        place_blocks(netlist(["a.b"]), "top", device)


def full(count):
    """A design with `count` blocks in a row, each fed by the one before."""
    pins = "".join(f", .{x}{n}(w[{{}} + {n}])" for x in "AB" for n in range(2))
    blocks = "".join(
        f"MULT18X18D \\x_tiles.U${n} (.P0(w[{4 * n + 4}]), .P1(w[{4 * n + 5}]){pins.format(*[4 * n] * 4)});\n"
        for n in range(count)
    )
    return f"""
module full(input clk, input [3:0] s, output reg z);
  reg [3:0] r;
  wire [{4 * count + 5}:0] w;
  assign w[3:0] = r;
  always @(posedge clk) begin r <= s; z <= w[{4 * count}]; end
  {blocks}
endmodule
"""


@pytest.mark.campaign
@pytest.mark.parametrize("name", SITES)
def test_nextpnr_has_every_site(name, empty):
    """All blocks of each device; a site that does not exist would be an error."""
    device = DEVICES[name]
    result = timing(full(device.dsp), "full", Settings(device=name, floorplan=FLOORPLANS[0]), store=empty)
    assert isinstance(result, Timing)
    assert result.utilisation[CELL]["used"] == device.dsp
    assert result.to_json()["floorplan"] == FLOORPLANS[0]
