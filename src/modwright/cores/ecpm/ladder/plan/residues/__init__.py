# SPDX-License-Identifier: Apache-2.0
"""The program over a field in residues: formulas, words, microcode."""
