# SPDX-License-Identifier: Apache-2.0
"""The theorem of an inverter by divsteps: control, one step of any state, the way in, ranges, and what leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..decide import UndecidedError
from ..handshake import Probe, Storage, find_interval, prove_streams
from ..netlist import Netlist, read
from ..pieces import Value
from ..stretches import ACCEPTED, alone, around, check_streams, known_bit, transfer
from ..theorem import AFTER, Theorem, find_storage, settled
from .claim import InversionClaim
from .entry import OPERAND, first_state, reduced, refused
from .frames import Netframe, Run, cycles_of, known
from .layout import Layout
from .leaving import leaves, unit_flag
from .moduli import modulus_of
from .ranges import after_halvings, reach
from .refute import find_failing_inversion
from .steps import (
    CHOICES,
    COFACTOR_WORDS,
    CORRECTION,
    PAIR_WORDS,
    choice_of,
    cofactor_step,
    correction,
    pair_step,
)

ENDING = (0, 0)
"""The choice in a state with g = 0."""


@dataclass(frozen=True)
class Course:
    """The steps of one inversion.

    Parameters
    ----------
    last : int
        The step in which e takes ±d; d is not added any more after it.
    age : int
        Steps from a sign of e to the correction that depends on it.
    """

    last: int
    age: int


def prove_inversion(verilog: str, top: str, claim: InversionClaim, latency: int, *, search: bool = True) -> Theorem:
    """Prove the claim of an inverter, or search for operands that fail."""
    return settled(
        claim.statement,
        latency,
        lambda: prove_operations(read(verilog, top), claim, latency),
        (lambda: find_failing_inversion(read(verilog, top), claim, latency)) if search else None,
    )


def prove_operations(netlist: Netlist, claim: InversionClaim, latency: int) -> Run:
    """Prove one inversion for any other activity of the core, and the streams and control that it needs.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    check_streams(netlist)
    storage = find_storage(netlist, latency)
    if storage.latency != latency:
        raise UndecidedError(f"the latency is {storage.latency} cycles, and {latency} are stated")
    if storage.memory is None:
        raise UndecidedError("results do not wait in a queue")
    run = run_of(netlist, storage)
    decide_inversion(run, claim, storage)
    interval = find_interval([known_bit(netlist.outputs[ACCEPTED], row) for row in run.frame.around])
    assumed = assumed_in(run)
    if max(assumed, default=0) > storage.ready:
        raise UndecidedError("words depend on control after the result is there")
    verdict = prove_streams(netlist, storage, interval, assumed)
    if verdict.status != "proved":
        raise UndecidedError(f"streams and control: {verdict.detail}")
    return run


def run_of(netlist: Netlist, storage: Storage) -> Run:
    """An operation with its control."""
    cycles = storage.ready + 1
    rows = alone(netlist, cycles + AFTER, cycles)
    layout = Layout(netlist)
    stepping = cycles_of(rows, layout.source("stepping"), "stepping")
    frame = Netframe(netlist, around(netlist, cycles + 1, transfer(netlist, {})), rows)
    return Run(netlist, layout, frame, stepping[0], stepping[-1])


def assumed_in(run: Run) -> dict[int, list[Probe]]:
    """Control bits that have to be proved, by cycle."""
    found: dict[int, list[Probe]] = {}
    for (source, bit, cycle), value in sorted(run.frame.assumed.items()):
        found.setdefault(cycle, []).append((source, bit, value))
    return found


def decide_inversion(run: Run, claim: InversionClaim, storage: Storage) -> None:
    """Prove the claim of one inversion.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    modulus, wrong = modulus_of(run, claim, storage)
    source = run.netlist.inputs.get(f"i_{claim.operand}")
    if source is None or {f"o_{claim.result}", f"o_{claim.error}"} - set(storage.outputs):
        raise UndecidedError("the ports are not those of the core")
    operand = run.frame.source(source, 0)
    place, v = reduced(run, operand, modulus)
    start = {place: v}
    refused(run, start, v, modulus)
    first = first_state(run, start, v, modulus)
    course = course_of(run, claim.divsteps, modulus)
    check_ranges(run, claim, first, course)
    flag = unit_flag(run, claim.divsteps)
    leaves(run, storage, flag, claim, modulus, wrong)


# --- steps


def course_of(run: Run, divsteps: int, modulus: Value) -> Course:
    """Prove every step; those with the same words are proved once.

    Parameters
    ----------
    run : Run
    divsteps : int
        Steps after which g = 0.
    modulus : Value
    """
    ages, lasts = set[int](), list[int]()
    for steps in alike(run).values():
        step = steps[0]
        if step < run.steps - 1:
            pair_step(run, step)
            ages.add(correction(run, step))
        if not is_regular(run, step, modulus):
            check_last(run, step, divsteps, modulus)
            lasts += steps
    if len(lasts) != 1 or len(ages) != 1:
        raise UndecidedError("there is not one step in which e takes ±d")
    return Course(lasts[0], ages.pop())


def alike(run: Run) -> dict[Sequence[Value], list[int]]:
    """Steps by the words that they make of any state: equal words are the same functions of the state."""
    found: dict[Sequence[Value], list[int]] = {}
    state = run.state()
    for step in range(run.steps):
        frame = run.before(state, step)
        names = COFACTOR_WORDS if step == run.steps - 1 else (*COFACTOR_WORDS, *PAIR_WORDS, *CORRECTION)
        made = [run.at(frame, name, step + 1) for name in names]
        made += choice_of(run, frame, step)
        if step < run.steps - 1:
            made += choice_of(run, frame, step + 1)
        found.setdefault(tuple(known(made)), []).append(step)
    return found


def is_regular(run: Run, step: int, modulus: Value) -> bool:
    """Whether d and e take the choice of f and g in a step; it is proved then."""
    taken = choice_of(run, run.before(run.state(), step), step)
    state = run.state()
    if taken != (state.words["odd"], state.words["swap"]):
        return False
    return all(cofactor_step(run, step, choice, None, modulus) == choice for choice in CHOICES)


def check_last(run: Run, step: int, divsteps: int, modulus: Value) -> None:
    """Prove that e takes d or -d, by the sign of f, in a step; g is 0, and f the same where its sign is used."""
    if step - run.layout.top < divsteps:
        raise UndecidedError(f"e takes ±d in step {step}, and {divsteps} divsteps are due before")
    for negative in (0, 1):
        if cofactor_step(run, step, ENDING, negative, modulus) != (1, negative):
            raise UndecidedError(f"e does not take ±d in step {step}")


# --- numbers


def check_ranges(run: Run, claim: InversionClaim, first: int, course: Course) -> None:
    """Check that all words are in their ranges, and that e is the inverse, between -m and m, in the end.

    After the divsteps, a·d ≡ first·f and a·e ≡ 0 modulo m; e is (e ± d)/2 after step `last`, and then is halved. Where
    a has an inverse, m does not divide it, so that |e| <= m is |e| < m.
    """
    layout, widths, (least, most) = run.layout, run.netlist.widths, claim.moduli
    halvings, every = run.steps - course.last, reach(course.age)
    bound = max(Fraction(every), Fraction(first, least))
    off = first - (1 << halvings)
    holds = {
        "f and g": most < 1 << (layout.width("f") - 1) and layout.width("f") == layout.width("g"),
        "D": claim.divsteps < 1 << (widths[layout.source("pair.D")] - 1),
        "d and e": max(every * most, first) < 1 << (layout.width("e") - 1) and layout.width("d") == layout.width("e"),
        "operands": widths[layout.source(OPERAND)] > most.bit_length(),
        "the first e": off == 0 or (least == most and off % most == 0),
        "the last e": after_halvings(bound, course.age, halvings - 1) <= 1,
    }
    for name, held in holds.items():
        if not held:
            raise UndecidedError(f"{name}: the range does not hold what may be in it")
