# SPDX-License-Identifier: Apache-2.0
"""A prime field in residues: a rower with words for each modulus of two bases, and programs of sums of products."""
