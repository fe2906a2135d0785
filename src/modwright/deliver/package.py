# SPDX-License-Identifier: Apache-2.0
"""The files of a package: everything that an engineer needs to use a core, made from one request.

The same request gives the same bytes: nothing depends on the date, the host, a path or the order of a set.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from .. import __version__
from ..base.json import JsonObject, plain
from ..bus import RegisterMap, c_header, register_map, system_rdl, table
from ..bus.registers import WORD
from ..contract import Payload, PayloadValue
from ..driver import SOURCES, description, operations, parts, source, unbound
from ..prepared import Prepared
from ..report.evidence import NOT_KNOWN
from .delivery import USUAL, Delivery
from .folder import json_text
from .formats import BASE_ADDRESS, XACT, compatible, rust_samples, templates_of
from .header import LICENSE, command_of, contract, header, origin
from .rendering import rendered
from .tops import Top, tops
from .vectors import Vector, golden
from .verilog import BUSES, cells, core_verilog, wrapper_verilog

if TYPE_CHECKING:
    from .gowin import Harness

CLOCKS_MHZ = {"ecp5": 100, "xc7": 100, "generic": 100, "asic": 100}
"""Clock in the constraints, to be replaced by the user's: no claim about the core."""
LICENSE_KEY = "SPDX-License-Identifier"


def core_files(prepared: Prepared, delivery: Delivery = USUAL) -> dict[str, str]:
    """The files of one core by name: Verilog, request, certificate, schedule."""
    return {
        f"{prepared.top}.v": core_verilog(prepared, delivery),
        "request.yaml": f"# {LICENSE}\n" + yaml.safe_dump(prepared.request.to_mapping(), sort_keys=False),
        "certificate.json": json_text({LICENSE_KEY: "CC0-1.0"} | _certificate(prepared, delivery)),
        "schedule.json": json_text({LICENSE_KEY: "CC0-1.0"} | prepared.schedule.to_json()),
    }


def _certificate(prepared: Prepared, delivery: Delivery) -> JsonObject:
    return {
        "made_by": command_of(prepared.request, delivery),
        "modwright": __version__,
        "digest": prepared.digest,
        "contract": contract(prepared),
        "parameters": prepared.parameters.describe(),
        "certificate": prepared.parameters.certificate.to_json(),
    }


def package_files(prepared: Prepared, delivery: Delivery = USUAL, *, theorem: bool = False) -> dict[str, str]:
    """Every file of a package by name; with `theorem`, its log and the checker too.

    Raises
    ------
    UsageError
        With `theorem`, where it is not proved, or has no log; before any other work.
    """
    files = _theorem(prepared) if theorem else {}
    registers = register_map(prepared)
    top = prepared.top
    vectors = golden(prepared)
    files |= core_files(prepared, delivery) | cells(prepared)
    files |= {f"{top}_{bus}.v": wrapper_verilog(prepared, bus, delivery) for bus in BUSES}
    files |= _vector_files(prepared, delivery, vectors)
    files |= {
        f"{top}.rdl": header(prepared, delivery=delivery) + system_rdl(registers),
        f"{top}_registers.h": _c_comment(prepared, delivery) + c_header(registers),
    }
    if (described := description(prepared)) is not None:
        files |= {f"{top}_core.c": _c_comment(prepared, delivery) + described}
    files |= {name: source(name) for name in SOURCES}
    files["LICENSE.driver"] = source("LICENSE.driver")
    templates = templates_of(prepared, delivery, described=described is not None)
    modules = tops(top, files)
    context = _context(prepared, delivery, registers, vectors, sorted({*files, *templates}))
    context |= {"tops": modules, "gowin": _gowin(modules[0]) if delivery.gowin else None}
    for name, template in templates.items():
        module = next((m for m in modules if m.module == template.module), None)
        head = header(prepared, template.comment, delivery)
        files[name] = rendered(template.name, template.comment, head, context | {"module": module})
    return dict(sorted(files.items()))


def _theorem(prepared: Prepared) -> dict[str, str]:
    from .theorem import theorem_files  # imported here: only this needs the prover

    return theorem_files(prepared)


def _gowin(top: Top) -> Harness:
    from .gowin import harness  # imported here: only this needs what synthesis needs

    return harness(top)


def _vector_files(prepared: Prepared, delivery: Delivery, vectors: Sequence[Vector]) -> dict[str, str]:
    """Vectors for a person (JSON), and for `$readmemh`."""
    p, top = prepared.parameters, prepared.top
    rows = [{"case": v.case, "operands": v.operands, "result": v.result, "cycles": v.cycles} for v in _in_hex(vectors)]
    document = {LICENSE_KEY: "CC0-1.0", "made_by": command_of(prepared.request, delivery), "digest": prepared.digest}
    document |= {"contract": contract(prepared), "vectors": rows}
    return {
        "vectors.json": json_text(document),
        f"{top}_i.hex": header(prepared, delivery=delivery) + _memory(p.i, [v.operands for v in vectors]),
        f"{top}_o.hex": header(prepared, delivery=delivery) + _memory(p.o, [v.result for v in vectors]),
        f"{top}_cycles.hex": header(prepared, delivery=delivery) + "".join(f"{v.cycles:08x}\n" for v in vectors),
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


def _c_comment(prepared: Prepared, delivery: Delivery) -> str:
    lines = [*origin(prepared, delivery), *contract(prepared)]
    return "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def _context(
    prepared: Prepared, delivery: Delivery, registers: RegisterMap, vectors: Sequence[Vector], names: Sequence[str]
) -> JsonObject:
    p, schedule, request = prepared.parameters, prepared.schedule, prepared.request
    return {
        "top": prepared.top,
        "core": prepared.core,
        "request": request,
        "version": __version__,
        "digest": prepared.digest,
        "command": command_of(request, delivery),
        "wiring": delivery.wiring,
        "compatible": compatible(prepared),
        "word_bits": WORD,
        "xact": XACT,
        "base": BASE_ADDRESS,
        "node": prepared.core.function,
        "prefix": prepared.top.upper(),
        "crate": prepared.top,
        "samples": rust_samples(registers, vectors),
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
        "timeout_cycles": 2 * (schedule.latency + schedule.interval) + 1000,
        "buses": BUSES,
        "cells": sorted(cells(prepared)),
        "stems": [Path(name).stem for name in sorted(cells(prepared))],
        "files": names,
        "mhz": CLOCKS_MHZ[request.target],
        "period": 1000 / CLOCKS_MHZ[request.target],
        "described": (described := f"{prepared.top}_core.c" in names),
        "unbound": "" if described else unbound(prepared),
        "calls": operations(prepared.core.function),
        "driver": (f"{prepared.top}_core.c", *parts(prepared.core.function)),
    }


def _means(prepared: Prepared) -> dict[str, str]:
    """Means of latency and interval in words, with a comma in front; empty where they do not vary."""
    if prepared.schedule.constant_time:
        return {"latency": "", "interval": ""}
    found = {"latency": prepared.mean_latency, "interval": prepared.pace.mean}
    return {
        name: f", mean {NOT_KNOWN if mean is None else f'{float(mean):,.1f} cycles over random operands'}"
        for name, mean in found.items()
    }
