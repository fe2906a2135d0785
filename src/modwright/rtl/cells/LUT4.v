// SPDX-License-Identifier: Apache-2.0
// Simulation model of the ECP5 table of four inputs: the bit of INIT at the index D, C, B, A (FPGA-TN-02205).
module LUT4 (
    input A, B, C, D,
    output Z
);
    parameter [15:0] INIT = 16'h0;

    assign Z = INIT[{D, C, B, A}];
endmodule
