# SPDX-License-Identifier: Apache-2.0
"""Commands that list names: list, fields, curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from .common import JsonOption, print_json, table

if TYPE_CHECKING:
    from ..catalog import Curve, Modulus
    from ..contract import Core

_OVER = "; over "
"""Stands in the summary of a core that is made over another, which every method has in common."""

FilterArgument = Annotated[str | None, typer.Argument(metavar="TEXT", help="Only names that contain this.")]
BitsOption = Annotated[int | None, typer.Option("--bits", min=1, metavar="N", help="Only primes of this size.")]


def list_cores(
    function: Annotated[
        str | None, typer.Argument(metavar="FUNCTION", help="Only cores of one function, such as modmul.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the cores, by function.

    Exponentiators over the same multiplier share a line, which names their methods.

    Examples:
      modwright list
      modwright list modmul --json
    """
    from ..prepared.registry import all_cores

    functions = _functions(all_cores().values())
    if function is not None and function not in functions:
        raise UsageError(f"no function is called {quoted(function)}", f"one of {', '.join(functions)}")
    chosen = functions if function is None else {function: functions[function]}
    if as_json:
        print_json(sorted((brief(core) for cores in chosen.values() for core in cores), key=lambda row: row["name"]))
        return
    for cores in chosen.values():
        table(("core", "modulus", "summary"), [*_rows(cores)])
        if methods := _methods(cores):
            table(("METHOD", "summary"), [*methods.items()])


def brief(core: Core) -> JsonObject:
    """A core in a row of JSON: name, function, summary, source, and whether its modulus is an operand, other names."""
    return {
        "name": core.name,
        "function": core.function,
        "summary": core.summary,
        "source": core.source,
        "runtime_modulus": core.runtime_modulus,
        "aliases": list(core.aliases),
    }


def _functions(cores: Iterable[Core]) -> dict[str, list[Core]]:
    """Cores by function, in the order of their register codes."""
    from ..functions import all_functions

    groups: dict[str, list[Core]] = {name: [] for name in all_functions()}
    for core in cores:
        groups.setdefault(core.function, []).append(core)
    return {name: group for name, group in groups.items() if group}


def _rows(cores: Sequence[Core]) -> Iterable[tuple[str, str, str]]:
    """A row a core; the cores that are made over one other core share theirs."""
    every = list(_methods(cores))
    shared: dict[str, list[Core]] = {}
    for core in cores:
        inner = core.summary.partition(_OVER)[2]
        shared.setdefault(inner or core.name, []).append(core)
    for inner, group in shared.items():
        modulus = "runtime" if group[0].runtime_modulus else "fixed"
        if len(group) == 1:
            also = "".join(f"; also {alias}" for alias in group[0].aliases)
            yield group[0].name, modulus, group[0].summary + also
        else:
            stem, methods = group[0].name.rpartition("-")[0], [_method(core) for core in group]
            which = "" if methods == every else f": {', '.join(methods)}"
            yield f"{stem}-METHOD", modulus, f"over {inner}{which}"


def _method(core: Core) -> str:
    return core.name.rpartition("-")[2]


def _methods(cores: Iterable[Core]) -> dict[str, str]:
    """Each METHOD of cores over others, and its meaning."""
    return {_method(core): core.summary.partition(_OVER)[0] for core in cores if _OVER in core.summary}


def list_fields(text: FilterArgument = None, bits: BitsOption = None, as_json: JsonOption = False) -> None:
    """List the moduli that have a name.

    Wherever a field is asked for, a name of a curve stands for its prime field, and NAME-order or NAME.n for the order
    of its base point. Capitals, `-` and `_` make no difference. --json has the values and their sources.

    Examples:
      modwright fields
      modwright fields P-384
      modwright fields --bits 255 --json
    """
    from ..catalog import moduli

    found = [entry for entry in moduli() if _named(entry, text) and bits in (None, entry.value.bit_length())]
    if as_json:
        print_json([_modulus(entry) for entry in found])
        return
    rows = [(entry.name, str(entry.value.bit_length()), ", ".join(entry.aliases)) for entry in found]
    _print(rows, ("field", "bits", "other names"), "field", text, bits)


def list_curves(text: FilterArgument = None, bits: BitsOption = None, as_json: JsonOption = False) -> None:
    """List the elliptic curves that have a name. --json has their constants and sources.

    Examples:
      modwright curves
      modwright curves brainpool --bits 256 --json
    """
    from ..catalog import curves

    found = [entry for entry in curves() if _named(entry, text) and bits in (None, entry.p.bit_length())]
    if as_json:
        print_json([_curve(entry) for entry in found])
        return
    rows = [(c.name, c.form, str(c.p.bit_length()), ", ".join(c.aliases)) for c in found]
    _print(rows, ("curve", "form", "bits", "other names"), "curve", text, bits)


def _named(entry: Modulus | Curve, text: str | None) -> bool:
    """Whether one of the names contains the text, as names are compared."""
    from ..catalog import same_name

    return text is None or any(same_name(text) in same_name(name) for name in (entry.name, *entry.aliases))


def _print(
    rows: Sequence[Sequence[str]], headings: Sequence[str], kind: str, text: str | None, bits: int | None
) -> None:
    if not rows:
        filters = [f"whose name contains {quoted(text)}"] * (text is not None)
        filters += [f"of {bits} bits"] * (bits is not None)
        raise UsageError(f"no {kind} {' and '.join(filters)}", f"modwright {kind}s lists all of them")
    table(headings, rows, right=(headings.index("bits"),))


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
