// SPDX-License-Identifier: Apache-2.0
// A table as a case in a function.
module rom_case(input clk, input [2:0] at, output reg [7:0] q);
  function [7:0] square(input [2:0] x);
    case (x)
      0: square = 0; 1: square = 1; 2: square = 4; 3: square = 9;
      4: square = 16; 5: square = 25; 6: square = 36; default: square = 49;
    endcase
  endfunction
  always @(posedge clk) q <= square(at);
endmodule
