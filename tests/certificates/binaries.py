# SPDX-License-Identifier: Apache-2.0
"""Binary multipliers with a fixed modulus, and binary inversions by divsteps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from modwright.cores.modinv.binary_divstep.model import inverse
from modwright.cores.modinv.binary_divstep.parameters import BinaryInversionParameters
from modwright.cores.modmul.binary.parameters.pipelined import BinaryParameters, Multiply
from modwright.cores.modmul.binary.parameters.serial import SerialParameters
from modwright.cores.modmul.binary.plan.product import ProductPlan
from modwright.engines.divsteps import divstep

from .directed import Directed, altered, derived, directed

# --- multipliers


def reduction_wrong(p: BinaryParameters | SerialParameters) -> str | None:
    """A product that is not reduced to its class below (J+1)·p, or a candidate r - j·p without room for its sign."""
    modulus = p.modulus << (p.shift if isinstance(p, SerialParameters) else 0)
    for x in range(p.modulus):
        for y in range(p.modulus - 1, max(0, p.modulus - 40), -1):
            product = x * y * (modulus // p.modulus)
            r = folded(p, x, y) if isinstance(p, BinaryParameters) else folded_in_limbs(p, product)
            if p.barrett is not None:
                r = p.barrett.apply(r)
            report = f"{x}·{y} modulo {p.modulus} left {r}"
            if r % modulus != product % modulus or not 0 <= r < (p.subtractions + 1) * modulus:
                return report
            if isinstance(p, BinaryParameters) and r >> (p._signed_width - 1):
                return f"{report}, with a sign in {p._signed_width} bits"
    return None


def folded(p: BinaryParameters, x: int, y: int) -> int:
    """What the folds leave of a product, sum by sum as the hardware has them."""
    plan, sources = p.folding, p.product.run(x, y, "xy", p.target)
    if plan is None:
        return x * y
    wrong = 0  # what images make of an open fold, less its terms
    for number, (heap, fold) in enumerate(zip(plan.sums, plan.folds, strict=True)):
        sources = {plan.name(number): heap.run(sources)}
        sources |= fold.looked_up(sources)
        rest = fold.apply(sources)
        if number + 1 < len(plan.sums):
            wrong += rest - plan.sums[number + 1].value(sources)
    return rest + wrong + plan.offset


def folded_in_limbs(p: SerialParameters, value: int) -> int:
    """What the folds leave of a product."""
    for fold in p.folds:
        value = fold.apply(value)
    return value


def folding() -> BinaryParameters:
    """Modulo 251, two folds."""
    return derived("modmul/binary", 251, reduction="folding")


def estimating() -> BinaryParameters:
    """Modulo 251 by Barrett's method, a level of Karatsuba's."""
    return derived("modmul/binary", 251, reduction="barrett", karatsuba=1)


@directed("binary", "fold-0-class", "fold-1-class")
def fold_class(name: str) -> Directed:
    """The image of a bit one too large."""
    good, number = folding(), int(name.split("-")[1])
    assert good.folding is not None
    fold = good.folds[number]
    first = min(fold.images)
    worse = altered(fold, images={**fold.images, first: fold.images[first] + 1}, span=fold.span)
    folds = (*good.folds[:number], worse, *good.folds[number + 1 :])
    return Directed(good, altered(good, folding=replace(good.folding, folds=folds)), reduction_wrong)


@directed("binary", "least")
def least(_: str) -> Directed:
    """A multiple of p less added."""
    good = folding()
    plan = good.folding
    assert plan is not None
    worse = altered(plan, offset=plan.offset - good.modulus, result=plan.result)
    return Directed(good, altered(good, folding=worse), reduction_wrong)


@directed("binary", "excess")
def excess(_: str) -> Directed:
    """A constant one too large."""
    good = folding()
    plan = good.folding
    assert plan is not None
    sums = (*plan.sums[:-1], replace(plan.sums[-1], constant=plan.sums[-1].constant + 1))
    return Directed(good, altered(good, folding=replace(plan, sums=sums)), reduction_wrong)


@directed("binary", "subtractions")
def subtractions(_: str) -> Directed:
    """One candidate less."""
    good = folding()
    return Directed(good, altered(good, subtractions=good.subtractions - 1), reduction_wrong)


@directed("binary", "sign")
def sign(_: str) -> Directed:
    """Candidates of a bit less."""
    good = folding()
    return Directed(good, altered(good, _signed_width=good._signed_width - 1), reduction_wrong)


@directed("binary", "mu")
def mu(_: str) -> Directed:
    """1/p rounded up."""
    good = estimating()
    assert good.barrett is not None
    barrett = altered(good.barrett, mu=good.barrett.mu + 1)
    return Directed(good, altered(good, barrett=barrett), reduction_wrong)


def factor_wrong(p: BinaryParameters) -> str | None:
    """A sum of limbs that does not fit a factor."""
    for step in p.datapath:
        if isinstance(step, Multiply):
            for value in sums_of_limbs(step.plan):
                if value >> step.plan.factor:
                    return f"{step.name}: {value} in {step.plan.factor} bits"
    return None


def sums_of_limbs(plan: ProductPlan) -> Iterator[int]:
    """Every factor of the largest operand."""
    for pair in plan.contributions:
        for limbs in pair:
            yield sum((1 << (high - low)) - 1 for low, high in map(plan.limb_slice, limbs))


@directed("binary", "factor-xy", "factor-xmu", "factor-qp")
def factor(name: str) -> Directed:
    """Factors of a bit less, with limbs that are added."""
    good = estimating()
    steps = [
        replace(step, plan=altered(step.plan, factor=step.plan.factor - 1))
        if isinstance(step, Multiply) and name == f"factor-{step.name}"
        else step
        for step in good.datapath
    ]
    return Directed(good, altered(good, datapath=tuple(steps)), factor_wrong)


# --- inversions


def inversion_wrong(p: BinaryInversionParameters) -> str | None:
    """An inverse that is not right, or a value on the way that does not fit."""
    m = p.largest
    for a in range(m):
        found = inverse(a, m, p.steps)
        if found is None if gcd(a, m) == 1 else found is not None:
            return f"1/{a} modulo {m}: {found}"
        if found is not None and found * a % m != 1:
            return f"1/{a} modulo {m}: {found}"
        overflow = registers_wrong(p, a, found)
        if overflow:
            return overflow
    return f"the operand {2 * m - 1} in {p.value_bits} bits" if (2 * m - 1) >> p.value_bits else None


def registers_wrong(p: BinaryInversionParameters, a: int, expected: int | None) -> str | None:
    """D, f, g, d or e that does not fit, or a last e that is not the inverse between -M and M."""
    m, signs = p.largest, [False] * (p.stale + 1)
    D, f, g, d, e = 0, m, a, 0, p.initial
    waiting = p.steps + p.slices - 1
    for step in range(waiting + p.halvings):
        pair = (("D", D, p.counter_bits), ("f", f, p.value_bits), ("g", g, p.value_bits))
        for name, value, bits in (*pair, ("d", d, p.cofactor_bits), ("e", e, p.cofactor_bits)):
            if value >> (bits - 1) not in (0, -1):
                return f"{name} = {value} in {bits} bits, for 1/{a} modulo {m}"
        odd, swap = step == waiting, step == waiting and f < 0
        if step < p.steps:
            D, f, g, odd, swap = divstep(D, f, g)
        total = e - d if swap else e + odd * d
        total += (total & 1) * (m if signs[-1 - p.stale] else -m)
        d, e = (e if swap else d), total >> 1
        signs.append(e < 0)
    if D >> (p.counter_bits - 1) not in (0, -1):
        return f"D = {D} in {p.counter_bits} bits"
    right = expected is None or (-m < e < m and (e - expected) % m == 0)
    return None if right else f"the last e for 1/{a} modulo {m} is {e}"


def inverter(modulus: int = 1009, steps: int = 8) -> BinaryInversionParameters:
    """Several divsteps a cycle."""
    return derived("modinv/binary-divstep", modulus, steps=steps)


@directed("binary_divstep", "steps")
def steps(_: str) -> Directed:
    """A cycle less."""
    good = inverter()
    return Directed(good, altered(good, cycles=good.cycles - 1), inversion_wrong)


@directed("binary_divstep", "counter")
def counter(_: str) -> Directed:
    """D a bit shorter."""
    good = inverter(61)
    return Directed(good, altered(good, counter_bits=good.counter_bits - 1), inversion_wrong)


@directed("binary_divstep", "halvings")
def halvings(_: str) -> Directed:
    """None, so that e does not take ±d."""
    good = inverter(61, 1)
    return Directed(good, altered(good, halving_cycles=0), inversion_wrong)


@directed("binary_divstep", "range-d")
def cofactor(_: str) -> Directed:
    """d and e of a bit less."""
    good = inverter(61, 1)
    broken = altered(good, cofactor_bits=good.cofactor_bits - 1)
    return Directed(good, broken, inversion_wrong, frozenset({"range-sum"}))


@directed("binary_divstep", "operand", "range-f")
def value(name: str) -> Directed:
    """Registers of as many bits as M."""
    good = inverter(61)
    both = {"operand", "range-f"}
    return Directed(good, altered(good, value_bits=good.n), inversion_wrong, frozenset(both - {name}))


@directed("binary_divstep", "odd")
def odd(_: str) -> Directed:
    """The next modulus."""
    good = inverter(61)
    return Directed(good, replace(good, modulus=62), inversion_wrong)
