// SPDX-License-Identifier: Apache-2.0
// Asynchronous reset, active high.
module async_reset(input clk, input arst, input [7:0] a, output reg [7:0] z);
  always @(posedge clk or posedge arst)
    if (arst) z <= 8'd0;
    else z <= z ^ a;
endmodule
