# SPDX-License-Identifier: Apache-2.0
"""Claims of Xie et al. 2023, point multiplication on any Weierstrass curve."""

from __future__ import annotations

from collections.abc import Mapping

from ...catalog import resolve_curve
from ...contract.request import Request
from ...prepared import prepare, registry
from ..figures import PAPER_NM
from .claim import CONFIRMED, ELSEWHERE, IN_PART, REFUTED, Claim, Evidence, Finding, verdict

BITS = 256
PRODUCT, PRODUCTS_A_STEP = 36, 11
"""Cycles of a product at full rate, and products of a ladder step."""
NEAR, BUSY = 0.01, 0.95
"""Part by which "about 102k" may be missed, and utilisation that is close to 100 %."""
STEPS = 255
FORMULAS = ("equation of the curve", "start of the ladder, X_RP", "start of the ladder, Y_R", "recoded scalar")
"""Errata of the formulas."""


def _product(_: Evidence) -> Finding:
    core = registry.find("modmul/r64")
    interval = prepare(core, Request.make(core, target="generic", options={"bits": BITS})).schedule.interval
    return verdict(interval == PRODUCT), f"one every {interval} cycles, by the schedule"


def _own(evidence: Evidence, column: str) -> dict[str, float]:
    """Our figures of a column of Table 2, by cell library, process and form."""
    figures = {row: ours for (row, of), ours in evidence.ours("Table 2").items() if of == column}
    if not figures:
        raise LookupError(column)
    return {row.removeprefix("Ours, "): ours for row, ours in figures.items()}


def _printed(evidence: Evidence, column: str) -> float:
    """The paper's figure of its own engine in Table 2."""
    return next(float(a.paper) for t in evidence.tables for a in t.answers if _of_engine(a.row) and a.column == column)


def _of_engine(row: str) -> bool:
    return row.partition(", ")[0] == "Ours"


def _cycles(evidence: Evidence) -> float:
    """Cycles of a point multiplication, the same in every library."""
    return max(_own(evidence, "k cycles").values()) * 1000


def _whole(evidence: Evidence) -> Finding:
    cycles, printed = _cycles(evidence), _printed(evidence, "k cycles") * 1000
    return verdict(
        abs(cycles / printed - 1) <= NEAR
    ), f"{cycles:,.0f}, with conversions, inverse and check of the point"


def _busy(evidence: Evidence) -> Finding:
    bits, step = _order_bits(), PRODUCTS_A_STEP * PRODUCT
    part = bits * step / _cycles(evidence)
    return verdict(part >= BUSY), f"{part:.1%} of the cycles are of the ladder's products, {step}·N with N = {bits}"


def _order_bits() -> int:
    order = resolve_curve("P-256").order
    assert order is not None
    return order.bit_length()


def _steps(_: Evidence) -> Finding:
    bits = _order_bits()
    return verdict(bits == STEPS), f"as many as the order of the point has bits: {bits} on P-256"


def _any_curve(evidence: Evidence) -> Finding:
    errata = [evidence.errata[name] for name in FORMULAS]
    wrong, right = (sum(getattr(each, name) for each in errata) for name in ("printed_fails", "corrected_fails"))
    result = REFUTED if right else IN_PART if wrong else CONFIRMED
    return (
        result,
        f"with four formulas corrected: {wrong} of {sum(each.cases for each in errata)} cases fail as printed",
    )


def _gates(evidence: Evidence) -> Finding:
    """Confirmed by the paper's area and time together in a process that is not finer than its own."""
    columns = ("k gates", "clock, MHz", "time, ms")
    gates, clock, time = (_own(evidence, column) for column in columns)
    reached = any(
        gates[row] <= _printed(evidence, "k gates") and time[row] <= _printed(evidence, "time, ms")
        for row in gates
        if _nanometres(row) >= PAPER_NM
    )
    words = _by_form({row: f"{gates[row]:.0f} k at {clock[row]:.1f} MHz, {time[row]:.2f} ms" for row in gates})
    return CONFIRMED if reached else ELSEWHERE, f"no library of 90 nm here; without wires: {words}"


def _area_time(evidence: Evidence) -> Finding:
    """Confirmed where the product of every library is below those of all earlier designs."""
    ours = _own(evidence, "AT")
    others = [float(a.paper) for t in evidence.tables for a in t.answers if a.column == "AT" and not _of_engine(a.row)]
    below = {row: sum(other < product for other in others) for row, product in ours.items()}
    words = _by_form({row: f"{ours[row]:.1f}, more than {below[row]} of {len(others)}" for row in ours})
    return (
        ELSEWHERE if any(below.values()) else CONFIRMED,
        f"by the paper's rule, with those of the {len(others)} other designs as printed: {words}",
    )


def _nanometres(row: str) -> int:
    """Process of a row such as "sky130 of 130 nm"."""
    return int(row.partition(", ")[0].split()[-2])


def _by_form(words: Mapping[str, str]) -> str:
    """Figures of each library, those of one form together."""
    forms: dict[str, list[str]] = {}
    for row, figures in words.items():
        library, _, form = row.partition(", ")
        forms.setdefault(form, []).append(f"{figures} ({library})")
    return "; ".join(f"{form}: {', '.join(found)}" if form else ", ".join(found) for form, found in forms.items())


CLAIMS = (
    Claim("n products take 36n + 1 cycles.", "Algorithm 3", f"modwright params modmul/r64 -O bits={BITS}", _product),
    Claim(
        "A point multiplication takes about 102,000 cycles.",
        "Table 2",
        "modwright params ecpm/r64-ladder -c P-256",
        _whole,
    ),
    Claim(
        "The multiply-accumulator is close to 100 % busy.",
        "Abstract, section on scheduling",
        "modwright params ecpm/r64-ladder -c P-256",
        _busy,
    ),
    Claim("The ladder has 255 steps.", "Section on the engine", "modwright curves", _steps),
    Claim(
        "It works on any Weierstrass curve.",
        "Algorithm 1",
        "modwright paper point-multiplication --errata",
        _any_curve,
    ),
    Claim(
        "72 k gates at 714 MHz in 90 nm: 0.14 ms.",
        "Table 2",
        "modwright paper point-multiplication",
        _gates,
    ),
    Claim(
        "Area times time is better than that of all earlier designs.",
        "Table 2",
        "modwright paper point-multiplication",
        _area_time,
    ),
)
