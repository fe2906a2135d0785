// SPDX-License-Identifier: Apache-2.0
// A hierarchy: the lower module is in a file of its own.
module two_files_top(input clk, input [7:0] a, output [7:0] z);
  wire [7:0] between;
  two_files_leaf #(.STEP(3)) first(.clk(clk), .a(a), .z(between));
  two_files_leaf #(.STEP(5)) second(.clk(clk), .a(between), .z(z));
endmodule
