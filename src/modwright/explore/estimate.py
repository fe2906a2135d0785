# SPDX-License-Identifier: Apache-2.0
"""The analytic cost of a core: its RTL as word-level operators, before any mapping.

Yosys only flattens here. Blocks are counted exactly where the RTL names them, and by tiles where it has a product.
LUTs and the clock period are sums over the operators, by kind and width; they rank variants, and are never shown in a
column with a measured figure. `bench/estimates.json` has them next to the records, and `calibration` corrects by
the ratio: on ECP5 both are between a half and 2.4 times the measured ones, and the period is longer still for adders
whose upper carries are constant (modmul/csa-high-radix).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from ..base.disk import scratch
from ..base.json import JsonMapping, JsonObject
from ..prepared import Prepared
from ..rtl.verilog import run_yosys

_SCRIPT = """read_verilog top.v
hierarchy -top {top}
proc
flatten
opt -fast
memory_collect
write_json words.json
"""

_TILE = {"ecp5": (18, 18), "gowin": (18, 18), "nexus": (18, 18), "xc7": (24, 17), "xcup": (26, 17)}
"""Unsigned product of one multiplier block."""
_BLOCKS = ("MULT18X18D", "DSP48E1", "DSP48E2", "MULT18X18")

_ADDERS = ("$add", "$sub", "$neg", "$alu", "$lt", "$le", "$gt", "$ge")
_GATES = ("$and", "$or", "$xor", "$xnor", "$not", "$logic_and", "$logic_or", "$logic_not", "$pos")
_MUXES = ("$mux", "$bmux", "$bwmux")
_REDUCTIONS = ("$eq", "$ne", "$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool")
_SHIFTS = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")
_REGISTERS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe")

# Delays in ns, of ECP5 at its slowest grade: a LUT with the wire before it, as critical paths of bench/results have
# them; a pair of bits of a carry chain; a block without its registers. `_REGISTER` is clock-to-output and setup.
_LEVEL, _CARRY, _BLOCK, _REGISTER = 1.2, 0.035, 4.0, 1.0
_LUT_BITS = 64  # of a 16x4 RAM: bits in one of its sites


@dataclass(frozen=True)
class Estimate:
    """Cost before mapping.

    Parameters
    ----------
    lut, ff, dsp : int
        LUTs of four inputs, flip-flops and blocks.
    period_ns : float
        The longest path between registers.
    """

    lut: int
    ff: int
    dsp: int
    period_ns: float

    def to_json(self) -> JsonObject:
        """Plain values."""
        return asdict(self)


def estimate(prepared: Prepared, target: str) -> Estimate:
    """The cost of a core on a family, before mapping.

    Raises
    ------
    ToolFailedError
        When Yosys ends with an error.
    """
    with scratch() as folder:
        (folder / "top.v").write_text(prepared.verilog(), encoding="utf-8")
        run_yosys(_SCRIPT.format(top=prepared.top), folder=folder)
        module = json.loads((folder / "words.json").read_text(encoding="utf-8"))["modules"][prepared.top]
    return count(module["cells"], target)


def count(cells: JsonMapping, target: str) -> Estimate:
    """The cost of word-level cells in Yosys' JSON."""
    words = [_Word(cell) for cell in cells.values()]
    tile = _TILE.get(target, _TILE["ecp5"])
    return Estimate(
        lut=round(sum(word.lut for word in words)),
        ff=sum(word.ff for word in words),
        dsp=sum(word.dsp(tile) for word in words),
        period_ns=round(_longest(words) + _REGISTER, 2),
    )


class _Word:
    """One operator: its cost, its inputs and its outputs."""

    def __init__(self, cell: JsonMapping) -> None:
        self.kind: str = cell["type"]
        self.parameters = cell["parameters"]
        ports, directions = cell["connections"], cell.get("port_directions", {})
        self.reads = {bit for name, bits in ports.items() if directions.get(name) != "output" for bit in bits}
        self.drives = [bit for name, bits in ports.items() if directions.get(name) == "output" for bit in bits]
        self.reads -= {"0", "1", "x", "z"}

    def _width(self, port: str) -> int:
        return int(self.parameters.get(f"{port}_WIDTH", "0"), 2)

    @property
    def width(self) -> int:
        """Bits of the first operand or of the result, the wider of both."""
        return max(self._width("Y"), self._width("A"), self._width("WIDTH"), 1)

    @property
    def lut(self) -> float:
        """LUTs of four inputs. Two gates of two inputs share one, a reduction takes three more inputs each."""
        if self.kind in _ADDERS:
            return self.width
        if self.kind in _GATES:
            return 0 if self.kind in ("$not", "$pos") else self._width("Y") / 2
        if self.kind in _MUXES:
            return int(self.parameters.get("WIDTH", "1"), 2) / 2  # the other half are enables of registers
        if self.kind == "$pmux":
            return int(self.parameters["WIDTH"], 2) * int(self.parameters["S_WIDTH"], 2) / 2
        if self.kind in _REDUCTIONS:
            return (self._width("A") + self._width("B")) / 3
        if self.kind in _SHIFTS:
            return self._width("Y") * self._width("B")
        if self.kind == "$mem_v2":
            return int(self.parameters["WIDTH"], 2) * int(self.parameters["SIZE"], 2) / _LUT_BITS * 6
        return 0

    @property
    def ff(self) -> int:
        """Flip-flops."""
        return int(self.parameters["WIDTH"], 2) if self.kind in _REGISTERS else 0

    def dsp(self, tile: tuple[int, int]) -> int:
        """Multiplier blocks: one that is named, or the tiles of a product."""
        if self.kind in _BLOCKS:
            return 1
        if self.kind != "$mul":
            return 0
        a, b = sorted((self._width("A"), self._width("B")), reverse=True)
        return -(-a // tile[0]) * -(-b // tile[1])

    @property
    def sequential(self) -> bool:
        """Whether its outputs come from registers."""
        if self.kind in _REGISTERS:
            return True
        return self.kind in _BLOCKS and self.parameters.get("REG_OUTPUT_CLK", "NONE") != "NONE"

    @property
    def carry(self) -> float:
        """Time of the carries of an adder. Of adders in a row, which ripple at the same time, the widest counts."""
        return _CARRY * self.width if self.kind in _ADDERS else 0

    @property
    def delay(self) -> float:
        """Delay from inputs to outputs, without the carries."""
        if self.kind in _ADDERS:
            return _LEVEL
        if self.kind in _BLOCKS or self.kind == "$mul":
            return _BLOCK + _LEVEL
        if self.kind in ("$not", "$pos"):
            return 0
        if self.kind in _GATES or self.kind in _MUXES:
            return _LEVEL / 2  # two of them share a LUT
        if self.kind in _REDUCTIONS or self.kind in ("$pmux", *_SHIFTS):
            inputs = max(self.width, 2)
            return _LEVEL * max(1, (inputs.bit_length() + 1) // 2)
        return _LEVEL if self.kind.startswith("$mem") else 0


def _longest(words: list[_Word]) -> float:
    """The longest path between registers; a loop through different bits of words counts once.

    A path takes the delays of its words and the carries of its widest adder. The path with the largest sum of delays
    up to a word represents all paths to it.
    """
    driver = {bit: word for word in words if not word.sequential for bit in word.drives}
    done: dict[int, tuple[float, float]] = {}  # delays and carries up to the outputs of a word
    waiting: set[int] = set()
    for start in words:
        stack = [start]
        while stack:
            word = stack[-1]
            before = {id(d): d for bit in word.reads if (d := driver.get(bit)) is not None}
            if id(word) not in done and id(word) not in waiting:
                waiting.add(id(word))
                stack += [d for key, d in before.items() if key not in done and key not in waiting]
                continue
            stack.pop()
            if id(word) not in done:
                delay, carry = max((done[key] for key in before if key in done), key=sum, default=(0.0, 0.0))
                own = 0 if word.sequential else word.delay
                done[id(word)] = (delay + own, max(carry, word.carry))
    return max(map(sum, done.values()), default=0.0)
