# SPDX-License-Identifier: Apache-2.0
"""Errata of the papers, each with a demonstration that runs: as printed it fails, as corrected it does not."""

from .erratum import Erratum, demonstrate
from .registry import ERRATA, demonstrated_of, errata_of

__all__ = ["ERRATA", "Erratum", "demonstrate", "demonstrated_of", "errata_of"]
