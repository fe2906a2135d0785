# SPDX-License-Identifier: Apache-2.0
"""RNS Montgomery multiplication with a runtime modulus."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from math import gcd

from modwright.contract import integer
from modwright.cores.modmul.rns_runtime.codec import runtime_codec
from modwright.cores.modmul.rns_runtime.model import RuntimeModel
from modwright.cores.modmul.rns_runtime.parameters import LIMIT, RuntimeParameters
from modwright.cores.modmul.rns_runtime.schedule import runtime_schedule

from .directed import Directed, derived, directed

TRIES = 3000


def product_wrong(p: RuntimeParameters) -> str | None:
    """A product in another class or not below 4P, for moduli of all bits; or constants that do not exist."""
    try:
        model, codec = RuntimeModel(p, runtime_schedule(p)), runtime_codec(p)
        codec.constants(1)
    except ValueError as error:
        return str(error)
    drawn = random.Random(2)
    for n in range(TRIES):
        m = p.largest - 1 - 2 * drawn.randrange(p.largest >> 4)
        if gcd(m, p.A.product) > 1:
            continue
        x, y = (drawn.randrange(LIMIT * m) if n % 2 else LIMIT * m - 1 - drawn.randrange(30) for _ in range(2))
        operands = {"x": codec.store(x), "y": codec.store(y), **codec.constants(m)}
        found = codec.decode(model.run(operands).payload)
        value = integer(found["representative"])
        if found["error"] or value * p.A.product % m != x * y % m:
            return f"{x}·{y} modulo {m} came out as {value}"
    return None


@cache
def multiplier() -> RuntimeParameters:
    """Two moduli of 9 bits in a base."""
    return derived("modmul/rns-kbe-runtime", 1021, width=9, channels=2)


@directed("rns_runtime", "bases")
def bases(_: str) -> Directed:
    """One base twice: A has no inverse modulo B."""
    good = multiplier()
    same = replace(good, into_b=replace(good.into_b, target=good.A), into_a=replace(good.into_a, source=good.A))
    return Directed(good, same, product_wrong)


@directed("rns_runtime", "cox2-low")
def second_low(_: str) -> Directed:
    """The second cox starts a unit lower."""
    good = multiplier()
    lower = replace(good, into_a=replace(good.into_a, offset=good.into_a.offset - 1))
    return Directed(good, lower, product_wrong)
