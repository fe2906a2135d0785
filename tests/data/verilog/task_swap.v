// SPDX-License-Identifier: Apache-2.0
// A task with outputs, and blocking assignments.
module task_swap(input clk, input [7:0] a, input [7:0] b, output reg [7:0] low, output reg [7:0] high);
  task sort(input [7:0] x, input [7:0] y, output [7:0] s, output [7:0] l);
    if (x < y) begin s = x; l = y; end
    else begin s = y; l = x; end
  endtask
  reg [7:0] s, l;
  always @(posedge clk) begin
    sort(a, b, s, l);
    low <= s;
    high <= l;
  end
endmodule
