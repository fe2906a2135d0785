// SPDX-License-Identifier: Apache-2.0
// A memory with byte enables.
module memory_bytes(input clk, input [1:0] be, input [3:0] at, input [15:0] d, output reg [15:0] q);
  reg [15:0] words [0:15];
  integer k;
  initial for (k = 0; k < 16; k = k + 1) words[k] = 16'd0;
  always @(posedge clk) begin
    if (be[0]) words[at][7:0] <= d[7:0];
    if (be[1]) words[at][15:8] <= d[15:8];
    q <= words[at];
  end
endmodule
