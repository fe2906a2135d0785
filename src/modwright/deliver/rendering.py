# SPDX-License-Identifier: Apache-2.0
"""Files from templates, with a head that describes them."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

import jinja2

from ..base.json import JsonObject
from .formats import rust_name, rust_type


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(
            lambda name: (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
        ),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        optimized=False,  # each template is rendered once
    )
    environment.filters |= {"rust": rust_name, "rust_type": rust_type}
    return environment


def rendered(template: str, comment: str, head: str, context: JsonObject) -> str:
    """The text of a file.

    Parameters
    ----------
    template : str
        Name of the template in `templates`.
    comment : str
        Characters that start a comment in the file.
    head : str
        Head, placed first, or second where a format has its own first line.
    context : dict
        Variables of the template.
    """
    text = _environment().get_template(template).render(context)
    if template.startswith(_FIRST_LINES):
        return after_first_line(text, head)
    return in_ascii(head + text) if comment == "--" else head + text


_FIRST_LINES = ("fusesoc.core", "binding.yaml", "registers.svd", "xact.xml")
"""Templates of formats that require their name, version or licence in the first line."""


def after_first_line(text: str, inserted: str) -> str:
    """A text with lines inserted after its first one."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{inserted}{rest}"


_SIGNS = str.maketrans(
    {"·": "*", "≡": "=", "²": "^2", "³": "^3", "⁴": "^4", "≤": "<=", "≥": ">=", "≠": "/=", "±": "+-", "∓": "-+"}
)


def in_ascii(text: str) -> str:
    """A text in ASCII: letters by their names, no accents. VHDL-93 has no other characters, even in comments."""
    plain = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    letters = (c for c in plain if not unicodedata.combining(c))
    return "".join(c if c.isascii() else unicodedata.name(c, "sign").split()[-1].lower() for c in letters)
