// SPDX-License-Identifier: Apache-2.0
// A memory with write enable and asynchronous read.
module memory_single(input clk, input we, input [3:0] at, input [7:0] d, output [7:0] q);
  reg [7:0] words [0:15];
  integer k;
  initial for (k = 0; k < 16; k = k + 1) words[k] = k;
  always @(posedge clk) if (we) words[at] <= d;
  assign q = words[at];
endmodule
