// SPDX-License-Identifier: Apache-2.0
// A macro, under a guard; includes the width again.
`ifndef INCLUDE_TYPES_VH
`define INCLUDE_TYPES_VH
`include "include_width.vh"
`define STEP(x) ((x) + `WIDTH'd3)
`endif
