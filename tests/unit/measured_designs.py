# SPDX-License-Identifier: Apache-2.0
"""Third-party designs and cell libraries for the tests of measurement."""

from pathlib import Path

import pytest

from modwright.synthesize import (
    find_liberty,
    read_liberty,
)

from ..tools import require

DATA = Path(__file__).parents[1] / "data"
SMALL = DATA / "small.lib"


@pytest.fixture
def library():
    """A real library: ABC takes none without tables of delays."""
    require("osu018")
    return read_liberty(*find_liberty("osu018"))


PEER = """
module part #(parameter W = 4)(input ck, input [W-1:0] d, output reg [W-1:0] q);
  always @(posedge ck) q <= d + 1;
endmodule
module peer #(parameter W = 4)(input clock, input clk, input [W-1:0] d, output [W-1:0] q);
  wire [W-1:0] t;
  part #(.W(W)) first(.ck(clock), .d(d ^ {W{clk}}), .q(t));
  part #(.W(W)) second(.ck(clock), .d(t), .q(q));
endmodule
"""
