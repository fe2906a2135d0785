# SPDX-License-Identifier: Apache-2.0
"""Modular multiplication x · y mod m, and sums of products x · y + x2 · y2 + ..."""

from __future__ import annotations

import itertools
from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from .function import Case, Domain, Function, Operands, Results, modulus_of, unless_reduced, value_of


def evaluate(case: Case, domain: Domain) -> Results:
    """The product, or the sum of the products of all pairs that the case has."""
    m = modulus_of(case, domain)
    numbers = ["", *(str(k) for k in itertools.takewhile(lambda k: f"x{k}" in case, itertools.count(2)))]
    pairs = [(case[f"x{k}"], case[f"y{k}"]) for k in numbers]
    return {"z": sum(x * y for x, y in pairs) % m} | unless_reduced(m, *itertools.chain(*pairs))


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Two operands below the modulus."""
    m = value_of(modulus)
    return {"x": draw(rng, m), "y": draw(rng, m)}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Identities, inverses and ends of the range."""
    m = value_of(modulus)
    half = (m + 1) // 2
    return {
        "0 · 0": {"x": 0, "y": 0},
        "0 · (m-1)": {"x": 0, "y": m - 1},
        "(m-1) · 0": {"x": m - 1, "y": 0},
        "1 · 1": {"x": 1, "y": 1},
        "1 · (m-1)": {"x": 1, "y": m - 1},
        "(m-1) · (m-1)": {"x": m - 1, "y": m - 1},
        "2 · 2^-1": {"x": 2, "y": half},
        "(m-2) · 2^-1": {"x": m - 2, "y": half},
        "2^(n-1) · 2^(n-1)": {"x": 1 << (m.bit_length() - 1), "y": 1 << (m.bit_length() - 1)},
    }


FUNCTION = Function(
    name="modmul",
    formula="x · y = z",
    operands=("x", "y"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=1,
    products=(("x", "y"),),
    c_prototype="int mw_modmul(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, "
    "const uint32_t *m, size_t words);",
)
