# SPDX-License-Identifier: Apache-2.0
"""Hardware that cores share: streams, tiled multipliers, folding reduction, players of microcode, Verilog output."""
