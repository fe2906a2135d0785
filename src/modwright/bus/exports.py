# SPDX-License-Identifier: Apache-2.0
"""The description of the registers in standard forms: SystemRDL 2.0, a C header, a table."""

from __future__ import annotations

from collections.abc import Iterator

from ..base.words import counted
from .registers import BYTES, WORD, Bits, Register, RegisterMap

LICENSE = "SPDX-License-Identifier: CC0-1.0"
_RDL_ACCESS = {
    "r": "sw = r; hw = w;",
    "rw": "sw = rw; hw = r;",
    "w": "sw = w; hw = r; singlepulse;",
    "w1c": "sw = rw; hw = w; onwrite = woclr;",
}


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
    for window in registers.windows:
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
    value = register.value_of(bits)
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
    for window in registers.windows:
        lines.append(f"#define {prefix}_{window.name} {window.offset:#06x}u /* {_comment(window.shape)} */")
        lines.append(f"#define {prefix}_{window.name}_WORDS {window.words}u")
    return "\n".join([*lines, "", f"#endif /* {prefix}_REGISTERS_H */", ""])


def _comment(text: str) -> str:
    return text.replace("*/", "* /")


def table(registers: RegisterMap) -> str:
    """A table in Markdown, for the datasheet."""
    rows = ["| offset | register | bits | access | description |", "|---|---|---|---|---|"]
    for register in registers.registers:
        for bits in register.bits:
            place = f"{bits.low + bits.width - 1}:{bits.low}" if bits.width > 1 else str(bits.low)
            label = register.name if bits.name == register.name else f"{register.name}.{bits.name}"
            rows.append(f"| {register.offset:#06x} | {label} | {place} | {bits.access} | {_cell(bits.note)} |")
    for window in registers.windows:
        last = window.offset + (window.words - 1) * BYTES
        access = "w" if window.operand else "r"
        place = f"{window.offset:#06x}" + (f" to {last:#06x}" if window.words > 1 else "")
        rows.append(f"| {place} | {window.name} | {counted(window.words, 'word')} | {access} | {_cell(window.shape)} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
