# SPDX-License-Identifier: Apache-2.0
"""The Verilog of a package: the core with a port for each field, and its bus wrappers."""

from __future__ import annotations

import re

from amaranth.lib import wiring

from ..bus import (
    BEATS,
    ONE_CLOCK,
    PLAIN,
    Apb,
    AxiLite,
    AxiStream,
    Crossing,
    Named,
    NamedBlock,
    Ports,
    RegisterBlock,
    RegisterMap,
    TileLink,
    Wired,
    Wiring,
    Wishbone,
    register_map,
)
from ..prepared import Prepared
from ..rtl.cells import used_in
from .delivery import USUAL, Delivery
from .header import header

BUSES = {
    "axil": "AXI4-Lite",
    "wb": "Wishbone",
    "apb": "APB4",
    "tlul": "TileLink-UL",
    "axis": "AXI4-Stream, 32 bits",
    "axis64": "AXI4-Stream, 64 bits",
}
"""Wrappers: the end of a module's name, and its protocol."""

ACCEPTED = {
    "CASEINCOMPLETE": "a case over one-hot selectors has its default assignment above it",
    "DECLFILENAME": "a file holds the modules of one core",
    "LATCH": "the same: the default assignment above a case",
    "PINMISSING": "an output that nobody reads is left open",
    "PROCASSINIT": "registers have an initial value in addition to their reset, for FPGAs",
    "SYNCASYNCNET": "the reset of the bus sets that of a core with a clock of its own at once",
    "UNUSEDPARAM": "memory parameters of the writer",
    "UNUSEDSIGNAL": "a carry, or a low half, that is not needed",
    "VARHIDDEN": "an index of a memory's initial block",
    "WIDTHEXPAND": "zero extension, as Verilog defines it",
    "WIDTHTRUNC": "sums are cut to the width that the bounds allow",
}
"""Warnings of Verilator -Wall that generated code may cause, with reasons; `core_verilog` disables them in the file."""

_NO_BITS = re.compile(r"^ +(?:wire|reg) \[-1:0\] [^;]+;\n", flags=re.MULTILINE)
"""A signal of no bits, which nothing reads; Verilog would give it two."""

_OPEN_ENABLE = re.compile(r"^( +)\.CE0\(1'h1\),\n(?= +\.CLK0\()", flags=re.MULTILINE)
"""A MULT18X18D whose second enable no register uses, so that it is left open; Icarus warns of open inputs."""


def core_verilog(prepared: Prepared, delivery: Delivery = USUAL) -> str:
    """One file in Verilog-2005: the core with ports `i_valid`, `i_ready`, `i_<field>`, `o_valid`, ..."""
    return header(prepared, delivery=delivery) + _lint(_ported(prepared))


def _ported(prepared: Prepared) -> str:
    p = prepared.parameters
    return prepared.verilog_of("ports", lambda p_, s: Ports(prepared.core.build(p_, s), p.i, p.o), prepared.top)


def wrapper_verilog(prepared: Prepared, bus: str, delivery: Delivery = USUAL) -> str:
    """A wrapper, which instantiates the core by the name of its module; `bus` is one of `BUSES`."""
    top = f"{prepared.top}_{bus}"
    part = " ".join(("wrapper", bus, *delivery.wiring.words))
    body = prepared.verilog_of(part, lambda *_: wrapper(prepared, bus, delivery.wiring), top)
    if bus in WITH_REGISTERS:
        body += _registers(prepared, f"{top}.{_MODULE}")
    clock = f"// {ONE_CLOCK}.\n" if delivery.wiring.core_clock and bus not in WITH_REGISTERS else ""
    return header(prepared, delivery=delivery) + f"//\n// {BUSES[bus]} around it.\n{clock}" + _lint(body)


def wrapper(prepared: Prepared, bus: str, wired: Wiring = PLAIN) -> wiring.Component:
    """A wrapper, whose registers and core are instances by the names of their modules."""
    registers = register_map(prepared)
    axi_names, core_clock = wired.axi_names and bus.startswith("axi"), wired.core_clock and bus in WITH_REGISTERS
    if bus in WITH_REGISTERS:
        block = NamedBlock(registers, f"{prepared.top}_{bus}.{_MODULE}")
        made = WITH_REGISTERS[bus](registers, Crossing(registers, block) if core_clock else block)
    else:
        made = AxiStream(registers, _named(prepared, registers), BEATS[bus == "axis64"])
    return Wired(made, axi_names=axi_names, core_clock=core_clock) if axi_names or core_clock else made


WITH_REGISTERS = {"axil": AxiLite, "wb": Wishbone, "apb": Apb, "tlul": TileLink}
"""Wrappers around the same block of registers."""
_MODULE = "registers"
_REGISTERS = f"wrapper.{_MODULE}"
"""The block before it has its name: like that, one which Verilog has to escape."""


def _registers(prepared: Prepared, name: str) -> str:
    """Verilog of the block of registers under the name of a module; it is made once for all wrappers."""

    def block(*_: object) -> RegisterBlock:
        registers = register_map(prepared)
        return RegisterBlock(registers, _named(prepared, registers))

    verilog = prepared.verilog_of("registers", block, _REGISTERS)
    return re.sub(rf"\\{re.escape(_REGISTERS)}(?=[.\s])", lambda _: f"\\{name}", verilog)


def _named(prepared: Prepared, registers: RegisterMap) -> Named:
    return Named(prepared.top, registers.i, registers.o)


def cells(prepared: Prepared) -> dict[str, str]:
    """Simulation models of the device cells that the core instantiates, by file name."""
    verilog = _ported(prepared)
    return {path.name: path.read_text(encoding="utf-8") for path in used_in(verilog)}


def _lint(body: str) -> str:
    """A module with the accepted warnings disabled, without open inputs and without declarations of signals of no bits,
    which Verilog lacks."""
    body = _OPEN_ENABLE.sub(r"\1.CE0(1'h1),\n\1.CE1(1'h0),\n", _NO_BITS.sub("", body))
    off = "".join(f"/* verilator lint_off {name} */\n" for name in ACCEPTED)
    on = "".join(f"/* verilator lint_on {name} */\n" for name in ACCEPTED)
    return f"\n{off}{body}{on}"
