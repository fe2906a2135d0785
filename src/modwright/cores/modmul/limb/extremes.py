# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the limb units: columns, or the registers of r64; quotient limbs; and the result in parts of m."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from ....contract.operands import PAYLOAD
from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....engines.limb.units import R64, SUM
from ....schedule import Schedule
from .codec import all_stored, make_codec
from .model import LimbModel, result, scan_states
from .parameters import LimbParameters

UNITS = 64
"""Parts of m in which the result is counted."""
SAMPLE = 400
"""Operations of a run that are observed: limb by limb in Python, each takes longer than all other checks."""
TRIED = 100
"""Operands that are tried for each modulus."""


def extremes(p: LimbParameters, schedule: Schedule) -> Extremes:
    """Extremes of one unit."""
    model = LimbModel(p, schedule)

    def observe(operands: Operands) -> Values:
        if model.run(operands).payload["error"]:
            return {}
        values = {name: value for name, value in operands.items() if isinstance(value, int)}
        inside = _scanned(p, schedule, values) if p.unit is R64 else _columns(p, values)
        return {**inside, "z/m": (result(p, values, p.kind) * UNITS // values["m"],)}

    return Extremes(_quantities(p), observe, lambda: _candidates(p), SAMPLE)


def _scanned(p: LimbParameters, schedule: Schedule, values: Mapping[str, int]) -> Values:
    """The registers after each cycle."""
    found: dict[str, list[int]] = {"reg1": [], "reg2": [], "c": []}
    for state in scan_states(p, schedule, values):
        for name, value in (("reg1", state.reg1), ("reg2", state.reg2), ("c", state.c)):
            found[name].append(value)
    return {f"bits of {name}": [value.bit_length() for value in listed] for name, listed in found.items()}


def _columns(p: LimbParameters, values: Mapping[str, int]) -> Values:
    """Complete columns with the carries from below, and the limbs t."""
    w, s, mask = p.w, p.s, (1 << p.w) - 1

    def limbs(name: str) -> list[int]:
        return [values[name] >> (w * k) & mask for k in range(s)]

    pairs = [(limbs("x"), limbs("y"))] + ([(limbs("x2"), limbs("y2"))] if p.kind == SUM else [])
    m, mu = limbs("m"), limbs("mu") if p.unit.folds else []
    t: list[int] = []
    sums, carry = [], 0
    for column in range(2 * s - 1):
        places = range(max(0, column - s + 1), min(column, s - 1) + 1)
        total = carry + sum(x[i] * y[column - i] for x, y in pairs for i in places)
        folded = min(s - 1, column) if p.unit.folds else 0
        total += sum(t[i] * mu[column - 1 - i] for i in range(folded) if column - 1 - i < s)
        first = s - 1 if p.unit.folds else 0
        total += sum(t[i] * m[column - i] for i in range(first, len(t)) if 1 <= column - i < s)
        sums.append(total)
        carry = total >> w
        if column < s:
            low = total & mask
            plain = p.unit.folds and column < s - 1
            t.append(low if plain else low * values["q"] & mask)
            carry += 0 if plain else (t[-1] * m[0] >> w) + (low != 0)
    return {"bits of a column": [value.bit_length() for value in sums], "t": t}


def _quantities(p: LimbParameters) -> tuple[Quantity, ...]:
    word, share = (1 << p.w) - 1, UNITS * p.limit - 1
    result_row = Quantity("z/m", 0, share, f"in {UNITS}ths of m; certificate `result`")
    if p.unit is not R64:
        most = p.largest_column(p.kind).bit_length()
        return (
            Quantity("bits of a column", 0, most, "a column with the carry from below; certificate `accumulator`"),
            Quantity("t", 0, word, "limbs that make the lowest limbs 0"),
            result_row,
        )
    carry = (1 << (p.w + 1)) - 1
    return (
        Quantity("bits of reg1", 0, p.accumulator, "x·y + z; certificate `reg1`"),
        Quantity("bits of reg2", 0, 2 * p.w, "q·m + c; certificate `reg2`"),
        Quantity("bits of c", 0, carry.bit_length(), "certificate `carry`"),
        result_row,
    )


# --- operands


def _candidates(p: LimbParameters) -> Iterator[Case]:
    """Full limbs, for the example and for the largest modulus; products with t of all ones, as x·y ≡ m modulo R; 0."""
    codec, largest = make_codec(p), (1 << p.n) - 1
    for m in dict.fromkeys((p.example or largest, largest)):
        rng, constants = random.Random(m), codec.constants(m)

        def case(x: int, y: int, m: int = m, constants: Mapping[str, object] = constants) -> Case:
            again = {"x2": x, "y2": y} if p.kind == SUM else {}
            return {PAYLOAD: {"x": x, "y": y, **again, **constants}}

        yield case(0, 0)
        for tried in range(TRIED):
            x = m - 1 - tried
            if x > 0 and x % 2 and (y := m * pow(x, -1, 1 << p.T) % (1 << p.T)) < m:
                yield case(x, y)
            yield case(m - 1 - rng.randrange(m // UNITS + 1), m - 1 - rng.randrange(m // UNITS + 1))
            yield case(rng.randrange(m), rng.randrange(m))
        for value in all_stored(m, p.w).values():
            yield case(value, m - 1)
