// SPDX-License-Identifier: Apache-2.0
// A priority encoder by casez.
module casez_priority(input clk, input [7:0] a, output reg [3:0] z);
  always @(posedge clk)
    casez (a)
      8'b1???????: z <= 4'd7;
      8'b01??????: z <= 4'd6;
      8'b001?????: z <= 4'd5;
      8'b0001????: z <= 4'd4;
      8'b00001???: z <= 4'd3;
      8'b000001??: z <= 4'd2;
      8'b0000001?: z <= 4'd1;
      8'b00000001: z <= 4'd0;
      default: z <= 4'd15;
    endcase
endmodule
