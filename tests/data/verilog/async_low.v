// SPDX-License-Identifier: Apache-2.0
// Asynchronous reset, active low, with an enable.
module async_low(input clk, input rst_n, input en, input [7:0] a, output reg [7:0] z);
  always @(posedge clk, negedge rst_n)
    if (!rst_n) z <= 8'hff;
    else if (en) z <= a + 8'd1;
endmodule
