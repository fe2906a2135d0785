# SPDX-License-Identifier: Apache-2.0
"""The list of registered names, which needs no family: cores.json, written by bench/tables.py from the registry."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from .. import combine, cores
from ..base.json import text_by_lines
from ..contract import AnyCore, Combination

FILE = Path(__file__).with_name("cores.json")


@dataclass(frozen=True)
class Entry:
    """A registered name, and what a list says of it.

    Parameters
    ----------
    name, summary, source : str
        Entries of the core or combination.
    module : str
        The package that defines it; empty for a core that none defines.
    runtime_modulus : bool or None
        None for a combination: as its part has it.
    aliases : tuple of str
    part : str
        The option of a combination that names its part; empty for a core.
    parts : tuple of str
        Names of the cores that a combination takes.
    """

    name: str
    summary: str
    source: str
    module: str
    runtime_modulus: bool | None
    aliases: tuple[str, ...] = ()
    part: str = ""
    parts: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]


@cache
def entries() -> tuple[Entry, ...]:
    """Every registered name, sorted: as the file has it, or of the packages where one of those is new."""
    found = tuple(_read(row) for row in json.loads(FILE.read_text(encoding="utf-8")))
    known = {entry.module for entry in found}
    return found if known == {*cores.names(), *combine.names()} else computed()


def computed() -> tuple[Entry, ...]:
    """The same of the packages themselves, all of which are imported."""
    packages = (*cores.families(), *combine.combinations())
    every = [core for package in packages for core in package.CORES]
    found = [
        *(of_core(core, package.__name__) for package in packages for core in package.CORES),
        *(
            _of_combination(combination, package, every)
            for package in packages
            for combination in combinations_of(package)
        ),
    ]
    return tuple(sorted(found, key=lambda entry: entry.name))


def combinations_of(package: ModuleType) -> tuple[Combination, ...]:
    """The combinations that a package defines."""
    return vars(package).get("COMBINATIONS", ())


def written(entries: Iterable[Entry]) -> str:
    """The text of the file."""
    return text_by_lines([asdict(entry) for entry in entries]) + "\n"


def _read(row: dict[str, object]) -> Entry:
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return Entry(**{**row, **lists})


def of_core(core: AnyCore, module: str = "") -> Entry:
    """Entry of a core in lists."""
    return Entry(core.name, core.summary, core.source, module, core.runtime_modulus, core.aliases)


def _of_combination(combination: Combination, package: ModuleType, every: Iterable[AnyCore]) -> Entry:
    parts = tuple(sorted(core.name for core in every if core.function == combination.of and combination.takes(core)))
    return Entry(
        combination.name,
        combination.summary,
        combination.source,
        package.__name__,
        None,
        part=combination.part,
        parts=parts,
    )
