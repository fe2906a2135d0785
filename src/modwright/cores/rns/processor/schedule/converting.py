# SPDX-License-Identifier: Apache-2.0
"""Parts of extensions alone and of conversion from and to binary, as steps of the cox-rower.

    x into A    `into A`, which ends with the hats of x in B, then `leave`
    x into B    `into B`, which ends with hats in B, too, then `leave`
    binary x    `from binary`, which ends with the hats of S, then `leave`
    x binary    `to binary`, which ends with the hats of S, then `digit` n times, then `P added`, which has no words

Cycles are counted as in `schedule`.
"""

from __future__ import annotations

from .....engines.coxrower.steps import ADD, ALONE, COMMON, FILE, RESULT, SAVED, SCALED, StepBuilder, Term
from .....functions.rns import FROM_BINARY, INTO_A, INTO_B, TO_BINARY
from .....plan.tiling import Tiling
from .....schedule import Schedule, Step
from ..parameters import V3, ProcessorParameters
from ..plan.conversions import BACK, LESS, SHIFTED, T_A, digit_factor

DIGIT, ADDED = "digit", "P added"
OF_OPERATION = {INTO_A: "into A", INTO_B: "into B", FROM_BINARY: "from binary", TO_BINARY: "to binary"}
"""First part of each operation."""
CONVERTING = (*OF_OPERATION.values(), DIGIT)
"""Parts with words, in the order of their numbers behind those of products and passes."""
TO_LEAVE, TO_DIGIT = 1, 4
"""Field `leave`: the part that follows is the second extension, or one that gives a digit; inversion has others."""
OF_DIGIT = 4
"""Field `common`: in the next cycle rowers have the digit."""
COPIED = 2
"""Cycles from the last word with P added to the result: the word itself, and all words at once."""


def digit_tiling(p: ProcessorParameters) -> Tiling:
    """The multiplier of hats and w-bit constants next to the bus."""
    return Tiling(p.width, p.width, p.target)


def digit_registers(p: ProcessorParameters) -> tuple[int, ...]:
    """Registers of that multiplier: behind the blocks, and behind each level of sums."""
    return (1,) * (1 + digit_tiling(p).levels)


def digit_latency(p: ProcessorParameters) -> int:
    """Cycles from a hat on the bus to its product."""
    return 1 + sum(digit_registers(p))


def ending_with_hats(builder: StepBuilder, hats: int, follows: int = TO_LEAVE) -> Schedule:
    """A part that another one follows, so that it reads the hats in their first cycle."""
    last = hats - 1
    steps = (*builder.steps, Step("to leave", "program", last, control={"leave": follows}))
    return Schedule(steps, hats, "hats", minimum_interval=last - builder.engine.travel)


def conversion_parts(p: ProcessorParameters) -> dict[str, Schedule]:
    """Every part by name; none without conversion."""
    if not p.conversion:
        return {}
    return {
        OF_OPERATION[INTO_A]: _into_a(p),
        OF_OPERATION[INTO_B]: _into_b(p),
        OF_OPERATION[FROM_BINARY]: _from_binary(p),
        OF_OPERATION[TO_BINARY]: out_of_domain(p, TO_DIGIT),
        DIGIT: _digit(p),
        ADDED: _added(p),
    }


def _first(p: ProcessorParameters) -> tuple[StepBuilder, int]:
    """Steps of the product that begins with the transfer, as no word is active then; and the cycle in which it can be
    read."""
    builder, travel = StepBuilder(p.engine), p.engine.travel
    builder.steps.append(Step("x in B, product 1", "multiply-accumulate", travel, latency=p.engine.latency))
    return builder, travel + p.engine.latency


def _into_a(p: ProcessorParameters) -> Schedule:
    """Schedule of x·1 in B."""
    builder, product = _first(p)
    return ending_with_hats(builder, builder.reduce("x in B", [product], 1, after=("x in B, product 1",))[0])


def _into_b(p: ProcessorParameters) -> Schedule:
    """Schedule of the hats of x in A, their extension, which has P/A in it, and a product with A/P."""
    builder, second = StepBuilder(p.engine), 1 + p.engine.travel
    starts = builder.scaled("x·T in A", [second], [SCALED], p.factor(T_A))
    hats = builder.reduce("x̂ in A", starts, 0, after=("x·T in A",))
    ends = builder.extend("x·P/A in B", hats, 0, after=("x̂ in A",), offset_of=1)
    starts = builder.scaled("x in B, product", ends, [RESULT], p.factor(BACK), after=("x·P/A in B",))
    return ending_with_hats(builder, builder.reduce("x in B", starts, 1, after=("x in B, product",))[0])


def _from_binary(p: ProcessorParameters) -> Schedule:
    """Schedule of the sums of digits, in B and then in A, and of the first extension."""
    builder, product = _first(p)
    digits = builder.reduce("digits", [product], 1, after=("x in B, product 1",))[0]
    builder.write("digits kept", digits, V3, after=("digits",))
    every = range(p.n)
    first = builder.weigh("x in B", digits, [p.factor(digit_factor("B", k)) for k in every], 1, after=("digits",))
    again = first - p.engine.latency - p.engine.fold_cycles + 1  # behind the last digit times its factor
    one: Term = (ALONE, {"a": FILE, "pick": V3 + 1, "b": p.address("1")})
    digits = builder.sum_of("digits again", again, [one], 1)
    starts = builder.scaled("x in B times 1", [first], [RESULT], p.factor("1"), after=("x in B",))
    hats = builder.weigh("q̂", digits, [p.factor(digit_factor("A", k)) for k in every], 0, after=("digits again",))
    builder.save("first of ŝ", starts, builder.first_sums([hats]), after=("x in B times 1",))
    return ending_with_hats(builder, builder.extend("ŝ", [hats], 0, after=("q̂",), first=SAVED)[0])


def out_of_domain(p: ProcessorParameters, follows: int) -> Schedule:
    """Schedule of x·1: the first term of the hats of S, the hats of Q, and the first extension."""
    builder, product = _first(p)
    starts = builder.scaled("x·(-T/P)", [1 + p.engine.travel], [SCALED])
    hats = builder.reduce("q̂", starts, 0, after=("x·(-T/P)",))
    builder.save("first of ŝ", [product], builder.first_sums(hats), after=("x in B, product 1",))
    return ending_with_hats(builder, builder.extend("ŝ", hats, 0, after=("q̂",), first=SAVED)[0], follows)


def _digit(p: ProcessorParameters) -> Schedule:
    """Schedule of a digit, and of the hats of the number that is left."""
    builder, ready, latency = StepBuilder(p.engine), 1 + p.engine.travel, digit_latency(p)
    builder.write("V kept", ready, V3, after=())
    counted = builder.count("V on the bus", ready, 1, after=())
    found, bus = counted + latency, counted - p.n
    builder.add("digit: products", "converter multiplier", bus, busy=p.n, latency=latency)
    builder.add("digit: sums", "converter accumulator", bus + latency, busy=p.n)
    builder.add("digit", "conversion adder", found, digit=1)
    builder.add("digit for rowers", "decision", found, common=OF_DIGIT)
    terms: list[Term] = [
        (ALONE, {"a": FILE, "pick": V3 + 1, "b": p.address(SHIFTED)}),
        (ADD, {"a": COMMON, "b": p.address(LESS)}),
    ]
    return ending_with_hats(builder, builder.sum_of("(V - d)/2^w", found, terms, 1), TO_DIGIT)


def _added(p: ProcessorParameters) -> Schedule:
    """Schedule of the digits behind the last one: P is added to them, or 0, one a cycle."""
    steps = (Step("P added", "conversion adder", 1, busy=p.n, latency=p.n),)
    return Schedule(steps, p.n + COPIED, "n + 2", minimum_interval=p.n + COPIED)


def digit_cycle(digit: Schedule) -> int:
    """Cycle of the part in which its digit is found."""
    return next(step.start for step in digit.steps if "digit" in step.control)
