# SPDX-License-Identifier: Apache-2.0
"""Clock rates and times that the families aim at on ECP5, next to the records: reached, or which placements were tried.

The aims are of LFE5U-85F, speed grade 6, the core alone, in the median of the seeds. A row that is not reached names
every record of its core, with what limits its clock. Each exponentiator stands next to its multiplier alone, where both
have a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..base.table import Table
from ..measurement import protocol
from ..measurement.rows import Row
from ..pages.datasheet import count, figure
from ..prepared.registry import find
from ..report.evidence import NOT_RUN
from ..report.limits import limit_in_words
from ..synthesize.devices import DEVICES
from .cells import fmax, versions

DEVICE = DEVICES["85k"].part


def _milliseconds(row: Row) -> float | None:
    """Time of all operations of a burst."""
    time = row.time(float(row.pace.least) * row.burst)
    return None if time is None else time / 1e6


SHARE = 0.95
"""Least clock rate of an exponentiator, as a share of that of its multiplier alone."""


@dataclass(frozen=True)
class Measure:
    """A figure of a row, how it is written, and whether more is better."""

    of: Callable[[Row], float | None]
    written: Callable[[float], str]
    more: bool = False


MHZ, ALONE, IN_TURN, BLOCKS, MICROSECONDS, BURST = "MHz", "ns alone", "ns in turn", "DSP × interval", "µs", "ms a pair"
PLACED = "a clock rate"
"""Aim without a limit: the core is placed at all."""
FIGURES: Mapping[str, Measure] = {
    MHZ: Measure(lambda r: r.clock_rate, figure, more=True),
    PLACED: Measure(lambda r: r.clock_rate, figure, more=True),
    ALONE: Measure(lambda r: r.latency_ns, figure),
    IN_TURN: Measure(lambda r: r.interval_ns, figure),
    BLOCKS: Measure(lambda r: r.resources["dsp"] * r.interval, count),
    MICROSECONDS: Measure(lambda r: r.latency_ns and r.latency_ns / 1e3, lambda value: figure(value, 2)),
    BURST: Measure(_milliseconds, lambda value: figure(value, 3)),
}


@dataclass(frozen=True)
class Aim:
    """Figure that a core, or the best of several, is to reach.

    Parameters
    ----------
    cores : tuple of str
    what : str
        Name of an entry of `FIGURES`.
    limit : float
    bits : int
    modulus : str
        Name as in a row; empty for any.
    options : mapping
        Options of the request.
    """

    cores: tuple[str, ...]
    what: str
    limit: float
    bits: int = 256
    modulus: str = ""
    options: Mapping[str, object] = field(default_factory=dict[str, object])

    def takes(self, row: Row) -> bool:
        """Whether a record is of this aim."""
        return (
            row.request["core"] in self.cores
            and row.bits == self.bits
            and self.modulus in ("", row.modulus)
            and self.options.items() <= row.request["options"].items()
        )

    @property
    def measure(self) -> Measure:
        """Kind of the figure."""
        return FIGURES[self.what]

    def value(self, row: Row) -> float:
        """The figure of a placed row."""
        value = self.measure.of(row)
        assert value is not None, "a placed row has every figure"
        return value

    def reached(self, row: Row) -> bool:
        """Whether the figure of a row is as good as asked."""
        return self.value(row) >= self.limit if self.measure.more else self.value(row) <= self.limit

    def in_order(self, rows: Iterable[Row]) -> list[Row]:
        """Rows with the best figure first, those by the protocol in front of the others."""
        sign = -1 if self.measure.more else 1
        return sorted(rows, key=lambda row: (protocol.departs(row), sign * self.value(row)))

    def best(self, rows: Sequence[Row]) -> Row:
        """First row that reaches the aim, of those by the protocol if there is one, else the best one."""
        best_first = self.in_order(rows)
        return next(filter(self.reached, best_first), best_first[0])

    @property
    def bound(self) -> str:
        """The limit in words."""
        return self.what if self.what == PLACED else f"{'≥' if self.measure.more else '≤'} {self.limit:,g} {self.what}"


LIMBS = tuple(f"modmul/{name}" for name in ("r64", "limb-scan", "limb-fold", "limb-fold-karatsuba", "limb-columns"))
ROW, COLUMNS = ("modmul/orup-interleaved",), ("modmul/limb-columns",)
TURNS = {"contexts": 4}
RESIDUES = ("modmul/rns-kbe", "modmul/rns-hbe")
INVERSIONS = tuple(f"modinv/rns-{name}" for name in ("bmi", "btmi", "btmi-fused", "divstep", "flt"))
WIDE = {"csa": 120, "csa-high-radix": 90, "booth4-csa": 110, "booth8-csa": 90, "vlm3": 80}
"""MHz at 1024 bits; of `csa-high-radix` with its best radix, which is the default one."""
AIMS = (
    Aim(ROW, BLOCKS, 530),
    Aim(ROW, MHZ, 180),
    Aim(LIMBS, ALONE, 480),
    Aim(COLUMNS, BLOCKS, 400, options=TURNS),
    Aim(COLUMNS, MHZ, 150, options=TURNS),
    Aim(COLUMNS, IN_TURN, 170, options=TURNS),
    *(Aim((f"modmul/sor-{name}",), MHZ, 100) for name in ("lean", "1m-p")),
    *(Aim((f"modmul/sor-{name}",), PLACED, 0) for name in ("1m-n", "2m")),
    *(Aim((name,), MHZ, 95) for name in RESIDUES),
    *(Aim((f"basext/{name}",), MHZ, 95, bits) for bits in (256, 384) for name in ("kbe", "hbe")),
    *(Aim((name,), MHZ, 90) for name in INVERSIONS),
    *(Aim((f"modinv/{name}",), MICROSECONDS, 6.5) for name in ("binary-divstep", "binary-divstep-rt")),
    *(Aim(("modmul/binary",), MHZ, 120, modulus=name) for name in ("secp256k1", "secp256r1", "brainpoolP256r1")),
    Aim(("modmul/binary-serial",), MHZ, 165),
    *(Aim((f"modmul/{name}",), MHZ, limit, 1024) for name, limit in WIDE.items()),
    Aim(("modexp/orup-interleaved-window",), BURST, 0.33, 512),
    Aim(("modexp/orup-interleaved-window",), BURST, 1.6, 1024),
)


def goals_table(rows: Iterable[Row]) -> Table:
    """Each aim with its best record, and where it is not reached with all records of its cores."""
    placed = [row for row in rows if row.device == DEVICE and row.placed]
    lines = [line for aim in AIMS for line in _lines(aim, [row for row in placed if aim.takes(row)])]
    lines += [_share_line(row, alone) for row in placed if (alone := multiplier_alone(row, placed)) is not None]
    return Table.of(
        ("core", "modulus", "asked", "measured", "Fmax, MHz", "reached", "what limits the clock"),
        lines,
        {"core", "modulus", "asked", "reached", "what limits the clock"},
        below=[versions(placed)] if placed else [],
    )


def multiplier_alone(row: Row, rows: Sequence[Row]) -> Row | None:
    """The multiplier of an exponentiator alone, with the faster one of several records.

    None for other cores, and where the multiplier has no placed record of that width with the same options.
    """
    if "exponent_bits" not in row.request["options"] or row.clock_rate is None:
        return None
    alone = [other for other in rows if other.clock_rate is not None and _multiplies_for(other, row)]
    return max(alone, key=lambda other: other.clock_rate or 0, default=None)


def _multiplies_for(row: Row, exponentiator: Row) -> bool:
    """Whether a row is of an exponentiator's multiplier, with its width and options."""
    name, given, own = exponentiator.core.rpartition("-")[0], exponentiator.request["options"], row.request["options"]
    if row.request["core"] != f"modmul/{name}" or row.bits != exponentiator.bits:
        return False
    options = {option.name: option.default for option in find(row.request["core"]).options}
    return all(own.get(option, default) == given.get(option, default) for option, default in options.items())


def _share_line(row: Row, alone: Row) -> tuple[str, ...]:
    """An exponentiator next to its multiplier, with the seeds of both."""
    assert row.clock_rate is not None and alone.clock_rate is not None, "both are placed"
    share = row.clock_rate / alone.clock_rate
    reached = share >= SHARE
    limit = "" if reached else limit_in_words(row.timing.get("critical_path", {}))
    bound = f"≥ {SHARE} of its multiplier's MHz"
    measured = f"{figure(share, 3)} of {fmax(alone.timing)}"
    return (row.name, row.modulus, bound, measured, fmax(row.timing), _answer(reached, (row, alone)), limit)


def _answer(reached: bool, rows: Iterable[Row]) -> str:
    """Whether an aim is reached, and how its rows depart from the protocol where it is."""
    kinds = sorted({kind for row in rows for kind in protocol.departures(row)})
    return ", ".join(["yes", *(f"with {kind}" for kind in kinds)]) if reached else "no"


def _lines(aim: Aim, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The best record of an aim that is reached, else all of them; one line that there is none."""
    if not rows:
        names = " / ".join(f"`{name.partition('/')[2]}`" for name in aim.cores)
        modulus = aim.modulus or f"{aim.bits} bits"
        return [(names, modulus, aim.bound, NOT_RUN, NOT_RUN, "no", "")]
    best = aim.best(rows)
    shown = [best] if aim.reached(best) else aim.in_order(rows)
    return [_line(aim, row) for row in shown]


def _line(aim: Aim, row: Row) -> tuple[str, ...]:
    reached = aim.reached(row)
    limit = "" if reached else limit_in_words(row.timing.get("critical_path", {}))
    value = aim.measure.written(aim.value(row))
    return (row.name, row.modulus, aim.bound, value, fmax(row.timing), _answer(reached, (row,)), limit)
