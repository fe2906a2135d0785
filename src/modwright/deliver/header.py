# SPDX-License-Identifier: Apache-2.0
"""Heads of generated files: the command that made them, and the contract of the core."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator
from functools import lru_cache

from .. import __version__
from ..contract import Field, Payload
from ..contract.request import Request
from ..driver import built_in
from ..prepared import Prepared
from .delivery import USUAL, Delivery

LICENSE = "SPDX-License-Identifier: CC0-1.0"
_COLUMNS = 100
"""Width of a comment in columns; commands and numbers are never broken."""
_COMMENTS = {"//": ("//", ""), "#": ("#", ""), "--": ("--", ""), "<!--": ("<!--", " -->"), "/*": ("/*", " */")}


def command_of(request: Request, delivery: Delivery = USUAL) -> str:
    """The `modwright generate` command that gives the package of this request, with every option.

    Options are in their short form: a comment of XML holds no double hyphen.
    """
    document = request.to_mapping()
    words = ["modwright", "generate", request.core]
    for key in ("field", "modulus", "curve"):
        if key in document:
            words += [f"-{key[0]}", str(document[key])]
    words += ["-t", delivery.target(request.target)]
    for name, value in request.options.items():
        if value is not None:
            words += ["-O", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    for word in delivery.wiring.words:
        words += ["-W", word]
    return shlex.join(words)


def origin(prepared: Prepared, delivery: Delivery = USUAL) -> list[str]:
    """Lines with the command that made a file."""
    return [
        LICENSE,
        "Modwright claims no rights in what it generates.",
        "",
        *_wrapped(f"{prepared.top}: {prepared.core.summary}"),
        f"Made by: {command_of(prepared.request, delivery)}",
        f"Modwright {__version__}, digest {prepared.digest}",
    ]


def contract(prepared: Prepared) -> list[str]:
    """The contract of a core, in lines."""
    schedule = prepared.schedule
    p = prepared.parameters
    constant = (
        "yes, no step depends on operand values" if schedule.constant_time else "NO, IT DEPENDS ON OPERAND VALUES"
    )
    return [
        *_wrapped(f"Source: {prepared.core.source}"),
        *([] if p.modulus is None else [f"Modulus: {p.modulus:#x}"]),
        *_curve(prepared),
        "",
        "Contract. All ports are synchronous to the rising edge of clk; rst is active high and synchronous.",
        "A transfer takes place in a cycle with valid and ready high. Fields of the streams:",
        *_fields("i", p.i),
        *_fields("o", p.o),
        f"Latency: {schedule.length} from the input transfer to the first cycle with o_valid; later only",
        "  when the result before it was taken later.",
        f"Interval: {schedule.pace} at full rate.",
        f"Constant latency: {constant}.",
        "  Addresses and enables may depend on operands all the same: modwright prove lists those that do.",
    ]


def _curve(prepared: Prepared) -> list[str]:
    """The curve of a core that has its point built in; of others it is in the operands."""
    curve = prepared.request.curve
    if curve is None or not built_in(prepared):
        return []
    second = "d" if curve.form == "edwards" else "b"
    return [
        f"Curve: {curve.name}, {curve.form} form",
        f"  a: {curve.a:#x}",
        f"  {second}: {curve.b:#x}",
        f"  base point, x: {curve.gx:#x}",
        f"  base point, y: {curve.gy:#x}",
        f"  its order: {curve.order:#x}",
    ]


def header(prepared: Prepared, comment: str = "//", delivery: Delivery = USUAL) -> str:
    """The head of a file.

    Parameters
    ----------
    prepared : Prepared
    comment : str
        Characters that start a comment: "//", "#", "--", "<!--" or "/*".
    delivery : Delivery, optional
    """
    start, end = _COMMENTS[comment]
    lines = [*origin(prepared, delivery), *contract(prepared)]
    return "".join(f"{start} {line}".rstrip() + f"{end}\n" for line in lines)


@lru_cache(maxsize=256)  # the files of a package have the same heads
def _wrapped(text: str, indent: str = "") -> tuple[str, ...]:
    """Lines of a comment; the second and later ones are indented two further."""
    lines = textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return tuple(lines)


def _fields(stream: str, payload: Payload) -> Iterator[str]:
    for field in payload.fields:
        yield from _wrapped(_field(stream, field), "  ")


def _field(stream: str, field: Field) -> str:
    shape = f"{field.count} x {_bits(field.width)}, the first one lowest" if field.count > 1 else _bits(field.width)
    bound = f", < {field.bound:#x}" if field.bound else ""
    text = f"{stream}_{field.name}: {shape}{bound}"
    return text + (f"; {field.note}" if field.note else "")


def _bits(width: int) -> str:
    return f"{width} bit{'s' * (width != 1)}"
