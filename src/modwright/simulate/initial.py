# SPDX-License-Identifier: Apache-2.0
"""Registers and memories at random values before the first reset; memories that are never written keep their contents.

A core works after a reset whatever its state was before. So a simulation starts from an arbitrary state, not from
the initial values of the Verilog: a register that needs a reset and has none is then seen, and so is a memory that is
read before it is written. Both simulators draw the values in their own way from the seed; the traces are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from amaranth.hdl import Fragment, MemoryData, MemoryInstance, Signal, Value

_MODULE = re.compile(r"^module .*?^endmodule$", re.DOTALL | re.MULTILINE)
_REGISTER = re.compile(r"^(  reg (?!\\\$auto\$).*?) = [^;=]*;$", re.MULTILINE)
"""A declaration with an initial value. Registers named $auto$ are Yosys' own and hold no state: they start `always @*`
once."""
_MEMORY = re.compile(r"^  initial begin\n    (?P<name>\S+ ?)\[0\] = .*?^  end\n", re.DOTALL | re.MULTILINE)


def without_initial_values(verilog: str) -> str:
    """Verilog that Yosys wrote, without the initial values of registers and of memories that are written."""
    return _MODULE.sub(lambda module: _uninitialised(module[0]), verilog)


def _uninitialised(module: str) -> str:
    def of_memory(block: re.Match[str]) -> str:
        written = re.search(rf"^ +{re.escape(block['name'])}\[.*<= ", module, re.MULTILINE)
        return "" if written else block[0]

    return _REGISTER.sub(r"\1;", _MEMORY.sub(of_memory, module))


def random_state(design: Fragment, seed: int) -> Iterator[tuple[Value, int]]:
    """Random value of every register of a design and of every word of a memory that is written.

    Left out are signals of which some bits are registers and others are combinational: Amaranth's simulator does not
    let them be set.
    """
    rng = Random(seed)
    parts = list(_fragments(design))
    driven = {id(signal) for part in parts for signal in _assigned(part, combinational=True)}
    for part in parts:
        for register in _assigned(part, combinational=False):
            if id(register) not in driven:
                yield register, rng.getrandbits(len(register))
        if isinstance(part, MemoryInstance) and part._write_ports:
            data: MemoryData = part._data
            for row in range(data.depth):
                word = Value.cast(data[row])
                yield word, rng.getrandbits(len(word))


def _fragments(design: Fragment) -> Iterator[Fragment]:
    yield design
    for part, _, _ in design.subfragments:
        yield from _fragments(part)


def _assigned(part: Fragment, *, combinational: bool) -> list[Signal]:
    """Signals that statements and read ports without a clock drive, or those with one; each once, in their order."""
    found: dict[int, Signal] = {}
    for domain, statements in part.statements.items():
        if (domain == "comb") is combinational:
            for statement in statements:
                found |= {id(signal): signal for signal in statement._lhs_signals()}
    if isinstance(part, MemoryInstance):
        for port in part._read_ports:
            if (port._domain == "comb") is combinational:
                found |= {id(signal): signal for signal in port._data._lhs_signals()}
    return list(found.values())
