# SPDX-License-Identifier: Apache-2.0
"""Measured records: making one, reading many, and where they are.

`record` measures a core and documents the settings; `protocol` has those that rows share; `figures` has area, clock
rate and times of a core or of third-party Verilog in one flat mapping, `vivado` those that Vivado reports; `rows` reads
records for tables and comparisons; `places` finds the records that come with Modwright and those that the user has
measured.
"""

from . import protocol
from .figures import Design, core_figures, design_figures
from .places import bench_folder, keep, mean_latency, shipped_records, user_records
from .record import FORMAT, Settings, measure
from .rows import Row, load, rows_of, with_sampled_means
from .vivado import contribution, export_project, imported_figures

__all__ = [
    "FORMAT",
    "Design",
    "Row",
    "Settings",
    "bench_folder",
    "contribution",
    "core_figures",
    "design_figures",
    "export_project",
    "imported_figures",
    "keep",
    "load",
    "mean_latency",
    "measure",
    "protocol",
    "rows_of",
    "shipped_records",
    "user_records",
    "with_sampled_means",
]
