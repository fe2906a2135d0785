// SPDX-License-Identifier: Apache-2.0
// A table that is read from a file next to the source.
module rom_file(input clk, input [3:0] at, output reg [7:0] q);
  reg [7:0] table_ [0:15];
  initial $readmemh("rom_file.hex", table_);
  always @(posedge clk) q <= table_[at];
endmodule
