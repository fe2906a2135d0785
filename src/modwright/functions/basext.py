# SPDX-License-Identifier: Apache-2.0
"""Base extension: x, from one base of residues to another."""

from __future__ import annotations

from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from .function import Case, Domain, Function, Operands, Results, modulus_of, unless_reduced, value_of


def evaluate(case: Case, domain: Domain) -> Results:
    """The value itself; values are below the modulus, though a core may accept some larger and negative ones."""
    m = modulus_of(case, domain)
    return {"z": case["x"]} | unless_reduced(m, abs(case["x"]))


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """A value below the modulus."""
    return {"x": draw(rng, value_of(modulus))}


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Ends and middle of the range."""
    m = value_of(modulus)
    return {"0": {"x": 0}, "1": {"x": 1}, "m/2": {"x": m // 2}, "m-1": {"x": m - 1}}


FUNCTION = Function(
    name="basext",
    formula="x = z, from one base to another",
    operands=("x",),
    results=("z",),
    products=(("x",),),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=5,
)
