# SPDX-License-Identifier: Apache-2.0
"""Synthesis by Yosys: a mapped netlist, stored and shared by the counts and by place and route."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..base.errors import UsageError
from ..base.store import Store, digest_of, version_of
from ..rtl.verilog import run_yosys
from .progress import announce

FLOWS = {
    "ecp5": "synth_ecp5 -noiopad {wide}-top {top}",
    "xc7": "synth_xilinx -family xc7 -noiopad -noclkbuf -flatten -top {top}",
    "xcup": "synth_xilinx -family xcup -noiopad -noclkbuf -flatten -top {top}",
    "gowin": "synth_gowin -family gw2a -noiopads {wide}-top {top}",
    "nexus": "techmap -autoproc -map cells.v\nsynth_nexus -noiopad {wide}-top {top}",
    "asic": """synth -flatten -noabc {booth} -top {top}
dfflegalize -cell $_DFF_P_ 01
opt -nodffe -nosdff
abc -g cmos -script +strash;dc2;map
opt_clean -purge""",
}
"""Yosys commands by target.

ECP5: two LUT4 and a multiplexer (PFUMX) are a LUT5, and so on up to a LUT7 of eight LUT4 (L6MUX21). By default Yosys
uses them wherever they shorten a path by its estimate, at any cost in area. They about double the area of carry-save
logic and change that of adders by some per cent; the clock rate, once placed and routed, gains no more by them than by
another seed (docs/measuring.md). So they are left out unless requested. Gowin and Nexus have the same choice.

Nexus: the blocks and copied registers that cores for ECP5 instantiate become those of Nexus first (`maps/nexus.v`).

UltraScale+: Yosys packs no register into a DSP48E2, so that its flip-flops are too many; see `counts.RULES`.

Gates: every flip-flop becomes a plain one, and its enable and reset become gates, because Yosys has no cost for
the others. The short ABC script gives the area of the long one within 0.2 % on a registered 32x32 multiplier, in
half the time, and 3 % less on a Booth multiplier.
"""

_LATTICE = {"FLATTEN": 0.03, "MEMORY_LIBMAP": 0.15, "DFFLEGALIZE": 0.42, "ABC9": 0.49, "AUTONAME": 0.94}
_XILINX = {"FLATTEN": 0.1, "MEMORY_LIBMAP": 0.26, "DFFLEGALIZE": 0.56, "ABC9": 0.57, "OPT_LUT_INS": 0.96}
_GOWIN = {"FLATTEN": 0.02, "MEMORY_LIBMAP": 0.11, "DFFLEGALIZE": 0.22, "ABC9": 0.26, "AUTONAME": 0.93}
PARTS = {"ecp5": _LATTICE, "nexus": _LATTICE, "xc7": _XILINX, "xcup": _XILINX, "gowin": _GOWIN}
"""Parts of the time of a flow that are over when a pass begins, by target, see `rtl.stages`: those of `modmul/csa` of
256 bits, from which those of `modmul/limb-columns` of 96 bits differ by 0.07 at most."""

CELLS = {"nexus": Path(__file__).parent / "maps" / "nexus.v"}
"""Map of instantiated cells that a flow reads as cells.v, by target."""

WIDE_LUT = ("ecp5", "gowin", "nexus")
"""Families whose Yosys flow can join LUT4 to wider ones."""

PLACED = ("ecp5", "gowin", "nexus")
"""Families with an open place and route."""

_MAPPED = "tee -q -o stat.json stat -json\nwrite_json netlist.json"
_OUTPUT = {
    "ecp5": _MAPPED,
    "xc7": _MAPPED,
    "xcup": _MAPPED,
    "gowin": _MAPPED,
    "nexus": _MAPPED,
    "asic": "tee -q -o stat.json stat -json -tech cmos",
}
"""Files that stay in the folder; a netlist of gates is large, and nothing reads it."""

# Cells of $scopeinfo only name the flattened scopes. Unused models of the cell library are most of the bytes of a
# netlist, and source attributes would put host paths into it.
_CLEAN = """delete t:$scopeinfo
hierarchy -purge_lib -top {top}
setattr -unset src =*
setattr -mod -unset src =*
"""

# The harness is mapped around an empty core, and then gets the mapped one. Mapped together, Yosys would merge
# registers of the core with those of the harness.
_WRAP = """read_json core.json
design -stash core
read_verilog top.v
{flow} -top {top}
delete {core}
design -copy-from core -as {core} {core}
flatten
"""

_HARNESS_FLOWS = {
    "ecp5": "synth_ecp5 -noiopad",
    "gowin": "synth_gowin -family gw2a -nowidelut",
    "nexus": "synth_nexus -nowidelut",
}
"""nextpnr-ecp5 makes pads of the ports by itself; for the others they have to be in the netlist."""

_FEED_IN = ("0xFFFF", "0x00AA")
"""Tables of the first cell of a carry chain on Nexus, which passes an operand bit into the chain."""

_MODULE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Port:
    """One port of the top module."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True)
class Netlist:
    """A mapped netlist in the store."""

    top: str
    folder: Path
    digest: str
    """Over the Verilog, the Yosys script and the version of Yosys."""

    @property
    def path(self) -> Path:
        """The netlist, as Yosys JSON; there is none for gates."""
        return self.folder / "netlist.json"

    @cached_property
    def statistics(self) -> dict[str, object]:
        """Cell counts of Yosys over the whole design."""
        return json.loads((self.folder / "stat.json").read_text(encoding="utf-8"))["design"]

    @cached_property
    def cells(self) -> dict[str, int]:
        """Number of cells by type, sorted by type."""
        counts = self.statistics.get("num_cells_by_type", {})
        assert isinstance(counts, dict)
        return dict(sorted(counts.items()))

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Ports of the top module, in the order of the Verilog."""
        module = json.loads(self.path.read_text(encoding="utf-8"))["modules"][self.top]
        return tuple(Port(n, p["direction"], len(p["bits"])) for n, p in module["ports"].items())


def synthesise(
    verilog: str, top: str, target: str, *, store: Store, booth: bool = False, wide_lut: bool = False
) -> Netlist:
    """Map Verilog to the cells of a target, or return the stored netlist.

    Raises
    ------
    UsageError
        For an unknown target, `booth` for a target other than gates, or `wide_lut` for one that is not in `WIDE_LUT`.
    ToolFailedError
        When Yosys refuses the Verilog; the message holds the end of its log.
    """
    if target not in FLOWS:
        raise UsageError(f"cannot synthesise for {target!r}", f"one of {', '.join(FLOWS)}")
    if booth and target != "asic":
        raise UsageError(f"Booth recoding is for target asic; {target} has multiplier blocks")
    if wide_lut and target not in WIDE_LUT:
        raise UsageError(f"wide LUTs are a choice for target {' or '.join(WIDE_LUT)}, not for {target}")
    if not _MODULE_NAME.fullmatch(top):
        raise UsageError(f"{top!r} is not a name of a Verilog module")
    flow = FLOWS[target].format(top=top, booth="-booth" if booth else "", wide="" if wide_lut else "-nowidelut ")
    script = f"read_verilog top.v\n{flow}\n{_CLEAN.format(top=top)}{_OUTPUT[target]}\n"

    cells = CELLS[target].read_text(encoding="utf-8") if target in CELLS else ""

    def make(folder: Path) -> None:
        announce(f"synthesising {top} for {target} with Yosys")
        (folder / "top.v").write_text(verilog, encoding="utf-8")
        if cells:
            (folder / "cells.v").write_text(cells, encoding="utf-8")
        run_yosys(script, folder=folder, parts=PARTS.get(target))

    digest = digest_of(verilog, script, version_of("pyosys"), *([cells] if cells else []))
    return Netlist(top, store.folder("netlist", digest, make), digest)


def wrap(core: Netlist, harness: str, top: str, *, store: Store, target: str = "ecp5") -> Netlist:
    """Put a mapped netlist, as it is, into a harness.

    Parameters
    ----------
    core : Netlist
        Netlist for `target`, which is one of `PLACED`.
    harness : str
        Verilog of module `top`, which instantiates the core, and of the core as an empty `blackbox` module.
    """
    script = (
        _WRAP.format(core=core.top, top=top, flow=_HARNESS_FLOWS[target])
        + _CLEAN.format(top=top)
        + _OUTPUT[target]
        + "\n"
    )

    def make(folder: Path) -> None:
        (folder / "top.v").write_text(harness, encoding="utf-8")
        shutil.copyfile(core.path, folder / "core.json")
        run_yosys(script, folder=folder)
        (folder / "core.json").unlink()
        if target == "nexus":
            _open_feed_in(folder / "netlist.json")

    digest = digest_of(core.digest, harness, script, version_of("pyosys"))
    return Netlist(top, store.folder("netlist", digest, make), digest)


def _open_feed_in(path: Path) -> None:
    """Leave the carry input of the first cell of each chain open.

    Yosys' map does not connect it, and a later pass ties it to a constant, which nextpnr refuses in that place.
    """
    netlist = json.loads(path.read_text(encoding="utf-8"))
    for module in netlist["modules"].values():
        for cell in module["cells"].values():
            tables = cell["parameters"].get("INIT0"), cell["parameters"].get("INIT1")
            if cell["type"] == "CCU2" and tables == _FEED_IN:
                cell["connections"].pop("CIN", None)
                cell["port_directions"].pop("CIN", None)
    path.write_text(json.dumps(netlist), encoding="utf-8")
