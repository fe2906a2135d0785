# SPDX-License-Identifier: Apache-2.0
"""Units of a residue channel by themselves."""
