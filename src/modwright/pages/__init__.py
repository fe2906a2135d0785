# SPDX-License-Identifier: Apache-2.0
"""Text and HTML made from reports and comparisons."""

from .comparison import as_csv, as_text, key_of, page, plot
from .datasheet import datasheet
from .explanation import explanation_page
from .summary import summary

__all__ = ["as_csv", "as_text", "datasheet", "explanation_page", "key_of", "page", "plot", "summary"]
