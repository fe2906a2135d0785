# SPDX-License-Identifier: Apache-2.0
"""Architectures compared on the same task, with the same tools.

`Work` is what is computed; `compare` gathers a `Line` for every architecture that can do it: from the records that
come with Modwright, from the user's own, or measured on request. What was not measured says so.
"""

from .comparison import Comparison, compare, measured, read_foreign
from .datasheets import datasheets, provenance
from .lines import FRONTS, Line, marked, ordered
from .work import Work

__all__ = [
    "FRONTS",
    "Comparison",
    "Line",
    "Work",
    "compare",
    "datasheets",
    "marked",
    "measured",
    "ordered",
    "provenance",
    "read_foreign",
]
