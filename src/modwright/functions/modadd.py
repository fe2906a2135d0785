# SPDX-License-Identifier: Apache-2.0
"""Modular addition (x + y) mod m."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from .function import Case, Domain, Function, Operands, Results, modulus_of, unless_reduced, value_of


def evaluate(case: Case, domain: Domain) -> Results:
    """The sum, with the error of operands that are not reduced."""
    m = modulus_of(case, domain)
    return {"z": (case["x"] + case["y"]) % m} | unless_reduced(m, case["x"], case["y"])


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Two operands below the modulus."""
    m = value_of(modulus)
    return {"x": draw(rng, m), "y": draw(rng, m)}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Identities, negatives, and sums next to the modulus."""
    m = value_of(modulus)
    return {
        "0 + 0": {"x": 0, "y": 0},
        "0 + (m-1)": {"x": 0, "y": m - 1},
        "1 + (m-2)": {"x": 1, "y": m - 2},
        "1 + (m-1)": {"x": 1, "y": m - 1},
        "(m-1) + 1": {"x": m - 1, "y": 1},
        "(m-1) + (m-1)": {"x": m - 1, "y": m - 1},
        "2^-1 + 2^-1": {"x": (m + 1) // 2, "y": (m + 1) // 2},
    }


FUNCTION = Function(
    name="modadd",
    formula="x + y = z",
    operands=("x", "y"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=6,
    products=(("x",), ("y",)),
    c_prototype="int mw_modadd(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, "
    "const uint32_t *m, size_t words);",
)
