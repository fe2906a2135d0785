# SPDX-License-Identifier: Apache-2.0
"""The files of a package that are made from templates: their names and descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..base.json import JsonObject
from ..bus import RegisterMap
from ..bus.registers import Window
from ..contract import Payload, PayloadValue
from ..prepared import Prepared
from .delivery import Delivery
from .vectors import Vector

XACT = {
    "axil": {
        "name": "AXI4-Lite",
        "version": "r0p0",
        "clock": "ACLK",
        "reset": "ARESETn",
        "mapped": True,
        "interfaces": [{"prefix": "s_axi", "mode": "slave"}],
    },
    "apb": {
        "name": "APB4",
        "version": "r0p0",
        "clock": "PCLK",
        "reset": "PRESETn",
        "mapped": True,
        "interfaces": [{"prefix": "s_apb", "mode": "slave"}],
    },
    "axis": (
        stream := {
            "name": "AXI4Stream",
            "version": "r0p0_1",
            "clock": "ACLK",
            "reset": "ARESETn",
            "mapped": False,
            "interfaces": [{"prefix": "s_axis", "mode": "slave"}, {"prefix": "m_axis", "mode": "master"}],
        }
    ),
    "axis64": stream,
}
"""Buses whose makers define them in IP-XACT (ARM's AMBA4 library), with the names of the signals."""
BASE_ADDRESS = 0x40000000
"""Base address in files that need one, to be replaced by the user's."""
SAMPLES = 4
"""Golden vectors in the test of the Rust crate."""
_RUST_KEYWORDS = frozenset((
    "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for", "if", "impl",
    "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct",
    "super", "trait", "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "abstract",
    "become", "box", "do", "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield", "try",
    "gen",
))  # fmt: skip
"""The Rust Reference, Keywords, edition 2024."""


@dataclass(frozen=True)
class Template:
    """A file that is rendered.

    Parameters
    ----------
    name : str
        Name of the template.
    comment : str
        Characters that start a comment.
    module : str
        Module of the package that the file describes; empty for all of them.
    """

    name: str
    comment: str
    module: str = ""


def compatible(prepared: Prepared) -> str:
    """The name of a core in a device tree."""
    return f"modwright,{prepared.top.replace('_', '-')}"


def templates_of(prepared: Prepared, delivery: Delivery, *, described: bool) -> dict[str, Template]:
    """Templates by the names of their files; `described` where the driver knows the core."""
    top = prepared.top
    found = {
        f"{top}_tb.v": Template("tb.v.j2", "//"),
        f"test_{top}.py": Template("test_cocotb.py.j2", "#"),
        "check_certificate.py": Template("check_certificate.py.j2", "#"),
        f"{top}.core": Template("fusesoc.core.j2", "#"),
        f"{top}.xdc": Template("core.xdc.j2", "#"),
        f"{top}.sdc": Template("core.sdc.j2", "#"),
        f"{top}.lpf": Template("core.lpf.j2", "#"),
        f"{top}_wrappers.xdc": Template("wrappers.xdc.j2", "#"),
        f"{top}_wrappers.sdc": Template("wrappers.sdc.j2", "#"),
        "vivado.tcl": Template("vivado.tcl.j2", "#"),
        "quartus.tcl": Template("quartus.tcl.j2", "#"),
        f"{top}_litex.py": Template("litex.py.j2", "#"),
        f"{top}.vhd": Template("tops.vhd.j2", "--"),
        f"{top}.svd": Template("registers.svd.j2", "<!--"),
        f"{compatible(prepared)}.yaml": Template("binding.yaml.j2", "#"),
        f"{top}.dtsi": Template("devicetree.dtsi.j2", "/*"),
        f"99-{top}.rules": Template("udev.rules.j2", "#"),
        f"{top}_uio.c": Template("uio.c.j2", "/*"),
        "Cargo.toml": Template("cargo.toml.j2", "#"),
        f"{top}.rs": Template("registers.rs.j2", "//"),
        f"{top}_test.rs": Template("device_test.rs.j2", "//"),
        "datasheet.md": Template("datasheet.md.j2", "<!--"),
        "README.md": Template("readme.md.j2", "<!--"),
    }
    found |= {f"{top}_{bus}.xml": Template("xact.xml.j2", "<!--", f"{top}_{bus}") for bus in XACT}
    if delivery.wiring.axi_names:
        found[f"{top}_axi.xdc"] = Template("axi.xdc.j2", "#")
    if delivery.gowin:
        found |= {
            "gowin.tcl": Template("gowin.tcl.j2", "#"),
            "gowin.mk": Template("gowin.mk.j2", "#"),
            "gowin.ys": Template("gowin.ys.j2", "#"),
            f"{top}_gowin.v": Template("gowin.v.j2", "//"),
            f"{top}_gowin.cst": Template("gowin.cst.j2", "//"),
            f"{top}_gowin.sdc": Template("gowin.sdc.j2", "//"),
        }
    if described:
        found[f"{top}_zephyr.c"] = Template("zephyr.c.j2", "/*")
    return found


def rust_name(name: str) -> str:
    """Name of a field as a Rust identifier."""
    return f"r#{name}" if name in _RUST_KEYWORDS else name


def rust_type(window: Window) -> str:
    """The type of a window's words."""
    return f"Words<{window.words}>"


def rust_samples(registers: RegisterMap, vectors: Sequence[Vector]) -> list[JsonObject]:
    """Some golden vectors in words: operands, results or the error code, and cycles."""
    found = []
    for vector in vectors[:SAMPLES]:
        error = vector.result["error"]
        found.append(
            {
                "operands": _words(registers, registers.i, vector.operands, operands=True),
                "results": _words(registers, registers.o, vector.result, operands=False),
                "error": error,
                "cycles": vector.cycles,
            }
        )
    return found


def _words(
    registers: RegisterMap, payload: Payload, values: Mapping[str, PayloadValue], *, operands: bool
) -> list[tuple[str, list[str]]]:
    packed = payload.pack(dict(values))
    windows = registers.operands if operands else registers.results
    return [(w.field.name, [f"{packed >> low & ((1 << bits) - 1):#x}" for _, low, bits in w.slices()]) for w in windows]
