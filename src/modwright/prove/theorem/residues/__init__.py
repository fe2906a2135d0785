# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores whose operands and results are residues: one congruence a channel, then integers."""
