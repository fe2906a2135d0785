# SPDX-License-Identifier: Apache-2.0
"""Reports: report.json, the pictures, the datasheet and the summary, all rendered from one document."""

from .blocks import block_diagram
from .comparison import as_csv, as_text, key_of, page, plot
from .datasheet import datasheet
from .document import build_report, schema, validate
from .gantt import gantt
from .summary import summary

__all__ = [
    "as_csv",
    "as_text",
    "block_diagram",
    "build_report",
    "datasheet",
    "gantt",
    "key_of",
    "page",
    "plot",
    "schema",
    "summary",
    "validate",
]
