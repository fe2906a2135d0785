# SPDX-License-Identifier: Apache-2.0
"""Cycles of an operation of the delivered driver on a small CPU: `python bench/driver_costs.py`.

The CPU is the model of RV32IM of the tests (`tests/soft_cpu`), by the published cycles of picorv32. The device on its
bus has the registers of the AXI4-Lite wrapper and the latency of the core's schedule. The driver is compiled by clang
with -O2. Each operation runs twice with one modulus, and each result is compared with plain integers.

    python bench/driver_costs.py            render bench/driver_costs.json into docs/integration.md
    python bench/driver_costs.py --check    exit code 1 when the page is stale
    python bench/driver_costs.py --run      measure, write bench/driver_costs.json, and render
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generated import write_or_check
from modwright.base.json import JsonMapping, JsonObject
from modwright.base.store import Store, default_store
from modwright.catalog.points import multiply_point
from modwright.contract.request import Request
from modwright.pages.datasheet import count
from modwright.prepared import prepare
from modwright.prepared.registry import find

ROOT = Path(__file__).parents[1]
PAGE, RECORD = ROOT / "docs" / "integration.md", ROOT / "bench" / "driver_costs.json"
START, END = "<!-- table: driver -->\n", "<!-- end -->"
WORD = 32
"""Bits of a word of the driver."""
_NUMBERS = {"operations of the core": "operations", "cycles in the core": "in the core", "with the driver": "again"}
"""Keys of a record by the heads of their columns."""


@dataclass(frozen=True)
class Operation:
    """One operation, with operands and its result in plain integers.

    Parameters
    ----------
    title : str
        Name of the row.
    core : str
    request : mapping
        What the core is made for, other than its name.
    modulus : int
    operands : mapping of str to int
        By their names in the driver.
    results : tuple of int
        One number, or two coordinates.
    """

    title: str
    core: str
    request: Mapping[str, object]
    modulus: int
    operands: Mapping[str, int]
    results: tuple[int, ...]


def _product(core: str) -> Operation:
    m, x, y = 2**128 - 159, 2**127 + 12345, 2**126 + 678
    request = {"options": {"bits": 128}, "target": "ecp5"}
    return Operation("128-bit product", core, request, m, {"x": x, "y": y}, (x * y % m,))


def _inverse() -> Operation:
    m, a = _P256["p"], 2**255 + 12345
    request = {"field": "P-256"}
    return Operation(
        "inverse modulo the prime of P-256", "modinv/binary-divstep", request, m, {"a": a}, (pow(a, -1, m),)
    )  # fmt: skip


def _power() -> Operation:
    m, base, exponent = 2**1024 - 105, 2**1023 + 12345, 2**1022 + 678
    request = {"options": {"bits": 1024}, "target": "ecp5"}
    operands = {"base": base, "exponent": exponent}
    return Operation(
        "1024-bit exponentiation", "modexp/orup-dsp-window", request, m, operands, (pow(base, exponent, m),)
    )


def _point() -> Operation:
    curve = {name: _P256[name] for name in ("a", "b", "order", "x", "y")}
    k = 2**255 + 12345
    result = multiply_point(k, (curve["x"], curve["y"]), _P256["p"], curve["a"])
    assert result is not None
    return Operation("P-256 point", "ecpm/ladder", {"field": "P-256"}, _P256["p"], {"k": k, **curve}, result)


_P256 = {
    "p": 2**256 - 2**224 + 2**192 + 2**96 - 1,
    "a": 2**256 - 2**224 + 2**192 + 2**96 - 4,
    "b": 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    "order": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "x": 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    "y": 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
}
"""FIPS 186-4, D.1.2.3."""


def operations() -> tuple[Operation, ...]:
    """The rows of the table."""
    return _product("modmul/r64"), _product("modmul/orup-dsp"), _inverse(), _power(), _point()


def measure(operation: Operation, store: Store) -> JsonObject:
    """Run one operation twice; its cycles, and SystemExit when a result is wrong."""
    sys.path.append(str(ROOT))  # the soft CPU is part of the tests
    from tests.soft_cpu import System

    core = find(operation.core)
    prepared = prepare(
        core, Request.from_mapping(core, {"core": operation.core, "target": "generic", **operation.request}), store
    )
    words = -(-operation.modulus.bit_length() // WORD)
    with tempfile.TemporaryDirectory() as folder:
        system = System(prepared, Path(folder))
        first, again = (system(words, operation.modulus, **operation.operands) for _ in range(2))
    for status, found, _, _ in (first, again):
        if (status, tuple(found[: len(operation.results)])) != (0, operation.results):
            raise SystemExit(f"error: {operation.title} on {operation.core}: status {status}, result {found}")
    operations, rest = divmod(again[3], prepared.schedule.latency)
    assert rest == 0
    return {
        "title": operation.title, "core": operation.core, "operations": operations, "in the core": again[3],
        "first": first[2], "again": again[2],
    }  # fmt: skip


def table(rows: Sequence[JsonMapping]) -> str:
    """The rows in Markdown."""
    heads = ("operation", "core", *_NUMBERS, "times the core", "first with a modulus")
    lines = [f"| {' | '.join(heads)} |", f"|---|---{'|--:' * (len(heads) - 2)}|"]
    for row in rows:
        ratio = f"{row['again'] / row['in the core']:.2f}"
        numbers = (count(row[key]) for key in _NUMBERS.values())
        lines.append(f"| {row['title']} | `{row['core']}` | {' | '.join(numbers)} | {ratio} | {count(row['first'])} |")
    return "\n".join(lines)


def files() -> dict[Path, str]:
    """The page with the table of the record."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    after = rest.split(END, 1)[1]
    return {PAGE: f"{before}{START}\n{table(json.loads(RECORD.read_text(encoding='utf-8')))}\n\n{END}{after}"}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when the page is stale")
    parser.add_argument("--run", action="store_true", help="measure")
    given = parser.parse_args(arguments)
    if given.run:
        store = default_store()
        RECORD.write_text(
            json.dumps([measure(operation, store) for operation in operations()], indent=1) + "\n", encoding="utf-8"
        )
    return write_or_check(files(), "python bench/driver_costs.py", check=given.check)


if __name__ == "__main__":
    raise SystemExit(main())
