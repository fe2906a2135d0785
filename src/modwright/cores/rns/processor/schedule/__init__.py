# SPDX-License-Identifier: Apache-2.0
"""Schedule of the processor: five parts of microcode in one memory, of which an operation runs some in turn.

    x·y    `product`, which ends with the hats of S in B, then `leave`, the second extension
    1/x    `load`, then `turn` once a pass, then `finish`, which ends with the hats of the inverse, then `leave`; with
           divsteps (`rounds`) x leaves the domain first
    x      none: operands pass to the result, as the 0 of an error without any work does

Extensions alone and conversions have parts of their own (`converting`), most of which `leave` follows, too.

A pass gives new hats of V3, then of V1, and both pass over the bus for the cox and for small residues. Those of V3
decide on the next pass; those of V1 are not needed before its last product, and pass when the next pass has begun. So
`load` and `turn` hand words over to the part behind them (`Words`). Cycle 0 of a part is the one in which it is
started; that of a word is the one in which its unit works, `engine.travel` cycles after it is issued.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .....engines.coxrower.multiplying import SLACK, leave, reduced_hats
from .....engines.coxrower.steps import ADD, ALONE, COMMON, FILE, StepBuilder, Term
from .....engines.plus_minus import RESIDUES_V1, RESIDUES_V3
from .....functions.rns import CONVERSIONS, TO_BINARY
from .....schedule import Schedule, Step, UnitCycles, both, times, total
from ..parameters import U1, U3, V1, V3, ProcessorParameters
from ..plan.passes import START
from .converting import ADDED, DIGIT, OF_OPERATION, conversion_parts, digit_cycle, ending_with_hats, out_of_domain
from .rounds import DOMAIN, TO_LOAD, rounds
from .words import COUNTED, Words

PRODUCT, LOAD, TURN, FINISH, LEAVE = "product", "load", "turn", "finish", "leave"
PARTS = (PRODUCT, LOAD, TURN, FINISH, LEAVE)
"""Names of the parts, in the order of their numbers."""
WITH_DIVSTEPS = (PRODUCT, DOMAIN, LOAD, TURN, FINISH, LEAVE)
"""Those of a processor that inverts by divsteps."""
FACTOR, END = 1, 2
"""Field `common`: in the next cycle rowers have the coefficient of P/D, or that of P/2 at the end; else `COMMON`."""
BY_D, BY_SIGN_AND_D, P_BY_D, BY_SIGN, TWICE_P = range(1, 6)
"""Field `choice`: 1/D, s/D, P/D, or ±1 or 0 in the end; with block RAMs P/D times its coefficient, and 2P or 0."""
WHOLE = "engine"


@dataclass(frozen=True)
class OperationParts:
    """Schedules of the parts of an operation, and the cycles from the start of each to that of the next.

    Parameters
    ----------
    schedules : mapping of str to Schedule
        Schedules by name; the interval of each is its number of cycles.
    """

    schedules: Mapping[str, Schedule]

    def _cycles(self, name: str) -> int:
        return self.schedules[name].minimum_interval

    @cached_property
    def product(self) -> int:
        """Cycles of a product."""
        alone = self.schedules[PRODUCT]
        return self._cycles(PRODUCT) + self.schedules[LEAVE].latency if LEAVE in self.schedules else alone.latency

    def inversion(self, passes: int) -> int:
        """Cycles of an inversion."""
        turns = passes * self._cycles(TURN)
        before = self._cycles(DOMAIN) if DOMAIN in self.schedules else 0
        return before + self._cycles(LOAD) + turns + self._cycles(FINISH) + self.schedules[LEAVE].latency

    def conversion(self, op: int) -> int:
        """Cycles of an extension alone, or of a conversion."""
        first = self._cycles(OF_OPERATION[op])
        if op != TO_BINARY:
            return first + self.schedules[LEAVE].latency
        digit, added = self.schedules[DIGIT], self.schedules[ADDED]
        return first + (self._digits - 1) * digit.minimum_interval + digit_cycle(digit) + added.latency

    @property
    def _digits(self) -> int:
        """Digits of a number."""
        return self.schedules[ADDED].steps[0].busy

    @property
    def conversions(self) -> list[int]:
        """Cycles of each extension or conversion, none without."""
        return [self.conversion(op) for op in CONVERSIONS] if DIGIT in self.schedules else []

    @property
    def conversion_work(self) -> list[UnitCycles]:
        """Cycles in which units work in each of them."""
        if DIGIT not in self.schedules:
            return []
        every = {op: self.schedules[name].work for op, name in OF_OPERATION.items()}
        digits = [times(self.schedules[DIGIT].work, self._digits), self.schedules[ADDED].work]
        leaving = self.schedules[LEAVE].work
        return [total(work, *(digits if op == TO_BINARY else [leaving])) for op, work in every.items()]

    def work(self, passes: int | None) -> UnitCycles:
        """Cycles in which units work, in a product, or an inversion of some passes."""
        first = [self.schedules[PRODUCT].work] if passes is None else self._passes(passes)
        return total(*first, *(self.schedules[name].work for name in (LEAVE,) if name in self.schedules))

    def _passes(self, passes: int) -> list[UnitCycles]:
        load, turn, finish = (self.schedules[name].work for name in (LOAD, TURN, FINISH))
        before = [self.schedules[DOMAIN].work] if DOMAIN in self.schedules else []
        return [*before, load, times(turn, passes), finish]


def parts_in(schedule: Schedule) -> OperationParts:
    """Read the parts from the schedule of a processor, as `make_schedule` puts them there."""
    return OperationParts(schedule.parts)


def move_cycles(p: ProcessorParameters) -> int:
    """Cycles of an operation that passes an operand on, or finds that there is none."""
    return 1 + p.engine.travel


def make_schedule(p: ProcessorParameters) -> Schedule:
    """Schedule of the shortest operation, one at a time; the latency is that of an inversion of the most passes."""
    if p.registers:
        return _with_registers(p)
    if not p.inverts:
        return _product_alone(p)
    found, (fewest, most) = OperationParts(_parts(p)), passes_of(p)
    longest, shortest = found.inversion(most), min(found.product, found.inversion(fewest))
    steps, formula = _of_variable_length(shortest, longest), _formula(p, found)
    least, largest = found.work(None if shortest == found.product else fewest), found.work(most)
    nothing = both(0)
    work = {unit: (least.get(unit, nothing)[0], high) for unit, (_, high) in largest.items()}
    return Schedule(steps, longest, formula, minimum_interval=shortest + 1, parts=found.schedules, counted=work)


def passes_of(p: ProcessorParameters) -> tuple[int, int]:
    """Fewest and most passes of an inversion, or its rounds of divsteps."""
    return (p.divsteps.rounds, p.divsteps.rounds) if p.divsteps else (0, p.rules.most_passes)


def _of_variable_length(shortest: int, longest: int) -> tuple[Step, ...]:
    """Steps of an operation whose number of cycles depends on code and operands."""
    return (
        Step("first cycles", WHOLE, 0, busy=shortest, latency=shortest),
        Step("rest", WHOLE, shortest, 1, longest - shortest, after=("first cycles",), depends_on_data=True),
    )


def _formula(p: ProcessorParameters, parts: OperationParts) -> str:
    """Cycles of products, and of inversions where there are some."""
    if not p.inverts:
        return f"{parts.product} a product"
    if p.divsteps is not None:
        rounds, turn = p.divsteps.rounds, parts.schedules[TURN].minimum_interval
        return f"{parts.product} a product; {parts.inversion(rounds)} an inversion, {rounds} rounds of {turn} in it"
    turn, rest = parts.schedules[TURN].minimum_interval, parts.inversion(0)
    return f"{parts.product} a product; {rest} + {turn} a pass an inversion, at most {p.rules.most_passes} passes"


def _converted(parts: OperationParts) -> str:
    """Cycles of extensions and conversions, where there are some."""
    names = zip(OF_OPERATION.values(), parts.conversions, strict=False)
    return "".join(f"; {cycles} {name}" for name, cycles in names)


def _with_registers(p: ProcessorParameters) -> Schedule:
    """Schedule of an operation on registers, the shortest of which moves a number."""
    found = OperationParts(_parts(p) if p.inverts or p.conversion else {PRODUCT: _product_alone(p)})
    most = passes_of(p)[1] if p.inverts else None
    longest, shortest = found.product if most is None else found.inversion(most), move_cycles(p)
    longest = max(longest, *found.conversions) if p.conversion else longest
    work = {unit: (both(0)[0], high) for unit, (_, high) in found.work(most).items()}
    for unit, (_, high) in (pair for units in found.conversion_work for pair in units.items()):
        work[unit] = both(0)[0], max(high, work.get(unit, both(0))[1])
    return Schedule(
        _of_variable_length(shortest, longest),
        longest,
        f"{_formula(p, found)}; {shortest} to move a number{_converted(found)}",
        minimum_interval=shortest + 1,
        parts=found.schedules,
        counted=work,
    )


# --- products


def _product_alone(p: ProcessorParameters) -> Schedule:
    """The whole multiplication as one part."""
    builder, hats = _product(p)
    push = leave(builder, "s", "ŝ", [hats])
    return Schedule(tuple(builder.steps), push + 1, "one product at a time", minimum_interval=push + 2)


def _product(p: ProcessorParameters) -> tuple[StepBuilder, int]:
    """Steps to the hats of S, as early as possible, and the cycle in which those can be read."""
    tried: list[tuple[int, StepBuilder]] = []
    for distance in range(1, 2 * SLACK + p.engine.latency + p.engine.fold_cycles):
        builder = StepBuilder(p.engine)
        hats = reduced_hats(builder, 1, distance)
        if hats is not None and builder.free_of_conflicts:
            tried.append((hats[-1], builder))
    hats, builder = min(tried, key=lambda item: item[0])
    return builder, hats


# --- passes


def _parts(p: ProcessorParameters) -> dict[str, Schedule]:
    """Every part by name."""
    product, hats = _product(p)
    out = StepBuilder(p.engine)
    push = leave(out, "s", "ŝ", [1 + p.engine.travel], after=False)
    leaving = Schedule(tuple(out.steps), push + 1, "s from ŝ", minimum_interval=push + 1)
    if p.divsteps is not None:
        load, turn, finish = rounds(p, p.divsteps)
        return {
            PRODUCT: ending_with_hats(product, hats),
            DOMAIN: out_of_domain(p, TO_LOAD),
            LOAD: load,
            TURN: turn,
            FINISH: finish,
            LEAVE: leaving,
            **conversion_parts(p),
        }
    if p.kind is None:
        return {PRODUCT: ending_with_hats(product, hats), LEAVE: leaving, **conversion_parts(p)}
    load, before = _load(p)
    finish, ready = _finish(p)
    return {
        PRODUCT: ending_with_hats(product, hats),
        LOAD: load,
        TURN: _turn(p, before),
        FINISH: ending_with_hats(finish, ready),
        LEAVE: leaving,
        **conversion_parts(p),
    }


def _decision(p: ProcessorParameters) -> tuple[int, int]:
    """Cycles from readable hats of V3 to those of V1, which have the bus next, and to the decision.

    The decision follows the small residues and its own cuts, late enough that the bus is free for the next V3. Hats
    of V1 follow those of V3 by a sum of three products at least, late enough that their residues are
    stored after the decision, which decides about the old ones.
    """
    rows, words = p.engine.rows, Words(p.engine)
    decided = rows + 1 + COUNTED + 2 * p.rules.cuts
    gap = max(rows, 3, decided - rows - COUNTED + 1)
    made = p.engine.latency + p.engine.fold_cycles
    if p.blocks and made < gap <= made + 3:
        gap = made + 4  # else a stored result would be written while one of those of V1 is read
    next_v3 = words.first + 1 + p.engine.latency + p.engine.fold_cycles
    return gap, max(decided, gap + rows - next_v3)


def _load(p: ProcessorParameters) -> tuple[Schedule, tuple[Step, ...]]:
    """Schedule of the start: V3 is the operand, by a product with 1; U3, U1 = P and V1 = A² + P are doubled halves.

    Returns
    -------
    Schedule, tuple of Step
        The part, and words of V1 that the next one issues.
    """
    words, gap_decided = Words(p.engine), _decision(p)
    engine, travel = p.engine, p.engine.travel
    words.steps.append(Step("V3, product 1", "multiply-accumulate", travel, latency=engine.latency))
    ready = words.reduce("V3", [travel + engine.latency], 1, after=("V3, product 1",))[0]
    for number, (name, register) in enumerate((("U3", U3), ("U1", U1)), words.first):
        done = words.sum_of(name, number, [_of_all(p, ALONE, p.passes.whole)], 1)
        words.write(f"{name} kept", done, register, after=(name,))
    return _decided(words, ready, [_of_all(p, ALONE, START)], gap_decided)


def _turn(p: ProcessorParameters, before: tuple[Step, ...]) -> Schedule:
    """Schedule of a pass: (V3 + s·U3)/D, then (V1 + s·U1 + (f + D - 1 - s)·P)/D."""
    words, gap_decided = Words(p.engine), _decision(p)
    words.steps += before
    ready = words.sum_of("V3", words.first, [_read(ALONE, V3, BY_D), _read(ADD, U3, BY_SIGN_AND_D)], 1)
    last: Term = (ADD, {"a": _source(p), "choice": P_BY_D})
    turn, after = _decided(words, ready, [_read(ALONE, V1, BY_D), _read(ADD, U1, BY_SIGN_AND_D), last], gap_decided)
    if after != before:
        raise ValueError("a pass and the load hand different words over")
    return turn


def _read(mode: int, register: int, choice: int) -> Term:
    """Product of a stored result and a constant that data select."""
    return mode, {"a": FILE, "pick": register + 1, "choice": choice}


def _source(p: ProcessorParameters) -> int:
    """Field `a` of the number that all rowers have: shared, or 1 in the block RAM."""
    return FILE if p.blocks else COMMON


def _of_all(p: ProcessorParameters, mode: int, name: str) -> Term:
    """Product of that number and a constant."""
    return mode, {"a": _source(p), "b": p.address(name)}


def _decided(
    words: Words, ready: int, terms: list[Term], gap_decided: tuple[int, int]
) -> tuple[Schedule, tuple[Step, ...]]:
    """Place the small residues of V3, readable in cycle `ready`, then the sum of V1 and the decision."""
    engine, (gap, decided) = words.engine, gap_decided
    words.write("V3 kept", ready, V3, after=("V3",))
    words.counted("V3", ready, RESIDUES_V3)
    start = ready + gap - engine.fold_cycles - engine.latency - len(terms) + 1
    done = words.sum_of("V1", start, terms, 1)
    if len(terms) == 3 and words.engine.shares:
        words.add_common("f", start + 1, FACTOR)
    words.write("V1 kept", done, V1, after=("V1",))
    words.counted("V1", done, RESIDUES_V1)
    cycle = ready + decided
    words.steps.append(Step("decision", "decision", cycle, control={"decide": 1}))
    after = words.passed_on(cycle)
    latency = max(step.end for step in words.steps)
    return Schedule(tuple(words.steps), latency, "a pass", minimum_interval=cycle), after


def _finish(p: ProcessorParameters) -> tuple[Words, int]:
    """Schedule of the end: V1 + P, or 2P less that, or 0 without an inverse; and the cycle in which its hats can be
    read."""
    words = Words(p.engine)
    if p.blocks:
        terms = [_read(ALONE, V1, BY_SIGN), (ADD, {"a": _source(p), "choice": TWICE_P})]
    else:
        terms = [_read(ALONE, V1, BY_SIGN), _of_all(p, ADD, p.passes.whole)]
        words.add_common("P", words.first, END)
    return words, words.sum_of("z", words.first, terms, 1)
