# SPDX-License-Identifier: Apache-2.0
"""A wrapper with four pins that makes every path of a core register-to-register.

One shift register feeds all inputs. All outputs are captured, then folded by XOR, four bits to one (one LUT4)
with a register a level, into one pin. The harness costs a flip-flop an input bit and about 4/3 of one an output
bit, and has at most one LUT4 between two of its own registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import UsageError
from .netlist import Port

TOP = "modwright_harness"

CLOCK, RESET = "clk", "rst"

_FOLD = 4
"""Inputs of a LUT4."""


def shift_harness(top: str, ports: Sequence[Port]) -> str:
    """Verilog of the harness, with the core as an empty module.

    Parameters
    ----------
    top : str
        Name of the core's module.
    ports : sequence of Port
        Ports of the core: `clk`, optionally `rst` (which stays a pin), and any inputs and outputs.

    Raises
    ------
    UsageError
        When there is no `clk` or no output, or a port is bidirectional.
    """
    inputs = [p for p in ports if p.direction == "input" and p.name not in (CLOCK, RESET)]
    outputs = [p for p in ports if p.direction == "output"]
    names = {p.name for p in ports}
    if CLOCK not in names or not outputs or any(p.direction == "inout" for p in ports):
        raise UsageError(f"{top}: the harness needs an input {CLOCK}, an output, and no bidirectional port")
    bits_in, bits_out = sum(p.width for p in inputs), sum(p.width for p in outputs)
    wires = [f".{name}({name})" for name in (CLOCK, RESET) if name in names]
    wires += _slices(inputs, "stimulus") + _slices(outputs, "response")
    declared = ", ".join(f"{p.direction} [{p.width - 1}:0] {p.name}" for p in ports)
    return "\n".join(
        [
            f"(* blackbox *) module {top}({declared});",
            "endmodule",
            f"module {TOP}(input {CLOCK}, input {RESET}, input si, output so);",
            f"  reg [{bits_in}:0] stimulus;",
            f"  wire [{bits_out - 1}:0] response;",
            f"  {top} core({', '.join(wires)});",
            f"  always @(posedge {CLOCK}) stimulus <= {{stimulus, si}};",
            *_fold(bits_out),
            "endmodule",
            "",
        ]
    )


def _slices(ports: Sequence[Port], vector: str) -> list[str]:
    """Connections of ports to consecutive slices of a vector."""
    result, at = [], 0
    for port in ports:
        result.append(f".{port.name}({vector}[{at + port.width - 1}:{at}])")
        at += port.width
    return result


def _fold(bits: int) -> list[str]:
    """Capture of the response, and its XOR tree with a register a level."""
    lines = [f"  reg [{bits - 1}:0] level_0;", f"  always @(posedge {CLOCK}) level_0 <= response;"]
    level = 0
    while bits > 1:
        parts = [(n, min(n + _FOLD, bits) - 1) for n in range(0, bits, _FOLD)]
        terms = ", ".join(f"^level_{level}[{high}:{low}]" for low, high in reversed(parts))
        level, bits = level + 1, len(parts)
        lines.append(f"  reg [{bits - 1}:0] level_{level};")
        lines.append(f"  always @(posedge {CLOCK}) level_{level} <= {{{terms}}};")
    lines.append(f"  assign so = level_{level}[0];")
    return lines
