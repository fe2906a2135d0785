# SPDX-License-Identifier: Apache-2.0
"""An explanation for the terminal: one paragraph a cycle."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from ..base.notation import is_long, number_text, numbers_text
from .document import BaseRow, Explanation, NumberRow
from .request import option_text

_COLUMNS = 96
_MOST_REGISTERS = 12
"""Registers that are shown for a cycle; the page has all of them."""

MOST_CHANNELS = 16
"""Channels of a base whose moduli are listed."""


def as_text(document: Explanation) -> str:
    """The operation, cycle by cycle: cycles without a step, a number or a new register value are left out."""
    lines = [f"{document['core']}: {document['function']}", *_wrapped(document["lead"]), "", *_request(document), ""]
    lines += _wrapped(f"stream i: {_fields(document, 'i')}")
    lines += [*_stored(document, "i"), ""]
    for cycle in range(document["cycles"] + 1):
        found = list(_cycle(document, cycle))
        if found:
            lines += [f"cycle {cycle}", *found]
    lines += ["", *_wrapped(f"stream o: {_fields(document, 'o')}"), *_stored(document, "o")]
    lines += [result_text(name, value) for name, value in document["result"].items() if value is not None]
    lines += _wrapped(_valid(document))
    return "\n".join(lines) + "\n"


def _valid(document: Explanation) -> str:
    """The cycle of the result; steps of an operation that can be shorter are those of the longest one."""
    text, latency = f"valid in cycle {document['cycles']}", document["schedule"]["latency"]
    if document["cycles"] == latency:
        return f"{text}, as the schedule says"
    return f"{text}; steps are in the cycles of the longest operation, which takes {latency}"


def _request(document: Explanation) -> Iterator[str]:
    """The modulus, options that are not the defaults, the command with them, and the operands."""
    if document["modulus"]:
        yield f"modulus {document['modulus']}"
    if document["options"]:
        yield from _wrapped(f"options, where not the defaults: {options_text(document['options'])}")
    yield f"command: {document['command']}"
    yield ""
    for name, value in document["operands"].items():
        if name != "modulus":
            more = f": {document['operation']}" if name == "op" and document["operation"] else ""
            yield f"{name} = {number_text(value)}{more}"


def options_text(options: Mapping[str, object]) -> str:
    """Options as the command line takes them."""
    return ", ".join(f"{name}={option_text(value)}" for name, value in options.items())


def result_text(name: str, value: object) -> str:
    """A result; what is not one of the function has a word on what it is."""
    more = ", the integer that stream o carries" if name == "representative" else ""
    return f"{name} = {number_text(value)}{more}"


def _stored(document: Explanation, stream: str) -> Iterator[str]:
    """Forms of the fields of a stream that are not the plain numbers, and their bases."""
    for name, form in document["stored"].items():
        if name.startswith(f"{stream}: "):
            yield from _wrapped(f"{name.partition(' ')[2]}: {form}", "  ")
    for row in document["bases"]:
        if row["fields"][0].startswith(f"{stream}: "):
            yield from _wrapped(base_text(row), "  ")


def base_text(row: BaseRow) -> str:
    """Channels of fields: their moduli, or the first and the last of many, and what residues are stored times."""
    hexadecimal = is_long(row["moduli"])
    fields = ", ".join(name.partition(" ")[2] for name in row["fields"])
    text = f"{row['name']} of {fields}: {_channels(row['moduli'], hexadecimal)}"
    if row["times"]:
        text += f"; each residue times {row['times']}: {_listed(row['scale'], hexadecimal)}"
    return f"{text}; {row['product']}" if row["product"] else text


def _channels(moduli: list[int], hexadecimal: bool) -> str:
    count = f"{len(moduli)} moduli, " if len(moduli) > MOST_CHANNELS else "modulo "
    return f"{count}{_listed(moduli, hexadecimal)}"


def _listed(values: list[int], hexadecimal: bool) -> str:
    """Numbers of channels, or the first and the last of many."""
    if len(values) > MOST_CHANNELS:
        first, last = (number_text(value, hexadecimal) for value in (values[0], values[-1]))
        return f"the first {first}, the last {last}"
    return numbers_text(values, hexadecimal)


def _numbers(rows: Sequence[NumberRow]) -> str:
    """Values of one number that can be read in the same cycle, with what they are."""
    first, last = rows[0], rows[-1]
    name = first["name"] if len(rows) == 1 else f"{first['name']} to [{last['name'].partition(' [')[2]}"
    return f"{name} = {numbers_text([row['value'] for row in rows])}  ({first['meaning'] or first['why']})"


def _cycle(document: Explanation, cycle: int) -> Iterator[str]:
    for step in document["steps"]:
        if step["start"] == cycle:
            busy = f"busy for {step['busy']} cycles, " if step["busy"] > 1 else ""
            yield from _wrapped(f"{step['name']}  [{step['resource']}; {busy}readable in cycle {step['end']}]", "  > ")
    own = (number for number in document["numbers"] if number["cycle"] == cycle)
    for _, values in itertools.groupby(own, lambda number: number["name"].partition(" [")[0]):
        yield from _wrapped(_numbers(list(values)), "  = ")
    changed = [r for r in document["registers"] if cycle and r["values"][cycle] != r["values"][cycle - 1]]
    if changed:
        more = f" and {len(changed) - _MOST_REGISTERS} more" if len(changed) > _MOST_REGISTERS else ""
        pairs = (f"{r['name']} = {number_text(r['values'][cycle])}" for r in changed[:_MOST_REGISTERS])
        yield from _wrapped(", ".join(pairs) + more, "    ")


def _fields(document: Explanation, stream: str) -> str:
    return ", ".join(f"{name} = {text}" for name, text in fields_text(document, stream).items())


def fields_text(document: Explanation, stream: str) -> dict[str, str]:
    """Fields of a stream; residues are in the notation of their moduli."""
    long = {name for row in document["bases"] if is_long(row["moduli"]) for name in row["fields"]}
    fields = document["input"] if stream == "i" else document["output"]
    return {name: number_text(value, f"{stream}: {name}" in long) for name, value in fields.items()}


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _COLUMNS, initial_indent=indent, subsequent_indent=" " * max(len(indent), 0) + "  ")
