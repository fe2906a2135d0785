# SPDX-License-Identifier: Apache-2.0
"""report.json: everything that is known about one core, in one document with a published schema."""

from .document import build_report, schema, validate

__all__ = ["build_report", "schema", "validate"]
