# SPDX-License-Identifier: Apache-2.0
"""What the papers claim, and whether our figures confirm it."""

from .registry import CLAIMS, judged_of

__all__ = ["CLAIMS", "judged_of"]
