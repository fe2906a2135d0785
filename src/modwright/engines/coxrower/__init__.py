# SPDX-License-Identifier: Apache-2.0
"""Cox-rower: an engine of residue arithmetic whose control is microcode."""
