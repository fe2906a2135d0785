// SPDX-License-Identifier: Apache-2.0
// A state machine with localparam states and two processes.
module fsm(input clk, input rst, input go, input [7:0] a, output reg busy, output reg [7:0] z);
  localparam IDLE = 2'd0, RUN = 2'd1, DONE = 2'd2;
  reg [1:0] state, next;
  reg [2:0] left;
  always @* begin
    next = state;
    case (state)
      IDLE: if (go) next = RUN;
      RUN: if (left == 0) next = DONE;
      DONE: next = IDLE;
      default: next = IDLE;
    endcase
  end
  always @(posedge clk)
    if (rst) begin
      state <= IDLE; busy <= 0; left <= 0; z <= 0;
    end else begin
      state <= next;
      busy <= next != IDLE;
      if (state == IDLE && go) begin z <= a; left <= 3'd5; end
      else if (state == RUN) begin z <= {z[6:0], z[7] ^ z[5]}; left <= left - 3'd1; end
    end
endmodule
