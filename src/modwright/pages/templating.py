# SPDX-License-Identifier: Apache-2.0
"""Templates of the pages: one environment for all of them, in which a name that is missing is an error."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

FOLDER = "pages/templates"


def environment() -> Environment:
    """A new environment of HTML templates."""
    return Environment(
        loader=PackageLoader("modwright", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def text_of(name: str) -> str:
    """A file next to the templates, such as a style."""
    return (files("modwright") / FOLDER / name).read_text(encoding="utf-8")
