// SPDX-License-Identifier: Apache-2.0
// Signed arithmetic and a wide product.
module signed_multiply(input clk, input signed [15:0] a, input signed [15:0] b, output reg signed [32:0] z);
  reg signed [31:0] product;
  always @(posedge clk) begin
    product <= a * b;
    z <= product >>> 1;
  end
endmodule
