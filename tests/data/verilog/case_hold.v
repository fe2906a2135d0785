// SPDX-License-Identifier: Apache-2.0
// A case without a default: the register holds.
module case_hold(input clk, input [2:0] op, input [7:0] a, output reg [7:0] z);
  always @(posedge clk)
    case (op)
      3'd1: z <= a;
      3'd2, 3'd3: z <= ~a;
      3'd5: begin z[3:0] <= a[7:4]; z[7:4] <= z[3:0]; end
    endcase
endmodule
