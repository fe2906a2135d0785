// SPDX-License-Identifier: Apache-2.0
// A register at the falling edge of the clock.
module negedge_clock(input clk, input [7:0] a, output reg [7:0] z);
  reg [7:0] half;
  always @(negedge clk) half <= a;
  always @(posedge clk) z <= half;
endmodule
