// SPDX-License-Identifier: Apache-2.0
// A generate if, chosen by a parameter.
module generate_if #(parameter FAST = 1) (input clk, input [7:0] a, input [7:0] b, output [8:0] z);
  generate
    if (FAST) begin : one
      reg [8:0] r;
      always @(posedge clk) r <= a + b;
      assign z = r;
    end else begin : two
      reg [8:0] r, s;
      always @(posedge clk) begin r <= a + b; s <= r; end
      assign z = s;
    end
  endgenerate
endmodule
