# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication digit by digit: carry-save, and with quotients determined ahead."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from modwright.cores.modmul.carry_save.model import CarrySaveModel
from modwright.cores.modmul.carry_save.parameters import NIBBLE, CarrySaveParameters
from modwright.cores.modmul.carry_save.plan import BOOTH4, BOOTH8, CSA, VLM3, Cell, high_radix
from modwright.cores.modmul.carry_save.schedule import make_schedule as carry_save_schedule
from modwright.cores.modmul.orup.model import OrupModel
from modwright.cores.modmul.orup.schedule.ahead import make_schedule as orup_schedule
from modwright.engines.orup.ahead import OrupParameters

from .directed import Directed, altered, derived, directed, failing, first_broken

# --- carry-save

N = 6
"""Bits of the moduli that are tried."""


@cache
def digit_by_digit(cell: Cell, domain: int) -> CarrySaveParameters:
    """The least T for moduli of `N` bits, and limbs of a digit."""
    unit = NIBBLE if cell.variable else cell.bits
    rows = (
        CarrySaveParameters(cell, N, domain, T, unit)
        for T in range(-(-N // cell.shift) * cell.shift, 3 * N, cell.shift)
    )
    return next(p for p in rows if p.certificate.failing is None)


def operands(p: CarrySaveParameters) -> Iterator[tuple[int, int, int]]:
    """Every x with the largest and some other y, for moduli with the top bit set."""
    for m in range((1 << (N - 1)) | 1, 1 << N, 2):
        top = p.domain * m - 1
        for y in (top, top - 1, m - 1, m // 2):
            for x in range(top + 1):
                yield x, y, m


def state_wrong(p: CarrySaveParameters) -> str | None:
    """A state above or below the bounds of S."""
    model, (low, high) = CarrySaveModel(p, carry_save_schedule(p)), p.sum_bounds
    for x, y, m in operands(p):
        for state in model.states(model.digits(x), y, m):
            if not low * m <= model.value(state) <= high * m:
                return f"S = {model.value(state)} for {x}·{y} modulo {m}, to be from {low * m} to {high * m}"
    return None


def words_wrong(p: CarrySaveParameters) -> str | None:
    """A last S, of the carry-save words, that is not (x·y + Q·M)/R."""
    model = CarrySaveModel(p, carry_save_schedule(p))
    for x, y, m in operands(p):
        *_, last = model.states(model.digits(x), y, m)
        value = model.value(last)
        if (value << p.T) % m != x * y % m:
            return f"{x}·{y} modulo {m} came out as {value}"
    return None


def result_wrong(p: CarrySaveParameters) -> str | None:
    """A result outside its domain."""
    model = CarrySaveModel(p, carry_save_schedule(p))
    for x, y, m in operands(p):
        z = model.run({"x": x, "y": y, "m": m}).payload["z"]
        assert isinstance(z, int)
        if not 0 <= z < p.domain * m:
            return f"{x}·{y} modulo {m} came out as {z}"
    return None


def limbs_wrong(p: CarrySaveParameters) -> str | None:
    """A last S that the limbs do not hold with its sign."""
    model, bits = CarrySaveModel(p, carry_save_schedule(p)), p.limbs * p.limb
    for x, y, m in operands(p):
        *_, last = model.states(model.digits(x), y, m)
        if model.value(last) >> (bits - 1) not in (0, -1):
            return f"S = {model.value(last)} for {x}·{y} modulo {m}, in {bits} bits"
    return None


@directed("carry_save", "step-high")
def step_high(_: str) -> Directed:
    """A claimed bound of 15/8 instead of 2."""
    good = digit_by_digit(CSA, 1)
    return Directed(good, altered(good, sum_bounds=(Fraction(0), Fraction(15, 8))), state_wrong)


@directed("carry_save", "step-low")
def step_low(_: str) -> Directed:
    """A claimed bound of -49/100 instead of -4/7."""
    good = digit_by_digit(BOOTH8, 1)
    return Directed(good, altered(good, sum_bounds=(Fraction(-49, 100), good.sum_bounds[1])), state_wrong)


_DIGITS = [f"{kind}-{a}" for kind in ("step-high", "step-low", "zero") for a in range(3)]


@directed("carry_save", *_DIGITS)
def variable_digit(name: str) -> Directed:
    """Claimed bounds tighter by hundredths until the digit leaves them; other digits leave them before or with it."""
    good = digit_by_digit(VLM3, 1)
    low, high = good.sum_bounds
    step = Fraction(1, 100)
    lower = name.startswith("step-low")
    tighter = (
        altered(good, sum_bounds=(low + n * step, high) if lower else (low, high - n * step)) for n in range(1, 100)
    )
    broken = first_broken(tighter, name)
    if name in ("step-high-1", "step-low-1"):  # tight: no state comes quite so far with so few bits
        broken = altered(good, sum_bounds=(low + 6 * step, high) if lower else (low, high - 8 * step))
    also = failing(broken.certificate) - {name}
    assert also <= set(_DIGITS)
    return Directed(good, broken, state_wrong, frozenset(also))


@directed("carry_save", "width")
def width(_: str) -> Directed:
    """Words a bit shorter, with four bits of x in a digit."""
    good = digit_by_digit(high_radix(16), 1)
    return Directed(good, altered(good, width=good.width - 1), words_wrong)


@directed("carry_save", "width-high", "width-low")
def width_signed(name: str) -> Directed:
    """Signed words a bit shorter: too short at both ends."""
    good = digit_by_digit(VLM3, 1)
    both = {"width-high", "width-low"}
    return Directed(good, altered(good, width=good.width - 1), words_wrong, frozenset(both - {name}))


@directed("carry_save", "result-low")
def result_low(_: str) -> Directed:
    """No M added to a negative last S."""
    good = digit_by_digit(BOOTH4, 2)
    return Directed(good, altered(good, offset=0), result_wrong)


@directed("carry_save", "result-high")
def result_high(_: str) -> Directed:
    """R = 2^(n+1) instead of 2^(n+2): results of 2M and more."""
    good = digit_by_digit(CSA, 2)
    return Directed(good, replace(good, T=good.T - 1), result_wrong)


@directed("carry_save", "digits")
def digits(_: str) -> Directed:
    """Places for the bits of x, none for the carry of the last signed digit."""
    good = digit_by_digit(BOOTH8, 1)
    return Directed(good, replace(good, T=good.T - 3), words_wrong)


@directed("carry_save", "limbs")
def limbs(_: str) -> Directed:
    """A limb of one bit less."""
    good = digit_by_digit(CSA, 1)
    return Directed(good, altered(good, limbs=good.limbs - 1), limbs_wrong)


# --- quotients determined ahead


@cache
def ahead(**changes: int) -> OrupParameters:
    """Moduli of 6 bits, digits and tiles of 3."""
    return replace(derived("modmul/orup-dsp", 61, digit=3, tile=3, delay=3, limb=8), **changes)


def orup_operands(p: OrupParameters, count: int = 1500) -> Iterator[tuple[int, int, int]]:
    """x and y below 2^(K+1)·m, mostly the largest."""
    drawn = random.Random(7)
    for n in range(count):
        m = (1 << p.n) - 1 - 2 * (n % 4)
        top = (m << (p.K + 1)) - 1
        yield top - drawn.getrandbits(4) * (n % 3), top if n % 2 else drawn.randrange(top + 1), m


def orup_wrong(p: OrupParameters) -> str | None:
    """A result at or above its bound, or not in its class; or a state above a bound."""
    model = OrupModel(p, orup_schedule(p))
    for x, y, m in orup_operands(p):
        bound, tilde = m << (p.K + 1), (m << p.K) - 1
        z = model._product(x, y, m)
        if z >= bound:
            return f"{x}·{y} came out as {z}, to be below {bound}"
        states = []
        try:
            states += model.states(x, y, m)
        except AssertionError:
            return f"a carry left the top chunk for {x}·{y}"
        for state in states:
            if model.value(state) > p.largest_sum:
                return f"S = {model.value(state)} for {x}·{y}, at most {p.largest_sum}"
            if any(carry > p.largest_carry or carry >> p.w for carry in state.carries):
                return f"a carry of {max(state.carries)} for {x}·{y}, at most {p.largest_carry}"
        last = model.value(states[-1])
        if last >> (p.limbs * p.limb):
            return f"S = {last} for {x}·{y} does not fit {p.limbs} limbs of {p.limb} bits"
        dropped = sum((state.word & ((1 << p.k) - 1)) << (p.k * n) for n, state in enumerate(states[-1 - p.d : -1]))
        if (((last << (p.k * p.d)) + dropped) * (1 << p.T) - x * y) % tilde:
            return f"{x}·{y} came out as {last}, in another class"
    return None


@cache
def tiled(w: int, k: int) -> OrupParameters:
    """Tiles of w bits, digits of k."""
    p = replace(ahead(), w=w, k=k)
    p = replace(p, N=-(-(p.n + p.K + 2) // k))
    return replace(p, chunks=-(-p.largest_sum.bit_length() // w), limb_chunks=-(-8 // w))


@directed("orup", "result")
def orup_result(_: str) -> Directed:
    """A digit less."""
    good = ahead()
    return Directed(good, replace(good, N=good.N - 1), orup_wrong, frozenset({"digits"}))


@directed("orup", "step")
def orup_step(_: str) -> Directed:
    """A claimed bound that is smaller by a twentieth."""
    good = ahead()
    return Directed(good, altered(good, largest_sum=good.largest_sum * 19 // 20), orup_wrong)


@directed("orup", "width")
def orup_width(_: str) -> Directed:
    """A chunk less."""
    good = ahead()
    return Directed(good, replace(good, chunks=good.chunks - 1), orup_wrong)


@directed("orup", "carry")
def orup_carry(_: str) -> Directed:
    """Carries that are claimed to be one less."""
    good = tiled(4, 2)
    return Directed(good, altered(good, largest_carry=good.largest_carry - 1), orup_wrong)


@directed("orup", "carries")
def orup_carries(_: str) -> Directed:
    """Chunks of one bit, whose carries have two."""
    return Directed(tiled(2, 1), tiled(1, 1), orup_wrong, frozenset({"limb-carry"}))


@directed("orup", "limbs")
def orup_limbs(_: str) -> Directed:
    """A limb less."""
    good = ahead()
    return Directed(good, altered(good, limbs=good.limbs - 1), orup_wrong)
