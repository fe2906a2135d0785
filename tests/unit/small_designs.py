# SPDX-License-Identifier: Apache-2.0
"""Designs of a few cells, and stores for their measurement."""

import json

import pytest

from modwright.base.store import Store
from modwright.synthesize import (
    Settings,
    Timing,
    timing,
)
from modwright.synthesize.devices import Device


def blocks(number: int) -> str:
    """A module `blocks` with a chain of registered MULT18X18D, and a sum at its end."""
    registers = {f"REG_{r}_CLK": "CLK0" for r in ("INPUTA", "INPUTB", "OUTPUT")} | {"RESETMODE": "SYNC"}
    parameters = ", ".join(f'.{name}("{value}")' for name, value in registers.items())
    pins = [f".{x}{n}(r{x.lower()}[{n}])" for x in "AB" for n in range(18)]
    pins += [f".P{n}(p[{n}])" for n in range(36)]
    pins += [f".{pin}(1'b0)" for pin in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0")]
    pins += [".CLK0(clk)", ".CE0(1'b1)"]
    return f"""
module block(input clk, input [17:0] ra, input [17:0] rb, output [35:0] p);
  MULT18X18D #({parameters}) m ({", ".join(pins)});
endmodule
module blocks(input clk, input [17:0] a, input [17:0] b, output reg [35:0] z);
  reg [17:0] ra, rb;
  wire [{36 * number + 17}:0] p = {{products, ra}};
  wire [{36 * number - 1}:0] products;
  genvar n;
  generate for (n = 0; n < {number}; n = n + 1) begin : g
    block u(.clk(clk), .ra(p[36 * n +: 18]), .rb(rb), .p(products[36 * n +: 36]));
  end endgenerate
  always @(posedge clk) begin
    ra <= a;
    rb <= b;
    z <= products[{36 * number - 1}:{36 * number - 36}] + ra;
  end
endmodule
"""


NAND = "module gate(input clk, input a, input b, output reg z); always @(posedge clk) z <= ~(a & b); endmodule"

CHOICE = """
module choice(input clk, input [5:0] s, output reg z);
  reg [5:0] r;
  always @(posedge clk) begin r <= s; z <= ^(r & 6'h2a) ? &r : |(r[4:0] ^ 5'h15); end
endmodule
"""
"""A function of six bits: four LUT4 with multiplexers, or fewer of them one behind the other."""

CHAIN = """
module chain(input clk, input [12:0] a, output reg z);
  (* keep *) wire [3:0] t;
  reg [12:0] r;
  LUT4 #(.INIT(16'h6996)) l0(.A(r[0]), .B(r[1]), .C(r[2]), .D(r[3]), .Z(t[0]));
  LUT4 #(.INIT(16'h6996)) l1(.A(t[0]), .B(r[4]), .C(r[5]), .D(r[6]), .Z(t[1]));
  LUT4 #(.INIT(16'h6996)) l2(.A(t[1]), .B(r[7]), .C(r[8]), .D(r[9]), .Z(t[2]));
  LUT4 #(.INIT(16'h6996)) l3(.A(t[2]), .B(r[10]), .C(r[11]), .D(r[12]), .Z(t[3]));
  always @(posedge clk) begin r <= a; z <= t[3]; end
endmodule
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for all tests that only need a result."""
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def empty(tmp_path):
    return Store(tmp_path)


def placed(verilog: str, top: str, store: Store, **options: bool) -> Timing:
    """Placed and routed with seed 1, on a small device, which the tool loads in half the time."""
    result = timing(verilog, top, Settings(device="25k", **options), store=store)
    assert isinstance(result, Timing)
    return result


SITES = {
    "ecp5": ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_RAMW"),
    "gowin": ("LUT4", "DFF", "MULT18X18", "BSRAM", "RAM16SDP4"),
    "nexus": ("OXIDE_COMB", "OXIDE_FF", "MULT18_CORE", "OXIDE_EBR", "RAMW"),
}
"""nextpnr's names of what a device has of each kind."""


def assert_capacities(device: Device, placed: Timing, store: Store) -> None:
    """The capacities of a device are those that nextpnr reports, in a store with one placement."""
    (report,) = (store.root / "place").glob("*/report.json")
    found = json.loads(report.read_text())["utilization"]
    assert list(device.capacity.values()) == [found[site]["available"] for site in SITES[device.family]]
    assert (placed.device, placed.speed) == (device.part, device.speed)
