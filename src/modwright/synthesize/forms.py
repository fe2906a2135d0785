# SPDX-License-Identifier: Apache-2.0
"""Forms of gates: departures from the plain mapping of a design, and the parts of the flow that make them.

A clock gate takes the place of the multiplexers by which registers of one enable keep their words. Words of a memory
may be in latches behind one register, which takes what is written at the edge; the clock gate of a word opens its
latches in the half cycle after that edge, in which the register stands still. So a word has its new value in the same
cycle as a word of flip-flops. And ABC may map with structural choices, several forms of each part of the logic at
once, which takes longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UsageError
from .liberty import Cell, ClockGate, Liberty

FORMS = {
    "booth": "Booth multipliers",
    "kogge_stone": "Kogge-Stone adders",
    "clock_gates": "clock gates",
    "latches": "words in latches",
    "choices": "mapped with choices",
    "area": "mapped for area",
}
"""Choices of `asic.gates`, and their words in records and tables."""

OPTIONS = {name: f"--{name.replace('_', '-')}" for name in FORMS if name != "kogge_stone"}
"""Choices of users, and their options on the command line."""


def need_cells(form: Mapping[str, bool], library: str | None) -> None:
    """Refuse a form without the cells of a library.

    Raises
    ------
    UsageError
        When `library` is empty and one of `OPTIONS` is given.
    """
    alone = [OPTIONS[name] for name, is_given in form.items() if is_given and not library]
    if alone:
        raise UsageError(f"{alone[0]} needs the cells of a library", "--target asic --liberty FILE")


@dataclass(frozen=True)
class Form:
    """Choices of `asic.gates`, by the names of `FORMS`."""

    booth: bool = False
    kogge_stone: bool = False
    clock_gates: bool = False
    latches: bool = False
    choices: bool = False
    area: bool = False

    def __post_init__(self) -> None:
        if self.choices and self.area:
            raise UsageError("gates are mapped with choices or for area, not both", "--choices or --area")

    def __str__(self) -> str:
        return "".join(f", {words}" for name, words in FORMS.items() if getattr(self, name))


# The short script is the usual one: ABC's own ones take minutes on a multiplier with Kogge-Stone adders. Buffers count
# no wires: with the tables of SG13G2 for wires (-c), two in five cells of a multiplier of 256 bits were buffers, and
# slowed it. `dch` makes the choices, of which `amap` takes what is smallest along paths that are not the longest. What
# `dc2` leaves of long carry chains is smaller than what it got, and slow.
_SIZED = "upsize,{D};dnsize,{D};stime,-p"
_USUAL = f"+strash;dc2;map,-B,0.9,-D,5000;topo;buffer;{_SIZED}"
_CHOICES = f"+strash;rewrite;dch;amap;topo;buffer,-N,64;{_SIZED}"
_AREA = f"+strash;dc2;dch;amap,-F,40,-A,40;topo;buffer,-N,64;{_SIZED}"


def abc_script(form: Form) -> str:
    """The script of ABC for Yosys' command `abc`."""
    if form.area:
        return _AREA
    return _CHOICES if form.choices else _USUAL


GATED = 8
"""Fewest registers of one enable that get a clock gate. It has the area of about two of the multiplexers that they
have instead, and is a leaf of the clock tree."""

_MAPS = Path(__file__).parent / "maps"
ENABLES = _MAPS / "enables.v"
"""Verilog that makes an enable the only thing that keeps a register."""
LATCHES = _MAPS / "latches.v"
"""Verilog of a memory whose words are latches, with places for the pins of a clock gate."""
WORDS, LATCH = "latch_words.v", "latch.v"
"""Files of the flow: `LATCHES` with the library's clock gate, and its latch."""

# An enable has to be the only thing that keeps a register: a reset is made one of its words. Initial values, which no
# gate has, would keep registers from being gated; what optimises registers runs before they are taken away.
_CLOCK_GATES = """techmap -map {map}
simplemap
opt_expr
opt_merge
opt_clean
setattr -unset init
clockgate -pos {cell} {enable}:{clock}:{output} {tests}-min_net_size {fewest}
"""

# Memories are still whole between these two parts of `synth`. A port that reads at an edge becomes one that reads at
# once, with a register. `dfflibmap` would take any latch, so all have their cell before.
_WORDS = """ -run begin:fine
{cells}
memory_nordff {memories}
techmap -map {words} {memories}
{synth} -run fine:
techmap -map {latch} t:$_DLATCH_P_"""
_MEMORIES = "t:$mem_v2 r:WR_PORTS=1 %i r:ABITS=0 %d"
_LATCH = """module \\$_DLATCH_P_ (input E, D, output Q);
  {cell} _TECHMAP_REPLACE_ (.{enable}(E), .{data}(D), .{output}(Q));
endmodule
"""


def gating(library: Liberty) -> str:
    """The part of the flow that puts in clock gates, with the file `ENABLES` by its name."""
    cell, pins = _gate(library)
    tests = "".join(f"-tie_lo {pin} " for pin in pins.tests)
    names = {"enable": pins.enable, "clock": pins.clock, "output": pins.output, "tests": tests}
    return _CLOCK_GATES.format(map=ENABLES.name, cell=cell.name, fewest=GATED, **names)


def latching(synth: str, files: Sequence[str]) -> str:
    """The part of the flow after `synth` where memories get latches; `files` are those of the library."""
    cells = "\n".join(f"read_liberty -lib {name}" for name in files)
    return _WORDS.format(cells=cells, memories=_MEMORIES, words=WORDS, latch=LATCH, synth=synth)


def maps(library: Liberty, form: Form) -> dict[str, str]:
    """Files of Verilog that a form's parts of the flow read, by name."""
    found = {ENABLES.name: ENABLES.read_text(encoding="utf-8")} if form.clock_gates else {}
    return found | (_latch_maps(library) if form.latches else {})


def _latch_maps(library: Liberty) -> dict[str, str]:
    cell, pins = _gate(library)
    tests = "".join(f", .{pin}(1'b0)" for pin in pins.tests)
    words = LATCHES.read_text(encoding="utf-8")
    for name, text in {"GATE": cell.name, "ENABLE": pins.enable, "CLOCK": pins.clock, "OUTPUT": pins.output}.items():
        words = words.replace(f"<{name}>", text)
    latch = library.latch
    assert latch.latch is not None
    names = {"enable": latch.latch.enable, "data": latch.latch.data, "output": latch.latch.output}
    return {WORDS: words.replace("<TESTS>", tests), LATCH: _LATCH.format(cell=latch.name, **names)}


def _gate(library: Liberty) -> tuple[Cell, ClockGate]:
    cell = library.clock_gate
    assert cell.gate is not None
    return cell, cell.gate
