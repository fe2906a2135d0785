# SPDX-License-Identifier: Apache-2.0
"""Pictures in SVG."""

from .blocks import block_diagram
from .gantt import gantt

__all__ = ["block_diagram", "gantt"]
