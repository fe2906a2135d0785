# SPDX-License-Identifier: Apache-2.0
"""Inversion in residues: by divsteps, by passes of plus-minus steps, by Fermat's theorem."""

from __future__ import annotations

import random
from dataclasses import replace
from math import gcd
from typing import Any

from modwright.combine.fermat.model import FermatModel
from modwright.combine.fermat.parameters import FermatParameters
from modwright.combine.fermat.schedule import make_schedule as fermat_schedule
from modwright.cores.modinv.plus_minus.parameters import PassParameters
from modwright.cores.modinv.rns_divstep.model import DivstepModel
from modwright.cores.modinv.rns_divstep.parameters import DivstepParameters
from modwright.cores.modinv.rns_divstep.schedule import make_schedule as divstep_schedule
from modwright.engines.inversion.engine import InversionEngine
from modwright.engines.plus_minus import invert
from modwright.rns import Base
from modwright.rns.bounds import estimate

from .directed import Directed, Part, altered, derived, directed

# --- the cox and the operands of the engine


def engine_wrong(part: Part) -> str | None:
    """A value whose multiple of M the cox has wrong, or a coefficient without an operand."""
    engine: InversionEngine = part.part
    base, cox = engine.base, engine.cox
    drawn = random.Random(6)
    for n in range(4000):
        value = engine.least + n if n % 2 else engine.most - n
        hats = [
            h + m if drawn.random() < 0.5 and h + m < 1 << base.width else h
            for h, m in zip(engine.hats(value), base.moduli, strict=True)
        ]
        q = (sum(h * c for h, c in zip(hats, base.cofactors, strict=True)) - value) // base.product
        found = estimate(base.width, cox.f, cox.offset, hats)
        if found != q:
            return f"q = {found} instead of {q} for {value}"
    for m in base.moduli:
        if m - engine.coefficient < 0:
            return f"the coefficient -{engine.coefficient} modulo {m} would be the operand {m - engine.coefficient}"
    return None


def small_engine() -> InversionEngine:
    """The cases of a divstep inverter with three moduli."""
    return derived("modinv/rns-divstep", 61, width=10, steps=3, latency=2).engine


@directed("plus_minus", "cox-high")
@directed("rns_divstep", "cox-high")
def cox(_: str) -> Directed:
    """The cox starts a unit higher, and the values go to the end that it is exact for."""
    engine = small_engine()
    at = engine.cox
    good = replace(engine, most=((1 - at.delta) * engine.base.product).__ceil__() - 1)
    return Directed(Part(good), Part(altered(good, cox=replace(at, offset=at.offset + 1))), engine_wrong)


@directed("plus_minus", "coefficient")
@directed("rns_divstep", "coefficient")
def coefficient(_: str) -> Directed:
    """A coefficient above the smallest modulus; the modulus itself would still be the operand 0."""
    engine = small_engine()
    good, broken = (replace(engine, coefficient=min(engine.base.moduli) + more) for more in (-1, 1))
    return Directed(Part(good), Part(broken), engine_wrong)


# --- divsteps


def divsteps_wrong(p: DivstepParameters) -> str | None:
    """An inverse that is not right, or not from 0 to the bound."""
    try:
        model = DivstepModel(p, divstep_schedule(p))
    except ValueError as error:
        return str(error)
    for a in range(2 * p.modulus):
        z = model.invert(a)
        if z is None if gcd(a, p.modulus) == 1 else z is not None:
            return f"1/{a} modulo {p.modulus}: {z}"
        if z is not None and (z * a % p.modulus != 1 or not 0 < z < p.bound):
            return f"1/{a} modulo {p.modulus} came out as {z}, to be below {p.bound}"
    return None


@directed("rns_divstep", "steps")
def steps(_: str) -> Directed:
    """A round less."""
    good = derived("modinv/rns-divstep", 1009, width=11)
    return Directed(good, altered(good, rounds=good.rounds - 1), divsteps_wrong)


@directed("rns_divstep", "range-d")
def range_d(_: str) -> Directed:
    """No multiple of P added to ±d: negative results."""
    good = derived("modinv/rns-divstep", 7, width=12, k=10, steps=1)
    return Directed(good, altered(good, offset=good.offset - 1), divsteps_wrong)


@directed("rns_divstep", "odd")
def odd(_: str) -> Directed:
    """The next modulus: P has no inverse modulo 2^k."""
    good = derived("modinv/rns-divstep", 61, width=10, steps=3)
    return Directed(good, altered(replace(good, modulus=62), engine=good.engine), divsteps_wrong)


# --- plus-minus


def passes_wrong(p: PassParameters) -> str | None:
    """Constants or divisions that do not exist, a wrong result, or small residues of X + κP that are not those of X."""
    try:
        _ = p.engine
        for a in range(1, 200):
            z, _ = invert(p.kind, p.modulus, a)
            if z is not None and z * a % p.modulus != 1:
                return f"1/{a} modulo {p.modulus} came out as {z}"
            if (a + p.kappa * p.modulus) % p.kind.small != a % p.kind.small:
                return f"{a} modulo {p.kind.small} is taken from {a} + {p.kappa}·{p.modulus}"
    except ValueError as error:
        return str(error)
    return None


def plus_minus(**changes: Any) -> PassParameters:
    """Modulo 1009, by 2 and 3."""
    return replace(derived("modinv/rns-btmi", 1009, width=10), **changes)


@directed("plus_minus", "class")
def residue_class(_: str) -> Directed:
    """A modulus with the factor 3."""
    return Directed(plus_minus(), plus_minus(modulus=1011), passes_wrong)


@directed("plus_minus", "base")
def base(_: str) -> Directed:
    """A multiple of 3 among the moduli."""
    good = plus_minus()
    u = next(u for u in range(1, 100) if (1024 - u) % 6 == 3 and gcd(1024 - u, good.base.product) == 1)
    broken = replace(good, base=Base(10, (*good.base.u[:-1], u)))

    def wrong(p: PassParameters) -> str | None:
        try:
            _ = replace(good, base=p.base).engine
        except ValueError as error:
            return str(error)
        return None

    return Directed(good, altered(broken, engine=good.engine), wrong)


@directed("plus_minus", "small")
def small(_: str) -> Directed:
    """Values held with 11 times the modulus instead of 12."""
    return Directed(plus_minus(), plus_minus(kappa=11), passes_wrong)


# --- Fermat


def fermat_wrong(p: FermatParameters) -> str | None:
    """A power that is no inverse."""
    codec = p.core.codec(p.inner)
    model = FermatModel(p, fermat_schedule(p))
    for a in range(1, p.modulus):
        found = model.run({"a": codec.encode({"x": a, "y": 1})["x"]}).payload
        z = codec.decode(found)["z"]
        if gcd(a, p.modulus) == 1 and (found["error"] or z * a % p.modulus != 1):
            return f"1/{a} modulo {p.modulus} came out as {z}"
    return None


@directed("fermat", "prime")
def prime(_: str) -> Directed:
    """The next odd modulus that is none."""
    good = derived("modinv/rns-flt", 61, width=10)
    inner = derived("modmul/rns-kbe", 63, width=10)
    return Directed(good, replace(good, inner=inner, schedule=good.schedule), fermat_wrong)


@directed("fermat", "exponent")
def exponent(_: str) -> Directed:
    """A program without its last product."""
    good = derived("modinv/rns-flt", 61, width=10)
    return Directed(good, altered(good, program=good.program[:-1]), fermat_wrong)
