// SPDX-License-Identifier: Apache-2.0
// Width, under a guard.
`ifndef INCLUDE_WIDTH_VH
`define INCLUDE_WIDTH_VH
`define WIDTH 12
`endif
