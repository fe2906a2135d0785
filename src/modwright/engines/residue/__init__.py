# SPDX-License-Identifier: Apache-2.0
"""Conversion between binary numbers and residues, alone and around a core."""
