# SPDX-License-Identifier: Apache-2.0
"""Modular inversion 1 / a mod m."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from ..contract.roles import Errors
from .function import Case, Domain, Function, MeasuredTable, Operands, Results, modulus_of, unless_reduced, value_of


def evaluate(case: Case, domain: Domain) -> Results:
    """The inverse, or the error that none exists."""
    m = modulus_of(case, domain)
    try:
        return {"z": pow(case["a"], -1, m)} | unless_reduced(m, case["a"])
    except ValueError:
        return {"error": Errors.NO_INVERSE}


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """An operand below the modulus that has an inverse."""
    while True:
        case = {"a": draw(rng, value_of(modulus))}
        if modulus is not None and "z" in evaluate(case, modulus):
            return case


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Ends of the range, and the power of two whose inverse is 2."""
    m = value_of(modulus)
    half = (m + 1) // 2
    return {"1": {"a": 1}, "2": {"a": 2}, "2^-1": {"a": half}, "m-1": {"a": m - 1}, "m-2": {"a": m - 2}}


_COLUMNS = (
    "modulus", "core", "target", "cycles, mean", "at most", "Fmax, MHz", "µs, mean", "LUT", "LUT over baseline", "FF",
    "DSP", "LUTRAM", "LUT × µs", "DSP × µs", "constant latency",
)  # fmt: skip

FUNCTION = Function(
    name="modinv",
    formula="a · z = 1",
    operands=("a",),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=2,
    c_prototype="int mw_modinv(struct mw_device *device, uint32_t *z, const uint32_t *a, const uint32_t *m, "
    "size_t words);",
    table=MeasuredTable(
        "inverters",
        targets=("ecp5", "xc7"),
        columns=_COLUMNS,
        headings={"LUT over baseline": "LUT / BMI"},
        order=("target", "bits", "modulus", "function", "cycles"),
        baseline="rns-bmi",
        reference="modmul/rns-kbe",
        reference_options={"width": 20},
        reference_does="one product",
    ),
)
