# SPDX-License-Identifier: Apache-2.0
"""Candidates: a core with its options for the task, each figure with its source."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..catalog import curves
from ..compare import Line, Work
from ..contract.representation import Montgomery, Residues
from ..contract.request import Request
from ..contract.roles import Operand
from ..explore.calibration import Between, Correction
from ..explore.estimate import Estimate
from ..functions import find_function
from ..measurement.rows import changed, operands_of
from ..prepared.registry import find
from ..report.evidence import NOT_PLACED
from ..synthesize.devices import FIRST
from .goals import SMALLEST, Goal, Limits, Part

MEASURED, SYNTHESISED, ESTIMATED = "measured", "synthesised now", "estimated"
SHRUNK = 8.0
"""Most by which a limit is multiplied for a figure that was scaled down, else the ratio of the widths: multipliers over
a whole modulus grow as its square, and one of 13 bits has 1 block where its record of 256 bits in proportion says 5."""
_MOST_DIGITS = 6
"""Digits of a number behind the point that is held against a limit."""


@dataclass(frozen=True)
class Sourced:
    """A figure with where it is from.

    Parameters
    ----------
    value : float
    source : str
        `MEASURED`: of a record; `SYNTHESISED`: mapped for this answer; `ESTIMATED`: from the operators of its RTL.
    detail : str
        The record, or how the estimate was put right.
    least : bool
        Whether it is the figure of a part alone, so that the core has more.
    shrunk : float
        Width of a wider record by that of the core, where it was scaled down and is often far from what the core has
        (see `SHRUNK`); 1 where it was not.
    """

    value: float
    source: str
    detail: str = ""
    least: bool = False
    shrunk: float = 1.0

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {"value": round(self.value, 3), "source": self.source, "detail": self.detail, "at_least": self.least}


@dataclass(frozen=True)
class Obstacle:
    """A limit that a candidate breaks.

    Parameters
    ----------
    words : str
        The limit, with the numbers.
    times : float
        The ratio of number and limit, above 1; infinite where no number decides.
    option : str
        The option of the command that moves it.
    """

    words: str
    times: float
    option: str


@dataclass(frozen=True)
class Candidate:
    """One core with its options and known figures.

    Parameters
    ----------
    request : Request
    cycles : int
        Latency in cycles, the most where it varies.
    interval : float
        Cycles between two operations at full rate, see `compare.Line`.
    interval_kind : str
        Fixed, mean or most.
    constant_latency : bool
    lut, dsp, fmax : Sourced or None
        None where it is not known. In cells of a library `lut` is the gates, and there are no blocks.
    part : Part
        The device with which its area is compared.
    note : str
        Reason for which it is excluded; empty for others.
    curve : str
        A curve for its operands; empty where the request has one, or none is needed.
    """

    request: Request
    cycles: float
    interval: float
    interval_kind: str
    constant_latency: bool
    part: Part
    lut: Sourced | None = None
    dsp: Sourced | None = None
    fmax: Sourced | None = None
    note: str = ""
    curve: str = ""

    @property
    def core(self) -> str:
        """Name of the core."""
        return self.request.core

    @property
    def label(self) -> str:
        """The core, and what differs from its defaults but the width."""
        words = [w for w in changed(self.request.to_mapping()) if w.partition("=")[0] not in ("bits", "io", "output")]
        return " ".join((self.core, *words))

    @property
    def summary(self) -> str:
        """Description of the core in a few words."""
        return find(self.core).summary

    @property
    def runtime_modulus(self) -> bool:
        """Whether the modulus is an operand."""
        return find(self.core).runtime_modulus

    @property
    def area(self) -> float | None:
        """LUTs, a block counted as those that the device has for each; or gates."""
        if self.lut is None or self.dsp is None:
            return None
        return self.lut.value + self.part.lut_of_block * self.dsp.value

    @property
    def ns(self) -> float | None:
        """Nanoseconds of one operation."""
        return None if self.fmax is None else self.cycles * 1e3 / self.fmax.value

    @property
    def interval_ns(self) -> float | None:
        """Nanoseconds between two operations at full rate."""
        return None if self.fmax is None else self.interval * 1e3 / self.fmax.value

    def timed(self, figure: float | None) -> Sourced | None:
        """A figure that follows from the clock rate, with the source of that."""
        return None if figure is None or self.fmax is None else Sourced(figure, self.fmax.source)

    @property
    def rate(self) -> float | None:
        """Operations a second at full rate."""
        return None if self.interval_ns is None else 1e9 / self.interval_ns

    def cost(self, goal: Goal) -> float | None:
        """The cost that a goal compares."""
        return getattr(self, goal.cost)

    def with_estimate(self, guess: Estimate, factors: Correction) -> Candidate:
        """The candidate with an estimate for every figure that is not measured."""
        lut = Sourced(guess.lut * factors.lut, ESTIMATED, factors.basis)
        dsp = Sourced(guess.dsp, ESTIMATED, "counted in the RTL")
        fmax = Sourced(1e3 / (guess.period_ns * factors.period), ESTIMATED, factors.basis)
        return replace(self, lut=self.lut or lut, dsp=self.dsp or dsp, fmax=self.fmax or fmax)

    def with_records(self, records: Between, *, part: bool = False) -> Candidate:
        """The candidate with what follows from records of other widths for every figure that is not measured; of its
        part alone, areas are the least that it has."""
        areas = (records.lut, records.dsp)
        lut, dsp = (Sourced(value, ESTIMATED, records.basis, part, records.shrunk) for value in areas)
        clock = records.clock or records.basis
        fmax = None if records.fmax is None else Sourced(records.fmax, ESTIMATED, clock)
        return replace(self, lut=self.lut or lut, dsp=self.dsp or dsp, fmax=self.fmax or fmax)

    def with_area(self, lut: int, dsp: int) -> Candidate:
        """The candidate with the area of a synthesis of now."""
        return replace(self, lut=Sourced(lut, SYNTHESISED), dsp=Sourced(dsp, SYNTHESISED))

    @property
    def whole_area(self) -> float | None:
        """The area, None where a figure is that of a part alone."""
        return None if any(figure is not None and figure.least for figure in (self.lut, self.dsp)) else self.area

    @property
    def command(self) -> str:
        """The command that builds it."""
        return shlex.join(["modwright", "build", *self._request(), "--target", self.request.target])

    def placing(self, family: str) -> str:
        """The command that measures it on a family whose form of the RTL is that of another target, or in cells of a
        library; empty else."""
        if self.part.cells:
            words = ["modwright", "synth", *self._request(), "--target", family, "--liberty", self.part.name]
            return shlex.join(words)
        if family == self.request.target:
            return ""
        place = ["--place"] if family in FIRST else []
        return shlex.join(["modwright", "synth", *self._request(), "--target", family, *place])

    def _request(self) -> list[str]:
        """The core with modulus, curve and options, as words of a command."""
        document = self.request.to_mapping()
        named = {"curve": self.curve} if self.curve else document
        words = [self.core]
        for key in ("curve", "field", "modulus"):
            if key in named:
                words += [f"--{key}", str(named[key])]
        for word in changed(document):
            words += ["-O", word]
        return words

    def to_json(self) -> dict[str, object]:
        """Every figure with its source."""
        figures = {"gates": self.lut} if self.part.cells else {"lut": self.lut, "dsp": self.dsp}
        figures |= {"fmax": self.fmax}
        derived = {name: getattr(self, name) for name in ("area", "ns", "interval_ns", "rate")}
        return {
            "core": self.core,
            "label": self.label,
            "summary": self.summary,
            "request": self.request.to_mapping(),
            "cycles": self.cycles,
            "interval": self.interval,
            "interval_kind": self.interval_kind,
            "constant_latency": self.constant_latency,
            "runtime_modulus": self.runtime_modulus,
            **{name: None if figure is None else figure.to_json() for name, figure in figures.items()},
            **{name: None if value is None else round(value, 3) for name, value in derived.items()},
            "operands": operand_words(self.request),
            "command": self.command,
        }


def curve_for(request: Request, work: Work) -> str:
    """A curve for the operands of a core on any curve: that of the work, else the first one of its modulus or width."""
    form = find_function(work.function).curve_form
    if not form or request.curve is not None:
        return ""
    if work.curve is not None:
        return work.curve.name
    modulus = work.modulus and work.modulus.value
    fitting = (c for c in curves() if c.form == form and (c.p == modulus if modulus else c.p.bit_length() == work.bits))
    return next((curve.name for curve in fitting), "")


def of_line(line: Line, part: Part) -> Candidate:
    """The candidate of a line of a comparison: of a record, or of a core of which nothing was measured. One that was
    tried on the part and does not fit says so."""
    assert line.request is not None and line.clocks is not None and line.interval is not None
    request = Request.from_mapping(find(line.core), line.request)
    where = f"record on {line.device}" if line.device else "record"
    wide = ", LUT4 joined to wider ones" if "wide LUTs" in line.label else ""
    fmax = line.clock_rate
    area, blocks = (line.nand2, 0) if part.cells else (line.lut, line.dsp)
    return Candidate(
        request,
        line.clocks,
        line.interval,
        line.interval_kind,
        bool(line.constant_latency),
        part,
        None if area is None else Sourced(area, MEASURED, where + wide),
        None if blocks is None else Sourced(blocks, MEASURED, where),
        None if fmax is None else Sourced(fmax, MEASURED, ", ".join(filter(None, (where, line.conditions)))),
        line.note if line.source == NOT_PLACED and line.device == part.name else "",
    )


def operand_words(request: Request) -> str:
    """The representation of operands, and those that are part of the hardware."""
    core = find(request.core)
    fields = core.smallest().i.having(Operand)
    domain = any(
        isinstance(role.domain, Montgomery) or (isinstance(role.domain, Residues) and role.domain.factor != 1)
        for _, role in fields
    )
    names = {role.name for _, role in fields}
    fixed = [name for name in find_function(core.function).c_built_in if name not in names]
    words = operands_of(request.to_mapping()) + (", in the Montgomery domain" if domain else "")
    return (
        f"{words}; {' and '.join(fixed)} {'are' if len(fixed) > 1 else 'is'} part of the hardware" if fixed else words
    )


def architectures(candidates: Iterable[Candidate]) -> list[str]:
    """Names of their architectures, each once."""
    return list(dict.fromkeys(candidate.core.partition("/")[2] for candidate in candidates))


def missed(candidate: Candidate, limits: Limits) -> list[Obstacle]:
    """The limits that a candidate breaks."""
    if candidate.note:
        return [Obstacle(candidate.note, math.inf, "--device")]
    latency = limits.constant_latency and not candidate.constant_latency
    modulus = limits.runtime_modulus and not candidate.runtime_modulus
    kinds = (
        Obstacle("its latency depends on operand values", math.inf, "--constant-latency") if latency else None,
        Obstacle("its modulus is part of the hardware", math.inf, "--runtime-modulus") if modulus else None,
    )
    lut, dsp = lut_limit(candidate.part, limits), block_limit(candidate.part, limits)
    numbers = (
        _beyond("cycles", candidate.cycles, limits.max_cycles, "--max-cycles"),
        _beyond(candidate.part.unit, candidate.lut, lut[0], lut[1], candidate.part.name),
        _beyond("DSP blocks", candidate.dsp, dsp[0], dsp[1], candidate.part.name),
        _beyond("ns", candidate.timed(candidate.ns), limits.max_ns, "--max-ns"),
        _below("operations a second", candidate.timed(candidate.rate), limits.min_rate, "--min-rate"),
    )
    return [obstacle for obstacle in (*kinds, *numbers) if obstacle is not None]


def _beyond(
    what: str, figure: float | Sourced | None, most: float | None, option: str, device: str = ""
) -> Obstacle | None:
    value = figure.value if isinstance(figure, Sourced) else figure
    margin = min(figure.shrunk, SHRUNK) if isinstance(figure, Sourced) else 1.0
    if value is None or most is None or value <= most * margin:
        return None
    how = ""
    if isinstance(figure, Sourced):
        how = "at least " if figure.least else "an estimated " if figure.source == ESTIMATED else ""
    of_device = f", which the {device} has" if option == "--device" else ""
    words = f"{how}{_apart(value, most)} {unit_of(value, what)} of at most {exact(most)}{of_device}"
    return Obstacle(words, value / max(most, 1), option)


def _below(what: str, figure: Sourced | None, least: float | None, option: str) -> Obstacle | None:
    if figure is None or least is None or figure.value >= least:
        return None
    how = "an estimated " if figure.source == ESTIMATED else ""
    return Obstacle(
        f"{how}{_apart(figure.value, least)} {what} of at least {exact(least)}", least / figure.value, option
    )


def _apart(value: float, limit: float) -> str:
    """A number with as many digits as show on which side of a limit it is."""
    enough = (n for n in range(_MOST_DIGITS) if (round(value, n) - limit) * (value - limit) > 0)
    return f"{value:,.{next(enough, _MOST_DIGITS)}f}"


def unit_of(value: float, unit: str) -> str:
    """The name of what is counted, without its plural for one of them."""
    return unit.removesuffix("s") if value == 1 and unit.endswith("blocks") else unit


def exact(number: float) -> str:
    """A limit as it was given, with commas."""
    return f"{int(number):,}" if number == int(number) else f"{number:,}"


def doubt(candidate: Candidate, goal: Goal, limits: Limits) -> str:
    """The reason for which a candidate comes after others: its limits, or its area, of a part or scaled down far."""
    part = candidate.area is not None and candidate.whole_area is None
    far = candidate.lut is not None and candidate.lut.shrunk > SHRUNK
    area = "that of a part, and it has more" if part else "scaled down far, and control does not shrink"
    words = f"its area is {area}" if goal.name == SMALLEST and (part or far) else ""
    return ", ".join(filter(None, (words, unproved(candidate, limits))))


def unproved(candidate: Candidate, limits: Limits) -> str:
    """The limits of which nobody knows whether the candidate keeps them: it has no such figure, or that of a part."""
    figures = (
        ("gates" if candidate.part.cells else "LUTs", candidate.lut, lut_limit(candidate.part, limits)[0]),
        ("DSP blocks", candidate.dsp, block_limit(candidate.part, limits)[0]),
    )
    open_limits = [
        f"{most:,} {what}"
        for what, figure, most in figures
        if most is not None and (figure is None or figure.least or (figure.shrunk > 1 and figure.value > most))
    ]
    if limits.max_ns is not None and candidate.ns is None:
        open_limits.append(f"{exact(limits.max_ns)} ns")
    if limits.min_rate is not None and candidate.rate is None:
        open_limits.append(f"{exact(limits.min_rate)} operations a second")
    return f"whether it keeps {' and '.join(open_limits)} is not known" if open_limits else ""


def lut_limit(part: Part, limits: Limits) -> tuple[int | None, str]:
    """LUTs or gates at most, None for any number, and the option that moves this limit."""
    if part.cells:
        return limits.max_gates, "--max-gates"
    return _least_of((limits.max_lut, "--max-lut"), (part.lut if part.bounding else None, "--device"))


def block_limit(part: Part, limits: Limits) -> tuple[int | None, str]:
    """Multiplier blocks at most, None for any number, and the option that moves this limit."""
    return _least_of((limits.max_dsp, "--max-dsp"), (part.dsp if part.bounding else None, "--device"))


def _least_of(own: tuple[int | None, str], device: tuple[int | None, str]) -> tuple[int | None, str]:
    return min(own, device, key=lambda each: math.inf if each[0] is None else each[0])
