# SPDX-License-Identifier: Apache-2.0
"""The description of the registers in the forms of others: SystemRDL 2.0, a C header, IP-XACT, a table."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from .. import __version__
from .registers import BYTES, WORD, Bits, Register, RegisterMap, Window

LICENSE = "SPDX-License-Identifier: CC0-1.0"
_RDL_ACCESS = {
    "r": "sw = r; hw = w;",
    "rw": "sw = rw; hw = r;",
    "w": "sw = w; hw = r; singlepulse;",
    "w1c": "sw = rw; hw = w; onwrite = woclr;",
}
_XACT_ACCESS = {"r": "read-only", "rw": "read-write", "w": "write-only", "w1c": "read-write"}


def system_rdl(registers: RegisterMap) -> str:
    """SystemRDL 2.0; operand windows are write-only."""
    lines = [
        f"// {LICENSE}",
        f"// Registers of {registers.top}",
        f"addrmap {registers.top}_registers {{",
        f'    name = "{registers.top}";',
        f"    default regwidth = {WORD};",
        f"    default accesswidth = {WORD};",
    ]
    for register in registers.registers:
        lines += ["    reg {", f'        desc = "{_quoted(register.note)}";']
        lines += [f"        {line}" for bits in register.bits for line in _rdl_field(bits, register)]
        lines.append(f"    }} {register.name} @ {register.offset:#x};")
    for window in (*registers.operands, *registers.results):
        access = "sw = w; hw = r;" if window.operand else "sw = r; hw = w;"
        note = window.field.note or window.field.name
        lines += [
            "    reg {",
            f'        desc = "{_quoted(note)}";',
            f"        field {{ {access} }} WORD[{WORD - 1}:0];",
            f"    }} {window.name}[{window.words}] @ {window.offset:#x} += {BYTES:#x};",
        ]
    return "\n".join([*lines, "};", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _rdl_field(bits: Bits, register: Register) -> Iterator[str]:
    value = register.value >> bits.low & ((1 << bits.width) - 1)
    yield f'field {{ {_RDL_ACCESS[bits.access]} desc = "{_quoted(bits.note)}"; }}'
    yield f"    {bits.name}[{bits.low + bits.width - 1}:{bits.low}] = {bits.width}'h{value:x};"


def c_header(registers: RegisterMap) -> str:
    """Offsets, masks and numbers of words as macros of C."""
    prefix = registers.top.upper()
    lines = [
        f"/* {LICENSE} */",
        f"/* Registers of {registers.top}; offsets in bytes. */",
        f"#ifndef {prefix}_REGISTERS_H",
        f"#define {prefix}_REGISTERS_H",
        "",
    ]
    for register in registers.registers:
        lines.append(f"#define {prefix}_{register.name} {register.offset:#06x}u /* {_comment(register.note)} */")
        for bits in register.bits:
            mask = ((1 << bits.width) - 1) << bits.low
            name = f"{prefix}_{register.name}_{bits.name}"
            lines.append(f"#define {name}_SHIFT {bits.low}")
            lines.append(f"#define {name}_MASK {mask:#010x}u /* {_comment(bits.note)} */")
        if not register.writable:
            lines.append(f"#define {prefix}_{register.name}_VALUE {register.value:#010x}u /* after reset */")
    lines.append("")
    for window in (*registers.operands, *registers.results):
        lines.append(f"#define {prefix}_{window.name} {window.offset:#06x}u /* {_comment(_shape(window))} */")
        lines.append(f"#define {prefix}_{window.name}_WORDS {window.words}u")
    return "\n".join([*lines, "", f"#endif /* {prefix}_REGISTERS_H */", ""])


def _comment(text: str) -> str:
    return text.replace("*/", "* /")


def _shape(window: Window) -> str:
    f = window.field
    shape = f"{f.count} x {f.width} bits" if f.count > 1 else f"{f.width} bits"
    return f"{shape}{f', {f.note}' if f.note else ''}"


def ip_xact(registers: RegisterMap) -> str:
    """IP-XACT (IEEE 1685-2014): a component with the memory map."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {LICENSE} -->",
        '<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">',
        "  <ipxact:vendor>modwright</ipxact:vendor>",
        "  <ipxact:library>modwright</ipxact:library>",
        f"  <ipxact:name>{escape(registers.top)}_axil</ipxact:name>",
        f"  <ipxact:version>{escape(__version__)}</ipxact:version>",
        "  <ipxact:memoryMaps><ipxact:memoryMap>",
        "    <ipxact:name>registers</ipxact:name>",
        "    <ipxact:addressBlock>",
        "      <ipxact:name>registers</ipxact:name>",
        "      <ipxact:baseAddress>0</ipxact:baseAddress>",
        f"      <ipxact:range>{4 * registers.region}</ipxact:range>",
        f"      <ipxact:width>{WORD}</ipxact:width>",
    ]
    for register in registers.registers:
        lines += _xact_register(register)
    for window in (*registers.operands, *registers.results):
        lines += _xact_window(window)
    lines += [
        "    </ipxact:addressBlock>",
        "    <ipxact:addressUnitBits>8</ipxact:addressUnitBits>",
        "  </ipxact:memoryMap></ipxact:memoryMaps>",
        "</ipxact:component>",
        "",
    ]
    return "\n".join(lines)


def _xact_register(register: Register) -> Iterator[str]:
    yield f"      <ipxact:register><ipxact:name>{register.name}</ipxact:name>"
    yield f"        <ipxact:description>{escape(register.note)}</ipxact:description>"
    yield f"        <ipxact:addressOffset>{register.offset}</ipxact:addressOffset><ipxact:size>{WORD}</ipxact:size>"
    for bits in register.bits:
        value = register.value >> bits.low & ((1 << bits.width) - 1)
        once = "<ipxact:modifiedWriteValue>oneToClear</ipxact:modifiedWriteValue>" if bits.access == "w1c" else ""
        name = f"{register.name}_{bits.name}"
        yield (
            f"        <ipxact:field id={quoteattr(name)}><ipxact:name>{bits.name}</ipxact:name>"
            f"<ipxact:description>{escape(bits.note)}</ipxact:description>"
            f"<ipxact:bitOffset>{bits.low}</ipxact:bitOffset>"
            f"<ipxact:resets><ipxact:reset><ipxact:value>{value:#x}</ipxact:value></ipxact:reset></ipxact:resets>"
            f"<ipxact:bitWidth>{bits.width}</ipxact:bitWidth><ipxact:access>{_XACT_ACCESS[bits.access]}</ipxact:access>"
            f"{once}</ipxact:field>"
        )
    yield "      </ipxact:register>"


def _xact_window(window: Window) -> Iterator[str]:
    access = "write-only" if window.operand else "read-only"
    yield f"      <ipxact:register><ipxact:name>{window.name}</ipxact:name>"
    yield f"        <ipxact:description>{escape(_shape(window))}</ipxact:description>"
    yield f"        <ipxact:dim>{window.words}</ipxact:dim>"
    yield f"        <ipxact:addressOffset>{window.offset}</ipxact:addressOffset><ipxact:size>{WORD}</ipxact:size>"
    yield (
        f"        <ipxact:field><ipxact:name>WORD</ipxact:name><ipxact:bitOffset>0</ipxact:bitOffset>"
        f"<ipxact:bitWidth>{WORD}</ipxact:bitWidth><ipxact:access>{access}</ipxact:access></ipxact:field>"
    )
    yield "      </ipxact:register>"


def table(registers: RegisterMap) -> str:
    """A table in Markdown, for the datasheet."""
    rows = ["| offset | register | bits | access | what |", "|---|---|---|---|---|"]
    for register in registers.registers:
        for bits in register.bits:
            place = f"{bits.low + bits.width - 1}:{bits.low}" if bits.width > 1 else str(bits.low)
            label = register.name if bits.name == register.name else f"{register.name}.{bits.name}"
            rows.append(f"| {register.offset:#06x} | {label} | {place} | {bits.access} | {_cell(bits.note)} |")
    for window in (*registers.operands, *registers.results):
        last = window.offset + (window.words - 1) * BYTES
        access = "w" if window.operand else "r"
        place = f"{window.offset:#06x}" + (f" to {last:#06x}" if window.words > 1 else "")
        rows.append(f"| {place} | {window.name} | {window.words} words | {access} | {_cell(_shape(window))} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
