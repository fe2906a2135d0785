// SPDX-License-Identifier: Apache-2.0
// A for loop in a process: a population count.
module loop_for(input clk, input [15:0] a, output reg [4:0] z);
  integer k;
  reg [4:0] sum;
  always @(posedge clk) begin
    sum = 0;
    for (k = 0; k < 16; k = k + 1) sum = sum + a[k];
    z <= sum;
  end
endmodule
