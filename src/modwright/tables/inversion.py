# SPDX-License-Identifier: Apache-2.0
"""Cycles of modular inversion by algorithm and field: from passes that campaigns counted, and as simulated.

Passes of the plus-minus cores are those of bench/statistics/; the cycles of a pass are the schedule's, which every
simulation holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache

from ..base.json import JsonMapping
from ..base.table import Table
from ..catalog import resolve_modulus
from ..contract.request import Request
from ..cores.modinv.plus_minus.schedule import parts_of
from ..cores.rns.processor.parameters import ProcessorParameters
from ..cores.rns.processor.schedule import parts_in
from ..engines.plus_minus import BTMI, FUSED
from ..measurement import bench_folder
from ..pages.datasheet import figure
from ..papers.machine import ALONE, CLAIM, GOAL, KINDS, Machine, machines
from ..papers.machine import WIDTH as OF_MACHINE
from ..papers.radices import NAMES, OF_FUSED, SAMPLES, exhausted, sampled
from ..prepared.registry import find
from ..report.evidence import NOT_RUN

FIELDS = {192: "P-192", 256: "P-256", 384: "P-384", 521: "P-521"}
WIDTH = 20
"""Bits of a channel, but for Figure 1."""
WIDTHS = (17, 20, 22, 24, 29, 33, 36)
"""Widths of Figure 1: those of the paper's Table II."""
CORES = {
    "FLT": "modinv/rns-flt",
    "BMI": "modinv/rns-bmi",
    "BTMI": "modinv/rns-btmi",
    "fused": "modinv/rns-btmi-fused",
    "divsteps": "modinv/rns-divstep",
    "binary divsteps": "modinv/binary-divstep",
}


@cache
def passes(name: str, bits: int) -> JsonMapping | None:
    """The record of a campaign, None where none was run."""
    path = bench_folder() / "statistics" / f"{name.partition('/')[2]}-{FIELDS[bits].lower()}" / "statistics.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


@cache
def cycles(name: str, bits: int, width: int = WIDTH) -> float | None:
    """Mean cycles of an operation; None where the passes were not counted."""
    core = find(name)
    options = {"width": width} if any(option.name == "width" for option in core.options) else {}
    p = core.derive(Request.make(core, field=FIELDS[bits], target="generic", options=options))
    schedule = core.schedule(p)
    if schedule.constant_time:
        return float(schedule.latency)
    counted = passes(name, bits)
    if counted is None:
        return None
    parts = parts_of(p)
    return parts.cycles(0) + counted["measured"]["mean"] * parts.turn_cycles


def operations(name: str, bits: int, n: int) -> tuple[float, float] | None:
    """EMM and EMA of n channels: a pass takes 2n of both, and a plus-minus step 2n additions more."""
    counted = passes(name, bits)
    if counted is None:
        return None
    steps = next(row["measured"]["mean"] for row in counted["also"] if row["statistic"].startswith("plus-minus"))
    products = 2 * n * counted["measured"]["mean"]
    return products, products + 2 * n * steps


def cycle_table(rows: Iterable[JsonMapping]) -> Table:
    """Mean cycles by campaign and by simulation, whose rows are those of bench/inversion.json."""
    simulated = {(row["core"], row["bits"]): row for row in rows}
    lines: list[Sequence[str]] = []
    for label, name in CORES.items():
        cells = []
        for bits in FIELDS:
            found = cycles(name, bits)
            cells.append(NOT_RUN if found is None else figure(found, 0))
        for bits in FIELDS:
            row = simulated.get((name, bits))
            cells.append(NOT_RUN if row is None else figure(row["mean"], 0))
        constant = find(name).statistic is None
        lines.append((label, f"`{name}`", "yes" if constant else "NO", *cells))
    headings = ("algorithm", "core", "constant latency", *(f"{bits} bits" for bits in FIELDS))
    headings += tuple(f"{bits}, simulated" for bits in FIELDS)
    return Table.of(headings, lines, {"algorithm", "core", "constant latency"})


_NAMES = {"bmi": "BMI", "btmi": "BTMI"}
"""Algorithms with a name of the paper."""
_PLACES = {"logic": "LUTs", "blocks": "block RAMs"}
"""Where the constants and stored results of rowers are, in words."""


def machine_table() -> Table:
    """LUTs of multiplier, multiplier and inversion, and inversion alone."""
    headings = (
        "bits",
        "family",
        "tables of rowers in",
        "multiplier",
        *(f"with {_NAMES.get(kind, kind)}" for kind in KINDS),
    )
    headings += ("BTMI over BMI", "BTMI alone", "multiplier blocks", "block RAMs", "MHz, multiplier", "MHz, with BTMI")
    lines = [_line(machine) for machine in machines()]
    reached = [m for m in machines() if (over := m.over("btmi")) is not None and over <= GOAL]
    below = [
        f"Goal of this project: BTMI ≤ {GOAL} % over the multiplier; reached in {len(reached)} of "
        f"{sum('btmi' in m.rows for m in machines())} rows. The paper's ≤ {CLAIM} % is BTMI over BMI.",
        "Clock rates: placed and routed for LFE5U-85F, the median over the seeds; – where it was not.",
    ]
    return Table.of(headings, lines, {"family", "tables of rowers in"}, below=below)


def _line(machine: Machine) -> Sequence[str]:
    every = [_count(machine.count(ALONE, "lut"))]
    for kind in KINDS:
        more = machine.over(kind)
        every.append(_count(machine.count(kind, "lut")) + ("" if more is None else f" (+{more:.1f} %)"))
    ratio, inverter = machine.over("btmi", base="bmi"), machine.inverter
    every.append("–" if ratio is None else f"{ratio:+.1f} %")
    every.append(_count(None if inverter is None else inverter.resources["lut"]))
    every += [_change(machine, "dsp"), _change(machine, "bram")]
    rates = [machine.rows[kind].clock_rate if kind in machine.rows else None for kind in (ALONE, "btmi")]
    return (str(machine.bits), machine.target, _PLACES[machine.tables], *every, *(figure(rate) for rate in rates))


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _change(machine: Machine, unit: str) -> str:
    """Blocks of the multiplier, and of BTMI with it."""
    return f"{_count(machine.count(ALONE, unit))}, {_count(machine.count('btmi', unit))}"


def machine_cycles() -> Table:
    """Cycles of one machine with local rowers: products, and mean cycles of inversions by the passes of campaigns."""
    core, lines = find("rns/processor"), []
    for bits, field in FIELDS.items():
        cells: list[str] = []
        for kind, counted in (("bmi", "BMI"), ("btmi", "BTMI"), ("fused", "fused"), ("divstep", "")):
            options = {"inversion": kind, "width": OF_MACHINE}
            p = core.derive(Request.make(core, field=field, target="ecp5", options=options))
            assert isinstance(p, ProcessorParameters)
            schedule = core.schedule(p)
            parts = parts_in(schedule)
            cells = cells or [figure(parts.product, 0)]
            if not counted:
                cells.append(figure(schedule.latency, 0))
                continue
            record = passes(CORES[counted], bits)
            turn = parts.inversion(1) - parts.inversion(0)
            mean = None if record is None else parts.inversion(0) + record["measured"]["mean"] * turn
            cells.append(NOT_RUN if mean is None else figure(mean, 0))
        lines.append((str(bits), *cells))
    return Table.of(("bits", "product", "BMI", "BTMI", "fused", "divsteps, constant latency"), lines)


SMALL_PRIME = 4093
"""Prime whose every operand is counted: the largest of 12 bits."""
WITH_PASS = {"2, 3": BTMI, OF_FUSED: FUSED}
"""Radices that a core has, whose number of passes has a proved bound."""


def radix_table() -> Table:
    """Passes of the plus-minus inversion by the primes that it divides by, and what a pass needs for them."""
    p, lines = resolve_modulus("P-256").value, []
    for name in NAMES:
        found, every, kind = sampled(name, p), exhausted(name, SMALL_PRIME), WITH_PASS.get(name)
        bound = "–" if kind is None else f"{kind.most_passes(p.bit_length()):,}"
        row = (name, figure(found.steps, 1), figure(found.divisions, 1), figure(found.passes, 1), str(found.most))
        lines.append((*row, bound, str(every.most), figure(_at_pass_of_btmi(found.passes), 0)))
        lines[-1] += (str(found.constants), str(found.small))
    headings = ("divisions by", "plus-minus steps", "divisions alone", "passes, mean", f"passes, most of {SAMPLES}")
    headings += ("passes, proved bound", f"passes, most of all at P = {SMALL_PRIME}", "cycles at a pass of BTMI")
    return Table.of((*headings, "constants of a rower", "residues modulo"), lines, {"divisions by"})


def _at_pass_of_btmi(passes: float) -> float:
    """Cycles of a mean number of passes, each as long as one of `rns-btmi`."""
    core = find(CORES["BTMI"])
    request = Request.make(core, field=FIELDS[256], target="generic", options={"width": WIDTH})
    parts = parts_of(core.derive(request))
    return parts.cycles(0) + passes * parts.turn_cycles
