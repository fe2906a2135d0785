# SPDX-License-Identifier: Apache-2.0
"""The tables of the documentation by name, and documents that hold them.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`; what is between them is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..base.errors import UsageError
from ..base.json import JsonMapping
from ..base.table import Table, as_markdown
from ..contract.request import Request
from ..functions import all_functions
from ..measurement.rows import Row, rows_of, with_sampled_means
from ..measurement.vivado import Contributed
from ..report.evidence import NOT_RUN
from . import costs, fixed_modulus
from .commands import campaigns, commands
from .contributed import contributed_table
from .cores import constants_table, cores_table, paper_table
from .counts import counts
from .dependents import dependents_table
from .extensions import base_extensions, exact_extensions
from .goals import goals_table
from .growth import area_growth_table, formula_table, growth_pictures, growth_table, time_growth_table
from .measured import measured_table
from .moduli import moduli_table
from .multipliers import area_time, complexity, exponentiations, products
from .papers import PaperTables
from .proofs import proofs_table
from .rsa import rsa_table
from .shares import shares_table

Records = Mapping[str, JsonMapping]
T = TypeVar("T")

SUM_OF_RESIDUES = "mehrabi-2019-table-4.json"
NEXT_TO_PAPERS: dict[str, tuple[Callable[[list[Row], JsonMapping], Table], str]] = {
    "complexity": (complexity, "rezai-2015-table-5.json"),
    "products": (products, "rezai-2015-table-6.json"),
    "exponentiations": (exponentiations, "rezai-2015-table-7.json"),
    "base-extensions": (base_extensions, "djath-2019-table-3.json"),
}
"""Tables that put our rows next to a paper's: by name, what makes it, and the file of the paper's table."""

_REGION = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Sources:
    """Records that tables are made from, each by the name of its file, and requests.

    Parameters
    ----------
    results, papers, statistics, proofs, contributed : mapping
        Measured records, tables of papers, sampled counts, records of proofs, and figures that users contributed.
    requests : tuple of Request
        Example requests, whose shares of time are computed.
    gates : tuple of Row
        Rows in the cells of open libraries (`measurement.gates`), which stand next to a paper's.
    """

    results: Records = field(default_factory=dict[str, JsonMapping])
    papers: Records = field(default_factory=dict[str, JsonMapping])
    statistics: Records = field(default_factory=dict[str, JsonMapping])
    proofs: Records = field(default_factory=dict[str, JsonMapping])
    requests: tuple[Request, ...] = ()
    contributed: Mapping[str, Contributed] = field(default_factory=dict[str, Contributed])
    gates: tuple[Row, ...] = ()

    def paper(self, name: str, make: Callable[[JsonMapping], Table]) -> Table | str:
        """A table that a paper's is part of; `NOT_RUN` without its file."""
        return make(self.papers[name]) if name in self.papers else NOT_RUN


def makers(sources: Sources) -> dict[str, Callable[[], Table | str]]:
    """Functions by the name of the table that each makes; text where it is none."""
    rows = with_sampled_means(rows_of(sources.results.values()), sources.statistics.values())
    return {
        "cores": cores_table,
        "constants": constants_table,
        "readme": lambda: fixed_modulus.readme(rows),
        "fastest": lambda: fixed_modulus.each(rows),
        "ecp5": lambda: fixed_modulus.ecp5(rows),
        "moduli": lambda: moduli_table(rows),
        "other-families": lambda: fixed_modulus.others(rows),
        "xc7": lambda: fixed_modulus.xc7(rows),
        "paper": lambda: sources.paper(SUM_OF_RESIDUES, paper_table),
        **{
            name: lambda make=make, source=source: sources.paper(source, lambda paper: make(rows, paper))
            for name, (make, source) in NEXT_TO_PAPERS.items()
        },
        "area-time": lambda: area_time(rows),
        **{f.table.name or f.name: lambda f=f: measured_table(f, rows) for f in all_functions().values()},
        "costs": costs.table_two,
        **PaperTables([*rows, *sources.gates]).makers(),
        "exact-extensions": lambda: exact_extensions(rows),
        "goals": lambda: goals_table(rows),
        "growth": lambda: growth_table(rows),
        "growth-area": lambda: area_growth_table(rows),
        "growth-formula": formula_table,
        "growth-time": lambda: time_growth_table(rows),
        "proofs": lambda: proofs_table(sources.proofs),
        "dependents": lambda: dependents_table(sources.proofs.values()),
        "rsa": rsa_table,
        "shares": lambda: shares_table(sources.requests),
        "contributed": lambda: contributed_table(sources.contributed.values()),
        "counts": lambda: counts(sources.statistics),
        "commands": lambda: _code([*commands(sources.results), *campaigns(sources.statistics)]),
    }


class Made(Mapping[str, T]):
    """A mapping of names to what functions make; each runs once, when its name is first looked up.

    Parameters
    ----------
    makers : mapping of str to callable
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def tables(sources: Sources) -> Mapping[str, Table | str]:
    """Every table by its name, made when it is looked up; text where it is none."""
    return Made(makers(sources))


def pictures(sources: Sources) -> dict[str, str]:
    """SVG of every picture that is drawn from records, by file name."""
    return growth_pictures(with_sampled_means(rows_of(sources.results.values()), sources.statistics.values()))


def _code(lines: list[str]) -> str:
    return "\n".join(["```", *lines, "```"])


def regions(sources: Sources) -> Mapping[str, str]:
    """Markdown of every table by its name, made when it is looked up."""
    return Made({name: lambda make=make: _markdown(make()) for name, make in makers(sources).items()})


def region(sources: Sources, name: str) -> str:
    """Markdown of one table."""
    return _markdown(makers(sources)[name]())


def _markdown(table: Table | str) -> str:
    return f"{table}\n" if isinstance(table, str) else as_markdown(table)


def filled(text: str, made: Mapping[str, str], where: str) -> str:
    """A document with its tables as they are now; UsageError for a table that is unknown, or has no end."""
    for name in re.findall(r"<!-- table: ([\w-]+) -->", text):
        if name not in made:
            raise UsageError(f"{where} has a table {name!r} that nothing makes", f"one of {', '.join(made)}")
    starts, ends = text.count("<!-- table: "), text.count("<!-- end -->")
    if starts != ends or len(_REGION.findall(text)) != starts:
        raise UsageError(f"{where} has {starts} starts of tables and {ends} ends")
    return _REGION.sub(lambda match: f"{match[1]}\n{made[match[2]]}\n{match[3]}", text)
