# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a binary reduction: the folds, or the remainder after Barrett's quotient, and the last
subtractions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from math import gcd

from ....contract.quantities import Case, Extremes, Operands, Quantity, Values
from ....schedule import Schedule
from .parameters.pipelined import BinaryParameters
from .parameters.serial import SerialParameters

DRAWN, SMALL = 150, 8
"""Random operands; residues from 0 and from p - 1 on for each multiplicand."""

LAST_FOLD = "bits of the last fold"


def extremes(p: BinaryParameters | SerialParameters, schedule: Schedule) -> Extremes:
    """Extremes of either multiplier."""
    del schedule
    return Extremes(_quantities(p), partial(observe, p), lambda: _candidates(p.modulus))


def _normal(p: BinaryParameters | SerialParameters) -> int:
    """Modulus of the reduction: p, or p times a power of two for whole limbs."""
    return p.normal if isinstance(p, SerialParameters) else p.modulus


def observe(p: BinaryParameters | SerialParameters, operands: Operands) -> Values:
    """The values of one product."""
    x, y = operands["x"], operands["y"]
    assert isinstance(x, int)
    assert isinstance(y, int)
    if max(x, y) >= p.modulus:
        return {}
    value = x * y * (_normal(p) // p.modulus)
    found: dict[str, tuple[int, ...]] = {"bits of x·y": (value.bit_length(),)}
    folds = _folded(p, x, y) if isinstance(p, BinaryParameters) else _folded_in_limbs(p, value)
    for name, value in zip(_names(p), folds, strict=True):
        found[name] = (value.bit_length(),)
    if p.barrett is not None:
        value = p.barrett.apply(value)
    found["subtractions"] = (value // _normal(p),)
    return found


def _folded(p: BinaryParameters, x: int, y: int) -> list[int]:
    """The values of the folds: a fold's digits depend on the bits that a number in segments has."""
    plan = p.folding
    if plan is None:
        return []
    sources = p.product.run(x, y, "xy", p.target)
    values = []
    for number, (heap, fold) in enumerate(zip(plan.sums, plan.folds, strict=True)):
        sources = {plan.name(number): heap.run(sources)}
        sources |= fold.looked_up(sources)
        values.append(fold.apply(sources))
    return [
        *(value + heap.excess + heap.constant for value, heap in zip(values[:-1], plan.sums[1:], strict=True)),
        values[-1] + plan.offset,
    ]


def _folded_in_limbs(p: SerialParameters, value: int) -> list[int]:
    values = []
    for fold in p.folds:
        value = fold.apply(value)
        values.append(value)
    return values


def _quantities(p: BinaryParameters | SerialParameters) -> tuple[Quantity, ...]:
    folds = (
        Quantity(name, 0, largest.bit_length(), f"certificate `fold-{number}-bound`")
        for number, (name, largest) in enumerate(zip(_names(p), _largest(p), strict=True))
    )
    return (
        Quantity("bits of x·y", 0, p.bound.bit_length(), "operands below p"),
        *folds,
        Quantity("subtractions", 0, p.subtractions, "multiples of p in what is left; certificate `subtractions`"),
    )


def _names(p: BinaryParameters | SerialParameters) -> list[str]:
    """Names of the folds; the last one of the pipelined core is made with the multiples of p taken away."""
    count = len(p.folds)
    last = isinstance(p, BinaryParameters)
    return [LAST_FOLD if last and n == count else f"bits of fold {n}" for n in range(1, count + 1)]


def _largest(p: BinaryParameters | SerialParameters) -> list[int]:
    """Largest value of each fold."""
    if isinstance(p, SerialParameters):
        return [fold.result for fold in p.folds]
    return [*(heap.largest for heap in p.folding.sums[1:]), p.folding.result] if p.folding else []


def _candidates(p: int) -> Iterator[Case]:
    """Largest and random products; products whose residue is small or near p - 1, to which folds may add p."""
    rng = random.Random(p)
    yield from ({"x": x, "y": y} for x, y in ((0, 0), (p - 1, p - 1), (1, 1), (p - 1, 1)))
    for x in (p - 1, p - 2, *(rng.randrange(1, p) for _ in range(8))):
        if gcd(x, p) == 1:
            yield from ({"x": x, "y": c * pow(x, -1, p) % p} for c in range(-SMALL, SMALL))
    for _ in range(DRAWN):
        yield {"x": rng.randrange(p), "y": rng.randrange(p)}
