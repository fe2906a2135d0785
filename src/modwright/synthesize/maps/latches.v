// SPDX-License-Identifier: Apache-2.0
// A memory with one port to write, whose words are latches: a register takes what is written at the rising edge, and
// the clock gate of a word, which is named in place of <GATE>, opens its latches in the first half of the cycle after
// that edge. Yosys' simlib.v has the cells. Left as they are: memories with an enable for parts of a word, with ports
// of several words, those of another edge, with addresses that begin above 0, and with initial words other than 0.

(* techmap_celltype = "$mem_v2" *)
module latch_words (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter SIZE = 2;
  parameter OFFSET = 0;
  parameter ABITS = 1;
  parameter WIDTH = 1;
  parameter INIT = 1'bx;
  parameter RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 0;
  parameter RD_CLK_POLARITY = 0;
  parameter RD_TRANSPARENCY_MASK = 0;
  parameter RD_COLLISION_X_MASK = 0;
  parameter RD_WIDE_CONTINUATION = 0;
  parameter RD_CE_OVER_SRST = 0;
  parameter RD_ARST_VALUE = 0;
  parameter RD_SRST_VALUE = 0;
  parameter RD_INIT_VALUE = 0;
  parameter WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1;
  parameter WR_CLK_POLARITY = 1;
  parameter WR_PRIORITY_MASK = 0;
  parameter WR_WIDE_CONTINUATION = 0;
  parameter _TECHMAP_BITS_CONNMAP_ = 1;
  parameter _TECHMAP_CONNMAP_WR_EN_ = 0;

  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  localparam PLACES = 1 << ABITS;
  localparam [_TECHMAP_BITS_CONNMAP_-1:0] FIRST = _TECHMAP_CONNMAP_WR_EN_;
  localparam [WIDTH*_TECHMAP_BITS_CONNMAP_-1:0] ENABLES = _TECHMAP_CONNMAP_WR_EN_;
  localparam WHOLE = ENABLES == {WIDTH{FIRST}};
  wire _TECHMAP_FAIL_ = WR_PORTS != 1 || WR_CLK_ENABLE != 1 || WR_CLK_POLARITY != 1 || RD_CLK_ENABLE != 0 ||
    RD_WIDE_CONTINUATION != 0 || OFFSET != 0 || SIZE > PLACES || !WHOLE || (|INIT) === 1'b1;

  wire [WIDTH-1:0] written;
  wire [PLACES*WIDTH-1:0] words;
  \$dff #(.WIDTH(WIDTH), .CLK_POLARITY(1'b1)) taken (.CLK(WR_CLK[0]), .D(WR_DATA), .Q(written));

  genvar i;
  generate
    for (i = 0; i < PLACES; i = i + 1) begin : place
      if (i < SIZE) begin
        wire opened;
        <GATE> gate (.<CLOCK>(WR_CLK[0]), .<ENABLE>(WR_EN[0] && WR_ADDR == i), .<OUTPUT>(opened)<TESTS>);
        \$dlatch #(.WIDTH(WIDTH), .EN_POLARITY(1'b1)) word (.EN(opened), .D(written), .Q(words[i*WIDTH +: WIDTH]));
      end else begin
        assign words[i*WIDTH +: WIDTH] = {WIDTH{1'bx}};
      end
    end
    for (i = 0; i < RD_PORTS; i = i + 1) begin : port
      \$bmux #(.WIDTH(WIDTH), .S_WIDTH(ABITS)) choice (
        .A(words), .S(RD_ADDR[i*ABITS +: ABITS]), .Y(RD_DATA[i*WIDTH +: WIDTH])
      );
    end
  endgenerate
endmodule
