# SPDX-License-Identifier: Apache-2.0
"""Schedule of the core: that of its unit."""

from __future__ import annotations

from ....engines.columns.schedule import make_schedule

__all__ = ["make_schedule"]
