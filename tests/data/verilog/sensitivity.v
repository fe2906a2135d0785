// SPDX-License-Identifier: Apache-2.0
// A sensitivity list of signals.
module sensitivity(input clk, input [3:0] a, input [3:0] b, output reg [7:0] z);
  reg [7:0] product;
  always @(a or b) product = a * b;
  always @(posedge clk) z <= product;
endmodule
