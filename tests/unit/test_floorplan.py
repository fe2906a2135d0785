# SPDX-License-Identifier: Apache-2.0
"""Floorplans of multiplier blocks: every site of every device, and the blocks of a row in their order."""

import json
import re
from itertools import pairwise

import pytest

from modwright.base.errors import UsageError
from modwright.synthesize import FLOORPLANS, Settings, Timing, seed_digest, timing
from modwright.synthesize.devices import DEVICES
from modwright.synthesize.floorplan import (
    MEMORY,
    MOST,
    MULTIPLIER,
    SITES,
    Cell,
    blocks_in_order,
    folded,
    halves,
    in_turns,
    place_blocks,
    tables_in_order,
)

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
    cells = {name: {"type": MULTIPLIER, "attributes": {}} for name in names}
    return json.dumps({"modules": {"top": {"cells": {**cells, "row.y_tiles.U$99": {"type": "LUT4"}}}}})


def test_only_blocks_get_a_site():
    device = DEVICES["85k"]
    cells = json.loads(place_blocks(netlist(NAMES), "top", device, "fold"))["modules"]["top"]["cells"]
    found = [cells[name]["attributes"]["BEL"] for name in blocks_in_order(NAMES)]
    assert found == folded(device, len(NAMES))
    assert "attributes" not in cells["row.y_tiles.U$99"]
    with pytest.raises(UsageError, match="no row of multiplier blocks"):
        place_blocks(netlist(["a.b"]), "top", device, "fold")


def memories(tables: int, slices: int) -> dict[str, Cell]:
    """Block RAMs, slice by slice of each table."""
    return {
        f"data.U${slices * table + part}": {
            "type": MEMORY,
            "attributes": {},
            "connections": {"ADB5": [100 + table], "ADB6": [7], "DOB0": [slices * table + part]},
        }
        for table in range(tables)
        for part in range(slices)
    }


def test_slices_of_a_table_read_one_address():
    cells = dict(reversed(memories(11, 3).items()))
    assert tables_in_order(cells) == [[f"data.U${3 * table + part}" for part in range(3)] for table in range(11)]


@pytest.mark.parametrize("name", SITES)
def test_all_blocks_of_a_slice_are_in_one_half_of_a_row(name):
    device, places = DEVICES[name], halves(DEVICES[name])
    assert len({site for half in places for site in half}) == device.bram == sum(map(len, places))
    tables, slices = len(places[0]), len(places)
    whole = json.dumps({"modules": {"top": {"cells": memories(tables, slices)}}})
    cells = json.loads(place_blocks(whole, "top", device, "slices"))["modules"]["top"]["cells"]
    for part in range(slices):
        taken = [cells[f"data.U${slices * table + part}"]["attributes"]["BEL"] for table in range(tables)]
        assert taken == places[part]
    more = json.dumps({"modules": {"top": {"cells": memories(tables + 1, slices)}}})
    with pytest.raises(UsageError, match=f"at most {tables} tables of {slices} slices"):
        place_blocks(more, "top", device, "slices")


@pytest.mark.parametrize("name", SITES)
def test_blocks_next_to_tables_are_in_turns_in_the_middle_rows(name):
    device, sites = DEVICES[name], SITES[name]
    for count in range(device.dsp + 1):
        spots = [spot(site) for site in in_turns(device, count)]
        assert len(set(spots)) == count
        assert {y for _, y in spots} == set(sites.rows[: -(-count // sites.per_row)])
        for (x, y), (u, v) in pairwise(spots):
            assert abs(x - u) <= COLUMNS_APART + 2  # a column without blocks makes some groups further apart
            assert y == v or abs(sites.rows.index(y) - sites.rows.index(v)) == 1
    with pytest.raises(UsageError, match=f"which has {device.dsp}"):
        in_turns(device, device.dsp + 1)


def test_multiplier_blocks_have_sites_only_next_to_tables():
    device, blocks = DEVICES["85k"], {f"data.U${n}": {"type": MULTIPLIER, "attributes": {}} for n in range(90, 102)}
    both = json.dumps({"modules": {"top": {"cells": {**memories(2, 3), **dict(reversed(blocks.items()))}}}})
    cells = json.loads(place_blocks(both, "top", device, "slices"))["modules"]["top"]["cells"]
    assert [cells[f"data.U${n}"]["attributes"]["BEL"] for n in range(90, 102)] == in_turns(device, 12)
    with pytest.raises(UsageError, match="no table in block RAMs"):
        place_blocks(json.dumps({"modules": {"top": {"cells": blocks}}}), "top", device, "slices")


def rows_of(device):
    """All multiplier blocks of a device in a row, each fed by the one before; their last output."""
    count = device.dsp
    pins = "".join(f", .{x}{n}(w[{{}} + {n}])" for x in "AB" for n in range(2))
    blocks = "".join(
        f"MULT18X18D \\x_tiles.U${n} (.P0(w[{4 * n + 4}]), .P1(w[{4 * n + 5}]){pins.format(*[4 * n] * 4)});\n"
        for n in range(count)
    )
    return f"wire [{4 * count + 5}:0] w; assign w[3:0] = r;\n{blocks}", f"w[{4 * count}]"


def tables_of(device):
    """All block RAMs of a device as tables, each addressed by the one before; a sum of their outputs."""
    slices = len(halves(device))
    blocks = "".join(
        f"DP16KD m{n} (.ADB5(a[{n // slices}]), .CLKB(clk), .CEB(1'b1), .OCEB(1'b1), .DOB0(o[{n}]));\n"
        + (f"assign a[{n // slices + 1}] = o[{n}];\n" if n % slices == 0 else "")
        for n in range(device.bram)
    )
    return f"wire [{device.bram}:0] a; wire [{device.bram - 1}:0] o; assign a[0] = r[0];\n{blocks}", "^o"


def test_other_sites_are_another_placement(monkeypatch, store):
    """What is stored is by the sites of cells, not by the name of the floorplan."""
    wires = "wire [71:0] p; assign z = p[0];"
    blocks = "".join(rf"MULT18X18D \x_tiles.U${n} (.A0(s), .B0(s), .P0(p[{n}]));" for n in (0, 1))
    verilog = f"module two(input clk, s, output z); {wires} {blocks} endmodule"
    settings = Settings(device="85k", floorplan="fold")
    digests = [seed_digest(verilog, "two", settings, store=store)]
    order = dict(zip(["x_tiles.U$1", "x_tiles.U$0"], folded(DEVICES["85k"], 2), strict=True))
    monkeypatch.setitem(FLOORPLANS, "fold", lambda cells, device: order)
    digests.append(seed_digest(verilog, "two", settings, store=store))
    assert digests[0] != digests[1]


@pytest.mark.campaign
@pytest.mark.parametrize("floorplan", FLOORPLANS)
@pytest.mark.parametrize("name", SITES)
def test_nextpnr_has_every_site(name, floorplan, empty):
    """All blocks of each device; a site that does not exist would be an error."""
    device = DEVICES[name]
    body, last = rows_of(device) if floorplan == "fold" else tables_of(device)
    verilog = f"""
module full(input clk, input [3:0] s, output reg z);
  reg [3:0] r;
  always @(posedge clk) begin r <= s; z <= {last}; end
  {body}
endmodule
"""
    result = timing(verilog, "full", Settings(device=name, floorplan=floorplan), store=empty)
    assert isinstance(result, Timing)
    used = {cell: sites["used"] for cell, sites in result.utilisation.items()}
    assert device.dsp == used.get(MULTIPLIER, 0) or device.bram == used.get(MEMORY, 0)
    assert result.to_json()["floorplan"] == floorplan
