# SPDX-License-Identifier: Apache-2.0
"""The page of one operation: step through its cycles; units, schedule, numbers and registers follow."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..draw.blocks import block_diagram
from ..draw.gantt import axis, gantt
from .templating import environment, text_of

if TYPE_CHECKING:
    from ..explain import Explanation as Document

_DECIMAL = 10**12
"""Numbers below it are shown in decimal."""


def explanation_page(document: Document, command: list[str]) -> str:
    """An explanation as HTML.

    Parameters
    ----------
    document : dict
        Document of `explain.explain`.
    command : list of str
        Command that makes the page again.

    Returns
    -------
    str
        One document that loads nothing: style, script, pictures and all values are inside. Without a script it has the
        pictures, the steps and the numbers as tables.
    """
    report = dict(document)
    style, script = (text_of(f"explanation.{end}") for end in ("css", "js"))
    return (
        environment()
        .get_template("explanation.html.j2")
        .render(
            document=document,
            shown=_shown,
            fields=_fields,
            command=shlex.join(command),
            blocks=Markup(block_diagram(report)),
            schedule=Markup(gantt(report)),
            data=Markup(_data(document)),
            style=Markup(style),
            script=Markup(script),
        )
    )


def _data(document: Document) -> str:
    """Values for the script as JSON that is safe in HTML: registers as their changes, numbers as text."""
    left, width, bottom = axis(dict(document))
    value = {
        "cycles": document["cycles"],
        "left": left,
        "width": width,
        "bottom": bottom,
        "boxes": document["boxes"],
        "steps": document["steps"],
        "numbers": [{**number, "value": _shown(number["value"])} for number in document["numbers"]],
        "registers": [
            {"name": register["name"], "bits": register["bits"], "changes": _changes(register["values"])}
            for register in document["registers"]
        ],
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _changes(values: list[int]) -> list[tuple[int, str]]:
    """The first value and every new one, with its cycle."""
    return [(n, _shown(v)) for n, v in enumerate(values) if n == 0 or v != values[n - 1]]


def _shown(value: object) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _DECIMAL:
        return hex(value)
    return str(value)


def _fields(values: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, _shown(value)) for name, value in values.items() if value is not None]
