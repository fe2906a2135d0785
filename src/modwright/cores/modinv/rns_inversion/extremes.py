# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the inverters: divstep counters, f, g, d and e, corrections; passes and U, V; products of Fermat's
method."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....rns import Base
from ....schedule import Schedule
from .divstep_model import matrix
from .divstep_parameters import DivstepParameters
from .flt_parameters import FermatParameters
from .pass_parameters import PassParameters
from .plus_minus import Flow, factor

UNITS = 64
"""Parts of P in which values are counted."""
SAMPLE, FEW = 200, 10
"""Operations of a run that are observed, and of those of Fermat's method, with hundreds of products each."""
DRAWN = 60
"""Random operands among the candidates."""


def divstep_extremes(p: DivstepParameters, schedule: Schedule) -> Extremes:
    """Extremes of the inverter by divsteps."""
    del schedule
    steps, half, largest = p.rounds * p.k, 1 << (p.k - 1), p.offset
    quantities = (
        Quantity("D", -steps, steps, "between two rounds; its register is for |D| <= divsteps"),
        Quantity("f/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P; |f| <= 2P"),
        Quantity("g/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P; |g| <= 2P"),
        Quantity("c", -half, half - 1, "multiples of P that make d and e divisible by 2^k"),
        Quantity("|u| + |v|", 1, 1 << p.k, "rows of the matrix of a round (Bernstein and Yang 2019, section 5)"),
        Quantity("d, e in P", -largest, largest - 1, "certificate `range-d`"),
    )

    def observe(operands: Operands) -> Values:
        return _rounds(p, _value(p.base, operands["a"]))

    return Extremes(quantities, observe, lambda: _candidates(p.base, p.modulus), SAMPLE)


def _rounds(p: DivstepParameters, a: int) -> Values:
    """The state after each round."""
    P, low, half = p.modulus, (1 << p.k) - 1, 1 << (p.k - 1)
    inverse = -pow(P, -1, 1 << p.k)
    found: dict[str, list[int]] = {name: [] for name in ("D", "f/P", "g/P", "c", "|u| + |v|", "d, e in P")}
    D, f, g, d, e = 0, P, a, 0, 1
    for _ in range(p.rounds):
        D, u, v, q, r = matrix(D, f & low, g & low, p.k)
        f, g = (u * f + v * g) >> p.k, (q * f + r * g) >> p.k
        sums = u * d + v * e, q * d + r * e
        c = [(x * inverse + half) % (2 * half) - half for x in sums]
        d, e = ((x + c_x * P) >> p.k for x, c_x in zip(sums, c, strict=True))
        found["D"].append(D)
        found["f/P"].append(f * UNITS // P)
        found["g/P"].append(g * UNITS // P)
        found["c"] += c
        found["|u| + |v|"] += [abs(u) + abs(v), abs(q) + abs(r)]
        found["d, e in P"] += [d // P, e // P]
    return found


def pass_extremes(p: PassParameters, schedule: Schedule) -> Extremes:
    """Extremes of an inverter by plus-minus passes."""
    del schedule
    largest = max(p.kind.divisors)
    quantities = (
        Quantity("passes", 0, p.most_passes, "certificate `passes`"),
        Quantity("V3/P", -2 * UNITS, 2 * UNITS, f"in {UNITS}ths of P, rounded down; |V3| <= 2P"),
        Quantity("V1/P", -UNITS, UNITS, f"in {UNITS}ths of P, rounded down; certificate `range-plus-minus`"),
        Quantity("D", min(p.kind.divisors), largest, "divisors of a pass"),
        Quantity("f", 1 - -(-largest // 2), largest // 2, "multiples of P that make V1 divisible"),
    )

    def observe(operands: Operands) -> Values:
        return _passes(p, _value(p.base, operands["a"]), _value(p.base, operands["r"]) if p.blind else 1)

    return Extremes(quantities, observe, lambda: _candidates(p.base, p.modulus, blind=p.blind), SAMPLE)


def _passes(p: PassParameters, a: int, start: int) -> Values:
    """V3 and V1 after each pass."""
    P, flow, U1, V1 = p.modulus, Flow(p.kind, p.modulus, a), 0, start
    found: dict[str, list[int]] = {"V3/P": [a * UNITS // P], "V1/P": [start * UNITS // P], "D": [], "f": []}
    while not flow.done:
        one = flow.step()
        total = V1 + one.sign * U1
        if one.swap:
            U1 = V1
        f = factor(total, one.divisor, P)
        V1 = (total + f * P) // one.divisor
        for name, value in (("V3/P", flow.V3 * UNITS // P), ("V1/P", V1 * UNITS // P), ("D", one.divisor), ("f", f)):
            found[name].append(value)
    return {**found, "passes": (len(found["D"]),)}


def fermat_extremes(p: FermatParameters, schedule: Schedule) -> Extremes:
    """Extremes of Fermat's method: the multiplier's own, over all products of an inversion."""
    del schedule
    assert p.core.extremes is not None
    own, model = p.core.extremes(p.inner, p.schedule), p.core.model(p.inner, p.schedule)

    def observe(operands: Operands) -> Values:
        memory, found = {0: operands["a"]}, {}
        for one in p.program:
            product = {"x": memory[one.x], "y": memory[one.y]}
            for name, values in own.observe(product).items():
                found.setdefault(name, []).extend(values)
            memory[one.into] = model.run(product).payload["z"]
        return found

    quantities = tuple(replace(q, why=f"of every product; {q.why}") for q in own.quantities)
    return Extremes(quantities, observe, lambda: ({"a": a} for a in (0, 1, 2, p.modulus - 1)), FEW)


def _value(base: Base, residues: object) -> int:
    assert isinstance(residues, tuple)
    return base.from_residues(residues)


# --- operands


def _candidates(base: Base, P: int, *, blind: bool = False) -> Iterator[Case]:
    """0, values near P and 2P, powers of 2 and 3, and random ones; blinded, with r of 1, near P, and random."""
    rng = random.Random(P)
    powers = [a for k in range(P.bit_length()) for a in (1 << k, 3**k, P - (1 << k), P + (1 << k))]
    ends = [0, 1, 2, P - 2, P - 1, P, P + 1, 2 * P - 2, 2 * P - 1]
    for a in (*ends, *powers[:24], *powers[-24:], *(rng.randrange(2 * P) for _ in range(DRAWN))):
        if not 0 <= a < 2 * P:
            continue
        if not blind:
            yield {PAYLOAD: {"a": base.to_residues(a)}}
            continue
        for r in (1, P - 1, rng.randrange(1, P)):
            if gcd(r, P) == 1:
                yield {PAYLOAD: {"a": base.to_residues(a), "r": base.to_residues(r)}}
