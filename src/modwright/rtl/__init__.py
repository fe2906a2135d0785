# SPDX-License-Identifier: Apache-2.0
"""Hardware that cores share: streams, tiled multipliers, folding reduction, the sequencer, Verilog output."""
