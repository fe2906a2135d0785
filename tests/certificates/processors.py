# SPDX-License-Identifier: Apache-2.0
"""The processor in residues: its products, the cox that rounds for its passes, and divisors."""

from __future__ import annotations

import random
from dataclasses import replace
from math import gcd

from modwright.cores.rns.processor.codec import ProcessorCodec
from modwright.cores.rns.processor.parameters import ProcessorParameters
from modwright.cores.rns.random_bases.parameters import RandomBasesParameters
from modwright.engines.plus_minus import invert
from modwright.rns import Base

from .directed import Directed, derived, directed

TRIES = 3000


def product_wrong(p: ProcessorParameters) -> str | None:
    """A product in another class, or not below the bound; or constants that do not exist."""
    try:
        p.engine.reduce(0, [0] * p.n)
    except ValueError as error:
        return str(error)
    codec = ProcessorCodec(p)
    drawn, top = random.Random(2), p.bound - 1
    for n in range(TRIES):
        x, y = (top - drawn.randrange(30) if n % 2 else drawn.randrange(p.bound) for _ in range(2))
        _, s = p.hats({"x": codec.store(x), "y": codec.store(y)})
        value = codec.restore((*p.engine.extend(1, s), *s))
        if value >= p.bound or value * p.A.product % p.modulus != x * y % p.modulus:
            return f"{x}·{y} came out as {value}, to be below {p.bound}"
    return None


def with_reduction(p: ProcessorParameters, **changes: object) -> ProcessorParameters:
    """With other parts of the reduction."""
    return replace(p, reduction=replace(p.reduction, **changes))


def multiplier(modulus: int = 1009, **options: int) -> ProcessorParameters:
    """Without inversion, with moduli of 9 bits."""
    return derived("rns/processor", modulus, width=9, inversion="none", **options)


@directed("processor", "coprime")
def coprime(_: str) -> Directed:
    """A modulus that shares 7 with 511: P has no inverse modulo A."""
    good = multiplier()
    return Directed(good, with_reduction(good, modulus=1001), product_wrong)


@directed("processor", "bases")
def bases(_: str) -> Directed:
    """One base twice: A has no inverse modulo B."""
    good = multiplier()
    first, second = good.reduction.first, good.reduction.second
    same = with_reduction(good, first=replace(first, target=good.A), second=replace(second, source=good.A))
    return Directed(good, same, product_wrong)


@directed("processor", "cox2-low")
def second_low(_: str) -> Directed:
    """The second cox starts a unit lower."""
    good = multiplier()
    second = good.reduction.second
    return Directed(good, with_reduction(good, second=replace(second, offset=second.offset - 1)), product_wrong)


@directed("processor", "cox2-high")
def second_high(_: str) -> Directed:
    """The second cox starts a unit higher, with a modulus nearly as large as two moduli of 9 bits allow."""
    good = multiplier(42499, channels=2)
    second = good.reduction.second
    higher = with_reduction(good, second=replace(second, offset=second.offset + 1))
    return Directed(good, higher, product_wrong, frozenset({"range-B"}))


# --- passes


def rounding_wrong(p: ProcessorParameters) -> str | None:
    """A number from the least one up, or from the largest one down, whose multiple of B the cox has wrong."""
    second, B = p.reduction.second, p.B
    drawn = random.Random(6)
    for n in range(20000):
        value = p.least + n // 2 if n % 2 else p.bound - 1 - n // 2
        hats = [
            h + m if h + m < 1 << p.width and drawn.randrange(2) else h
            for h, m in zip(p.hats_in_b(value), B.moduli, strict=True)
        ]
        q = (sum(h * c for h, c in zip(hats, B.cofactors, strict=True)) - value) // B.product
        if second.estimate(hats) != q:
            return f"q = {second.estimate(hats)} instead of {q} for {value}"
    return None


@directed("processor", "cox-passes")
def passes(_: str) -> Directed:
    """A bit less of the cox, with which it is right for numbers that are not negative."""
    good = derived("rns/processor", 41077, width=9, inversion="bmi")
    first, second = good.reduction.first, good.reduction.second
    f = second.f - 1
    fewer = with_reduction(good, first=replace(first, f=f), second=replace(second, f=f, offset=1 << (f - 1)))
    return Directed(good, fewer, rounding_wrong)


def division_wrong(p: ProcessorParameters) -> str | None:
    """Constants or divisions that do not exist."""
    try:
        if not p.constants:
            return "no constants"
        for a in range(1, 200):
            if gcd(a, p.modulus) == 1:
                invert(p.rules.kind, p.modulus, a)
    except ValueError as error:
        return str(error)
    return None


def processor() -> ProcessorParameters:
    """Modulo 1009, by 2 and 3."""
    return derived("rns/processor", 1009, width=11)


@directed("processor", "class")
def residue_class(_: str) -> Directed:
    """A modulus with the factor 3."""
    good = processor()
    return Directed(good, with_reduction(good, modulus=1011), division_wrong)


@directed("processor", "base")
def base(_: str) -> Directed:
    """A multiple of 3 among the moduli of B."""
    good = processor()
    used = good.A.product * good.B.product * good.modulus
    u = next(u for u in range(1, 200) if (2048 - u) % 6 == 3 and gcd(2048 - u, used) == 1)
    other = Base(good.width, (*good.B.u[:-1], u))
    first, second = (replace(good.reduction.first, target=other), replace(good.reduction.second, source=other))
    return Directed(good, with_reduction(good, first=first, second=second), division_wrong)


# --- random bases


def drawn_wrong(p: RandomBasesParameters) -> str | None:
    """A product in another class in some draw; or constants that do not exist."""
    for part in p.drawn:
        try:
            numbers = [part.domain.base.to_residues(k) for k in range(3)]
            part.hats({"x": numbers[1], "y": numbers[2]})
        except ValueError as error:
            return str(error)
    return None


@directed("random_bases", "coprime")
def random_coprime(_: str) -> Directed:
    """A modulus that shares 7 with 511: P has no inverse modulo A."""
    good = derived("rns/random-bases", 1009, width=9)
    parts = (replace(part, reduction=replace(part.reduction, modulus=1001)) for part in good.drawn)
    return Directed(good, replace(good, drawn=tuple(parts)), drawn_wrong)
