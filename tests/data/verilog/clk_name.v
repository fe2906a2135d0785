// SPDX-License-Identifier: Apache-2.0
// The clock has another name, and another port is called clk.
module clk_name(input ck, input clk, input [7:0] a, output reg [7:0] z);
  always @(posedge ck) if (clk) z <= a;
endmodule
