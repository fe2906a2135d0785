# SPDX-License-Identifier: Apache-2.0
"""Numbers of the words of the operand memory."""

from __future__ import annotations

from . import formulas

HOMES = {name: number for number, name in enumerate(formulas.STATE)}
FRESH = 8
"""The state of the set-up is this much above the state."""
PAIRS = (1, 3)
"""Numbers of the words of the state that a step exchanges end here: 0 with 1, 2 with 3."""
TEMPORARY = (6, 7, 14, 15)
