# SPDX-License-Identifier: Apache-2.0
"""Synthesis: Verilog that is none, projects and records that are damaged, cells that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import Case

CSA = ("synth", "modmul/csa", "-O", "bits=8")
GOOD = "module m(input clk, input a, output reg z); always @(posedge clk) z <= a; endmodule\n"
RTL = ("synth", "--rtl", "a.v", "--top", "m")
IMPORT = ("synth", "--import", "project")

SOURCES: dict[str, str | bytes] = {
    "empty": "",
    "no Verilog": "this is no Verilog\n",
    "a module that is open": "module m(input clk",
    "another module": GOOD.replace("module m", "module n"),
    "no clock": GOOD.replace("clk", "ck"),
    "an output called clk": "module m(output clk); assign clk = 0; endmodule\n",
    "an instance of nobody": "module m(input clk); nobody n(.a(clk)); endmodule\n",
    "an include of nobody": '`include "nobody.vh"\n' + GOOD,
    "bytes": bytes(range(256)),
    "no UTF-8": b"// \xff\nmodule m(input clk); oops endmodule\n",
    "zeros": bytes(100),
    "a statement of nobody": GOOD.replace("z <= a", "z <= nobody(a)"),
}

WORDS: dict[str, tuple[str, ...]] = {
    "no top": ("synth", "--rtl", "a.v"),
    "an empty top": ("synth", "--rtl", "a.v", "--top", ""),
    "a top of two words": ("synth", "--rtl", "a.v", "--top", "m; shell rm"),
    "a long top": ("synth", "--rtl", "a.v", "--top", "m" * 5000),
    "no file": ("synth", "--rtl", "missing.v", "--top", "m"),
    "a folder": ("synth", "--rtl", "folder", "--top", "m"),
    "a long name": ("synth", "--rtl", "a" * 300 + ".v", "--top", "m"),
    "zeros without end": ("synth", "--rtl", "/dev/zero", "--top", "m"),
    "an empty name": ("synth", "--rtl", "", "--top", "m"),
    "a core and a file": (*CSA, "--rtl", "a.v"),
    "an empty clock": (*RTL, "--clock", ""),
    "a clock of two words": (*RTL, "--clock", "a b"),
    "a parameter without a value": (*RTL, "--parameter", "N"),
    "a parameter of nobody": (*RTL, "--parameter", "N=3"),
    "a parameter of code": (*RTL, "--parameter", "N=3; shell rm"),
    "a parameter given twice": (*RTL, "--parameter", "N=3", "--parameter", "N=4"),
    "a long parameter": (*RTL, "--parameter", "N=" + "3" * 100_000),
    "no cycles": (*RTL, "--cycles", "0"),
    "many cycles": (*RTL, "--cycles", "9" * 40),
    "no interval": (*RTL, "--interval", "0"),
    "many cycles between": (*RTL, "--interval", "9" * 400),
    "a target of nobody": (*RTL, "-t", "vax"),
    "a channel of Verilog": (*RTL, "--channel"),
    "a field of Verilog": (*RTL, "-f", "P-256"),
    "cells that are missing": (*CSA, "-t", "asic", "--liberty", "missing.lib"),
    "cells that are empty": (*CSA, "-t", "asic", "--liberty", "empty.lib"),
    "cells of bytes": (*CSA, "-t", "asic", "--liberty", "bytes.lib"),
    "cells that are open": (*CSA, "-t", "asic", "--liberty", "open.lib"),
    "cells without an inverter": (*CSA, "-t", "asic", "--liberty", "none.lib"),
    "cells 100000 deep": (*CSA, "-t", "asic", "--liberty", "deep.lib"),
    "gates without cells": (*CSA, "-t", "asic", "--clock-gates"),
    "latches without cells": (*CSA, "-t", "asic", "--latches"),
    "a weight below 0": (*CSA, "--place", "--timing-weight", "-1"),
    "a large weight": (*CSA, "--place", "--timing-weight", "9" * 400),
    "a part of two lines": (*CSA, "-t", "xc7", "--vivado", "out", "--part", "x\ny"),
    "a period of nothing": (*CSA, "-t", "xc7", "--vivado", "out", "--freq", "nan"),
    "a period without end": (*CSA, "-t", "xc7", "--vivado", "out", "--freq", "inf"),
    "a project of nobody": ("synth", "--import", "missing"),
    "a project that is a file": ("synth", "--import", "a.v"),
    "a project with an empty name": ("synth", "--import", ""),
    "a project with a long name": ("synth", "--import", "p" * 300),
    "an import and a core": ("synth", "modmul/csa", "--import", "folder"),
}

MANIFESTS: dict[str, str | bytes] = {
    "empty": "",
    "a list": "[]",
    "open": "{",
    "bytes": bytes(range(256)),
    "deep": "[" * 100_000,
    "no period": "{}",
    "a period that is a text": '{"period_ns": "5"}',
    "a period of zero": '{"period_ns": 0}',
    "a period that is no number": '{"period_ns": NaN}',
    "a period without end": '{"period_ns": Infinity}',
    "a period of 400 digits": '{"period_ns": ' + "9" * 400 + "}",
    "a period of 5000 digits": '{"period_ns": ' + "9" * 5000 + "}",
}

RECORD: dict[str, Any] = {
    "format": "modwright-rtl/1", "rtl": "m", "target": "ecp5", "sha256": "0" * 64, "lut": 1, "ff": 1, "dsp": 0,
    "bram": 0,     "nand2": None, "cycles": 3, "interval": 1, "fmax_mhz": None, "place_and_route": "not run",
}  # fmt: skip

RECORDS: dict[str, str | bytes] = {
    "empty": "",
    "a list": "[]",
    "open": "{",
    "bytes": bytes(range(256)),
    "deep": "[" * 100_000,
    "no record": "{}",
    **{
        f"a record whose {key} is {name}": json.dumps(RECORD | {key: value})
        for key, value, name in (
            ("format", 5, "a number"), ("rtl", None, "null"), ("rtl", ["m"] * 9999, "a list"),
            ("target", "vax", "nobody"),
            ("sha256", 5, "a number"), ("cycles", 0, "zero"), ("cycles", "3", "a text"), ("cycles", 10**40, "large"),
            ("interval", -1, "negative"), ("lut", -1, "negative"), ("lut", True, "true"), ("lut", 1.5, "a fraction"),
            ("fmax_mhz", 0, "zero"), ("fmax_mhz", float("nan"), "no number"), ("fmax_mhz", 10**400, "large"),
            ("place_and_route", 5, "a number"), ("place_and_route", [], "a list"),
        )
    },
    "a decimal of 5000 digits": '{"cycles": ' + "9" * 5000 + "}",
}  # fmt: skip


def _write(folder: Path) -> None:
    (folder / "a.v").write_text(GOOD)
    (folder / "folder").mkdir()
    (folder / "empty.lib").write_text("")
    (folder / "bytes.lib").write_bytes(bytes(range(256)))
    (folder / "open.lib").write_text("library (x) { cell (INV) {")
    (folder / "none.lib").write_text("library (x) { cell (AND) { area : 1; } }\n")
    (folder / "deep.lib").write_text("a (b) {" * 100_000)


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for number, (name, text) in enumerate(SOURCES.items()):
        yield Case(f"Verilog: {name}", RTL, files={"a.v": text}, quick=number % 6 == 0, seconds=90)
    for name, words in WORDS.items():
        yield Case(f"words: {name}", words, before=_write)
    for name, text in MANIFESTS.items():
        yield Case(f"a project: {name}", IMPORT, files={"project/modwright.json": text})
    yield Case("a project: no reports", IMPORT, files={"project/modwright.json": '{"period_ns": 5}'})
    for name, text in RECORDS.items():
        words = ("compare", "--function", "modmul", "--bits", "8", "--rtl", "mine=r.json")
        yield Case(f"a row: {name}", words, files={"r.json": text})
