# SPDX-License-Identifier: Apache-2.0
"""Rows of cores in the cells of open libraries, from bench/gates/gates.json, which `python bench/gates.py` writes."""

from __future__ import annotations

from functools import cache

from ..base.json import JsonMapping
from ..report.evidence import NOT_RUN
from ..synthesize.forms import FORMS
from ..synthesize.static_timing import of_opensta
from .places import bench_folder
from .rows import Row, load


@cache
def gate_rows() -> tuple[Row, ...]:
    """Rows of the records that come with Modwright: one for each core, form and library."""
    (records,) = load(bench_folder() / "gates", "gates.json").values()
    return tuple(gate_row(record, library) for record in records.values() for library in record["libraries"])


def gate_libraries() -> tuple[str, ...]:
    """Names of the libraries of these records."""
    return tuple(sorted({row.liberty for row in gate_rows()}))


def gate_row(record: JsonMapping, library: str) -> Row:
    """The row of a record in one of its libraries."""
    rate = record["libraries"][library]
    form = ", ".join(FORMS[name] for name in record["form"])
    latches = f"; {rate['latches']} latches are not counted" if "latches" in rate else ""
    tools = rate["tool"]
    return Row.of(
        {
            "liberty": library,
            "request": record["request"],
            "schedule": record["schedule"],
            "resources": {
                **dict.fromkeys(("lut", "dsp", "bram", "carry", "lutram")),
                **{name: rate[name] for name in ("ff", "nand2")},
                "target": "asic",
                "rules": {"ff": f"flip-flops{latches}", "nand2": "area / that of the smallest NAND2", "form": form},
                "method": f"Yosys and ABC with the cells of {rate['device']}, no wires",
                "tool": {"pyosys": tools["pyosys"]},
            },
            "verilog": {"sha256": record["verilog"]},
            "timing": {**rate, "method": of_opensta(tools["OpenSTA"]), "fmax_median": rate.get("fmax_mhz")},
            "channel_timing": NOT_RUN,
            "tools": tools,
        }
    )
