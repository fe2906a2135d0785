# SPDX-License-Identifier: Apache-2.0
"""Gate formulas of the paper on carry-save multipliers in the cells of three open libraries, next to measured cores.

    python bench/formulas.py              map and time every formula, and render the table of docs/gates.md
    python bench/formulas.py --render     only the table
    python bench/formulas.py --check      exit code 1 when the table is stale

Table V of the paper has a critical path such as 3 T_FA + T_XOR2 and an area such as 2n A_FA + 9n A_Reg for each
design. A path is built as it is printed: these gates, bit by bit, between two registers, and nothing else. Libraries
are found as by `bench/gates.py`. The record is bench/gates/formulas.json.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence

import gates
from endings import exit_code
from generated import write_or_check
from modwright.base.errors import ToolMissingError
from modwright.base.json import JsonMapping, JsonObject
from modwright.base.store import default_store, whole_file
from modwright.base.table import Table, as_markdown
from modwright.pages.datasheet import figure
from modwright.report.evidence import NOT_RUN
from modwright.synthesize import NotPlaced, read_library
from modwright.synthesize import gates as mapped
from modwright.synthesize.static_timing import STA

RECORD = gates.ROOT / "bench" / "gates" / "formulas.json"
TABLE = gates.ROOT / "bench" / "paper" / "rezai-2015-table-5.json"

BITS = 16
"""Bits of a word between the registers; a path is the slowest of them."""
WIDTH = gates.BITS
"""Bits n for which areas are evaluated."""
MEASURED = ("modmul/csa", "modmul/csa-high-radix", "modmul/booth4-csa", "modmul/booth8-csa", "modmul/vlm3")
"""Cores next to the formulas; the last one is the paper's own."""

OPERANDS = {"FA": 1, "XOR2": 1, "AND2": 1, "Mux2": 1, "Mux3": 2, "Mux4": 3}
"""Words beside the one that passes through, by element."""
_SAME = {"AND": "AND2", "XOR": "XOR2"}
"""Names that the table has for one element."""

_REGION = re.compile(r"(<!-- table: formulas -->\n).*?(<!-- end -->)", re.DOTALL)


# --- formulas


def elements_of(path: str) -> tuple[str, ...] | None:
    """Elements of a critical path in the order printed; None for what is not a sum of them."""
    found = list[str]()
    for term in path.split(" + "):
        match = re.fullmatch(r"(?:(\d+) )?T_(\w+)", term)
        if match is None or _named(match[2]) not in OPERANDS:
            return None
        found += [_named(match[2])] * int(match[1] or 1)
    return tuple(found)


def counts_of(area: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """Elements of an area for each bit, and what the table does not say how to build."""
    known, unknown = dict[str, int](), list[str]()
    for count, name in re.findall(r"(?:(\d*)n )?A_(\w+)", area):
        element = _named(name)
        if element in OPERANDS or element == "Reg":
            known[element] = known.get(element, 0) + int(count or 1)
        else:
            unknown.append(name)
    return known, tuple(unknown)


def _named(name: str) -> str:
    return _SAME.get(name, name)


# --- circuits


def circuit(elements: Sequence[str]) -> str:
    """Verilog of a path: words `s` and `c`, carries, go through the elements; any other input has its own register."""
    lines = ["reg [W-1:0] s0, c0; always @(posedge clk) begin s0 <= s; c0 <= c; end"]
    ports = ["input clk", "input [W-1:0] s", "input [W-1:0] c", "output reg [W-1:0] zs", "output reg [W-1:0] zc"]
    for level, element in enumerate(elements):
        count = OPERANDS[element] + (element.startswith("Mux") and 2)
        names = [f"r{level}_{k}" for k in range(count)]
        ports += [f"input [W-1:0] i{name}" for name in names]
        lines += [f"reg [W-1:0] {name}; always @(posedge clk) {name} <= i{name};" for name in names]
        lines += _level(level, element, names)
    last = len(elements)
    lines.append(f"always @(posedge clk) begin zs <= s{last}; zc <= c{last}; end")
    head = f"module path #(parameter W = {BITS}) ({', '.join(ports)});"
    return "\n".join((head, *lines, "endmodule", ""))


def _level(level: int, element: str, names: Sequence[str]) -> Iterator[str]:
    """Words behind an element: full adders give carries to the next bit, those of the top one to bit 0."""
    s, c, after = f"s{level}", f"c{level}", level + 1
    carries = c
    if element == "FA":
        word = f"{s} ^ {c} ^ {names[0]}"
        yield f"wire [W-1:0] m{after} = ({s} & {c}) | (({s} ^ {c}) & {names[0]});"
        carries = f"{{m{after}[W-2:0], m{after}[W-1]}}"
    elif element in ("XOR2", "AND2"):
        word = f"{s} {'^' if element == 'XOR2' else '&'} {names[0]}"
    else:
        word = _choice(s, names)
    yield f"wire [W-1:0] s{after} = {word};"
    yield f"wire [W-1:0] c{after} = {carries};"


def _choice(s: str, names: Sequence[str]) -> str:
    """A multiplexer of `s` and the first words by the last two, bit by bit."""
    *words, low, high = names
    chosen = f"(({words[0]} & {low}) | ({s} & ~{low}))"
    if len(words) == 1:
        return chosen
    others = words[1] if len(words) == 2 else f"(({words[2]} & {low}) | ({words[1]} & ~{low}))"
    return f"(({others} & {high}) | ({chosen} & ~{high}))"


# --- measurement


def measured(name: str, paths: Sequence[tuple[str, ...]]) -> JsonObject:
    """Delays of paths in ns and areas of elements in NAND2, in the cells of a library."""
    library, _ = read_library(name)
    store = default_store()

    def mapped_path(elements: Sequence[str]) -> tuple[float, float | None]:
        resources, timing = mapped(circuit(elements), "path", library, store=store)
        assert resources.nand2 is not None
        return resources.nand2, None if isinstance(timing, NotPlaced) else float(timing.critical_path["delay_ns"])

    empty = mapped_path(())[0]
    register = empty / (4 * BITS)  # s, c and what is behind them
    areas = {"Reg": register}
    for element, operands in OPERANDS.items():
        registers = operands + (2 if element.startswith("Mux") else 0)
        areas[element] = (mapped_path((element,))[0] - empty) / BITS - _kept(element, registers) * register
    return {
        "files": gates.digests(name),
        "areas": {element: round(area, 2) for element, area in areas.items()},
        "paths": {" + ".join(path): mapped_path(path)[1] for path in paths},
    }


def _kept(element: str, registers: int) -> int:
    """Registers of an element that are left: a choice of two has no use for its second select."""
    return registers - (element == "Mux2")


# --- the table


def designs() -> list[tuple[str, str, str]]:
    """Design, critical path and area of each row."""
    document = json.loads(TABLE.read_text(encoding="utf-8"))
    at = [document["columns"].index(name) for name in ("design", "critical path", "area")]
    return [(row[at[0]], row[at[1]], row[at[2]]) for row in document["rows"]]


def rows(record: JsonMapping, cores: Mapping[str, JsonMapping]) -> Iterator[tuple[str, ...]]:
    """A row for each design, then one for each core."""
    for design, path, area in designs():
        elements = elements_of(path)
        delays = [_delay(record.get(name), elements) for name in gates.LIBRARIES]
        yield (design, path, *delays, *(_area(record.get(name), area) for name in gates.LIBRARIES))
    for core in MEASURED:
        rates = cores.get(f"{core} {WIDTH}", {"libraries": {}})["libraries"]
        delays = [figure(1e3 / rates[name]["fmax_mhz"], 3) if name in rates else NOT_RUN for name in gates.LIBRARIES]
        areas = [figure(rates[name]["nand2"] / 1e3) if name in rates else NOT_RUN for name in gates.LIBRARIES]
        yield (f"`{core}`, {WIDTH} bits", "measured, the whole core", *delays, *areas)


def _delay(library: JsonMapping | None, elements: tuple[str, ...] | None) -> str:
    if elements is None:
        return "–"
    return NOT_RUN if library is None else figure(library["paths"][" + ".join(elements)], 3)


def _area(library: JsonMapping | None, area: str) -> str:
    known, unknown = counts_of(area)
    if not known:
        return "–"
    if library is None:
        return NOT_RUN
    total = sum(count * library["areas"][element] for element, count in known.items()) * WIDTH / 1e3
    return ("> " if unknown else "") + figure(total)


HEADS = (
    "design",
    "critical path",
    *(f"{name}, ns" for name in gates.LIBRARIES),
    *(f"{name}, kGE" for name in gates.LIBRARIES),
)


def load() -> JsonObject:
    """The record by library."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def page(record: JsonMapping) -> str:
    """docs/gates.md with the table."""
    table = as_markdown(Table.of(HEADS, rows(record, gates.load()), ("design", "critical path")))
    text = gates.PAGE.read_text(encoding="utf-8")
    return _REGION.sub(lambda match: f"{match[1]}\n{table.rstrip()}\n\n{match[2]}", text)


def run(given: argparse.Namespace) -> int:
    """Measure, render or check; returns the exit code."""
    if not given.render and not given.check:
        if shutil.which(STA) is None:
            raise ToolMissingError("OpenSTA is not installed", "Debian's package opensta")
        paths = sorted({elements for _, path, _ in designs() if (elements := elements_of(path))})
        record = {name: measured(name, paths) for name in gates.LIBRARIES}
        with whole_file(RECORD) as path:
            path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return write_or_check({gates.PAGE: page(load())}, "python bench/formulas.py --render", check=given.check)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, and return the exit code of the `modwright` command, or 1 for what is stale."""
    parser = argparse.ArgumentParser(description="gate formulas in the cells of open libraries")
    for option in ("--render", "--check"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args(arguments)
    codes: list[int] = []
    return exit_code(lambda: codes.append(run(given))) or codes[0]


if __name__ == "__main__":
    sys.exit(main())
