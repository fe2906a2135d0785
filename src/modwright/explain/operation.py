# SPDX-License-Identifier: Apache-2.0
"""One operation as a document: operands, steps, numbers and registers by cycle, boxes and the units that they show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ..base.errors import ModwrightError, UsageError, VerificationError, show_integer
from ..base.notation import number_text
from ..contract import Block, PayloadValue
from ..functions import find_function
from ..functions.cases import encode_cases, given, plain_cases
from ..prepared import Prepared
from ..schedule import Step
from ..simulate.oracle import Oracle, same_results
from .document import Explanation, NumberRow, StepRow, Value
from .families import Family, family_of
from .forms import Stream, bases_of
from .numbers import numbers
from .record import Recording, record
from .request import chosen_options, command_of

EXPLANATION = "modwright-explanation/1"

SEED = 1
"""Seed of the operands that are drawn, where none is requested."""

MOST_CYCLES = 20_000
"""Cycles of an operation that are recorded: a page holds every register in each of them."""


MOST_TRIES, TRIED_CYCLES = 16, 1_000
"""Operands that are tried for an operation that shows many numbers, and the latency up to which they are."""


def explain(prepared: Prepared, operands: Mapping[str, int] | None = None, seed: int | None = None) -> Explanation:
    """Run one operation and say what happens in each cycle.

    Parameters
    ----------
    prepared : Prepared
        At a small modulus, so that numbers can be followed; any is taken.
    operands : mapping of str to int, optional
        Plain operands by name; those that are missing are drawn.
    seed : int, optional
        Seed of the operands that are drawn; `SEED` if not given.

    Returns
    -------
    dict
        Plain values, `EXPLANATION`; registers have a value for each cycle from 0, that of the input transfer, to
        `cycles`, the first with the result valid.

    Raises
    ------
    UsageError
        For an unknown operand, one that cannot be represented, operands for which the contract promises no result, a
        seed where no operand is drawn, or an operation of more than `MOST_CYCLES`.
    VerificationError
        When the hardware does not do what the model says, or its result is not that of the plain function.
    """
    if prepared.schedule.latency > MOST_CYCLES:
        raise UsageError(
            f"an operation of {prepared.core.name} takes up to {prepared.schedule.latency:,} cycles here, and at most "
            f"{MOST_CYCLES:,} are shown",
            "a smaller modulus",
        )
    case = _case(prepared, operands or {}, seed)
    payload = encode_cases(prepared, [case])[0]
    expected = _expected(prepared, case, payload)
    outcome = prepared.model.run(payload)
    recording = record(prepared, prepared.parameters.i.pack(payload))
    if (recording.word, recording.cycles) != (prepared.parameters.o.pack(outcome.payload), outcome.cycles):
        raise VerificationError(f"{prepared.core.name}: the hardware and its model differ for {case}")
    if not same_results(find_function(prepared.core.function), prepared.codec.decode(dict(outcome.payload)), expected):
        raise VerificationError(f"{prepared.core.name}: the hardware and the plain function differ for {case}")
    return _document(prepared, case, payload, outcome.payload, recording)


def _case(prepared: Prepared, operands: Mapping[str, int], seed: int | None) -> dict[str, int]:
    """Operands of the operation: those that are given, the others the first drawn ones that show something."""
    tries = MOST_TRIES if prepared.schedule.latency <= TRIED_CYCLES else 1
    cases = _drawn(prepared, operands, tries, SEED if seed is None else seed)
    drawn = next((case for case in cases if _shows(prepared, {**case, **operands})), cases[0])
    known = {name: n for name, n in {**given(prepared), **drawn}.items() if name not in _lacking(prepared)}
    unknown = set(operands) - set(known)
    if unknown:
        raise UsageError(
            f"{prepared.core.name} has no operand {', '.join(sorted(unknown))}", f"one of {', '.join(known)}"
        )
    if seed is not None and set(known) <= {*operands, *given(prepared)}:
        raise UsageError("a seed draws operands that are not given, and all of them are", "leave out --seed")
    return {**known, **operands}


def _drawn(prepared: Prepared, operands: Mapping[str, int], tries: int, seed: int) -> Sequence[Mapping[str, int]]:
    """Drawn operands, at most `tries`; of the operation that is given, as others leave some of its operands at 0."""
    cases = plain_cases(prepared, MOST_TRIES if "op" in operands else tries, seed)
    of_operation = [case for case in cases if case.get("op") == operands.get("op")] if "op" in operands else []
    return (of_operation or cases)[:tries]


def _shows(prepared: Prepared, case: Mapping[str, int]) -> bool:
    """Whether half of the numbers inside are not 0, where there are any; also for operands that cannot run, which are
    refused when they do."""
    if prepared.extremes is None:
        return True
    try:
        seen = prepared.extremes.observe(encode_cases(prepared, [dict(case)])[0])
    except (ModwrightError, ArithmeticError, ValueError):
        return True
    values = [value for each in seen.values() for value in each]
    if not values and "op" in case:
        return all(case[name] for name in _read(prepared, case))
    return 2 * sum(value != 0 for value in values) >= len(values)


def _read(prepared: Prepared, case: Mapping[str, int]) -> tuple[str, ...]:
    """Operands that the operation of a case reads."""
    function = find_function(prepared.core.function)
    name = _operation(prepared, case)
    return function.operations[name].operands if name else function.operands


def _lacking(prepared: Prepared) -> set[str]:
    """Operands of the function that a unit does not have: it computes the function with neutral elements."""
    function = find_function(prepared.core.function)
    return set(function.operands) - {f.name for f in prepared.parameters.i.fields} if function.shorter else set()


def _formula(prepared: Prepared) -> str:
    """The function of the operands that the core has."""
    function, lacking = find_function(prepared.core.function), _lacking(prepared)
    own = tuple(name for name in function.operands if name not in lacking)
    return function.shorter[own] if lacking else function.formula


def _operation(prepared: Prepared, case: Mapping[str, int]) -> str:
    """Name of the operation, of a core with several; else empty."""
    operations = find_function(prepared.core.function).operations
    return next((name for name, operation in operations.items() if operation.code == case.get("op")), "")


def _expected(
    prepared: Prepared, case: Mapping[str, int], payload: Mapping[str, PayloadValue]
) -> Mapping[str, PayloadValue]:
    """The results of the plain function; UsageError where the contract promises nothing."""
    answer = Oracle(prepared).answer(payload)
    if answer is None:
        operands = ", ".join(f"{name} = {show_integer(value)}" for name, value in case.items())
        raise UsageError(
            f"{prepared.core.name} promises no result for {operands}",
            "leave an operand out, and it is drawn within the contract",
        )
    return answer.results


def _document(
    prepared: Prepared,
    case: Mapping[str, int],
    payload: Mapping[str, PayloadValue],
    output: Mapping[str, PayloadValue],
    recording: Recording,
) -> Explanation:
    core, schedule, family = prepared.core, prepared.schedule, family_of(prepared.core.name)
    boxes = _boxes(prepared)
    operands = {name: value for name, value in case.items() if name not in _lacking(prepared)}
    results = prepared.codec.decode(dict(output))
    modulus = case.get("modulus", prepared.parameters.modulus)
    i = Stream("i", prepared.parameters.i, payload, case, modulus, family.modulus, prepared.codec)
    o = Stream("o", prepared.parameters.o, output, results, modulus, family.modulus, prepared.codec)
    resources = list(dict.fromkeys(name for step in schedule.steps for name in (step.resource, *step.also)))
    return {
        "format": EXPLANATION,
        "core": core.name,
        "summary": core.summary,
        "source": core.source,
        "function": _formula(prepared),
        "lead": family.lead,
        "request": prepared.request.to_mapping(),
        "modulus": "" if modulus is None else f"{family.modulus} = {number_text(modulus)}",
        "options": chosen_options(prepared.request, core.options),
        "command": command_of(prepared.request, core.options, operands),
        "operation": _operation(prepared, case),
        "operands": operands,
        "input": _fields(payload),
        "output": _fields(output),
        "stored": {**i.forms(), **o.forms()},
        "bases": bases_of(i, o),
        "result": results,
        "cycles": recording.cycles,
        "schedule": schedule.to_json(),
        "contract": {"data_dependent": [step.name for step in schedule.steps if step.depends_on_data]},
        "steps": [_step(step) for step in sorted(schedule.steps, key=lambda step: (step.start, step.end))],
        "numbers": [NumberRow(**asdict(number)) for number in numbers(prepared, payload, family, recording.cycles)],
        "registers": [
            {"name": name, "bits": recording.widths[name], "values": values}
            for name, values in recording.registers.items()
            if any(values)
        ],
        "blocks": [asdict(box) for box in boxes],
        "boxes": {name: found for name in resources if (found := _box(name, boxes, family))},
    }


def _fields(payload: Mapping[str, PayloadValue]) -> dict[str, Value]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in payload.items()}


def _step(step: Step) -> StepRow:
    return {
        "name": step.name,
        "resource": step.resource,
        "also": list(step.also),
        "start": step.start,
        "busy": max(step.busy, step.most),
        "end": step.end,
    }


def _boxes(prepared: Prepared) -> Sequence[Block]:
    """The boxes that the core declares; else one for each unit of its schedule, joined as the steps read each other."""
    core, schedule = prepared.core, prepared.schedule
    if core.blocks is not None:
        return list(core.blocks(prepared.parameters, schedule))
    unit_of = {step.name: step.resource for step in schedule.steps}
    reads: dict[str, dict[str, None]] = {"i": {}}
    for step in sorted(schedule.steps, key=lambda step: step.start):
        sources = [unit_of[name] for name in step.after if unit_of[name] != step.resource]
        reads.setdefault(step.resource, {}).update(dict.fromkeys(sources or ([] if step.resource in reads else ["i"])))
    last = max(schedule.steps, key=lambda step: step.end).resource
    boxes = [
        Block(name, name, tuple(inputs), kind="port" if name == "i" else "logic") for name, inputs in reads.items()
    ]
    return [*boxes, Block("o", "o", (last,), kind="port")]


_SMALL_WORDS = {"", "of", "and", "the", "to", "x"}


def _box(resource: str, boxes: Sequence[Block], family: Family) -> str:
    """The box that shows a unit: the family's, the one of its name, or that whose label has most of its words."""
    by_name = {box.name: box.name for box in boxes} | {box.label: box.name for box in boxes}
    if (stated := family.boxes.get(resource)) in by_name:
        return by_name[stated]
    if resource in by_name:
        return by_name[resource]
    sought = _words(resource)
    scores = [(len(sought & _words(f"{box.label} {box.name}")), -len(box.label), box.name) for box in boxes]
    score, _, name = max(scores, default=(0, 0, ""))
    return name if score else ""


def _words(text: str) -> set[str]:
    """The words of a label, without the plural's s."""
    return {word.removesuffix("s") for word in re.split(r"[^\wκαγ]+", text.casefold())} - _SMALL_WORDS
