// SPDX-License-Identifier: Apache-2.0
// A shift register, and a concatenation on the left.
module shift_register(input clk, input en, input d, output reg [1:0] q);
  reg [13:0] inner;
  always @(posedge clk) if (en) {q, inner} <= {q[0], inner, d};
endmodule
