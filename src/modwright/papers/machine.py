# SPDX-License-Identifier: Apache-2.0
"""Area of a cox-rower that multiplies: alone, with inversion on it, and of inversion alone, from the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..measurement import Row, rows_of, shipped_records

ALONE = "none"
"""Value of the option `inversion` for the multiplier alone."""
KINDS = ("bmi", "btmi", "fused")
"""Values for passes, by divisors."""
LOGIC, BLOCKS = "logic", "blocks"
"""Values of the option `tables`."""
WIDTH = 17
"""Bits of a channel."""
GOAL, CLAIM = 8, 4
"""Per cent of LUTs that inversion may cost here; and the paper's overhead, of BTMI over BMI with the multiplier."""


@dataclass(frozen=True)
class Machine:
    """Records of one field and device family that differ in nothing but inversion.

    Parameters
    ----------
    bits : int
    target, tables : str
        Device family; where constants and stored results of rowers are.
    rows : mapping of str to Row
        By the option `inversion`.
    inverter : Row or None
        The core that inverts only, by BTMI.
    """

    bits: int
    target: str
    tables: str
    rows: Mapping[str, Row]
    inverter: Row | None

    def count(self, kind: str, unit: str) -> int | None:
        """Cells of a machine, None where it was not measured."""
        return self.rows[kind].resources[unit] if kind in self.rows else None

    def over(self, kind: str, unit: str = "lut", base: str = ALONE) -> float | None:
        """Per cent by which a machine is larger than another."""
        count, least = self.count(kind, unit), self.count(base, unit)
        return None if count is None or not least else (count / least - 1) * 100


def machines() -> list[Machine]:
    """Every machine with a multiplier on record, by family, memory and size."""
    rows = [row for row in rows_of(shipped_records().values()) if row.request["options"].get("width") == WIDTH]
    found: dict[tuple[str, str, int], dict[str, Row]] = {}
    for row in rows:
        options = row.request["options"]
        if row.request["core"] == "rns/processor" and not options.get("registers"):
            key = row.target, options.get("tables", LOGIC), row.bits
            found.setdefault(key, {})[options["inversion"]] = row
    inverters = {(row.target, row.bits): row for row in rows if row.request["core"] == "modinv/rns-btmi"}
    return [
        Machine(bits, target, tables, found[target, tables, bits], inverters.get((target, bits)))
        for target, tables, bits in sorted(found, key=lambda key: (key[0], key[1] == BLOCKS, key[2]))
        if ALONE in found[target, tables, bits]
    ]
