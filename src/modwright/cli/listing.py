# SPDX-License-Identifier: Apache-2.0
"""Commands that list names: list, fields, curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from .common import JsonOption, paragraph, print_json, table

if TYPE_CHECKING:
    from ..catalog import Curve, Modulus
    from ..prepared.index import Entry

FilterArgument = Annotated[str | None, typer.Argument(metavar="TEXT", help="Only names that contain this.")]
BitsOption = Annotated[int | None, typer.Option("--bits", min=1, metavar="N", help="Only primes of this size.")]


def list_cores(
    function: Annotated[
        str | None, typer.Argument(metavar="FUNCTION", help="Only cores of one function, such as modmul.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the cores, by function.

    For a core over a multiplier, the option `multiplier` names one; the possible ones are listed below the table.

    Examples:
      modwright list
      modwright list modmul --json
    """
    from ..functions import instead_of
    from ..prepared.registry import entries

    functions = _functions(entries())
    if function is not None and function not in functions:
        raise UsageError(f"no function is called {quoted(function)}", instead_of(function, functions))
    chosen = functions if function is None else {function: functions[function]}
    if as_json:
        print_json(sorted((brief(entry) for group in chosen.values() for entry in group), key=lambda row: row["name"]))
        return
    for group in chosen.values():
        table(("core", "modulus", "summary"), [_row(entry) for entry in group])
        for part, parts in {entry.part: entry.parts for entry in group if entry.part}.items():
            paragraph(f"{part}: one of {', '.join(parts)}", " ", "  ")


def brief(entry: Entry) -> JsonObject:
    """A name in a row of JSON: name, function, summary, source, whether its modulus is an operand (null where that is
    as a part has it), other names, and the parts that can be chosen by the name of their option."""
    return {
        "name": entry.name,
        "function": entry.function,
        "summary": entry.summary,
        "source": entry.source,
        "runtime_modulus": entry.runtime_modulus,
        "aliases": list(entry.aliases),
        "parts": {entry.part: list(entry.parts)} if entry.part else {},
    }


def _functions(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Names by function, in the order of their register codes."""
    from ..functions import all_functions

    groups: dict[str, list[Entry]] = {name: [] for name in all_functions()}
    for entry in entries:
        groups.setdefault(entry.function, []).append(entry)
    return {name: group for name, group in groups.items() if group}


def _row(entry: Entry) -> tuple[str, str, str]:
    if entry.part:
        return entry.name, "either", f"{entry.summary}; over a {entry.part}"
    also = "".join(f"; also {alias}" for alias in entry.aliases)
    return entry.name, "runtime" if entry.runtime_modulus else "fixed", entry.summary + also


def list_fields(text: FilterArgument = None, bits: BitsOption = None, as_json: JsonOption = False) -> None:
    """List the moduli that have a name.

    Wherever a field is given, the name of a curve stands for its prime field, and NAME-order or NAME.n for the order
    of its base point. Capitals, `-` and `_` make no difference. --json has the values and their sources.

    Examples:
      modwright fields
      modwright fields P-384
      modwright fields --bits 255 --json
    """
    from ..catalog import moduli

    found = [entry for entry in moduli() if _named(entry, text) and bits in (None, entry.value.bit_length())]
    _check_found(found, "field", text, bits)
    if as_json:
        print_json([_modulus(entry) for entry in found])
        return
    rows = [(entry.name, str(entry.value.bit_length()), ", ".join(entry.aliases)) for entry in found]
    table(("field", "bits", "other names"), rows, right=(1,))


def list_curves(text: FilterArgument = None, bits: BitsOption = None, as_json: JsonOption = False) -> None:
    """List the elliptic curves that have a name. --json has their constants and sources.

    Examples:
      modwright curves
      modwright curves brainpool --bits 256 --json
    """
    from ..catalog import curves

    found = [entry for entry in curves() if _named(entry, text) and bits in (None, entry.p.bit_length())]
    _check_found(found, "curve", text, bits)
    if as_json:
        print_json([_curve(entry) for entry in found])
        return
    rows = [(c.name, c.form, str(c.p.bit_length()), ", ".join(c.aliases)) for c in found]
    table(("curve", "form", "bits", "other names"), rows, right=(2,))


def _named(entry: Modulus | Curve, text: str | None) -> bool:
    """Whether one of the names contains the text, as names are compared."""
    from ..catalog import same_name

    return text is None or any(same_name(text) in same_name(name) for name in (entry.name, *entry.aliases))


def _check_found(entries: Sequence[object], kind: str, text: str | None, bits: int | None) -> None:
    """UsageError where nothing passes the filters."""
    if not entries:
        filters = [f"whose name contains {quoted(text)}"] * (text is not None)
        filters += [f"of {bits} bits"] * (bits is not None)
        raise UsageError(f"no {kind} {' and '.join(filters)}", f"modwright {kind}s lists all of them")


def _modulus(entry: Modulus) -> JsonObject:
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "bits": entry.value.bit_length(),
        "value": hex(entry.value),
        "prime": entry.prime,
        "source": entry.source,
    }


def _curve(entry: Curve) -> JsonObject:
    numbers = {name: hex(getattr(entry, name)) for name in ("p", "a", "b", "gx", "gy", "order")}
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "form": entry.form,
        "bits": entry.p.bit_length(),
        **numbers,
        "cofactor": entry.cofactor,
        "source": entry.source,
    }
