# SPDX-License-Identifier: Apache-2.0
"""Sum of residues, with κ and lean, and the converter out of residues behind them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from modwright.contract.codec import FieldCodec
from modwright.cores.modmul.sor.model import SorModel
from modwright.cores.modmul.sor.parameters import SorParameters
from modwright.cores.modmul.sor.schedule import make_schedule as sor_schedule
from modwright.cores.modmul.sor_lean.model import LeanModel
from modwright.cores.modmul.sor_lean.parameters import LeanParameters, root_base
from modwright.cores.modmul.sor_lean.schedule import make_schedule as lean_schedule
from modwright.rns import Base
from modwright.rns.bounds import CoxBound
from modwright.rns.conversion import FromResidues

from .directed import Directed, Part, altered, derived, directed

TRIES = 6000
"""Pairs of operands."""


def pairs(bound: int, near: int) -> Iterator[tuple[int, int]]:
    """Operands below a bound: small ones, those near the end, and any."""
    drawn = random.Random(bound)
    for n in range(TRIES):
        ends = [drawn.randrange(near), bound - 1 - drawn.randrange(near), drawn.randrange(bound)]
        yield ends[n % 3], ends[n // 3 % 3]


def product_wrong(p: SorParameters | LeanParameters, operands: Iterable[tuple[int, int]] = ()) -> str | None:
    """A product, of integers below the bound or of given ones, that is not right, or not below the bound."""
    lean = isinstance(p, LeanParameters)
    model = LeanModel(p, lean_schedule(p)) if lean else SorModel(p, sor_schedule(p))
    codec = FieldCodec(p)
    for x, y in operands or pairs(p.bound, 40):
        payload = {"x": codec.store(x), "y": codec.store(y)}
        found = codec.decode(model.run(payload).payload)
        if found["error"] or found["z"] != x * y % p.modulus:
            return f"{x}·{y} came out as {found['representative']}, to be below {p.bound}"
    return None


@cache
def with_kappa() -> SorParameters:
    """p = 251 over three moduli of 9 bits, the smallest constants."""
    return derived("modmul/sor-1m-p", 251, width=9, constants="smallest")


@directed("sor", "alpha-low")
def sor_alpha_low(_: str) -> Directed:
    """D = 0 instead of 1 with one bit of every γ: α comes out one too small."""
    good = replace(with_kappa(), modulus=31, base=Base(8, (0, 1)), q=1, offset=1, T=5, strict_kappa=False)
    return Directed(good, replace(good, offset=0), product_wrong)


@directed("sor", "alpha-high")
def sor_alpha_high(_: str) -> Directed:
    """D one too large: α comes out one too large for the largest operands."""
    good = with_kappa()
    return Directed(good, replace(good, offset=good.offset + 1), product_wrong)


@directed("sor", "alpha-table")
def sor_alpha_table(_: str) -> Directed:
    """The table one row short."""
    good = with_kappa()
    return Directed(good, altered(good, corrections=good.corrections[:-1]), product_wrong)


# --- lean


def lean(modulus: int, base: Base, q: int) -> LeanParameters:
    """Parameters with the least D."""
    rough = LeanParameters(modulus, base, q, 0, 1, 2, "generic")
    return replace(rough, offset=int(rough.alpha_errors[0] * (1 << q)))


@directed("sor_lean", "alpha-low")
def lean_alpha_low(_: str) -> Directed:
    """D one too small."""
    good = derived("modmul/sor-lean", 61, width=10)
    return Directed(good, replace(good, offset=good.offset - 1), product_wrong)


@directed("sor_lean", "alpha-high")
def lean_alpha_high(_: str) -> Directed:
    """The next odd modulus after the largest that three channels of 10 bits hold: B is too large for D."""
    base = root_base(10, 3)
    return Directed(lean(9, base, 2), lean(11, base, 2), product_wrong)


@directed("sor_lean", "roots")
def lean_roots(_: str) -> Directed:
    """A prime ≡ 1 (mod 4) among the moduli: neither M_i^-1 nor its negative need be a square there."""
    good = lean(7, root_base(10, 3), 2)
    return Directed(good, lean(7, Base(10, (3, 33, 41)), 2), product_wrong)


# --- the converter out of residues


def conversion_wrong(part: Part) -> str | None:
    """An integer below the bound that is not converted to its class modulo p, by any representatives of residues."""
    out: FromResidues = part.part
    drawn = random.Random(5)
    word = 1 << out.base.width
    for n in range(TRIES):
        z = (n // 2, out.value_bound - 1 - n // 2)[n % 2] if n < 2 * out.value_bound else 0
        canonical = [
            r * t % m for r, t, m in zip(out.base.to_residues(z), out.base.inverses, out.base.moduli, strict=True)
        ]
        given = [
            r + m if r + m < word and drawn.random() < 0.5 else r
            for r, m in zip(canonical, out.base.moduli, strict=True)
        ]
        found = out.apply(given)
        if found != z * out.factor % out.modulus:
            return f"{z} modulo {out.modulus} came out as {found}"
    return None


@cache
def converter() -> FromResidues:
    """Out of three residues of 8 bits, in digits of 6."""
    return FromResidues(Base(8, (1, 3, 5)), 61, 3000, 6, exact=True)


@directed("sor", "out-alpha-low")
@directed("sor_lean", "out-alpha-low")
@directed("rns_montgomery", "out-alpha-low")
@directed("ladder", "out-alpha-low")
def conversion_alpha_low(_: str) -> Directed:
    """One bit less of every residue, and Δ a unit too small."""
    out = converter()
    cox = out.cox
    worse = CoxBound(cox.width, cox.moduli, cox.f - 1, (1 << (cox.f - 2)), cox.largest)
    return Directed(Part(out), Part(altered(out, cox=worse)), conversion_wrong)


@directed("sor", "out-alpha-high")
@directed("sor_lean", "out-alpha-high")
@directed("rns_montgomery", "out-alpha-high")
@directed("ladder", "out-alpha-high")
def conversion_alpha_high(_: str) -> Directed:
    """z = M/2, which is Δ below M, with nothing cut off: α comes out one too large."""
    base = Base(8, (0, 1))
    half = base.product // 2
    exact = CoxBound(8, base.moduli, 8, 1 << 7, [255] * 2)
    good, broken = (altered(FromResidues(base, 61, bound, 6, exact=True), cox=exact) for bound in (half, half + 1))
    return Directed(Part(good), Part(broken), conversion_wrong)


@directed("sor", "out-range")
@directed("sor_lean", "out-range")
@directed("rns_montgomery", "out-range")
@directed("ladder", "out-range")
def conversion_range(_: str) -> Directed:
    """κ of a digit less: p would have to be subtracted twice."""
    out = converter()
    return Directed(Part(out), Part(altered(out, kappa_rows=out.kappa_rows - 1)), conversion_wrong)
