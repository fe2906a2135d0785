# SPDX-License-Identifier: Apache-2.0
"""Ladder steps as formulas, placed on the units of a point multiplier."""
