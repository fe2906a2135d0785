# SPDX-License-Identifier: Apache-2.0
"""Claims of the papers, and whether our figures confirm them."""

from .registry import CLAIMS, judged_of

__all__ = ["CLAIMS", "judged_of"]
