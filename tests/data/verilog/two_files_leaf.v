// SPDX-License-Identifier: Apache-2.0
// The lower module of two_files_top.
module two_files_leaf #(parameter STEP = 1) (input clk, input [7:0] a, output reg [7:0] z);
  always @(posedge clk) if (a[0]) z <= a + STEP; else z <= a - STEP;
endmodule
