# SPDX-License-Identifier: Apache-2.0
"""Parts of an inversion by divsteps: four numbers a round, whose hats pass over the bus one after the other.

A round begins with the products of the next f by the matrix of the round before:

    f, g    two products each; their hats pass for the low bits, on which k divsteps are made
    d, e    two products, and c·P/2^k; their hats pass for the low bits of -d/P and -e/P, from which the next c come
    all     stored as they are until a cycle of the rowers is free, in which they are multiplied by 2^-k

Hats follow each other by `gap` cycles. What is left of a round when the next one begins is issued by that one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .....engines.coxrower.steps import ADD, ALONE, COEFFICIENTS, COMMON, FILE, GIVEN, RESULT, SAVED, Term
from .....schedule import Schedule, Step
from ..parameters import D, E, F, G, ProcessorParameters, T
from ..plan.divsteps import (
    HALF_OFFSET,
    HALF_P,
    HALF_START,
    INTO_Q,
    INTO_S,
    NOTHING,
    OF_P,
    PER_CYCLE,
    SCALE,
    UNIT,
    Divsteps,
)
from .converting import digit_latency, ending_with_hats
from .words import Words

DOMAIN = "out of the domain"
"""Name of the part in which x·1 is reduced."""
TO_LOAD, TO_ROUND = 2, 3
"""Field `leave`: the part that follows; behind the last round, the end takes the place of one more."""
LOW_F, LOW_G, LOW_D, LOW_E, OF_D, OF_E = range(1, 7)
"""Field `low`: the low bits that are stored, or the c of d and e."""
OF_MATRIX = U, V, Q, R, LATE_U, LATE_V, LATE_Q, LATE_R = tuple(range(1, 9))
"""Field `factor`: in the next cycle rowers have that coefficient; late ones are those by which d and e are multiplied,
of the same matrix, which the next one has replaced by then."""
C_D, C_E, OFFSET = 1, 2, 3
"""Field `common`: in the next cycle rowers have that c, or the coefficient of κP/2; else 2."""
BY_SIGN = 1
"""Field `choice`: 2^k with the sign of f, or 0."""
COMBINED = 4
"""Products u·d', v·e', q·d' and r·e' of low bits."""
LEAST_GAP = 4
"""Cycles between the hats of two numbers: three products, and one by 2^-k."""


@dataclass(frozen=True)
class Times:
    """Cycles of a round, whose cycle 0 is the one in which it is started.

    Parameters
    ----------
    p : ProcessorParameters
    plan : Divsteps
    """

    p: ProcessorParameters
    plan: Divsteps

    @property
    def first(self) -> int:
        """First cycle of a word."""
        return 1 + self.p.engine.travel

    @property
    def result(self) -> int:
        """Cycles from a product to the hats of a sum that ends with it."""
        return self.p.engine.latency + self.p.engine.fold_cycles

    @property
    def gap(self) -> int:
        """Cycles between the hats of two numbers."""
        return max(self.p.n, LEAST_GAP)

    @cached_property
    def hats(self) -> tuple[int, ...]:
        """Cycles in which hats of f, g, d and e can be read."""
        f = self.first + 2 + self.result
        return tuple(f + number * self.gap for number in range(4))

    @cached_property
    def products(self) -> tuple[int, ...]:
        """First products of f, g, d and e."""
        return tuple(hats - self.result - (1 if number < 2 else 2) for number, hats in enumerate(self.hats))

    def low_bits(self, hats: int) -> int:
        """Cycle in which the low bits are there of hats that can be read in another one."""
        return hats + self.way + self.p.n + digit_latency(self.p)

    @property
    def way(self) -> int:
        """Cycles from readable hats to the first one on the bus."""
        return 1 if self.p.engine.passes_through else 2

    @property
    def stepped(self) -> int:
        """Cycle from which on the matrix is there."""
        return self.low_bits(self.hats[1]) + 1 + self.plan.k // PER_CYCLE

    @property
    def combined(self) -> int:
        """First product of low bits."""
        return max(self.low_bits(self.hats[3]) + 1, self.stepped)

    @property
    def coefficients(self) -> tuple[int, int]:
        """Cycles in which the c of d and of e are stored."""
        return tuple(self.combined + k + digit_latency(self.p) for k in (2, 4))  # pyright: ignore[reportReturnType]

    @cached_property
    def scaled(self) -> tuple[int, ...]:
        """Cycles of the products by 2^-k, the first that are free of products, and of stores, in a round."""
        taken = {cycle + k for cycle, count in zip(self.products, (2, 2, 3, 3), strict=True) for k in range(count)}
        stores, found = set(self.hats), list[int]()
        last_reads = (self.products[1], self.products[1] + 1, self.products[3], self.products[3] + 1)
        for hats, read in zip(self.hats, last_reads, strict=True):
            cycle = max(hats + 1, read - self.result)
            while cycle in taken or cycle + self.result in stores:
                cycle += 1
            found.append(cycle)
            taken.add(cycle)
            stores.add(cycle + self.result)
        return tuple(found)

    @cached_property
    def period(self) -> int:
        """Cycles from a round to the next."""
        low, high = min(self.products), max(self.scaled[3], self.products[3] + 2)
        return max(
            4 * self.gap,
            self.stepped - self.products[0] + 1,
            self.combined + COMBINED - self.hats[0] - self.way,
            self.coefficients[0] - self.products[2],
            self.coefficients[1] - self.products[3],
            high - low + 1,
            self.scaled[3] + self.result - self.hats[0] + 1,
        )


def rounds(p: ProcessorParameters, plan: Divsteps) -> tuple[Schedule, Schedule, Schedule]:
    """Start, round and end."""
    at = Times(p, plan)
    load, before = _load(p, at)
    turn, after = _round(p, at, before)
    if after != before:
        raise ValueError("a round and the load hand different words over")
    return load, turn, _finish(p, at, before)


def _numbers(words: Words, at: Times, shift: int) -> None:
    """Place what every round does with the four numbers, whose hats are `shift` cycles later than in a round."""
    scale, latency = at.p.address(SCALE), digit_latency(at.p)
    names = zip("fgde", (F, G, D, E), (LOW_F, LOW_G, LOW_D, LOW_E), at.hats, at.scaled, strict=True)
    for name, number, low, hats, scaled in names:
        ready = hats + shift
        words.write(f"{name} kept", ready, T, after=())
        words.count(f"{name} on the bus", ready, 1, after=())
        words.add(f"products of {name}", "converter multiplier", ready + at.way, busy=at.p.n, latency=latency)
        words.add(f"sums of {name}", "converter accumulator", ready + at.way + latency, busy=at.p.n)
        words.add(f"low bits of {name}", "low bits", at.low_bits(hats) + shift, low=low)
        term: Term = (ALONE, {"a": FILE, "pick": T + 1, "b": scale})
        stored = words.sum_of(f"{name}/2^k", scaled + shift, [term], 1)
        words.write(f"{name}/2^k kept", stored, number, after=(f"{name}/2^k",))
    for step in range(at.plan.k // PER_CYCLE):
        words.add(f"divsteps {step + 1}", "divsteps", at.low_bits(at.hats[1]) + 1 + step + shift, step=1)
    for number in range(COMBINED):
        cycle = at.combined + number + shift
        words.add(f"c: product {number + 1}", "converter multiplier", cycle, latency=latency, combine=number + 1)
        words.add(f"c: sum {number + 1}", "converter accumulator", cycle + latency)
    for name, code, cycle in zip("de", (OF_D, OF_E), at.coefficients, strict=True):
        words.add(f"c of {name}", "low bits", cycle + shift, low=code)


def _until(words: Words, start: int) -> tuple[Schedule, tuple[Step, ...]]:
    """A part that the next one follows in cycle `start`, and the words that that one issues."""
    words.steps.append(Step("to round", "program", start + words.engine.travel, control={"leave": TO_ROUND}))
    after = words.passed_on(start)
    latency = max(step.end for step in words.steps)
    return Schedule(tuple(words.steps), latency, "a round", minimum_interval=start), after


def _load(p: ProcessorParameters, at: Times) -> tuple[Schedule, tuple[Step, ...]]:
    """Schedule of the first hats: P, those of S that can be read at the start, 0, and A mod P."""
    words = Words(p.engine)
    shift = -1  # one product gives the first number, not two
    words.write("g first", at.first, G, after=())
    starts: list[dict[str, int]] = [
        {"a": COMMON, "b": p.address(HALF_P)},
        {"a": FILE, "pick": G + 1, "b": p.address(UNIT)},
        {"a": COMMON, "b": p.address(NOTHING)},
        {"a": COMMON, "b": p.address(HALF_START)},
    ]
    for name, hats, fields in zip("fgde", at.hats, starts, strict=True):
        words.sum_of(name, hats + shift - at.result, [(ALONE, fields)], 1)
    _numbers(words, at, shift)
    return _until(words, at.period + shift)


def _round(p: ProcessorParameters, at: Times, before: tuple[Step, ...]) -> tuple[Schedule, tuple[Step, ...]]:
    """Schedule of a round."""
    words = Words(p.engine)
    words.steps += before
    sums = [("f", F, G, (U, V)), ("g", F, G, (Q, R)), ("d", D, E, (LATE_U, LATE_V)), ("e", D, E, (LATE_Q, LATE_R))]
    for (name, one, other, codes), start in zip(sums, at.products, strict=True):
        terms: list[Term] = [(ALONE, _stored(one)), (ADD, _stored(other))]
        for number, code in enumerate(codes):
            words.add(f"coefficient {number + 1} of {name}", "coefficient", start + number - 1, factor=code)
        if name in "de":
            terms.append((ADD, {"a": COMMON, "b": p.address(OF_P)}))
            words.add_common(f"P in {name}", start + 1, C_D if name == "d" else C_E)
        words.sum_of(name, start, terms, 1)
    _numbers(words, at, 0)
    return _until(words, at.period)


def _stored(number: int) -> dict[str, int]:
    """Fields of a product of a stored number and the signed factor."""
    return {"a": GIVEN, "pick": number + 1}


def _finish(p: ProcessorParameters, at: Times, before: tuple[Step, ...]) -> Schedule:
    """Schedule of the end: ±d + κP, or 0 without an inverse, and its product with A mod P."""
    busy = max((step.start + step.busy for step in before), default=0)
    start = max(at.first + 1, busy, at.scaled[2] + at.result + 1 - at.period)
    words = Words(p.engine)
    words.steps += before
    terms: list[Term] = [
        (ALONE, {"a": FILE, "pick": D + 1, "choice": BY_SIGN}),
        (ADD, {"a": COMMON, "b": p.address(HALF_OFFSET)}),
    ]
    words.add_common("κP", start, OFFSET)
    hats = words.sum_of("z", start, terms, 1)
    words.write("z kept", hats, T, after=("z",))
    ends = words.extend("z in A", [hats], 1, after=("z",))
    starts = words.scaled("z·A·(-T/P)", ends, [RESULT], p.factor(INTO_Q), after=("z in A",))
    q = words.reduce("q̂", starts, 0, after=("z·A·(-T/P)",))
    words.add(
        "z·A/A",
        "multiply-accumulate",
        ends[0] + 1,
        latency=p.engine.latency,
        also=(COEFFICIENTS,),
        a=FILE,
        pick=T + 1,
        b=p.address(INTO_S),
    )
    words.save("first of ŝ", [ends[0] + 1 + p.engine.latency], words.first_sums(q), after=("z·A/A",))
    return ending_with_hats(words, words.extend("ŝ", q, 0, after=("q̂",), first=SAVED)[0])
