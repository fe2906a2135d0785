# SPDX-License-Identifier: Apache-2.0
"""Estimates corrected by records: the ratio of measured to estimated figures of the same Verilog.

The estimate counts operators before mapping (`estimate`). Its error is a property of a core's structure: across widths
and options of one core the ratio of measured to estimated moves much less than between cores. So the ratio at the
nearest measured size corrects the estimate at another one. `bench/estimates.json` has the estimates of the records.
Where two widths of one core and the same options were measured, a width near them needs no estimate: `between`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import TypeAlias

from ..base.json import OptionValue
from ..base.parsing import load_json
from ..contract.option import Requestable
from ..measurement import Row, shipped_records
from ..measurement.gates import gate_rows
from ..measurement.places import bench_folder

ESTIMATES = "estimates.json"
"""Name of the file in the folder of the records; `python bench/estimates.py` writes it."""
FORMAT = "modwright-estimates/1"

MOST_PLACED = "ecp5"
"""The family with the most records."""

Chosen: TypeAlias = Mapping[str, OptionValue]
"""Options of a request."""


@dataclass(frozen=True)
class Anchor:
    """One record of a core, with the estimate of the same Verilog.

    Parameters
    ----------
    core, target : str
        The target of gates is their library.
    bits : int
        Width of the modulus.
    options : mapping
        Options of the request.
    lut, fmax : float or None
        Measured figures; `fmax` in MHz, None where the core was not placed.
    lut_ratio, period_ratio : float or None
        Ratios of measured to estimated figures.
    """

    core: str
    target: str
    bits: int
    options: Chosen
    lut: float | None
    dsp: float | None
    fmax: float | None
    lut_ratio: float | None
    period_ratio: float | None

    def distance(self, bits: int, options: Chosen) -> tuple[int, float]:
        """Distance from a request: options that differ, and then the ratio of the widths."""
        different = sum(name in self.options and self.options[name] != value for name, value in options.items())
        return different, abs(math.log(max(bits, 1) / max(self.bits, 1)))


@dataclass(frozen=True)
class Correction:
    """Factors for an estimate.

    Parameters
    ----------
    lut, period : float
    basis : str
        Source of the factors, in words.
    """

    lut: float
    period: float
    basis: str


@cache
def anchors(target: str) -> tuple[Anchor, ...]:
    """The shipped records of a family, with the estimate of the same Verilog where it has one; of a library of cells
    those of gates, which count as LUTs."""
    estimates = load_json(bench_folder() / ESTIMATES)["records"]
    found = []
    for name, record in shipped_records().items():
        if record["resources"]["target"] == target:
            row, known = Row.of(record), estimates.get(name)
            found.append(_anchor(row, known if known and known["sha256"] == row.sha256 else None))
    plain = (row for row in gate_rows() if row.liberty == target and not row.form)
    return (*found, *(_in_cells(row) for row in plain))


def _in_cells(row: Row) -> Anchor:
    core, options = row.request["core"], row.request["options"]
    return Anchor(core, row.liberty, row.bits, options, row.resources["nand2"], 0, row.clock_rate, None, None)


def _anchor(row: Row, estimate: Mapping[str, float] | None) -> Anchor:
    lut = row.resources["lut"]
    fmax = row.clock_rate
    return Anchor(
        row.request["core"],
        row.target,
        row.bits,
        row.request["options"],
        lut,
        row.resources["dsp"],
        fmax,
        lut / estimate["lut"] if estimate and lut and estimate["lut"] else None,
        1e3 / fmax / estimate["period_ns"] if estimate and fmax else None,
    )


def nearest(core: str, target: str, bits: int, options: Chosen, figure: str) -> Anchor | None:
    """The record of a core nearest to a request among those that have a figure; None where there is none."""
    having = [anchor for anchor in anchors(target) if anchor.core == core and getattr(anchor, figure) is not None]
    return min(having, key=lambda anchor: anchor.distance(bits, options), default=None)


def correction(core: str, target: str, bits: int, options: Chosen) -> Correction:
    """The factors for the estimate of a request.

    The factors are those of the nearest record of the core; without one on the family, those of its nearest record on
    `MOST_PLACED`, times `between_families`; without any, the medians over all records of the family, or 1 where the
    family has none.
    """
    lut, period = (_factor(core, target, bits, options, figure) for figure in ("lut_ratio", "period_ratio"))
    basis = " and ".join(dict.fromkeys((lut[1], period[1])))
    return Correction(lut[0], period[0], f"corrected by {basis}")


def _factor(core: str, target: str, bits: int, options: Chosen, figure: str) -> tuple[float, str]:
    """The factor for one figure, and its source in words."""
    own, elsewhere = (nearest(core, family, bits, options, figure) for family in (target, MOST_PLACED))
    if own is not None:
        return getattr(own, figure), f"its record at {own.bits:,} bits"
    if elsewhere is not None:
        factor = getattr(elsewhere, figure) * between_families(target, figure)
        return factor, f"its record at {elsewhere.bits:,} bits on {MOST_PLACED}"
    return _median(target, figure), "the median of all records"


@cache
def between_families(target: str, figure: str) -> float:
    """The median ratio of a figure on a family to that on `MOST_PLACED`, over the family's records of cores that both
    have; 1 where there are none."""
    ratios = []
    for anchor in anchors(target):
        other = nearest(anchor.core, MOST_PLACED, anchor.bits, anchor.options, figure)
        if other is not None and (own := getattr(anchor, figure)) is not None:
            ratios.append(own / getattr(other, figure))
    return median(ratios) if ratios else 1.0


@dataclass(frozen=True)
class Between:
    """Figures of a core from its records of other widths.

    Parameters
    ----------
    lut, dsp : float
    fmax : float or None
        Clock rate in MHz; None where fewer than two widths were placed.
    basis : str
        The widths, in words.
    clock : str
        The widths of the clock rate, in words; empty where it has those of `basis`.
    shrunk : float
        Width of a wider record by that of the request, where areas are scaled down; 1 where they are not.
    """

    lut: float
    dsp: float
    fmax: float | None
    basis: str
    clock: str = ""
    shrunk: float = 1.0


_REACH = 1.5
"""Factor outside of two measured widths up to which a curve through them is used."""


def between(core: Requestable, target: str, bits: int, options: Chosen) -> Between | None:
    """Figures by a power of the width through two records of a core with the same options: the nearest on each side, or
    the two nearest where all are on one side.

    None for a core with a fixed modulus, whose structure follows from more than the width, and where there are no two
    records within `_REACH`.
    """
    if not any(option.sizes == "modulus" for option in core.options):
        return None
    own = _chosen(core, options)
    same = [anchor for anchor in anchors(target) if anchor.core == core.name and _chosen(core, anchor.options) == own]
    pair = _pair(same, bits, "lut")
    if pair is None:
        return None
    placed = _pair(same, bits, "fmax")
    return Between(
        _through(*pair, bits, "lut"),
        math.ceil(_through(*pair, bits, "dsp"))
        if pair[0].dsp and pair[1].dsp
        else max(anchor.dsp or 0 for anchor in pair),
        None if placed is None else _through(*placed, bits, "fmax"),
        _basis(pair, bits),
        "" if placed is None else _basis(placed, bits),
    )


def scaled(core: Requestable, target: str, bits: int, options: Chosen) -> Between | None:
    """Figures from the nearest record of a core with the same options: LUTs and blocks in proportion to the width, the
    clock rate as it was. The crudest of the estimates; None without such a record. Blocks follow the records of two
    widths where there are, since many cores have as many at every width."""
    own = _chosen(core, options)
    same = [anchor for anchor in anchors(target) if anchor.core == core.name and _chosen(core, anchor.options) == own]
    near, placed = (_nearest(same, bits, figure) for figure in ("lut", "fmax"))
    if near is None:
        return None
    ratio = bits / near.bits
    basis = f"scaled by the width from its record at {near.bits:,} bits"
    fmax, clock = (None, "") if placed is None else (placed.fmax, f"as in its record at {placed.bits:,} bits")
    return Between((near.lut or 0) * ratio, _blocks(core, same, near, bits), fmax, basis, clock, max(1 / ratio, 1.0))


def _blocks(core: Requestable, same: Sequence[Anchor], near: Anchor, bits: int) -> int:
    """Blocks at a width: by a power through the nearest record and that of the next width; else as many where the core
    takes its operands in limbs, whose width is an option, and in proportion where it does not."""
    others = [anchor for anchor in same if anchor.dsp and anchor.bits != near.bits]
    other = _nearest(others, near.bits, "dsp")
    if other is None and near.dsp and any(option.name == "limb" for option in core.options):
        return math.ceil(near.dsp)
    if other is None or not near.dsp:
        return math.ceil((near.dsp or 0) * bits / near.bits)
    return math.ceil(round(_through(near, other, bits, "dsp"), 6))  # rounded: a power of 1 has an error in floats


def least_blocks(core: Requestable, target: str, bits: int, options: Chosen) -> Anchor | None:
    """The widest record of a core with the same options and at most this width: it has no more blocks than the core of
    this width. None without one."""
    own = _chosen(core, options)
    same = [a for a in anchors(target) if a.core == core.name and _chosen(core, a.options) == own and a.bits <= bits]
    return max((a for a in same if a.dsp is not None), key=lambda anchor: anchor.bits, default=None)


def _nearest(same: Sequence[Anchor], bits: int, figure: str) -> Anchor | None:
    having = [anchor for anchor in same if getattr(anchor, figure)]
    return min(having, key=lambda anchor: abs(math.log(bits / anchor.bits)), default=None)


def _chosen(core: Requestable, options: Chosen) -> Chosen:
    """Options but the width that differ from their defaults; a record may be older than one of them."""
    defaults = {option.name: option.default for option in core.options if option.sizes != "modulus"}
    return {key: value for key, value in options.items() if key in defaults and value != defaults[key]}


def _basis(pair: tuple[Anchor, Anchor], bits: int) -> str:
    return f"{_where(pair, bits)} its records at {pair[0].bits:,} and {pair[1].bits:,} bits"


def _where(pair: tuple[Anchor, Anchor], bits: int) -> str:
    return "between" if pair[0].bits <= bits <= pair[1].bits else "on the curve through"


def _pair(same: Sequence[Anchor], bits: int, figure: str) -> tuple[Anchor, Anchor] | None:
    """The records of the two widths around a width, else of the two nearest ones; the narrower first."""
    by_width = {anchor.bits: anchor for anchor in same if getattr(anchor, figure)}
    below, above = [width for width in by_width if width <= bits], [width for width in by_width if width > bits]
    around = [max(below), min(above)] if below and above else []
    near = around or sorted(by_width, key=lambda width: abs(math.log(bits / width)))[:2]
    if len(near) < 2 or not min(near) / _REACH <= bits <= max(near) * _REACH:
        return None
    return by_width[min(near)], by_width[max(near)]


def _through(low: Anchor, high: Anchor, bits: int, figure: str) -> float:
    """The value at a width of the power of it that goes through two records."""
    a, b = getattr(low, figure), getattr(high, figure)
    return a * (b / a) ** (math.log(bits / low.bits) / math.log(high.bits / low.bits))


@cache
def _median(target: str, figure: str) -> float:
    ratios = [ratio for anchor in anchors(target) if (ratio := getattr(anchor, figure)) is not None]
    return median(ratios) if ratios else 1.0
