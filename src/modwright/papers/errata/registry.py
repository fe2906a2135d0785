# SPDX-License-Identifier: Apache-2.0
"""The errata of every paper, by the paper's name on the command line."""

from __future__ import annotations

from collections.abc import Mapping

from ...pages.reproduction import Demonstrated
from .base_extension import ERRATA as BASE_EXTENSION
from .carry_save import ERRATA as CARRY_SAVE
from .erratum import Erratum, demonstrate
from .inversion import ERRATA as INVERSION
from .point_multiplication import ERRATA as POINT_MULTIPLICATION
from .sum_of_residues import ERRATA as SUM_OF_RESIDUES

ERRATA: Mapping[str, tuple[Erratum, ...]] = {
    "sum-of-residues": SUM_OF_RESIDUES,
    "base-extension": BASE_EXTENSION,
    "inversion": INVERSION,
    "carry-save": CARRY_SAVE,
    "point-multiplication": POINT_MULTIPLICATION,
}
"""Errata by `papers.PAPERS`."""


def errata_of(paper: str) -> tuple[Erratum, ...]:
    """The errata of a paper, in the order of the paper."""
    return ERRATA[paper]


def demonstrated_of(paper: str) -> list[Demonstrated]:
    """The errata of a paper, each demonstrated now."""
    return [demonstrate(erratum) for erratum in errata_of(paper)]
