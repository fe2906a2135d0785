# SPDX-License-Identifier: Apache-2.0
"""Liberty files: the areas of their cells, and which of them are the NAND2 and the inverter.

Only four things of a cell are read: its area, its pins with their directions and functions, and whether it stores
(`ff`, `latch` or `statetable`). The syntax is that of the Liberty User Guide, volume 1: groups in braces, attributes
with a colon, comments as in C.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from ..base.disk import read_text_bounded
from ..base.errors import UsageError

PRESETS = {
    "osu018": ("/usr/share/qflow/tech/osu018/osu018_stdcells.lib",),
    "osu035": ("/usr/share/qflow/tech/osu035/osu035_stdcells.lib",),
    "osu050": ("/usr/share/qflow/tech/osu050/osu050_stdcells.lib",),
    "sky130": ("$PDK_ROOT/sky130A/libs.ref/sky130_fd_sc_hd/lib/sky130_fd_sc_hd__tt_025C_1v80.lib",),
    "gf180": (
        "$PDK_ROOT/gf180mcuD/libs.ref/gf180mcu_fd_sc_mcu7t5v0/lib/gf180mcu_fd_sc_mcu7t5v0__tt_025C_5v00.lib",
        "$PDK_ROOT/gf180mcuC/libs.ref/gf180mcu_fd_sc_mcu7t5v0/lib/gf180mcu_fd_sc_mcu7t5v0__tt_025C_5v00.lib",
    ),
    "ihp-sg13g2": ("$PDK_ROOT/ihp-sg13g2/libs.ref/sg13g2_stdcell/lib/sg13g2_stdcell_typ_1p20V_25C.lib",),
}
"""Open cell libraries by name, and where their packages put the typical corner: Debian's qflow-tech packages, and
process design kits below `PDK_ROOT`."""

_MOST_BYTES = 1 << 28
"""Most bytes of a library; a corner of sky130 has 13 MB."""

NAND2 = (True, True, True, False)
"""Truth table over (A, B) = (0, 0), (0, 1), (1, 0), (1, 1)."""
INVERTER = (True, False)


@dataclass(frozen=True)
class Cell:
    """One cell of a library.

    Parameters
    ----------
    name : str
        As netlists call it.
    area : float
        In the library's unit.
    inputs : tuple of str
        Input pins.
    functions : tuple of str
        Boolean functions of the output pins, as they are written.
    stores : bool
        Whether it is a flip-flop, a latch or another cell with a state.
    """

    name: str
    area: float
    inputs: tuple[str, ...]
    functions: tuple[str, ...]
    stores: bool


@dataclass(frozen=True)
class Liberty:
    """A cell library.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Of the library, as it calls itself.
    cells : dict
        By name.
    """

    path: Path
    name: str
    cells: dict[str, Cell]

    @property
    def nand2(self) -> Cell:
        """The smallest NAND of two inputs: the unit of area."""
        return self._smallest(NAND2, "NAND of two inputs")

    @property
    def inverter(self) -> Cell:
        """The smallest inverter."""
        return self._smallest(INVERTER, "inverter")

    def _smallest(self, table: tuple[bool, ...], what: str) -> Cell:
        found = [c for c in self.cells.values() if truth_table(c) == table and c.area > 0]
        if not found:
            raise UsageError(f"library {self.name} ({self.path}) has no {what} with an area")
        return min(found, key=lambda c: (c.area, c.name))


def find_liberty(name: str) -> Path:
    """A file, or the first place of a preset where there is one.

    Raises
    ------
    UsageError
        When neither is there; it says where was looked.
    """
    path = Path(name)
    if path.is_file():
        return path
    places = [Path(os.path.expandvars(place)) for place in PRESETS.get(name, ())]
    for place in places:
        if place.is_file():
            return place
    if places:
        raise UsageError(
            f"cell library {name} is not on this machine: looked for {', '.join(map(str, places))}",
            "install its package, set PDK_ROOT, or --liberty FILE",
        )
    raise UsageError(f"no Liberty file {name}", f"a file, or one of {', '.join(PRESETS)}")


def read_liberty(path: Path) -> Liberty:
    """Read a library; UsageError when the file is not a Liberty file or has no cells."""
    text = read_text_bounded(path, _MOST_BYTES)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    head = re.search(r"\blibrary\s*\(\s*\"?([^\")]*?)\"?\s*\)\s*\{", text)
    cells = {name: _cell(name, body) for name, body in _groups(text, "cell")}
    if head is None or not cells:
        raise UsageError(f"{path} is not a Liberty file with cells")
    return Liberty(path, head[1].strip(), cells)


def _groups(text: str, kind: str) -> Iterator[tuple[str, str]]:
    """Name and body of each group of a kind, outermost only."""
    pattern = re.compile(rf"\b{kind}\s*\(\s*\"?([^\"()]*?)\"?\s*\)\s*\{{")
    at = 0
    while found := pattern.search(text, at):
        at = _end(text, found.end())
        yield found[1].strip(), text[found.end() : at - 1]


def _end(text: str, start: int) -> int:
    """The place after the brace that closes the group whose body begins at `start`."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return len(text)


def _cell(name: str, body: str) -> Cell:
    area = re.search(r"\barea\s*:\s*\"?([\d.eE+-]+)", body)
    inputs, functions = [], []
    for pin, inside in _groups(body, "pin"):
        direction = re.search(r"\bdirection\s*:\s*\"?(\w+)", inside)
        if direction and direction[1] == "input":
            inputs.append(pin)
        elif function := re.search(r"\bfunction\s*:\s*\"([^\"]*)\"", inside):
            functions.append(function[1])
    stores = re.search(r"\b(ff|latch|ff_bank|latch_bank|statetable)\s*\(", body) is not None
    return Cell(name, float(area[1]) if area else 0.0, tuple(inputs), tuple(functions), stores)


def truth_table(cell: Cell) -> tuple[bool, ...] | None:
    """The function of a cell with one output and at most two inputs, over its inputs in order; None for others."""
    if cell.stores or len(cell.functions) != 1 or not 1 <= len(cell.inputs) <= 2:
        return None
    values = product((False, True), repeat=len(cell.inputs))
    try:
        return tuple(_Function(cell.functions[0], dict(zip(cell.inputs, v, strict=True))).value() for v in values)
    except (LookupError, ValueError):  # a function of an internal node, or one that is not Boolean
        return None


class _Function:
    """Value of a Boolean function: ``!`` or a following ``'``, then ``^``, then ``*``, ``&`` or a space, then ``+`` or
    ``|``; the order in which they bind is that of the Liberty User Guide."""

    def __init__(self, text: str, values: dict[str, bool]) -> None:
        self._tokens = re.findall(r"[\w\[\]]+|[!'^*&+|()]", text)
        self._values = values

    def value(self) -> bool:
        """The value; ValueError when the text is no function."""
        result = self._or()
        if self._tokens:
            raise ValueError("trailing text")
        return result

    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _or(self) -> bool:
        result = self._and()
        while self._next() in ("+", "|"):
            self._tokens.pop(0)
            result = self._and() or result
        return result

    def _and(self) -> bool:
        result = self._xor()
        while self._next() not in ("", "+", "|", ")"):
            if self._next() in ("*", "&"):
                self._tokens.pop(0)
            result = self._xor() and result
        return result

    def _xor(self) -> bool:
        result = self._not()
        while self._next() == "^":
            self._tokens.pop(0)
            result ^= self._not()
        return result

    def _not(self) -> bool:
        if not self._tokens:
            raise ValueError("an operand is missing")
        token = self._tokens.pop(0)
        if token == "!":
            return not self._not()
        if token == "(":
            result = self._or()
            if self._next() != ")":
                raise ValueError("no closing parenthesis")
            self._tokens.pop(0)
        elif token in "01":
            result = token == "1"
        else:
            result = self._values[token]
        while self._next() == "'":
            self._tokens.pop(0)
            result = not result
        return result
