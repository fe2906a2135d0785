# SPDX-License-Identifier: Apache-2.0
"""Cores of the function rns: several operations in residues on one set of rowers."""
