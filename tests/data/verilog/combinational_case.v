// SPDX-License-Identifier: Apache-2.0
// always @* with a case and a nested if.
module combinational_case(input clk, input [1:0] s, input [7:0] a, input [7:0] b, output reg [7:0] z);
  reg [7:0] next;
  always @(*)
    case (s)
      2'b00: next = a;
      2'b01: if (b[0]) next = a + b; else next = a;
      2'b10: next = a << b[2:0];
      default: next = a >> b[2:0];
    endcase
  always @(posedge clk) z <= next;
endmodule
