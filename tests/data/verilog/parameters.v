// SPDX-License-Identifier: Apache-2.0
// Parameters with a derived one; a generate loop.
module parameters #(parameter W = 4, parameter D = 2, localparam T = W * D)
  (input clk, input [T-1:0] a, output [T-1:0] z);
  genvar g;
  generate
    for (g = 0; g < D; g = g + 1) begin : lane
      reg [W-1:0] r;
      always @(posedge clk) r <= a[g*W +: W] + g;
      assign z[g*W +: W] = r;
    end
  endgenerate
endmodule
