# SPDX-License-Identifier: Apache-2.0
"""The papers by name, and the documents of their tables."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import UsageError
from ..base.json import JsonObject
from ..measurement import bench_folder, load


@dataclass(frozen=True)
class Paper:
    """One paper: the name of the command line, what it is, and the tables and figures that are done again."""

    name: str
    title: str
    tables: tuple[str, ...]


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "sum-of-residues",
            "Mehrabi 2019: sum-of-residues modular multiplication",
            ("Table 2", "Table 3", "Table 4", "Table 5", "Figure 6", "Memory"),
        ),
        Paper(
            "base-extension",
            "Djath, Bigou and Tisserand 2019: hierarchical base extension",
            ("Table I", "Table II", "Table III", "Figure 2", "Figure 4", "Figure 5", "Figure 6"),
        ),
        Paper(
            "inversion",
            "Bigou and Tisserand 2016: binary-ternary plus-minus inversion",
            ("Table II", "Table III", "Table IV", "Section IV", "Figure 1", "Figure 2", "Figure 5", "Radices 5 and 7"),
        ),
        Paper(
            "carry-save",
            "Rezai and Keshavarzi 2015: carry-save multiplication and exponentiation",
            ("Table V", "Table VI", "Table VII"),
        ),
        Paper("point-multiplication", "Xie et al. 2023: point multiplication", ("Table 2",)),
    )
}
"""By name."""


def find_paper(name: str) -> list[Paper]:
    """One paper, or all of them; UsageError with the names there are."""
    if name == "all":
        return list(PAPERS.values())
    if name not in PAPERS:
        raise UsageError(f"no paper is called {name!r}", f"all, or one of {', '.join(PAPERS)}")
    return [PAPERS[name]]


def documents_of(paper: Paper) -> list[JsonObject]:
    """The documents of a paper's tables, in the order of `Paper.tables`."""
    found = {d["table"]: d for d in load(bench_folder() / "paper").values() if d.get("paper") == paper.name}
    return [found[table] for table in paper.tables]
