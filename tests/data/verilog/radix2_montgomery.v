// SPDX-License-Identifier: Apache-2.0
// Radix-2 Montgomery multiplication, as a student writes it.
module radix2_montgomery #(parameter N = 16) (
  input clk, input rst, input start, input [N-1:0] x, input [N-1:0] y, input [N-1:0] m,
  output reg done, output reg [N-1:0] z);
  reg [N+1:0] s;
  reg [N-1:0] xr;
  reg [$clog2(N+1)-1:0] left;
  reg running;
  wire [N+1:0] sum = s + (xr[0] ? y : 0);
  wire [N+1:0] even = sum[0] ? sum + m : sum;
  always @(posedge clk) begin
    done <= 1'b0;
    if (rst) begin
      running <= 1'b0; s <= 0; xr <= 0; left <= 0; z <= 0;
    end else if (start && !running) begin
      s <= 0; xr <= x; left <= N; running <= 1'b1;
    end else if (running) begin
      if (left == 0) begin
        z <= s >= m ? s - m : s;
        done <= 1'b1;
        running <= 1'b0;
      end else begin
        s <= even >> 1;
        xr <= xr >> 1;
        left <= left - 1'b1;
      end
    end
  end
endmodule
