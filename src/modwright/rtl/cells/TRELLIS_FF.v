// SPDX-License-Identifier: Apache-2.0
// Simulation model of the ECP5 flip-flop, for the way Modwright uses it: rising edge, set to 0 by LSR in a cycle of the
// clock, enabled or not (FPGA-TN-02205). The model does not read the parameters: CE is 1 where CEMUX is, and Modwright
// leaves the others at one value.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module TRELLIS_FF (
    input CLK, CE, LSR, DI,
    output reg Q
);
    parameter GSR = "ENABLED";
    parameter CEMUX = "1";
    parameter CLKMUX = "CLK";
    parameter LSRMUX = "LSR";
    parameter REGSET = "RESET";
    parameter SRMODE = "LSR_OVER_CE";

    always @(posedge CLK)
        if (LSR | CE) Q <= LSR ? 1'b0 : DI;
endmodule
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */
