# SPDX-License-Identifier: Apache-2.0
"""The page of one operation: step through its cycles; units, schedule, numbers and registers follow."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..base.notation import number_text
from ..draw.blocks import block_diagram
from ..draw.gantt import axis, gantt
from .templating import environment, text_of

if TYPE_CHECKING:
    from ..explain import Explanation as Document


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
    from ..explain.text import base_text, fields_text, options_text

    report = dict(document)
    style, script = (text_of(f"explanation.{end}") for end in ("css", "js"))
    return (
        environment()
        .get_template("explanation.html.j2")
        .render(
            document=document,
            shown=number_text,
            fields=_fields,
            streams={name: fields_text(document, name) for name in "io"},
            options=options_text(document["options"]),
            base_text=base_text,
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
        "numbers": [
            {"name": n["name"], "cycle": n["cycle"], "value": number_text(n["value"]), "why": n["meaning"] or n["why"]}
            for n in document["numbers"]
        ],
        "registers": [
            {"name": register["name"], "bits": register["bits"], "changes": _changes(register["values"])}
            for register in document["registers"]
        ],
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _changes(values: list[int]) -> list[tuple[int, str]]:
    """The first value and every new one, with its cycle."""
    return [(n, number_text(v)) for n, v in enumerate(values) if n == 0 or v != values[n - 1]]


def _fields(values: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, number_text(value)) for name, value in values.items() if value is not None]
