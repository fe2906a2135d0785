# SPDX-License-Identifier: Apache-2.0
"""Tables of the documentation: records become rows (`measurement.rows`), rows a table, and `base.table` renders it."""

from .documents import Sources, filled, pictures, region, regions, tables

__all__ = ["Sources", "filled", "pictures", "region", "regions", "tables"]
