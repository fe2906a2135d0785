# SPDX-License-Identifier: Apache-2.0
"""The claims of every paper, by the paper's name on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...measurement import Row
from ...pages.reproduction import Demonstrated, Judged
from ..reproduction import Reproduced
from .base_extension import CLAIMS as BASE_EXTENSION
from .carry_save import CLAIMS as CARRY_SAVE
from .claim import Claim, Evidence, judged
from .inversion import CLAIMS as INVERSION
from .point_multiplication import CLAIMS as POINT_MULTIPLICATION
from .sum_of_residues import CLAIMS as SUM_OF_RESIDUES

CLAIMS: Mapping[str, tuple[Claim, ...]] = {
    "sum-of-residues": SUM_OF_RESIDUES,
    "base-extension": BASE_EXTENSION,
    "inversion": INVERSION,
    "carry-save": CARRY_SAVE,
    "point-multiplication": POINT_MULTIPLICATION,
}
"""Claims by `papers.PAPERS`."""


def judged_of(
    paper: str, tables: Sequence[Reproduced], rows: Sequence[Row], errata: Sequence[Demonstrated]
) -> list[Judged]:
    """The claims of a paper, each judged by our figures.

    Parameters
    ----------
    paper : str
        Name on the command line.
    tables : sequence of Reproduced
        All tables of the paper.
    rows : sequence of Row
        Measured records.
    errata : sequence of Demonstrated
        Errata of the paper.
    """
    return judged(CLAIMS[paper], Evidence(tables, rows, {each.name: each for each in errata}))
