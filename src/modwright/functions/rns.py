# SPDX-License-Identifier: Apache-2.0
"""Operations of a processor modulo m: x·y, and x·y + x2·y2 with a pair that was held before; x^-1, and x itself in
another representation or as it is, which ignore the second operand."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ..catalog import Curve, Modulus
from ..contract.operands import draw
from ..contract.roles import Errors
from .function import (
    Domain,
    Function,
    MeasuredTable,
    Operands,
    Operation,
    Results,
    modulus_of,
    unless_reduced,
    value_of,
)

PRODUCT, INVERSION, MOVE, HOLD, SUM, INTO_A, INTO_B, FROM_BINARY, TO_BINARY = range(9)
"""Numbers of the operations."""
PAIRED = frozenset({PRODUCT, HOLD, SUM})
"""Those that read both operands."""
CONVERSIONS = (INTO_A, INTO_B, FROM_BINARY, TO_BINARY)
"""Those that change the representation of a number: extensions from one base into the other, and binary numbers."""


def evaluate(case: Mapping[str, int], domain: Domain) -> Results:
    """The result, or the error that no inverse exists; a pair that is held gives x, and a sum without a pair x·y."""
    m, x, y = modulus_of(case, domain), case["x"], case["y"]
    if case["op"] == PRODUCT:
        return {"z": x * y % m} | unless_reduced(m, x, y)
    if case["op"] == SUM:
        return {"z": (x * y + case.get("x2", 0) * case.get("y2", 0)) % m} | unless_reduced(m, x, y)
    if case["op"] in (MOVE, HOLD, *CONVERSIONS):
        return {"z": x % m} | unless_reduced(m, x)
    try:
        return {"z": pow(x, -1, m)} | unless_reduced(m, x)
    except ValueError:
        return {"error": Errors.NO_INVERSE}


def random(rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
    """A product or an inversion, below the modulus; of inversions the operand has an inverse."""
    m = value_of(modulus)
    if rng.randrange(2):
        return {"op": PRODUCT, "x": draw(rng, m), "y": draw(rng, m)}
    while True:
        case = {"op": INVERSION, "x": draw(rng, m), "y": 0}
        if "z" in evaluate(case, modulus):
            return case


def edges(modulus: Modulus | None, curve: Curve | None) -> dict[str, Operands]:
    """Ends of the range of both operations, and inverses of powers of two."""
    m = value_of(modulus)
    half = (m + 1) // 2
    products = {"0·0": (0, 0), "0·(m-1)": (0, m - 1), "1·1": (1, 1), "(m-1)·(m-1)": (m - 1, m - 1), "2·2^-1": (2, half)}
    inverses = {"1/1": 1, "1/2": 2, "1/2^-1": half, "1/(m-1)": m - 1, "1/(m-2)": m - 2}
    cases: dict[str, Operands] = {name: {"op": PRODUCT, "x": x, "y": y} for name, (x, y) in products.items()}
    return cases | {name: {"op": INVERSION, "x": x, "y": 0} for name, x in inverses.items()}


FUNCTION = Function(
    name="rns",
    formula="op(x, y) = z",
    operands=("op", "x", "y"),
    results=("z",),
    evaluate=evaluate,
    random=random,
    edges=edges,
    register_code=11,
    scalars=frozenset({"op"}),
    crossed=False,
    operations={
        "product": Operation(PRODUCT, ("x", "y"), {"z": "z"}),
        "inversion": Operation(INVERSION, ("x",), {"z": "z"}),
        "move": Operation(MOVE, ("x",), {"z": "z"}),
        "extend-into-a": Operation(INTO_A, ("x",), {"z": "z"}),
        "extend-into-b": Operation(INTO_B, ("x",), {"z": "z"}),
        "from-binary": Operation(FROM_BINARY, ("x",), {"z": "z"}),
        "to-binary": Operation(TO_BINARY, ("x",), {"z": "z"}),
    },
    table=MeasuredTable(
        columns=(
            "modulus", "core", "target", "at most", "Fmax, MHz", "ns", "LUT", "FF", "DSP", "BRAM", "LUTRAM",
            "constant latency",
        ),
        headings={"at most": "cycles, at most", "ns": "ns, at most"},
        order=("target", "bits", "modulus", "core", "cycles"),
    ),
)  # fmt: skip
