// SPDX-License-Identifier: Apache-2.0
// Simulation model of the ECP5 block RAM, for the way Modwright uses it: port A writes, port B reads through its output
// register, both of one width of 18 or 9 bits and on one clock, always selected, the byte enables of a word of 18 bits
// high, all words 0 before the first write (FPGA-TN-02204). The ports are those that Modwright connects.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module DP16KD (
    input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16,
    input DIA17,
    input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2, CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
    output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15,
    output DOB16, DOB17
);
    parameter DATA_WIDTH_A = 18;
    parameter DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG";
    parameter REGMODE_B = "NOREG";
    parameter RESETMODE = "SYNC";
    parameter WRITEMODE_A = "NORMAL";
    parameter WRITEMODE_B = "NORMAL";
    parameter GSR = "AUTO";

    localparam LOWEST = (DATA_WIDTH_A == 18) ? 4 : 3;

    reg [DATA_WIDTH_A-1:0] words [0:(1 << (14 - LOWEST)) - 1];
    reg [DATA_WIDTH_A-1:0] read, held;
    wire [13:0] at = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] from = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [17:0] word = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
                        DIA3, DIA2, DIA1, DIA0};
    wire [17:0] out = {{(18 - DATA_WIDTH_A){1'b0}}, held};

    integer k;
    initial begin
        for (k = 0; k < (1 << (14 - LOWEST)); k = k + 1)
            words[k] = 0;
        read = 0;
        held = 0;
    end

    always @(posedge CLKA)
        if (WEA)
            words[at[13:LOWEST]] <= word[DATA_WIDTH_A-1:0];

    always @(posedge CLKB) begin
        read <= words[from[13:LOWEST]];
        held <= read;
    end

    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
            DOB1, DOB0} = out;
endmodule
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */
