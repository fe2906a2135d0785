# SPDX-License-Identifier: Apache-2.0
"""Base extensions, RNS Montgomery and hybrid multiplication."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from gmpy2 import is_prime

from modwright.cores.basext.coxrower.codec import ExtensionCodec
from modwright.cores.basext.coxrower.model import ExtensionModel
from modwright.cores.basext.coxrower.parameters import ExtensionParameters
from modwright.cores.basext.coxrower.schedule import extension_schedule
from modwright.cores.modmul.rns_hybrid.codec import hybrid_codec
from modwright.cores.modmul.rns_hybrid.model import HybridModel
from modwright.cores.modmul.rns_hybrid.parameters import HybridParameters
from modwright.cores.modmul.rns_hybrid.schedule import make_schedule as hybrid_schedule
from modwright.cores.modmul.rns_montgomery.codec import product_codec
from modwright.cores.modmul.rns_montgomery.model import MultiplierModel
from modwright.cores.modmul.rns_montgomery.parameters import MultiplierParameters
from modwright.cores.modmul.rns_montgomery.schedule import multiplier_schedule
from modwright.rns import Base
from modwright.rns.extension import Extension

from .directed import Directed, derived, directed, first_broken

TRIES = 3000

# --- extensions


def extension(A: tuple[int, ...], B: tuple[int, ...], f: int, offset: int, modulus: int) -> ExtensionParameters:
    """Between bases of moduli 2^8 - u."""
    one = Extension(Base(8, A), Base(8, B), 1, f, offset)
    return ExtensionParameters(modulus, one, target="generic", latency=3)


def extension_wrong(p: ExtensionParameters) -> str | None:
    """An integer below the modulus that comes out as another one."""
    model, codec = ExtensionModel(p, extension_schedule(p)), ExtensionCodec(p)
    drawn = random.Random(1)
    for n in range(TRIES):
        x = min(p.modulus - 1, (n // 3, p.modulus - 1 - n // 3, drawn.randrange(p.modulus))[n % 3])
        found = codec.decode(model.run({"x": p.A.to_residues(max(0, x))}).payload)["z"]
        if found != max(0, x):
            return f"{x} came out as {found}"
    return None


@directed("coxrower", "alpha-low")
def extension_low(_: str) -> Directed:
    """The cox starts a unit lower."""
    good = extension((1, 3, 5), (9, 15, 17), 3, 3, 20000)
    return Directed(good, extension((1, 3, 5), (9, 15, 17), 3, 2, 20000), extension_wrong)


@directed("coxrower", "alpha-high")
def extension_high(_: str) -> Directed:
    """The cox starts a unit higher, and values go up to the limit of before."""
    limit = extension((1, 3), (5, 9), 3, 4, 1).limit
    good = extension((1, 3), (5, 9), 3, 4, limit)
    return Directed(good, extension((1, 3), (5, 9), 3, 5, limit), extension_wrong)


@directed("coxrower", "range-B")
def extension_range(_: str) -> Directed:
    """X = B, which has the residues of 0."""
    A, B = (1, 3), (27, 29)
    product = Base(8, B).product
    good, broken = (extension(A, B, 6, 8, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, extension_wrong)


@directed("coxrower", "cox")
def extension_cox(_: str) -> Directed:
    """One bit of every hat instead of two: X + 2A comes out."""
    A, B = (1, 3, 5, 15), (9, 17, 23, 27)
    good, broken = (extension(A, B, f, 0, 1000) for f in (2, 1))
    return Directed(good, broken, extension_wrong)


@directed("coxrower", "range")
def extension_range_of_source(_: str) -> Directed:
    """X = A, which has the residues of 0."""
    A, B = (75, 83), (1, 3)
    product = Base(8, A).product
    good, broken = (extension(A, B, 6, 0, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, extension_wrong)


@directed("coxrower", "apart")
def extension_apart(_: str) -> Directed:
    """1 + A has the residues of A - B + 1 in B; A - B itself is safe, as 0 never comes out as A."""
    A, B = (1, 3), (5, 7)
    apart = Base(8, A).product - Base(8, B).product
    good, broken = (extension(A, B, 3, 0, modulus) for modulus in (apart, apart + 2))
    return Directed(good, broken, extension_wrong)


# --- Montgomery multiplication


def product_wrong(p: MultiplierParameters) -> str | None:
    """A product in another class, or not below the bound; or constants that do not exist."""
    try:
        model, codec = MultiplierModel(p, multiplier_schedule(p)), product_codec(p)
        model.run({"x": codec.store(0), "y": codec.store(0)})
    except ValueError as error:
        return str(error)
    drawn, top = random.Random(2), p.bound - 1
    for n in range(TRIES):
        x, y = (top - drawn.randrange(30) if n % 2 else drawn.randrange(p.bound) for _ in range(2))
        found = codec.decode(model.run({"x": codec.store(x), "y": codec.store(y)}).payload)
        value = found["representative"]
        if found["error"]:
            return f"{x}·{y} came out as {value}, to be below {p.bound}"
        if value * p.A.product % p.modulus != x * y % p.modulus:
            return f"{x}·{y} came out as {value}"
    return None


def with_reduction(p: MultiplierParameters, **changes: object) -> MultiplierParameters:
    """With other parts of the reduction."""
    return replace(p, reduction=replace(p.reduction, **changes))


@cache
def multiplier() -> MultiplierParameters:
    """Two moduli of 9 bits in a base, and the modulus nearly as large as they allow."""
    return derived("modmul/rns-kbe", 42499, width=9, channels=2)


@directed("rns_montgomery", "coprime")
def coprime(_: str) -> Directed:
    """A modulus that shares 7 with 511: P has no inverse modulo A."""
    good = derived("modmul/rns-kbe", 1009, width=9)
    return Directed(good, with_reduction(good, modulus=1001), product_wrong)


@directed("rns_montgomery", "bases")
def bases(_: str) -> Directed:
    """One base twice: A has no inverse modulo B."""
    good = derived("modmul/rns-kbe", 1009, width=9)
    first, second = good.reduction.first, good.reduction.second
    same = with_reduction(good, first=replace(first, target=good.A), second=replace(second, source=good.A))
    return Directed(good, same, product_wrong)


@directed("rns_montgomery", "cox2-low")
def second_low(_: str) -> Directed:
    """The second cox starts a unit lower."""
    good = derived("modmul/rns-kbe", 1009, width=9)
    second = good.reduction.second
    return Directed(good, with_reduction(good, second=replace(second, offset=second.offset - 1)), product_wrong)


@directed("rns_montgomery", "cox2-high")
def second_high(_: str) -> Directed:
    """The second cox starts a unit higher."""
    good = multiplier()
    second = good.reduction.second
    higher = with_reduction(good, second=replace(second, offset=second.offset + 1))
    return Directed(good, higher, product_wrong, frozenset({"range-B"}))


@directed("rns_montgomery", "roots")
def roots(_: str) -> Directed:
    """Another prime in the place of one of A, modulo which the factor of Q's hat is no square."""
    good = derived("modmul/rns-kbe", 1009, width=9, roots=True)
    primes = [u for u in range(1, 100, 2) if is_prime(512 - u)]
    bases = (Base(9, (u, good.A.u[1])) for u in primes if u not in (*good.A.u, *good.B.u))
    changed = (with_base(good, base) for base in bases)
    return Directed(good, first_broken(changed, "roots"), rooted_wrong)


@directed("rns_montgomery", "roots-B")
def second_roots(_: str) -> Directed:
    """Another prime in the place of one of B, modulo which the factor of the hat of S is no square."""
    good = derived("modmul/rns-kbe", 1009, width=9, roots=True, second_roots=True)
    primes = [u for u in range(1, 150, 2) if is_prime(512 - u)]
    bases = (Base(9, (u, *good.B.u[1:])) for u in primes if u not in (*good.A.u, *good.B.u))
    changed = (with_second_base(good, base) for base in bases)
    return Directed(good, first_broken(changed, "roots-B"), rooted_wrong)


def rooted_wrong(p: MultiplierParameters) -> str | None:
    """What is wrong with products; or a root that does not exist, by which no residue can be read."""
    try:
        return product_wrong(p)
    except ValueError as error:
        return str(error)


def with_base(p: MultiplierParameters, base: Base) -> MultiplierParameters:
    """With another first base."""
    first, second = p.reduction.first, p.reduction.second
    return with_reduction(p, first=replace(first, source=base), second=replace(second, target=base))


def with_second_base(p: MultiplierParameters, base: Base) -> MultiplierParameters:
    """With another second base."""
    first, second = p.reduction.first, p.reduction.second
    return with_reduction(p, first=replace(first, target=base), second=replace(second, source=base))


# --- hybrid multiplication


def hybrid_wrong(p: HybridParameters) -> str | None:
    """A product of the largest, of any, or of the smallest coefficients in another class, or beyond the bound."""
    model, codec = HybridModel(p, hybrid_schedule(p)), hybrid_codec(p)
    write = {name: number.write for name, number in codec.operands.items()}
    drawn, K = random.Random(4), p.bound
    for n in range(1200):
        ends = (0, 2 << drawn.randrange(K.bit_length() - 1)) if n % 2 else (K - 100, K)
        x, y = (tuple(drawn.randrange(*ends) for _ in range(p.degree)) for _ in range(2))
        found = codec.results["z"].read(model.run(write["x"](x) | write["y"](y)).payload)
        value = p.hybrid.value
        if max(found) >= K or value(found) != value(x) * value(y) % p.modulus:
            return f"{x}·{y} came out as {found}"
    return None


def with_offset(p: HybridParameters, offset: int) -> HybridParameters:
    """With another start of the second cox."""
    return replace(p, hybrid=replace(p.hybrid, second=replace(p.hybrid.second, offset=offset)))


@cache
def hybrid() -> HybridParameters:
    """A prime of 48 bits, two coefficients."""
    return derived("modmul/rns-hpr", 0xFD035C534FDF, width=16)


@directed("rns_hybrid", "cox2-low")
def hybrid_low(_: str) -> Directed:
    """The least start of the second cox, and one lower."""
    return Directed(with_offset(hybrid(), 2), with_offset(hybrid(), 1), hybrid_wrong)


@directed("rns_hybrid", "cox2-high")
def hybrid_high(_: str) -> Directed:
    """The second cox starts a unit higher."""
    good = hybrid()
    return Directed(good, with_offset(good, good.hybrid.second.offset + 1), hybrid_wrong)
