# SPDX-License-Identifier: Apache-2.0
"""Goals: the order of candidates, and the limits that they have to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from ..base.errors import UsageError
from ..measurement.gates import gate_libraries
from ..synthesize.devices import DEVICES, FIRST, Device, find_device

SMALLEST, FASTEST, THROUGHPUT = "smallest", "fastest", "throughput"


@dataclass(frozen=True)
class Goal:
    """Goal of a choice: the cost to be minimised.

    Parameters
    ----------
    name : str
        `SMALLEST`, `FASTEST` or `THROUGHPUT`.
    cost : str
        The property of a candidate that is compared.
    words : str
        The cost in words.
    best : str
        A candidate with the least of it.
    """

    name: str
    cost: str
    words: str
    best: str


GOALS: Mapping[str, Goal] = {
    goal.name: goal
    for goal in (
        Goal(SMALLEST, "area", "LUTs, with blocks at their share of the device", "smallest"),
        Goal(FASTEST, "ns", "ns of one operation", "fastest"),
        Goal(THROUGHPUT, "interval_ns", "ns between two operations at full rate", "highest rate"),
    )
}


_LUT, _DSP = 0, 1
_OTHERS = {"xc7": ("XC7A100T", 63_400, 240), "xcup": ("XCZU7EV", 230_400, 1_728)}
"""A middle part of families without an open place and route: LUTs and blocks (AMD DS180, table 4; DS891, table 7)."""


@dataclass(frozen=True)
class Part:
    """The device that area is held against, or the library of cells that it is counted in.

    Parameters
    ----------
    name : str
        The maker's name, or that of the library.
    lut, dsp : int
        LUTs and multiplier blocks on it; 0 of a library.
    bounding : bool
        Whether it is the largest one that can be placed, or the one that was named, so that a core has to fit.
    cells : bool
        Whether it is a library, so that areas are gates: units of its smallest NAND2.
    """

    name: str
    lut: int
    dsp: int
    bounding: bool
    cells: bool = False

    @property
    def lut_of_block(self) -> float:
        """LUTs that the device has for each block: what a block counts in an area."""
        return self.lut / self.dsp if self.dsp else 0.0

    @property
    def unit(self) -> str:
        """Unit of an area without blocks."""
        return "gates" if self.cells else "LUT"

    @classmethod
    def of(cls, family: str, device: str | None = None) -> Part:
        """The part of a family: the one that is named, else the one that cores are placed on; or a library."""
        if family == "asic":
            return cls(f"{device}", 0, 0, False, cells=True)
        if device is not None or family in FIRST:
            found: Device = find_device(device or FIRST[family], family)
            return cls(found.part, found.lut, found.dsp, True)
        return cls(*_OTHERS[family], False)


def family_of(device: str) -> tuple[str, str | None]:
    """Family and device of what a user names: either of both, or a library of cells. UsageError for an unknown name."""
    if device in DEVICES:
        return DEVICES[device].family, device
    libraries = gate_libraries()
    if device in libraries:
        return "asic", device
    if device == "asic":
        raise UsageError("gates are counted in the cells of a library", f"--device {', '.join(libraries)}")
    families = (*FIRST, *_OTHERS)
    if device not in families:
        raise UsageError(
            f"choose knows no device, family or library of cells by the name of {device!r}",
            f"--device {', '.join((*families, *DEVICES, *libraries))}",
        )
    return device, None


MOVES: Mapping[str, str] = {
    **dict.fromkeys(("--max-lut", "--max-dsp", "--max-gates", "--max-cycles", "--max-ns"), "a higher"),
    "--min-rate": "a lower",
    "--device": "another",
}
"""Ways to move the limit of an option. One that is not here says yes or no, and has to go."""


@dataclass(frozen=True)
class Limits:
    """Limits that a candidate has to keep; None for none.

    Parameters
    ----------
    max_lut, max_dsp, max_gates : int or None
        Area of the core: of a library, only the last one has a meaning, and on a device the other two.
    max_cycles : int or None
        Latency, the most where it varies.
    max_ns : float or None
        Longest time of one operation.
    min_rate : float or None
        Operations a second at full rate.
    constant_latency, runtime_modulus : bool
        Whether the latency has to be constant, the modulus an operand.
    """

    max_lut: int | None = None
    max_dsp: int | None = None
    max_cycles: int | None = None
    max_ns: float | None = None
    min_rate: float | None = None
    constant_latency: bool = False
    runtime_modulus: bool = False
    max_gates: int | None = None

    def refuse_for(self, part: Part) -> None:
        """UsageError for a limit in a unit that areas of the part do not have."""
        foreign = ("max_lut", "max_dsp") if part.cells else ("max_gates",)
        for name in (name for name in foreign if getattr(self, name) is not None):
            option, own = f"--{name.replace('_', '-')}", "--max-gates" if part.cells else "--max-lut and --max-dsp"
            raise UsageError(f"an area on {part.name} is in {part.unit}, and {option} limits another one", own)

    @property
    def given(self) -> Mapping[str, float]:
        """The limits that are set, by name."""
        return {
            f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None and value is not False
        }
