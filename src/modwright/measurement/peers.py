# SPDX-License-Identifier: Apache-2.0
"""Peers: open cores of others, measured by the flow that ours go through, from sources that the user has.

A recipe (`bench/peers/NAME.yaml`) names the repository, the commit, each file with its digest, the edits without which
Yosys does not read it, and the cycles of an operation with their origin. The record (`NAME.json`) is what the recipe
gave. Sources are not part of Modwright, and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path

from ..base.disk import scratch
from ..base.errors import UsageError
from ..base.json import JsonObject
from ..base.parsing import load_yaml
from ..base.store import Store
from .figures import Design, design_figures
from .places import bench_folder
from .record import Settings
from .rows import load


@dataclass(frozen=True)
class Edit:
    """A change of a source without which it is not read, or not for this device.

    Parameters
    ----------
    file : str
        Path in the repository.
    find, replace : str
        Literal text, and what stands there afterwards; every occurrence is replaced, and there has to be one.
    why : str
        Reason, for the reader.
    """

    file: str
    find: str
    replace: str
    why: str


@dataclass(frozen=True)
class Recipe:
    """A peer, and how it is measured.

    Parameters
    ----------
    name, title : str
        Name of the recipe's file; name of the design in tables.
    repository, commit, licence : str
        Where the sources are from.
    function : str
        Function that it computes, as in a core's name.
    work : mapping
        One of `field`, `curve` and `bits` (any modulus of so many bits).
    top, clock : str
        Top module and clock.
    files : mapping of str to str
        SHA-256 by path in the repository: sources, files that they include, data that they read.
    cycles_from : str
        Source of the cycles.
    cycles, interval : int or None
        Cycles of an operation, and between two; None where nobody stated or counted them.
    note : str
        Facts that a reader needs for a comparison.
    include : tuple of str
        Patterns of files that are not compiled by themselves.
    parameters : mapping
        Parameters of the top module.
    edits : tuple of Edit
    """

    name: str
    title: str
    repository: str
    commit: str
    licence: str
    function: str
    work: Mapping[str, str | int]
    top: str
    files: Mapping[str, str]
    cycles_from: str
    clock: str = "clk"
    cycles: int | None = None
    interval: int | None = None
    note: str = ""
    include: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    edits: tuple[Edit, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """The recipe of a file; UsageError when a field is missing or unknown."""
        known = {entry.name: entry for entry in fields(cls) if entry.name != "name"}
        needed = {
            entry.name for entry in known.values() if entry.default is MISSING and entry.default_factory is MISSING
        }
        found = load_yaml(path)
        given = set(found) if isinstance(found, dict) else set[str]()
        if wrong := sorted((needed - given) | (given - set(known))):
            raise UsageError(f"recipe {path}: missing or unknown: {', '.join(wrong)}", f"fields are {', '.join(known)}")
        found["parameters"] = {name: str(value) for name, value in found.get("parameters", {}).items()}
        found["edits"] = tuple(Edit(**edit) for edit in found.get("edits", ()))
        found["include"] = tuple(found.get("include", ()))
        return cls(name=path.stem, **found)

    def copy_to(self, source: Path, folder: Path) -> list[Path]:
        """Copy the sources, edited, into an empty folder.

        Returns
        -------
        list of Path
            The files that are compiled.

        Raises
        ------
        UsageError
            When a file is missing, differs from the one that was measured, or does not hold what an edit replaces.
        """
        for name, digest in self.files.items():
            data = _read(source / name)
            if (got := hashlib.sha256(data).hexdigest()) != digest:
                rule = f"SHA-256 is {got[:16]}.., and {digest[:16]}.. was measured"
                raise UsageError(f"{source / name} is not the file of the recipe: its {rule}", f"commit {self.commit}")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        for edit in self.edits:
            text = (folder / edit.file).read_text(encoding="latin-1")
            if edit.find not in text:
                raise UsageError(f"recipe {self.name}: {edit.file} has no {edit.find!r}")
            (folder / edit.file).write_text(text.replace(edit.find, edit.replace), encoding="latin-1")
        left_out = re.compile("|".join(self.include) or r"(?!)")
        return [folder / name for name in self.files if name.endswith((".v", ".sv")) and not left_out.search(name)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "--source: the root of the repository") from error


def peer_figures(
    recipe: Recipe, source: Path, settings: Settings, *, target: str = "ecp5", place: bool, store: Store | None = None
) -> JsonObject:
    """Measure a peer as `design_figures` measures a design, and say under `peer` what it is.

    Parameters
    ----------
    recipe : Recipe
    source : Path
        Root of the repository's sources.
    settings, target, place, store
        Arguments of `design_figures`.

    Raises
    ------
    UsageError
        When the sources are not those of the recipe; else as `design_figures`.
    """
    with scratch() as folder:
        files = recipe.copy_to(source, folder)
        design = Design(files, recipe.top, recipe.clock, recipe.parameters, recipe.cycles, recipe.interval)
        figures = design_figures(design, settings, target=target, place=place, store=store)
    shown = ("name", "title", "repository", "commit", "licence", "function", "note")
    peer = {name: getattr(recipe, name) for name in shown} | {
        "work": dict(recipe.work),
        "edits": [f"{edit.file}: {edit.why}" for edit in recipe.edits],
    }
    return figures | {"cycles_source": recipe.cycles_from, "peer": peer}


def recipes() -> dict[str, Recipe]:
    """The recipes that come with Modwright, by name."""
    return {path.stem: Recipe.read(path) for path in sorted((bench_folder() / "peers").glob("*.yaml"))}


def shipped_peers() -> list[JsonObject]:
    """The records of peers that come with Modwright."""
    return list(load(bench_folder() / "peers").values())
