# SPDX-License-Identifier: Apache-2.0
"""Cycles of RSA's private operation on each kind of exponentiator, from their schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..base.json import JsonValue
from ..base.table import Table
from ..contract.request import Request
from ..pages.datasheet import count
from ..prepared import prepare
from ..prepared.registry import find

KEYS = (1024, 2048)
"""Bits of the keys of the table."""


@dataclass(frozen=True)
class Exponentiator:
    """A way to do both halves of a private operation.

    Parameters
    ----------
    multiplier : str
        Multiplier of a window exponentiator.
    cores : int
        Cores, each with one half; one has both, in turn where its schedule has a burst of two.
    options : mapping
        Options of the exponentiator.
    """

    multiplier: str
    cores: int = 1
    options: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def cycles(self, key_bits: int) -> int:
        """Cycles of both halves of a private operation on ECP5."""
        core, half = find(f"modexp/{self.multiplier}-window"), key_bits // 2
        options = {**self.options, "bits": half, "exponent_bits": half}
        schedule = prepare(core, Request.make(core, target="ecp5", options=options)).schedule
        return schedule.latency + (schedule.burst_distance if schedule.burst > 1 else 0)

    @property
    def named(self) -> str:
        """The multiplier and its options."""
        return " ".join((f"`{self.multiplier}`", *(f"`{name}={value}`" for name, value in self.options.items())))


EXPONENTIATORS = (
    Exponentiator("booth8-csa", 2),
    Exponentiator("booth8-csa", options={"interleave": 2}),
    Exponentiator("orup-dsp", 2),
    Exponentiator("orup-interleaved", options={"slots": 2}),
    Exponentiator("orup-interleaved", options={"slots": 2, "constants": "stream"}),
    Exponentiator("rns-kbe-runtime", options={"slots": 2}),
    Exponentiator("rns-hbe-runtime", options={"slots": 2, "width": 18, "c": 4}),
)
"""Rows of the table: carry-save, blocks, and residues."""


@cache
def rsa_table() -> Table:
    """Cycles of both halves, and of one of two halves, by key length; it depends on no record, and is made once."""
    lines: list[Sequence[str]] = []
    for way in EXPONENTIATORS:
        both = [way.cycles(bits) for bits in KEYS]
        shares = [cycles * way.cores / 2 for cycles in both]
        cells = [cell for pair in zip(both, shares, strict=True) for cell in pair]
        lines.append((way.named, str(way.cores), *(count(round(cell)) for cell in cells)))
    headings = [f"RSA-{bits}, {what}" for bits in KEYS for what in ("both halves", "core cycles a half")]
    return Table.of(("multiplier", "cores", *headings), lines, {"multiplier"})
