# SPDX-License-Identifier: Apache-2.0
"""Operands of a point multiplication that fail in simulation, on curves over small primes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from ....catalog.points import multiply_point
from ..netlist import Netlist
from ..refute import NO_RESULT, first_failing, operand_widths
from .claim import PointClaim

MOST_CYCLES = 3000
"""Cycles of a point multiplication up to which some are simulated: one takes a few seconds then."""
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 61, 127, 241, 251)
"""Primes of the search, as far as a modulus has their bits; on small ones many states are exceptional."""
OUT_OF_RANGE = 0.1
"""Share of operations with an operand out of range, or a point off the curve."""


def find_failing_points(netlist: Netlist, claim: PointClaim, cycles: int) -> tuple[dict[str, int], str]:
    """Search for operands whose result is wrong, and the fault; empty where none were found."""
    if cycles > MOST_CYCLES:
        return {}, ""
    return first_failing(netlist, drawn(operand_widths(netlist), claim, Random(1)), judged, cycles)


def judged(operands: Mapping[str, int], outcome: Mapping[str, int] | None) -> str:
    """The fault of a result; empty when there is none."""
    if outcome is None:
        return NO_RESULT
    for name, value in due(operands).items():
        if outcome[name] != value:
            return f"{name} = {outcome[name]:#x}, and not {value:#x}"
    return ""


def due(operands: Mapping[str, int]) -> dict[str, int]:
    """The result that operands should have."""
    m, a, b = (operands[name] for name in ("m", "a", "b"))
    checked = [a, b, operands.get("blind", 0), *([] if operands["infinity"] else [operands["x"], operands["y"]])]
    error, point = 0, None
    if m % 2 == 0 or m < 4 or operands["order"] == 0:
        error = 1
    elif max(checked) >= m or operands.get("blind") == 0:
        error = 2
    elif not operands["infinity"]:
        x, y = point = operands["x"], operands["y"]
        error = 3 if (y * y - x**3 - a * x - b) % m else 0
        point = None if error else multiply_point(operands["k"] % operands["order"], point, m, a)
    x, y = point or (0, 0)
    return {"x": x, "y": y, "infinity": int(not error and point is None), "error": error}


def drawn(widths: Mapping[str, int], claim: PointClaim, rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end: a point of a nonsingular curve, its order, and the constants of the modulus."""
    primes = [m for m in PRIMES if m.bit_length() <= claim.bits]
    while True:
        m = rng.choice(primes)
        x, y, a = rng.randrange(m), rng.randrange(m), rng.choice((0, rng.randrange(m)))
        b = (y * y - x**3 - a * x) % m
        if (4 * a**3 + 27 * b * b) % m == 0:
            continue
        order = next(k for k in range(1, 4 * m) if multiply_point(k, (x, y), m, a) is None)
        found = {"m": m, "a": a, "b": b, "x": x, "y": y, "order": order, "infinity": int(rng.random() < OUT_OF_RANGE)}
        found["k"] = rng.choice((rng.getrandbits(widths["k"]), rng.randrange(2 * order), order - 1, order, 1))
        if "blind" in widths:
            found["blind"] = rng.randrange(1, m)
        if rng.random() < OUT_OF_RANGE:
            name = rng.choice(("a", "b", "x", "y", "m", "order"))
            found[name] = rng.choice((0, rng.getrandbits(widths[name])))
        yield found | constants(found["m"], widths, claim.contract.iterations)


def constants(m: int, widths: Mapping[str, int], power: int) -> dict[str, int]:
    """Operands that follow from the modulus; 0 where it is even."""
    odd = m % 2 == 1 and m > 1
    found = {"r2": pow(2, power, m) if odd else 0}
    if "q" in widths:
        found["q"] = -pow(m, -1, 1 << widths["q"]) % (1 << widths["q"]) if odd else 0
    if "mu" in widths:
        found["mu"] = pow(2, -widths["q"], m) if odd else 0
    return found
