# SPDX-License-Identifier: Apache-2.0
"""An explanation for the terminal: one paragraph a cycle."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from .document import Explanation

_COLUMNS = 96
_MOST_REGISTERS = 12
"""Registers that are shown for a cycle; the page has all of them."""


def as_text(document: Explanation) -> str:
    """The operation, cycle by cycle: cycles without a step, a number or a new register value are left out."""
    lines = [f"{document['core']}: {document['function']}", *_wrapped(document["lead"]), ""]
    lines += [f"{name} = {number_text(value)}" for name, value in document["operands"].items()]
    lines += [f"stream i: {_fields(document['input'])}", *_stored(document, "i"), ""]
    for cycle in range(document["cycles"] + 1):
        found = list(_cycle(document, cycle))
        if found:
            lines += [f"cycle {cycle}", *found]
    lines += ["", f"stream o: {_fields(document['output'])}", *_stored(document, "o")]
    lines += [f"{name} = {number_text(value)}" for name, value in document["result"].items() if value is not None]
    lines.append(f"valid in cycle {document['cycles']}, as the schedule says")
    return "\n".join(lines) + "\n"


def _stored(document: Explanation, stream: str) -> Iterator[str]:
    """Forms of the fields of a stream that are not the plain numbers."""
    for name, form in document["stored"].items():
        if name.startswith(f"{stream}: "):
            yield from _wrapped(f"{name.partition(' ')[2]}: {form}", "  ")


def _cycle(document: Explanation, cycle: int) -> Iterator[str]:
    for step in document["steps"]:
        if step["start"] == cycle:
            busy = f"busy for {step['busy']} cycles, " if step["busy"] > 1 else ""
            yield from _wrapped(f"{step['name']}  [{step['resource']}; {busy}readable in cycle {step['end']}]", "  > ")
    for number in document["numbers"]:
        if number["cycle"] == cycle:
            yield from _wrapped(f"{number['name']} = {number_text(number['value'])}  ({number['why']})", "  = ")
    changed = [r for r in document["registers"] if cycle and r["values"][cycle] != r["values"][cycle - 1]]
    if changed:
        more = f" and {len(changed) - _MOST_REGISTERS} more" if len(changed) > _MOST_REGISTERS else ""
        pairs = (f"{r['name']} = {number_text(r['values'][cycle])}" for r in changed[:_MOST_REGISTERS])
        yield from _wrapped(", ".join(pairs) + more, "    ")


def _fields(fields: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {number_text(value)}" for name, value in fields.items())


def number_text(value: object) -> str:
    """A number in decimal up to 12 digits, else in hex; residues in parentheses."""
    if isinstance(value, list):
        return f"({', '.join(map(number_text, value))})"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return hex(value)
    return str(value)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _COLUMNS, initial_indent=indent, subsequent_indent=" " * max(len(indent), 0) + "  ")
