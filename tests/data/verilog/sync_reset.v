// SPDX-License-Identifier: Apache-2.0
// Synchronous reset in an if-else.
module sync_reset(input clk, input rst, input [7:0] a, output reg [7:0] z);
  always @(posedge clk)
    if (rst) z <= 8'h5a;
    else z <= z + a;
endmodule
