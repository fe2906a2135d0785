# SPDX-License-Identifier: Apache-2.0
"""Modular exponentiation base ^ exponent mod m."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from .function import Case, Domain, Function, MeasuredTable, Operands, Results, modulus_of, unless_reduced, value_of


def evaluate(case: Case, domain: Domain) -> Results:
    """Power of the base; base^0 is 1."""
    m = modulus_of(case, domain)
    return {"z": pow(case["base"], case["exponent"], m)} | unless_reduced(m, case["base"])


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Base and exponent below the modulus."""
    m = value_of(modulus)
    return {"base": draw(rng, m), "exponent": draw(rng, m)}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Bases and exponents at the ends of their ranges."""
    m = value_of(modulus)
    return {
        "0^0": {"base": 0, "exponent": 0},
        "0^1": {"base": 0, "exponent": 1},
        "(m-1)^0": {"base": m - 1, "exponent": 0},
        "1^(m-1)": {"base": 1, "exponent": m - 1},
        "2^(m-1)": {"base": 2, "exponent": m - 1},
        "(m-1)^1": {"base": m - 1, "exponent": 1},
        "(m-1)^(m-1)": {"base": m - 1, "exponent": m - 1},
        "2^2^(n-1)": {"base": 2, "exponent": 1 << (m.bit_length() - 1)},
    }


_COLUMNS = (
    "bits", "modulus", "core", "cycles, mean", "at most", "Fmax, MHz", "ms, mean", "ms, at most", "LUT", "FF",
    "DSP", "LUT × s, at most", "constant latency",
)  # fmt: skip

FUNCTION = Function(
    name="modexp",
    formula="base^exponent = z",
    operands=("base", "exponent"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=3,
    scalars=frozenset({"exponent"}),
    c_prototype="int mw_modexp(struct mw_device *device, uint32_t *z, const uint32_t *base, const uint32_t *exponent, "
    "size_t exponent_words, const uint32_t *m, size_t words);",
    table=MeasuredTable(
        "exponentiators",
        targets=("ecp5",),
        columns=_COLUMNS,
        order=("bits", "cycles", "core"),
    ),
)
