# SPDX-License-Identifier: Apache-2.0
"""Comparison of two numbers below m: whether the first is below the second, and whether they are equal."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw, one_in
from .function import Domain, Function, Operands, Results, modulus_of, unless_reduced, value_of

NEAR = 4
"""One random pair in so many is of equal numbers, and as many differ by 1."""


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """Both bits, with the error of operands that are not reduced."""
    m, x, y = modulus_of(case, domain), case["x"], case["y"]
    return {"less": int(x < y), "equal": int(x == y)} | unless_reduced(m, x, y)


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """Two operands below the modulus, some of them equal or next to each other."""
    m = value_of(modulus)
    x = draw(rng, m)
    if one_in(rng, NEAR):
        return {"x": x, "y": x}
    if one_in(rng, NEAR):
        return {"x": x, "y": (x + 1) % m}
    return {"x": x, "y": draw(rng, m)}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Ends of the range, equal numbers, and neighbours."""
    m = value_of(modulus)
    pairs = {"0, 0": (0, 0), "m-1, m-1": (m - 1, m - 1), "0, m-1": (0, m - 1), "m-1, 0": (m - 1, 0)}
    pairs |= {"0, 1": (0, 1), "1, 0": (1, 0), "m/2, m/2+1": (m // 2, m // 2 + 1), "m/2+1, m/2": (m // 2 + 1, m // 2)}
    return {name: {"x": x, "y": y} for name, (x, y) in pairs.items()}


FUNCTION = Function(
    name="comparison",
    formula="less = (x < y), equal = (x = y)",
    operands=("x", "y"),
    results=("less", "equal"),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=21,
)
