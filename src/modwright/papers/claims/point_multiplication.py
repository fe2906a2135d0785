# SPDX-License-Identifier: Apache-2.0
"""Claims of Xie et al. 2023, point multiplication on any Weierstrass curve."""

from __future__ import annotations

from ...catalog import resolve_curve
from ...contract.request import Request
from ...prepared import prepare, registry
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


def _cycles(evidence: Evidence) -> float:
    return evidence.ours("Table 2")["Ours", "k cycles"] * 1000


def _whole(evidence: Evidence) -> Finding:
    cycles, printed = _cycles(evidence), evidence.printed("Table 2", "Ours", "k cycles") * 1000
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
    ours = evidence.ours("Table 2")
    gates, clock, time = (ours["Ours", column] for column in ("k gates", "clock, MHz", "time, ms"))
    printed = evidence.printed("Table 2", "Ours", "time, ms")
    return (
        CONFIRMED if time <= printed else ELSEWHERE,
        f"180 nm, without wires: {gates:.0f} k at {clock:.1f} MHz, {time:.2f} ms",
    )


def _area_time(evidence: Evidence) -> Finding:
    ours = evidence.ours("Table 2")["Ours", "AT"]
    others = [a.paper for t in evidence.tables for a in t.answers if a.column == "AT" and a.row != "Ours"]
    better = sum(ours < float(other) for other in others)
    words = f"{ours:.1f} by the paper's rule, less than {better} of the {len(others)} other designs"
    return CONFIRMED if better == len(others) else ELSEWHERE, words


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
