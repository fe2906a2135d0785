// SPDX-License-Identifier: Apache-2.0
// always @* with if, feeding a register.
module combinational_if(input clk, input [7:0] a, input [7:0] b, output reg [7:0] z);
  reg [7:0] larger;
  always @* begin
    larger = b;
    if (a > b) larger = a;
  end
  always @(posedge clk) z <= larger;
endmodule
