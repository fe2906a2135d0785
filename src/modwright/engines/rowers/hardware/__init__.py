# SPDX-License-Identifier: Apache-2.0
"""Hardware of a field in residues."""
