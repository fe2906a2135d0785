# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication on limbs, and the point multipliers and exponentiators over multipliers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import gcd

from modwright.combine.exponentiation.model import ModexpModel
from modwright.combine.exponentiation.parameters import ModexpParameters
from modwright.combine.exponentiation.schedule import make_schedule as exponentiation_schedule
from modwright.contract import Field, Payload
from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.parameters import EcpmParameters
from modwright.cores.ecpm.ladder.plan.ladder import reduced_scalar
from modwright.cores.modmul.limb.model import column_result, column_states, result
from modwright.cores.modmul.limb.parameters import LimbParameters
from modwright.engines.ladder.inversion import invert, states
from modwright.engines.limb.schedule import make_schedule
from modwright.engines.limb.units import FOLD, KINDS, PRODUCT, SCAN, SQUARE, SUM
from modwright.prepared.registry import find

from .directed import Directed, altered, derived, directed


@cache
def folded(bits: int, limb: int) -> LimbParameters:
    """A multiplier that folds."""
    return derived(FOLD.core, (1 << bits) - 1, limb=limb)


def constants(p: LimbParameters, m: int) -> dict[str, int]:
    """Constants computed once from a modulus."""
    return {"m": m, "q": -pow(m, -1, 1 << p.w) % (1 << p.w), "mu": pow(2, -p.w, m)}


def operands(p: LimbParameters, kind: str) -> Iterator[dict[str, int]]:
    """Operands just below the largest moduli."""
    drawn = random.Random(3)
    for m in range((1 << p.n) - 1, (1 << p.n) - 9, -2):
        for _ in range(600):
            x, y, x2, y2 = (m - 1 - drawn.randrange(8) for _ in range(4))
            yield (
                constants(p, m)
                | {"x": x, "y": x if kind == SQUARE else y}
                | ({"x2": x2, "y2": y2} if kind == SUM else {})
            )


def product_wrong(p: LimbParameters) -> str | None:
    """A result in one piece that is not in its class, or not below its multiple of m."""
    for values in operands(p, PRODUCT):
        z, m = result(p, values, PRODUCT), values["m"]
        if (z << p.T) % m != values["x"] * values["y"] % m or z >= p.multiple(PRODUCT) * m:
            return f"{values['x']}·{values['y']} modulo {m} came out as {z}"
    return None


def registers_wrong(p: LimbParameters) -> str | None:
    """A sum of two products in the accumulator, cycle by cycle, that is not the one in one piece."""
    schedule = make_schedule(p, SUM)
    for values in operands(p, SUM):
        *_, last = column_states(p, schedule, values)
        if column_result(p, last) != result(p, values, SUM):
            return f"{values['x']}·{values['y']} modulo {values['m']} came out as {column_result(p, last)}"
    return None


def chained(bits: int) -> LimbParameters:
    """A scanning multiplier on two limbs of two bits, whose results are operands."""
    core = find(SCAN.core)
    request = Request.make(core, modulus=(1 << bits) - 1, target="generic", options={"limb": 2})
    return replace(core.derive(replace(request, options={**request.options, "chained": True})), n=bits, s=2)


def chain_wrong(p: LimbParameters) -> str | None:
    """A result of operands below D·m that is none of them."""
    for m in range(3, 1 << p.n, 2):
        for x in range(p.domain * m):
            z = result(p, constants(p, m) | {"x": x, "y": p.domain * m - 1}, PRODUCT)
            if z >= p.domain * m:
                return f"{x}·{p.domain * m - 1} modulo {m} came out as {z}"
    return None


@directed("limb", "chain")
def chain(_: str) -> Directed:
    """A bit more of the modulus on the same limbs."""
    return Directed(chained(2), chained(3), chain_wrong)


@directed("limb", "result")
def limb_result(_: str) -> Directed:
    """Moduli of a bit more than the limbs have."""
    good = folded(6, 3)
    return Directed(good, replace(good, n=good.n + 1), product_wrong)


@directed("limb", *(f"bits-{kind}" for kind in KINDS))
def limb_bits(name: str) -> Directed:
    """Results of a bit less: with folds the products below 3m, and those at and above 2m that do not fit."""
    kind = name.partition("-")[2]
    good = folded(8, 4)

    def wrong(p: LimbParameters) -> str | None:
        for values in operands(p, kind):
            z = result(p, values, kind)
            if z >> p.result_bits:
                return f"{z} modulo {values['m']} in {p.result_bits} bits, for {values}"
        return None

    others = {f"bits-{one}" for one in KINDS} - {name}
    return Directed(good, altered(good, result_bits=good.result_bits - 1), wrong, frozenset(others))


@directed("limb", "accumulator")
def accumulator(_: str) -> Directed:
    """An accumulator of a bit less."""
    good = folded(9, 3)
    return Directed(good, replace(good, accumulator=good.accumulator - 1), registers_wrong)


# --- point multipliers


@cache
def ladder(bits: int, limb: int) -> EcpmParameters:
    """One multiplier that folds, and orders as long as the moduli."""
    return EcpmParameters("ecpm/ladder", folded(bits, limb), 1, bits, False)


def sums_wrong(p: EcpmParameters) -> str | None:
    """A result of a multiplier, or what the two sums make of it, that does not fit."""
    for values in operands(p.unit, SUM):
        z, m = result(p.unit, values, SUM), values["m"]
        left = z - 2 * m if z >= 2 * m else z % m
        if z >> p.sum_bits:
            return f"{z} does not fit the {p.sum_bits} bits of a sum"
        if left >> p.word_bits:
            return f"{left}, reduced from {z} modulo {m}, does not fit the {p.word_bits} bits of a word"
    return None


def inversion_wrong(p: EcpmParameters) -> str | None:
    """An inverse that is not R^2/d, or a value on the way that does not fit."""
    for m in range((1 << p.n) - 1, (1 << p.n) - 9, -2):
        for d in range(1, m):
            if gcd(d, m) > 1:
                continue
            found, negative = invert(d, m, p.iterations)
            if (-found if negative else found) * d % m != pow(2, 2 * p.T, m):
                return f"1/{d} modulo {m} came out as {found}"
            for u, _, r, _ in [(-m, d, 0, 1), *states(d, m, p.iterations)]:
                if abs(u) >> (p.word_bits - 1) or r >> p.word_bits:
                    return f"U = {u}, R = {r} for {d} modulo {m}, in {p.word_bits} bits"
    return None


def scalar_wrong(p: EcpmParameters) -> str | None:
    """A reduced scalar that r does not hold with a sign, or a beginning that is not -1 or 0."""
    for q in range((1 << p.order_bits) - 5, 1 << p.order_bits):
        for k in range(1 << (p.n + 1)):
            r = reduced_scalar(k, q, p.order_bits)
            if r >> (p.scalar_bits - 1):
                return f"r = {r} for k = {k} and the order {q}, in {p.scalar_bits} bits"
            if (k >> p.order_bits) - 1 > 0:
                return f"k = {k} begins with {(k >> p.order_bits) - 1}"
    return None


@directed("ladder", "first-operand")
def ecpm_first_operand(_: str) -> Directed:
    """Sums of as many bits as a word."""
    good = ladder(8, 4)
    others = frozenset({"first-sum", "inversion-sum"})
    return Directed(good, altered(good, sum_bits=good.n + 1), sums_wrong, others)


_WORD = {"word", "inversion-signed", "inversion-double"}


@directed("ladder", *sorted(_WORD))
def ecpm_word(name: str) -> Directed:
    """Words and registers of as many bits as the modulus."""
    good = ladder(6, 3)
    wrong = sums_wrong if name == "word" else inversion_wrong
    return Directed(good, altered(good, word_bits=good.n), wrong, frozenset(_WORD - {name}))


@directed("ladder", "inversion-domain")
def ecpm_inversion(_: str) -> Directed:
    """An iteration less."""
    good = EcpmParameters("ecpm/ladder", replace(folded(6, 3), n=5), 1, 5, False)
    return Directed(good, altered(good, iterations=2 * good.T - 1), inversion_wrong)


@directed("ladder", "scalar")
def ecpm_scalar(_: str) -> Directed:
    """r of as many bits as the order."""
    good = ladder(6, 3)
    return Directed(good, altered(good, scalar_bits=good.order_bits), scalar_wrong)


@directed("ladder", "scalar-begin")
def ecpm_scalar_begin(_: str) -> Directed:
    """A ladder for orders that are a bit shorter than the modulus."""
    good = ladder(6, 3)
    return Directed(good, replace(good, order_bits=good.n - 1), scalar_wrong)


# --- exponentiators


def operand_wrong(p: ModexpParameters) -> str | None:
    """A result of the multiplier that does not fit an operand again."""
    m = p.multiplier
    model = m.core.model(m.parameters, m.schedule)
    least = min(m.x.width, m.y.width)
    for x in range(p.modulus or 0):
        for y in (1, x):
            z = model.run({"x": x, "y": y}).payload["z"]
            assert isinstance(z, int)
            if z >> least:
                return f"{z} = {x}·{y} does not fit {least} bits"
    return None


def narrower(parameters: ModexpParameters, *names: str) -> ModexpParameters:
    """With operands of a bit less."""
    m = parameters.multiplier
    return replace(parameters, multiplier=altered(m, **{name: Payload((Field(name, m.width - 1),)) for name in names}))


@directed("exponentiation", "result-width")
def modexp_result_width(_: str) -> Directed:
    """x of a bit less than the result."""
    good = derived("modexp/binary-window", 61, exponent_bits=6)
    return Directed(good, narrower(good, "x"), operand_wrong, frozenset({"operand-width"}))


@directed("exponentiation", "operand-width")
def modexp_operand_width(_: str) -> Directed:
    """y of a bit less than x."""
    good = derived("modexp/binary-window", 61, exponent_bits=6)
    return Directed(good, narrower(good, "y"), operand_wrong)


@directed("exponentiation", "limbs")
def modexp_limbs(_: str) -> Directed:
    """A limb less."""
    good = derived("modexp/csa-window", 61, exponent_bits=6)

    def wrong(p: ModexpParameters) -> str | None:
        """R² is made by doubling modulo M: 2·(M - 1) at most."""
        largest = 2 * ((1 << p.n) - 2)
        return f"V = {largest} in {p.limbs * p.limb} bits" if largest >> (p.limbs * p.limb) else None

    return Directed(good, altered(good, limbs=good.limbs - 1, limb=good.limb), wrong)


@directed("exponentiation", "digit")
def modexp_digit(_: str) -> Directed:
    """Digits of one bit: the table holds 1 and the base, and no product of them."""
    good = derived("modexp/binary-window", 61, exponent_bits=4, window=2)

    def wrong(p: ModexpParameters) -> str | None:
        model = ModexpModel(p, exponentiation_schedule(p))
        for exponent in range(1 << p.exponent_bits):
            for base in range(61, 64):
                found = model.run({"base": base, "exponent": exponent}).payload
                if not found["error"]:
                    return f"{base}^{exponent} modulo 61 came out as {found}"
        return None

    return Directed(good, replace(good, window=1), wrong)
