# SPDX-License-Identifier: Apache-2.0
"""Liberty files: the areas of their cells, and which of them are the NAND2 and the inverter.

Only six things of a cell are read: its area, its pins with their directions and functions, whether it stores (`ff`,
`latch` or `statetable`), and whether it is a plain latch or gates a clock; and of the library, which table of wire
loads is for which area. The syntax is that of the Liberty User Guide, volume 1: groups in braces, attributes with a
colon, comments as in C.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from pathlib import Path

from ..base.disk import read_bounded
from ..base.errors import UsageError
from .boolean import BooleanFunction
from .pins import ClockGate, Latch, clock_gate_of, groups, latch_of

_SKY130 = "sky130_fd_sc_hd__tt_025C_1v80.lib"
_SG13G2 = "sg13g2_stdcell_typ_1p20V_25C.lib"

PRESETS: Mapping[str, Sequence[Sequence[str]]] = {
    "osu018": [["/usr/share/qflow/tech/osu018/osu018_stdcells.lib"]],
    "osu035": [["/usr/share/qflow/tech/osu035/osu035_stdcells.lib"]],
    "osu050": [["/usr/share/qflow/tech/osu050/osu050_stdcells.lib"]],
    "sky130": [[f"$PDK_ROOT/sky130A/libs.ref/sky130_fd_sc_hd/lib/{_SKY130}", f"{_SKY130}*", "sky130hd_tt.lib*"]],
    "gf180": [
        [
            f"$PDK_ROOT/gf180mcu{kind}/libs.ref/gf180mcu_fd_sc_mcu7t5v0/lib/gf180mcu_fd_sc_mcu7t5v0__tt_025C_5v00.lib"
            for kind in "DC"
        ]
    ],
    "ihp-sg13g2": [
        [f"$PDK_ROOT/ihp-sg13g2/libs.ref/sg13g2_stdcell/lib/{_SG13G2}", f"{_SG13G2}*", "sg13g2_typ_1p20V_25C.lib*"]
    ],
    "ihp-sg13g2-slow": [
        [
            "$PDK_ROOT/ihp-sg13g2/libs.ref/sg13g2_stdcell/lib/sg13g2_stdcell_slow_1p08V_125C.lib",
            "sg13g2_stdcell_slow_1p08V_125C.lib*",
            "sg13g2_slow_1p08V_125C.lib*",
        ]
    ],
    "asap7": [
        [f"asap7sc7p5t_{kind}_RVT_TT_nldm_*.lib*", f"asap7sc7p5t_{kind}_RVT_TT_*.lib*", f"asap7_{kind.lower()}.lib*"]
        for kind in ("SIMPLE", "INVBUF", "SEQ")
    ],
}
"""Open cell libraries by name: for each of their files, the places to look for it. A place with a folder is that of a
package: Debian's qflow-tech packages, and process design kits below `PDK_ROOT`, typical corner. A bare name,
with ``*`` for any end such as ``.gz``, is looked for in the folders of `MODWRIGHT_LIBERTY`. Nothing is downloaded."""

CORNERS: Mapping[str, Sequence[str]] = {"ihp-sg13g2": ("ihp-sg13g2-slow",)}
"""Presets with the same cells at other corners, by preset; they are timed as well where they are on the machine."""

FOLDERS = "MODWRIGHT_LIBERTY"
"""Environment variable: folders with Liberty files, separated as those of `PATH`."""

_MOST_BYTES = 1 << 28
"""Most bytes of a library; a corner of sky130 has 13 MB."""

_DEFAULT_WIRES = re.compile(r"\bdefault_wire_load(?:_selection)?\s*:\s*\"?[^\";\n]*\"?\s*;")

NAND2 = (True, True, True, False)
"""Truth table over (A, B) = (0, 0), (0, 1), (1, 0), (1, 1)."""
INVERTER = (True, False)


@dataclass(frozen=True)
class Cell:
    """One cell of a library.

    Parameters
    ----------
    name : str
        Name in netlists.
    area : float
        Area in the library's unit.
    inputs : tuple of str
        Input pins.
    functions : tuple of str
        Boolean functions of the output pins, as the file states them.
    stores : bool
        Whether it is a flip-flop, a latch or another cell with a state.
    gate : ClockGate or None
        Pins of a clock gate.
    latch : Latch or None
        Pins of a latch.
    """

    name: str
    area: float
    inputs: tuple[str, ...]
    functions: tuple[str, ...]
    stores: bool
    gate: ClockGate | None = None
    latch: Latch | None = None


@dataclass(frozen=True)
class WireLoads:
    """Tables of wire loads of a library.

    Parameters
    ----------
    by_area : tuple of (float, str)
        Areas in the library's unit, ascending, and the table for designs up to that area, by its name.
    default : str
        The table that the library names for all others; empty for none.
    """

    by_area: tuple[tuple[float, str], ...] = ()
    default: str = ""

    def table(self, area: float) -> str:
        """The table for a design of an area, the largest one beyond all areas; empty where the library has none."""
        if not self.by_area:
            return self.default
        return next((name for most, name in self.by_area if area <= most), self.by_area[-1][1])


@dataclass(frozen=True)
class Liberty:
    """A cell library.

    Parameters
    ----------
    paths : tuple of Path
        Files of the library; each may be compressed by gzip.
    name : str
        Name of the library in its file; of several files the common beginning of their names.
    cells : dict
        Cells by name.
    wire_loads : WireLoads, optional
        Tables of the first file that has any.
    """

    paths: tuple[Path, ...]
    name: str
    cells: dict[str, Cell]
    wire_loads: WireLoads = WireLoads()

    def texts(self, *, wires: bool = True) -> list[str]:
        """The text of each file; without `wires`, no file names a table of wire loads as the default."""
        texts = [_text(path) for path in self.paths]
        return texts if wires else [_DEFAULT_WIRES.sub("", text) for text in texts]

    def names(self) -> list[str]:
        """Names of the files in a tool's working folder."""
        return ["cells.lib"] if len(self.paths) == 1 else [f"cells_{n}.lib" for n in range(len(self.paths))]

    def wire_load(self, area: float) -> str:
        """The table of wire loads for a design of an area; empty where there is none."""
        return self.wire_loads.table(area)

    @property
    def nand2(self) -> Cell:
        """The smallest NAND of two inputs: the unit of area."""
        return self._smallest(NAND2, "NAND of two inputs")

    @property
    def inverter(self) -> Cell:
        """The smallest inverter."""
        return self._smallest(INVERTER, "inverter")

    @property
    def clock_gate(self) -> Cell:
        """The smallest clock gate for the rising edge, one without a pin for tests where there is such."""
        found = [cell for cell in self.cells.values() if cell.gate]
        if not found:
            raise UsageError(f"library {self.name} ({self.paths[0]}) has no clock gate for the rising edge")
        return min(found, key=lambda cell: (len(cell.gate.tests) if cell.gate else 0, cell.area, cell.name))

    @property
    def latch(self) -> Cell:
        """The smallest latch with an area that is open while its enable is 1."""
        found = [cell for cell in self.cells.values() if cell.latch and cell.area > 0]
        if not found:
            raise UsageError(f"library {self.name} ({self.paths[0]}) has no latch with an area that is open at 1")
        return min(found, key=lambda cell: (cell.area, cell.name))

    def _smallest(self, table: tuple[bool, ...], what: str) -> Cell:
        found = [c for c in self.cells.values() if truth_table(c) == table and c.area > 0]
        if not found:
            raise UsageError(f"library {self.name} ({self.paths[0]}) has no {what} with an area")
        return min(found, key=lambda c: (c.area, c.name))


def find_liberty(name: str) -> tuple[Path, ...]:
    """The files of a library: those that are named, separated as in `PATH`, or those of a preset.

    Raises
    ------
    UsageError
        When a file is missing; the message lists the places that were searched.
    """
    words = [word for word in name.split(os.pathsep) if word]
    if name not in PRESETS and words:
        return tuple(path for word in words for path in (find_liberty(word) if word in PRESETS else (_file(word),)))
    if name not in PRESETS:
        raise _unknown(name)
    found = [_place(places) for places in PRESETS[name]]
    missing = [places for path, places in zip(found, PRESETS[name], strict=True) if path is None]
    if missing:
        looked = ", ".join(os.path.expandvars(place) for places in missing for place in places)
        raise UsageError(
            f"cell library {name} is not on this machine: looked for {looked}",
            f"install its package, set PDK_ROOT, or {FOLDERS} to a folder with its files, or --liberty FILE",
        )
    return tuple(path for path in found if path is not None)


def _file(name: str) -> Path:
    path = Path(name)
    if path.exists() and not path.is_file():
        raise UsageError(f"{name} is not a file", "a Liberty file of the folder")
    if not path.is_file():
        raise _unknown(name)
    return path


def _unknown(name: str) -> UsageError:
    return UsageError(f"no Liberty file {name or 'of an empty name'}", f"a file, or one of {', '.join(PRESETS)}")


def _place(places: Sequence[str]) -> Path | None:
    """The first place with a file; None without one."""
    folders = [Path(folder) for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]
    for place in places:
        bare = "/" not in place
        paths = (found for folder in folders for found in sorted(folder.glob(place))) if bare else ()
        for path in paths if bare else (Path(os.path.expandvars(place)),):
            if path.is_file():
                return path
    return None


def read_liberty(*paths: Path) -> Liberty:
    """Read a library of one file or several; UsageError when one is not a Liberty file or has no cells."""
    names, cells, wires = [], {}, WireLoads()
    for path in paths:
        text = re.sub(r"/\*.*?\*/", " ", _text(path), flags=re.DOTALL)
        head = re.search(r"\blibrary\s*\(\s*\"?([^\")]*?)\"?\s*\)\s*\{", text)
        found = {name: _cell(name, body) for name, body in groups(text, "cell")}
        if head is None or not found:
            raise UsageError(f"{path} is not a Liberty file with cells")
        if both := cells.keys() & found.keys():
            raise UsageError(f"{path} has cells of another file, such as {min(both)}", "files of one library")
        names.append(head[1].strip())
        cells |= found
        wires = wires if wires != WireLoads() else _wire_loads(text)
    return Liberty(paths, names[0] if len(names) == 1 else _common(names), cells, wires)


def read_library(name: str) -> tuple[Liberty, tuple[Liberty, ...]]:
    """A library by its files or its preset (see `find_liberty`), and its other corners that are on this machine."""
    return read_liberty(*find_liberty(name)), tuple(read_liberty(*paths) for paths in find_corners(name))


def find_corners(name: str) -> tuple[tuple[Path, ...], ...]:
    """The files of each other corner of a preset that is on this machine."""
    return tuple(
        tuple(path for path in found if path is not None)
        for corner in CORNERS.get(name, ())
        if None not in (found := [_place(places) for places in PRESETS[corner]])
    )


def _common(names: Sequence[str]) -> str:
    """Characters that the names of the files of one library begin with; all names where there are none."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike).rstrip("_-") or " + ".join(names)


_GZIP = b"\x1f\x8b"


def _text(path: Path) -> str:
    """The text of a file, which may be compressed; UsageError when it cannot be read or has more than `_MOST_BYTES`."""
    data = read_bounded(path, _MOST_BYTES)
    if data.startswith(_GZIP):
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(_MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise UsageError(f"{path} is not readable as gzip: {error}") from error
        if len(data) > _MOST_BYTES:
            raise UsageError(f"{path} has more than {_MOST_BYTES >> 20} MiB")
    return data.decode("utf-8", "replace")


_AREA = re.compile(r"\bwire_load_from_area\s*\(\s*[\d.eE+-]+\s*,\s*([\d.eE+-]+)\s*,\s*\"?([^\")]*?)\"?\s*\)")
"""A table for designs from one area to another."""


def _wire_loads(text: str) -> WireLoads:
    """Tables that a library names for areas, of its default selection or of its only one, and its default table."""
    default = re.search(r"\bdefault_wire_load\s*:\s*\"?([^\";\n]*?)\"?\s*;", text)
    chosen = re.search(r"\bdefault_wire_load_selection\s*:\s*\"?([^\";\n]*?)\"?\s*;", text)
    selections = dict(groups(text, "wire_load_selection"))
    body = selections.get(chosen[1], "") if chosen else next(iter(selections.values()), "")
    rows = _AREA.findall(body)
    return WireLoads(tuple(sorted((_number(most), name) for most, name in rows)), default[1] if default else "")


def _number(text: str) -> float:
    """A number of the library; UsageError where it is none."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"the library has {text[:40]!r} in the place of a number") from None


def _cell(name: str, body: str) -> Cell:
    area = re.search(r"\barea\s*:\s*\"?([\d.eE+-]+)", body)
    inputs, functions = [], []
    for pin, inside in groups(body, "pin"):
        direction = re.search(r"\bdirection\s*:\s*\"?(\w+)", inside)
        if direction and direction[1] == "input":
            inputs.append(pin)
        elif function := re.search(r"\bfunction\s*:\s*\"([^\"]*)\"", inside):
            functions.append(function[1])
    stores = re.search(r"\b(ff|latch|ff_bank|latch_bank|statetable)\s*\(", body) is not None
    size = _number(area[1]) if area else 0.0
    return Cell(name, size, tuple(inputs), tuple(functions), stores, clock_gate_of(body), latch_of(body))


def truth_table(cell: Cell) -> tuple[bool, ...] | None:
    """The function of a cell with one output and at most two inputs, over its inputs in order; None for others."""
    if cell.stores or len(cell.functions) != 1 or not 1 <= len(cell.inputs) <= 2:
        return None
    values = product((False, True), repeat=len(cell.inputs))
    try:
        return tuple(BooleanFunction(cell.functions[0], dict(zip(cell.inputs, v, strict=True))).value() for v in values)
    except (LookupError, ValueError, RecursionError):  # of an internal node, not Boolean, or nested without end
        return None
