# SPDX-License-Identifier: Apache-2.0
"""The command choose: the best cores for a task, in a minute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..base.errors import REASON, UsageError, shortened, unnamed
from .common import JsonOption, finite, note, paragraph, print_json
from .groups import grouped
from .selection import WorkSelection

if TYPE_CHECKING:
    from ..choose import Candidate, Choice, Goal, Limits, Question, Sourced

_PROCESSES = 2
"""Estimates and syntheses at a time; a third would only help on a machine that has room for it."""

_UNITS = {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}
"""Units of time, in ns."""
_WHOLE = 100
"""Rate from which it is a whole number."""
_NAMED = 4
"""Names in a list that says only for what kind of things it stands."""


@dataclass(frozen=True, kw_only=True)
class ChoiceSelection(WorkSelection):
    """Requested task, on a device."""

    heading: ClassVar = "Work"

    target: Annotated[
        str | None,
        typer.Option("--device", "--target", "-t", metavar="DEVICE", help="ecp5, gowin, nexus, xc7, xcup, one of a "
                     "family such as 25k, or cells: asap7, ihp-sg13g2, sky130.  [default: ecp5]"),
    ] = None  # fmt: skip

    def question(self, goal: Goal, limits: Limits) -> Question:
        """The question about this work, on the device that was named."""
        from ..choose import Question
        from ..choose.goals import Part, family_of
        from ..compare import Work

        family, device = family_of(self.target or "ecp5")
        named = {"field": self.field, "modulus": self.modulus, "curve": self.curve}
        work = Work.make(self.function, family, bits=self.bits, **named)
        part = Part.of(family, device)
        limits.refuse_for(part)
        return Question(work, goal, limits, part)


@dataclass(frozen=True, kw_only=True)
class Goals:
    """The goal of the choice, one of three."""

    heading: ClassVar = "Goal"

    smallest: Annotated[bool, typer.Option("--smallest", help="The least area.")] = False
    fastest: Annotated[bool, typer.Option("--fastest", help="The least time of one operation.")] = False
    throughput: Annotated[bool, typer.Option("--throughput", help="The most operations a second.")] = False

    def goal(self) -> Goal:
        """The goal; UsageError unless there is exactly one."""
        from ..choose import GOALS

        chosen = [name for name in GOALS if getattr(self, name)]
        if len(chosen) != 1:
            names = ", ".join(f"--{name}" for name in GOALS)
            given = (
                f"{len(chosen)} are given: {', '.join(f'--{name}' for name in chosen)}" if chosen else "none is given"
            )
            raise UsageError(f"a choice has one goal, and {given}", f"one of {names}")
        return GOALS[chosen[0]]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits that the core has to keep."""

    heading: ClassVar = "Limits"

    runtime_modulus: Annotated[
        bool, typer.Option("--runtime-modulus", help="Only cores whose modulus is an operand.")
    ] = False
    max_lut: Annotated[int | None, typer.Option("--max-lut", min=1, metavar="N", help="LUTs at most.")] = None
    max_dsp: Annotated[int | None, typer.Option("--max-dsp", min=0, metavar="N", help="DSP blocks at most.")] = None
    max_gates: Annotated[
        int | None, typer.Option("--max-gates", min=1, metavar="N", help="Gates at most, in cells of a library.")
    ] = None
    max_cycles: Annotated[
        int | None, typer.Option("--max-cycles", min=1, metavar="N", help="Cycles of an operation at most.")
    ] = None
    max_ns: Annotated[
        float | None,
        typer.Option("--max-ns", callback=finite, min=0.001, metavar="NS", help="Time of an operation at most."),
    ] = None
    min_rate: Annotated[
        float | None,
        typer.Option("--min-rate", callback=finite, min=0.001, metavar="N", help="Operations a second at least."),
    ] = None

    def limits(self, constant_latency: bool) -> Limits:
        """Limits of the choice."""
        from ..choose import Limits

        return Limits(
            self.max_lut,
            self.max_dsp,
            self.max_cycles,
            self.max_ns,
            self.min_rate,
            constant_latency,
            self.runtime_modulus,
            self.max_gates,
        )


@grouped
def choose(
    selection: ChoiceSelection,
    goals: Goals,
    bounds: Bounds,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", callback=finite, min=5, max=3600, metavar="S", help="Time for estimates and syntheses."
        ),
    ] = 45,
    as_json: JsonOption = False,
) -> None:
    """Choose a core for a task: the best three, with reasons.

    Each comes with the command that builds it. Figures come from records. Where there is none, they are estimated from
    the operators of the RTL and corrected by records of other sizes, and the best candidates are synthesised as far as
    time allows. Each figure says which of these it is.

    Examples:
      modwright choose --function modmul --modulus bls12-381 --smallest
      modwright choose --function modexp --bits 2048 --fastest --max-dsp 156
      modwright choose --function modadd --modulus 3329 --throughput --json
    """
    from ..base.store import default_store
    from ..choose import choose as find_best
    from ..explore import Database
    from ..explore.executors import Processes

    goal = goals.goal()
    question = selection.question(goal, bounds.limits(selection.constant_latency))
    store = default_store()
    database, executor = Database.of_store(store.root / "explore.sqlite"), Processes(_PROCESSES)
    try:
        found = find_best(question, store, database, executor, seconds=seconds, say=note)
    finally:
        executor.close()
        database.close()
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(choice: Choice) -> None:
    from ..choose.candidates import exact

    limits = [
        name.replace("_", " ") + ("" if value is True else f" {exact(value)}")
        for name, value in choice.question.limits.given.items()
    ]
    part = choice.question.part
    goal = ", ".join((choice.question.goal.name, *limits))
    print(f"{choice.question.work.title}, {part.name}: {goal}\n")
    for number, candidate in enumerate(choice.best):
        _print_one(choice, number, candidate)
    area = f"in an area a block counts {part.lut_of_block:,.0f} LUTs, its share of the {part.name}"
    if part.cells:
        area = "gates are units of the library's smallest NAND2; clock rates are without wires (docs/gates.md)"
    paragraph(f"{choice.looked_at} candidate{'s' * (choice.looked_at != 1)} in {choice.seconds:.0f} s; {area}.")
    if choice.unseen:
        names = f"{', '.join(choice.unseen[:_NAMED])}{', ..' if len(choice.unseen) > _NAMED else ''}"
        were = "was" if len(choice.unseen) == 1 else "were"
        paragraph(f"{len(choice.unseen)} more {were} not looked at in this time (--seconds): {names}")
    if choice.unfinished:
        paragraph(f"not synthesised to the end in this time (--seconds): {', '.join(choice.unfinished)}")
    _print_left_out(choice)


def _print_left_out(choice: Choice) -> None:
    """Reasons with the cores they are for; those for few come first, as they are about the question."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in choice.left_out:
        text = unnamed(reason, name).removeprefix("for ").removeprefix(f"{choice.question.work.named}: ")
        by_reason.setdefault(shortened(text, REASON), []).append(name.partition("/")[2])
    for reason, names in sorted(by_reason.items(), key=lambda each: len(each[1])):
        paragraph(f"{', '.join(names)}: {reason}", "  - ", "    ")


def _print_one(choice: Choice, number: int, candidate: Candidate) -> None:
    from ..choose.candidates import operand_words

    print(f"{number + 1}. {candidate.label}")
    paragraph(candidate.summary, "   what     ", " " * 12)
    paragraph(choice.reason(number), "   why      ", " " * 12)
    kind = "constant" if candidate.constant_latency else "depends on operand values"
    modulus = "an operand" if candidate.runtime_modulus else "fixed"
    interval = f"{candidate.interval:,.0f} between two" + (
        "" if candidate.interval_kind == "fixed" else f" ({candidate.interval_kind})"
    )
    rows = {
        "cycles": f"{candidate.cycles:,.0f}, {interval}; latency {kind}; modulus {modulus}",
        "operands": operand_words(candidate.request),
        "area": _area(candidate),
        "clock": _shown(candidate.fmax, "MHz", digits=1),
        "time": _time(candidate),
    }
    for name, text in rows.items():
        paragraph(text, f"   {name:<8} ", " " * 12)
    print(f"   build    {candidate.command}")
    if placing := candidate.placing(choice.question.work.target):
        print(f"   measure  {placing}")
    print()


def _area(candidate: Candidate) -> str:
    blocks = "" if candidate.part.cells else f"; {_shown(candidate.dsp, 'DSP blocks')}"
    return _shown(candidate.lut, candidate.part.unit) + blocks


def _time(candidate: Candidate) -> str:
    if candidate.ns is None or candidate.rate is None:
        return "not known"
    ns, unit = next((candidate.ns / size, name) for name, size in _UNITS.items() if candidate.ns >= size or size == 1)
    rate = f"{candidate.rate:,.0f}" if candidate.rate >= _WHOLE else f"{candidate.rate:.3g}"
    return f"{ns:,.4g} {unit} for one, {rate} a second at full rate"


def _shown(figure: Sourced | None, unit: str, digits: int = 0) -> str:
    from ..choose.candidates import unit_of

    if figure is None:
        return f"{unit} not known"
    detail = f": {figure.detail}" if figure.detail else ""
    least = "at least " if figure.least else ""
    return f"{least}{figure.value:,.{digits}f} {unit_of(figure.value, unit)} ({figure.source}{detail})"
