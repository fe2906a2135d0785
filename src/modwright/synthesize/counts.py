# SPDX-License-Identifier: Apache-2.0
"""Area of a core: cells of the mapped netlist, and one counting rule for each kind of resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ..base.json import JsonMapping, JsonObject
from ..base.store import Store, version_of
from .netlist import Netlist, synthesise

_XC7_LUTRAM = {
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM32M": 4,
    "RAM64M": 4,
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
}

_GOWIN_FF = {f"DFF{n}{kind}{e}": 1 for n in ("", "N") for kind in ("", "S", "R", "P", "C") for e in ("", "E")}

RULES: dict[str, dict[str, dict[str, int]]] = {
    "ecp5": {
        "lut": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
        "ff": {"TRELLIS_FF": 1},
        "dsp": {"MULT18X18D": 1},
        "bram": {"DP16KD": 1, "PDPW16KD": 1},
        "carry": {"CCU2C": 1},
        "lutram": {"TRELLIS_DPR16X4": 1},
    },
    "xc7": {
        "lut": {**{f"LUT{n}": 1 for n in range(1, 7)}, "INV": 1, **_XC7_LUTRAM},
        "ff": {f"{kind}{edge}": 1 for kind in ("FDRE", "FDSE", "FDCE", "FDPE") for edge in ("", "_1")},
        "dsp": {"DSP48E1": 1},
        "bram": {"RAMB18E1": 1, "RAMB36E1": 2},
        "carry": {"CARRY4": 1},
        "lutram": _XC7_LUTRAM,
    },
    "xcup": {"dsp": {"DSP48E2": 1}},
    "gowin": {
        "lut": {**{f"LUT{n}": 1 for n in range(1, 5)}, "ALU": 1, "RAM16SDP4": 4},
        "ff": _GOWIN_FF,
        "dsp": {"MULT18X18": 1, "MULT9X9": 1, "MULT36X36": 4},
        "bram": dict.fromkeys(("SP", "SPX9", "SDPB", "SDPX9B", "DPB", "DPX9B", "pROM", "pROMX9"), 1),
        "carry": {"ALU": 1},
        "lutram": {"RAM16SDP4": 1},
    },
    "nexus": {
        "lut": {"LUT4": 1, "INV": 1, "CCU2": 2, "DPR16X4": 6},
        "ff": dict.fromkeys(("FD1P3IX", "FD1P3JX", "FD1P3BX", "FD1P3DX"), 1),
        "dsp": {"MULT9X9": 1, "MULT18X18": 1, "MULT18X36": 2, "MULT36X36": 4, "MULTADDSUB18X18": 1},
        "bram": {"DP16K": 1, "PDP16K": 1, "PDPSC16K": 1},
        "carry": {"CCU2": 1},
        "lutram": {"DPR16X4": 1},
    },
    "asic": {"ff": {"$_DFF_P_": 1}},
}
"""Weight of each cell in each count, by target.

ECP5: `lut` is LUT4 sites. A CCU2C takes two; a 16x4 RAM takes four and blocks two more for its write port
(nextpnr counts the same: "Total LUT4s"). `bram` is blocks of 18 Kbit.

Series 7: `lut` is LUT6 before two small ones are packed into one site. The LUTs before a carry chain are cells
of their own. A RAM or shift register counts as its LUTs in the configuration tables of Xilinx
UG474, and `lutram` counts these. `bram` is blocks of 18 Kbit, two in a RAMB36E1.

UltraScale+: blocks only. Yosys leaves the registers of a DSP48E2 outside it, so that flip-flops and the LUTs between
them would be too many.

Gowin GW2A: `dsp` is multipliers of 18x18, of which a MULT36X36 takes four; the rest of a block is not counted. A bit
of a carry chain (ALU) takes the site of a LUT4, and a RAM of 16x4 bits those of four. `bram` is blocks of 18 Kbit.

Nexus: as ECP5. `dsp` is multipliers of 18x18; one of 9x9 counts as one.
"""

_METHODS = {
    "ecp5": "Yosys synth_ecp5, bare core without I/O pads",
    "xc7": "Yosys synth_xilinx for series 7, bare core without I/O pads; no place and route, so no timing",
    "xcup": "Yosys synth_xilinx for UltraScale+, bare core without I/O pads; DSP blocks only, no place and route",
    "gowin": "Yosys synth_gowin for GW2A, bare core without I/O pads",
    "nexus": "Yosys synth_nexus, bare core without I/O pads",
    "asic": "estimate: gates of Yosys and ABC without a cell library, transistors of `stat -tech cmos` / 4",
}

TRANSISTORS_PER_NAND2 = 4
"""A static CMOS NAND2 has two n- and two p-channel transistors."""


@dataclass(frozen=True)
class Resources:
    """Counts of one netlist. A count that the target does not have is None.

    Parameters
    ----------
    target : str
        One of `RULES`.
    lut, ff, dsp, bram, carry, lutram : int or None
        Counts by `rules`.
    nand2 : int or None
        Area in NAND2 equivalents, for gates only: of a cell library (`asic`), else an estimate.
    cells : dict
        Every cell type with its number: the raw counts.
    rules : dict
        Formula of each count from the cells, in symbols.
    method : str
        The flow and its limits.
    tool : dict
        Versions of the tools.
    wide_lut : bool
        Whether LUT4 and multiplexers were joined into wider LUTs (`netlist.WIDE_LUT`).
    """

    target: str
    lut: int | None
    ff: int | None
    dsp: int | None
    bram: int | None
    carry: int | None
    lutram: int | None
    nand2: int | None
    cells: dict[str, int]
    rules: dict[str, str]
    method: str
    tool: dict[str, str]
    wide_lut: bool = False

    def to_json(self) -> JsonObject:
        """Plain values for report.json."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: JsonMapping) -> Resources:
        """Inverse of `to_json`."""
        return cls(**document)


def resources(
    verilog: str, top: str, target: str, *, store: Store, booth: bool = False, wide_lut: bool = False
) -> Resources:
    """Synthesise a bare core and count what it occupies.

    Parameters
    ----------
    verilog : str
        The whole design; cells of the target may be instantiated.
    top : str
        Top module of the design.
    target : str
        One of `RULES`. Gates have no cell library here, so their area is labelled as an estimate; with a library see
        `asic.gates`.
    store : Store
        Store of the netlist.
    booth : bool
        Booth-recode the multipliers (asic only).
    wide_lut : bool
        Let Yosys join LUT4 to wider LUTs (`netlist.WIDE_LUT` only); see `netlist.FLOWS`.
    """
    netlist = synthesise(verilog, top, target, store=store, booth=booth, wide_lut=wide_lut)
    method = _METHODS[target] + (", Booth multipliers" if booth else "") + (", wide LUTs" if wide_lut else "")
    return Resources(
        target=target,
        **count(netlist, target),
        nand2=_nand2(netlist) if target == "asic" else None,
        cells=netlist.cells,
        rules=_rules(target),
        method=method,
        tool={"pyosys": version_of("pyosys")},
        wide_lut=wide_lut,
    )


def count(netlist: Netlist, target: str) -> dict[str, int | None]:
    """The counts of a netlist under the names of `Resources`, after `RULES`; None where there is no rule."""
    rules, cells = RULES[target], netlist.cells
    return {
        name: sum(weight * cells.get(cell, 0) for cell, weight in rules[name].items()) if name in rules else None
        for name in RULES["ecp5"]
    }


def _rules(target: str) -> dict[str, str]:
    """The rules of a target in symbols."""
    rules = {name: _formula(weights) for name, weights in RULES[target].items()}
    if target == "asic":
        rules["nand2"] = f"transistors / {TRANSISTORS_PER_NAND2}"
    return rules


def _formula(weights: Mapping[str, int]) -> str:
    return " + ".join(cell if weight == 1 else f"{weight} {cell}" for cell, weight in weights.items())


def _nand2(netlist: Netlist) -> int:
    # Yosys marks the number with a plus sign when a cell has no cost: the flow leaves none of those.
    transistors = int(str(netlist.statistics["estimated_num_transistors"]))
    return round(transistors / TRANSISTORS_PER_NAND2)
