// SPDX-License-Identifier: Apache-2.0
// Two includes, one of which includes another.
`include "include_width.vh"
`include "include_types.vh"
module include_user(input clk, input [`WIDTH-1:0] a, output reg [`WIDTH-1:0] z);
  always @(posedge clk) z <= `STEP(a);
endmodule
