# SPDX-License-Identifier: Apache-2.0
"""One operation of a residue channel, x·y + t mod m; a unit without y multiplies by 1, and one without t adds 0."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from .function import Case, Domain, Function, MeasuredTable, Operands, Results, modulus_of, unless_reduced, value_of

NEUTRAL = {"y": 1, "t": 0}
"""Operands that a unit may lack, with the values used for them."""


def evaluate(case: Case, domain: Domain) -> Results:
    """The result, with the error of operands that are not reduced."""
    m = modulus_of(case, domain)
    x, y, t = (case[name] if name in case else NEUTRAL[name] for name in ("x", "y", "t"))
    return {"z": (x * y + t) % m} | unless_reduced(m, x, y, t)


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Three operands below the modulus."""
    m = value_of(modulus)
    return {name: draw(rng, m) for name in ("x", "y", "t")}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Ends of the ranges, and sums and products next to the modulus."""
    m = value_of(modulus)
    return {
        "0": {"x": 0, "y": 0, "t": 0},
        "(m-1)·(m-1)": {"x": m - 1, "y": m - 1, "t": 0},
        "2·2^-1": {"x": 2 % m, "y": (m + 1) // 2, "t": 0},
        "1 + (m-1)": {"x": 1, "y": 1, "t": m - 1},
        "(m-1) + (m-1)": {"x": m - 1, "y": 1, "t": m - 1},
    }


FUNCTION = Function(
    name="unit",
    formula="x · y + t = z",
    operands=("x", "y", "t"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=20,
    shorter={("x", "y"): "x · y = z", ("x", "t"): "x + t = z", ("x",): "x mod m = z"},
    table=MeasuredTable(
        name="units",
        columns=("modulus", "core", "target", "cycles", "interval", "Fmax, MHz", "ns", "LUT", "FF", "DSP"),
        order=("core", "bits", "modulus", "target"),
    ),
)
