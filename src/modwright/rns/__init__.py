# SPDX-License-Identifier: Apache-2.0
"""Residue number systems: bases, conversion, folding plans and error bounds, in exact integers."""

from .base import Base, find_base
from .folding import Fold, FoldPlan, signed_digits, signed_weight

__all__ = ["Base", "Fold", "FoldPlan", "find_base", "signed_digits", "signed_weight"]
