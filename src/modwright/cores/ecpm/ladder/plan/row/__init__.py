# SPDX-License-Identifier: Apache-2.0
"""The program over a row multiplier: formulas, words of the memory, microcode."""
