// SPDX-License-Identifier: Apache-2.0
// Map of the ECP5 cells that Modwright instantiates to those of Nexus (FPGA-TN-02096). The multiplier block of Nexus
// has input and output registers and none between, so where both the pipeline and the output register of an ECP5 block
// are on, the second one becomes flip-flops.
module MULT18X18D (
    input A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
    input B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
    input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK0, CE0, CE1, RST0,
    output P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17,
    output P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35
);
    parameter REG_INPUTA_CLK = "NONE";
    parameter REG_INPUTA_CE = "CE0";
    parameter REG_INPUTB_CLK = "NONE";
    parameter REG_PIPELINE_CLK = "NONE";
    parameter REG_OUTPUT_CLK = "NONE";
    parameter RESETMODE = "SYNC";
    parameter GSR = "ENABLED";

    localparam REGISTERED = REG_PIPELINE_CLK != "NONE" || REG_OUTPUT_CLK != "NONE";
    localparam TWICE = REG_PIPELINE_CLK != "NONE" && REG_OUTPUT_CLK != "NONE";

    wire [35:0] z;
    MULT18X18 #(
        .REGINPUTA(REG_INPUTA_CLK == "NONE" ? "BYPASS" : "REGISTER"),
        .REGINPUTB(REG_INPUTB_CLK == "NONE" ? "BYPASS" : "REGISTER"),
        .REGOUTPUT(REGISTERED ? "REGISTER" : "BYPASS"),
        .RESETMODE("SYNC"),
        .GSR("DISABLED")
    ) block (
        .A({A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0}),
        .B({B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0}),
        .CLK(CLK0), .CEA(REG_INPUTA_CE == "CE0" ? CE0 : CE1), .RSTA(RST0), .CEB(CE0), .RSTB(RST0),
        .SIGNEDA(SIGNEDA), .SIGNEDB(SIGNEDB), .RSTOUT(RST0), .CEOUT(CE0), .Z(z)
    );
    reg [35:0] again;
    always @(posedge CLK0) again <= z;
    assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
            P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = TWICE ? again : z;
endmodule

module TRELLIS_FF (input CLK, CE, LSR, DI, output Q);
    parameter GSR = "ENABLED";
    parameter CEMUX = "1";
    parameter CLKMUX = "CLK";
    parameter LSRMUX = "LSR";
    parameter REGSET = "RESET";
    parameter SRMODE = "LSR_OVER_CE";

    FD1P3IX #(.GSR("DISABLED")) copy (.D(DI), .CK(CLK), .SP(CE), .CD(LSR), .Q(Q));
endmodule
