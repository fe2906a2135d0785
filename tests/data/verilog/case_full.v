// SPDX-License-Identifier: Apache-2.0
// A case with a default.
module case_full(input clk, input [1:0] op, input [7:0] a, input [7:0] b, output reg [7:0] z);
  always @(posedge clk)
    case (op)
      2'd0: z <= a + b;
      2'd1: z <= a - b;
      2'd2: z <= a & b;
      default: z <= a;
    endcase
endmodule
