// SPDX-License-Identifier: Apache-2.0
// Flip-flop with an enable.
module enable(input clk, input en, input [7:0] a, output reg [7:0] z);
  always @(posedge clk) if (en) z <= a;
endmodule
