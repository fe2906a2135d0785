# SPDX-License-Identifier: Apache-2.0
"""Errata of the papers, each with a demonstration that runs: as printed it fails, as corrected it does not."""

from .erratum import Demonstrated, Erratum, demonstrate
from .registry import ERRATA, errata_of

__all__ = ["ERRATA", "Demonstrated", "Erratum", "demonstrate", "errata_of"]
