# SPDX-License-Identifier: Apache-2.0
"""Measured records: making one, reading many, and where they are.

`record` measures a core and writes down how; `rows` reads records for tables and comparisons; `places` finds the
records that come with Modwright and those that the user has measured.
"""

from .places import bench_folder, keep, known_mean, shipped_records, user_records
from .record import FORMAT, Settings, measure
from .rows import Row, load, rows_of, with_sampled_means

__all__ = [
    "FORMAT",
    "Row",
    "Settings",
    "bench_folder",
    "keep",
    "known_mean",
    "load",
    "measure",
    "rows_of",
    "shipped_records",
    "user_records",
    "with_sampled_means",
]
