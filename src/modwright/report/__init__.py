# SPDX-License-Identifier: Apache-2.0
"""Reports: report.json, the pictures, the datasheet and the summary, all rendered from one document."""

from .blocks import block_diagram
from .datasheet import datasheet
from .document import build_report, schema, validate
from .gantt import gantt
from .summary import summary

__all__ = ["block_diagram", "build_report", "datasheet", "gantt", "schema", "summary", "validate"]
