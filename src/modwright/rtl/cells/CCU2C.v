// SPDX-License-Identifier: Apache-2.0
// Simulation model of the ECP5 carry cell, for the way Modwright uses it: two bits of a chain, neither of which injects a
// carry (FPGA-TN-02205). A bit passes its carry on where its LUT gives 1; else the carry is what the four lowest
// entries of its table say about A and B.
module CCU2C (
    input CIN, A0, B0, C0, D0, A1, B1, C1, D1,
    output S0, S1, COUT
);
    parameter [15:0] INIT0 = 16'h0000;
    parameter [15:0] INIT1 = 16'h0000;
    parameter INJECT1_0 = "NO";
    parameter INJECT1_1 = "NO";

    wire pass_0 = INIT0[{D0, C0, B0, A0}];
    wire pass_1 = INIT1[{D1, C1, B1, A1}];
    wire between = pass_0 ? CIN : INIT0[{2'b00, B0, A0}];

    assign S0 = pass_0 ^ CIN;
    assign S1 = pass_1 ^ between;
    assign COUT = pass_1 ? between : INIT1[{2'b00, B1, A1}];
endmodule
