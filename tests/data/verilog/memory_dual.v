// SPDX-License-Identifier: Apache-2.0
// A memory with two ports and a registered read.
module memory_dual(input clk, input we, input [7:0] wa, input [7:0] ra, input [15:0] d, output reg [15:0] q);
  reg [15:0] words [255:0];
  integer k;
  initial for (k = 0; k < 256; k = k + 1) words[k] = 16'd0;
  always @(posedge clk) begin
    if (we) words[wa] <= d;
    q <= words[ra];
  end
endmodule
