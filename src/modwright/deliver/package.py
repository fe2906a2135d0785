# SPDX-License-Identifier: Apache-2.0
"""The files of a package: everything that an engineer needs to use a core, made from one request.

The same request gives the same bytes: nothing depends on the date, the host, a path or the order of a set.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from .. import __version__
from ..base.json import JsonObject, plain
from ..bus import RegisterMap, c_header, ip_xact, register_map, system_rdl, table
from ..contract import Payload, PayloadValue
from ..driver import SOURCES, description, source
from ..prepared import Prepared
from ..report.evidence import NOT_KNOWN
from .folder import json_text
from .header import LICENSE, command_of, contract, header, origin
from .theorem import theorem_files
from .vectors import Vector, golden
from .verilog import BUSES, cells, core_verilog, wrapper_verilog

CLOCKS_MHZ = {"ecp5": 100, "xc7": 100, "generic": 100, "asic": 100}
"""The clock in the constraints, a start for one's own: no claim of what the core reaches."""
LICENSE_KEY = "SPDX-License-Identifier"

TEMPLATES = {
    "{top}_tb.v": ("tb.v.j2", "//"),
    "test_{top}.py": ("test_cocotb.py.j2", "#"),
    "check_certificate.py": ("check_certificate.py.j2", "#"),
    "{top}.core": ("fusesoc.core.j2", "#"),
    "{top}.xdc": ("core.xdc.j2", "#"),
    "{top}.sdc": ("core.sdc.j2", "#"),
    "{top}.lpf": ("core.lpf.j2", "#"),
    "vivado.tcl": ("vivado.tcl.j2", "#"),
    "quartus.tcl": ("quartus.tcl.j2", "#"),
    "{top}_litex.py": ("litex.py.j2", "#"),
    "{top}.vhd": ("component.vhd.j2", "--"),
    "datasheet.md": ("datasheet.md.j2", "<!--"),
}
"""Files that are rendered from a template: name, template, what starts a comment."""


def core_files(prepared: Prepared) -> dict[str, str]:
    """The files of one core by name: Verilog, request, certificate, schedule."""
    return {
        f"{prepared.top}.v": core_verilog(prepared),
        "request.yaml": f"# {LICENSE}\n" + yaml.safe_dump(prepared.request.to_mapping(), sort_keys=False),
        "certificate.json": json_text({LICENSE_KEY: "CC0-1.0"} | _certificate(prepared)),
        "schedule.json": json_text({LICENSE_KEY: "CC0-1.0"} | prepared.schedule.to_json()),
    }


def _certificate(prepared: Prepared) -> JsonObject:
    return {
        "made_by": command_of(prepared.request),
        "modwright": __version__,
        "digest": prepared.digest,
        "contract": contract(prepared),
        "parameters": prepared.parameters.describe(),
        "certificate": prepared.parameters.certificate.to_json(),
    }


def package_files(prepared: Prepared, *, theorem: bool = False) -> dict[str, str]:
    """Every file of a package by name; with `theorem`, its log and the checker too.

    Raises
    ------
    UsageError
        With `theorem`, where it is not proved.
    """
    registers = register_map(prepared)
    top = prepared.top
    vectors = golden(prepared)
    files = core_files(prepared) | cells(prepared)
    files |= {f"{top}_{bus}.v": wrapper_verilog(prepared, bus) for bus in BUSES}
    files |= _vector_files(prepared, vectors)
    files |= {
        f"{top}.rdl": header(prepared) + system_rdl(registers),
        f"{top}_registers.h": _c_comment(prepared) + c_header(registers),
        f"{top}.xml": _after_first_line(ip_xact(registers), header(prepared, "<!--")),
    }
    if (described := description(prepared)) is not None:
        files |= {f"{top}_core.c": _c_comment(prepared) + described}
    files |= {name: source(name) for name in SOURCES}
    files["LICENSE.driver"] = source("LICENSE.driver")
    files |= theorem_files(prepared) if theorem else {}
    names = sorted([*files, *(name.format(top=top) for name in TEMPLATES), "README.md"])
    context = _context(prepared, registers, vectors, names)
    for name, (template, comment) in {**TEMPLATES, "README.md": ("readme.md.j2", "<!--")}.items():
        files[name.format(top=top)] = _rendered(prepared, template, comment, context)
    return dict(sorted(files.items()))


def _vector_files(prepared: Prepared, vectors: Sequence[Vector]) -> dict[str, str]:
    """Vectors for a person (JSON), and for `$readmemh`."""
    p, top = prepared.parameters, prepared.top
    rows = [{"case": v.case, "operands": v.operands, "result": v.result, "cycles": v.cycles} for v in _in_hex(vectors)]
    document = {LICENSE_KEY: "CC0-1.0", "made_by": command_of(prepared.request), "digest": prepared.digest}
    document |= {"contract": contract(prepared), "vectors": rows}
    return {
        "vectors.json": json_text(document),
        f"{top}_i.hex": header(prepared) + _memory(p.i, [v.operands for v in vectors]),
        f"{top}_o.hex": header(prepared) + _memory(p.o, [v.result for v in vectors]),
        f"{top}_cycles.hex": header(prepared) + "".join(f"{v.cycles:08x}\n" for v in vectors),
    }


def _in_hex(vectors: Sequence[Vector]) -> list[Vector]:
    def text(value: object) -> Any:
        if isinstance(value, dict):
            return {name: text(inner) for name, inner in value.items()}
        if isinstance(value, tuple):
            return [text(inner) for inner in value]
        return hex(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return [Vector(text(v.case), text(v.operands), text(v.result), v.cycles) for v in vectors]


def _memory(payload: Payload, values: Sequence[dict[str, PayloadValue]]) -> str:
    digits = -(-payload.width // 4)
    return "".join(f"{payload.pack(value):0{digits}x}\n" for value in values)


def _c_comment(prepared: Prepared) -> str:
    lines = [*origin(prepared), *contract(prepared)]
    return "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def _after_first_line(text: str, inserted: str) -> str:
    first, _, rest = text.partition("\n")
    return f"{first}\n{inserted}{rest}"


def _context(prepared: Prepared, registers: RegisterMap, vectors: Sequence[Vector], names: Sequence[str]) -> JsonObject:
    p, schedule, request = prepared.parameters, prepared.schedule, prepared.request
    return {
        "top": prepared.top,
        "core": prepared.core,
        "request": request,
        "version": __version__,
        "digest": prepared.digest,
        "command": command_of(request),
        "contract": contract(prepared),
        "i": p.i,
        "o": p.o,
        "registers": registers,
        "table": table(registers),
        "certificate": p.certificate.to_json(),
        "parameters": plain(p.describe()),
        "schedule": schedule,
        "means": _means(prepared),
        "modulus": p.modulus,
        "vectors": len(vectors),
        "patience": 2 * (schedule.latency + schedule.interval) + 1000,
        "buses": BUSES,
        "cells": sorted(cells(prepared)),
        "stems": [Path(name).stem for name in sorted(cells(prepared))],
        "files": names,
        "mhz": CLOCKS_MHZ[request.target],
        "period": 1000 / CLOCKS_MHZ[request.target],
        "described": f"{prepared.top}_core.c" in names,
    }


def _means(prepared: Prepared) -> dict[str, str]:
    """Means of latency and interval in words, with a comma in front; nothing where they do not vary."""
    if prepared.schedule.constant_time:
        return {"latency": "", "interval": ""}
    found = {"latency": prepared.mean_latency, "interval": prepared.pace.mean}
    return {
        name: f", mean {NOT_KNOWN if mean is None else f'{float(mean):,.1f} cycles over random operands'}"
        for name, mean in found.items()
    }


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(
            lambda name: (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
        ),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _rendered(prepared: Prepared, template: str, comment: str, context: JsonObject) -> str:
    head = header(prepared, comment)
    text = _environment().get_template(template).render(context)
    if template == "fusesoc.core.j2":  # CAPI2 wants its name in the first line
        return _after_first_line(text, head)
    return in_ascii(head + text) if comment == "--" else head + text


_SIGNS = str.maketrans(
    {"·": "*", "≡": "=", "²": "^2", "³": "^3", "⁴": "^4", "≤": "<=", "≥": ">=", "≠": "/=", "±": "+-", "∓": "-+"}
)


def in_ascii(text: str) -> str:
    """Signs in ASCII, letters by their names and without their accents: VHDL-93 has no others, even in comments."""
    plain = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    letters = (c for c in plain if not unicodedata.combining(c))
    return "".join(c if c.isascii() else unicodedata.name(c, "sign").split()[-1].lower() for c in letters)
