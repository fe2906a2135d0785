# SPDX-License-Identifier: Apache-2.0
"""Commands that only show: show, params, doctor."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.json import JsonObject
from .common import (
    CoreArgument,
    JsonOption,
    core_name,
    paragraph,
    print_json,
    short_integer,
    table,
)
from .groups import grouped
from .listing import brief
from .selection import Selection

if TYPE_CHECKING:
    from ..contract import Certificate, Option
    from ..prepared import Prepared
    from ..prepared.index import Entry
    from ..prove import Dependence
    from ..schedule import Share

TOOL_MISSING = 3
NOT_KNOWN = "not known"


def show(core: CoreArgument, as_json: JsonOption = False) -> None:
    """Show what a core is, where it comes from, and its options.

    Example:
      modwright show modmul/sor-1m-p
    """
    from ..prepared.index import of_core
    from ..prepared.registry import entry_of, find

    name = core_name(core)
    entry = entry_of(name)
    if entry is None or not entry.part:
        found = find(name)
        entry, options = of_core(found), found.options
    else:
        options = _options_of_combination(entry)
    if as_json:
        print_json(brief(entry) | {"options": [_option(o) for o in options]})
        return
    modulus = {None: f"as the {entry.part} has it", True: "an operand", False: "fixed"}[entry.runtime_modulus]
    print(f"{entry.name}: {entry.summary}\n\nsource         {entry.source}\nmodulus        {modulus}")
    print("latency        computed from the schedule, and whether it is constant: see `modwright params`\n")
    if not options:
        print("No options.")
        return
    unset = {entry.part: "to be named"}
    rows = [
        (o.name, unset.get(o.name, "derived") if o.default is None else _shown(o.default), _range(o), o.help)
        for o in options
    ]
    table(("option", "default", "values", "meaning"), rows)


def _stored_dependence(prepared: Prepared) -> Dependence | None:
    """The result of a search that was made before; without one, nothing that proves is loaded."""
    from ..prepared import DEPENDENCE

    if not prepared.store.has(DEPENDENCE, prepared.dependence_key):
        return None
    from ..prove import stored_dependence

    return stored_dependence(prepared)


def _options_of_combination(entry: Entry) -> Sequence[Option]:
    """The part first, then the options of its own; those of the part come in addition once it is chosen."""
    from ..contract import Option
    from ..prepared.registry import find_combination

    found = find_combination(entry.name)
    assert found is not None
    part = Option(entry.part, str, None, f"the {entry.part}; its options are the core's as well", entry.parts)
    return (part, *found.options)


@grouped
def params(selection: Selection, as_json: JsonOption = False) -> None:
    """Derive the parameters of a core, with their certificate.

    The certificate is a list of exact inequalities; the slack is the distance between the two sides.

    Example:
      modwright params modmul/sor-1m-p --field secp256k1
    """
    from ..measurement import mean_latency

    prepared = selection.prepare()
    if as_json:
        mean, source = mean_latency(prepared)
        found = _stored_dependence(prepared)
        print_json(
            {
                "request": prepared.request.to_mapping(),
                "parameters": prepared.parameters.describe(),
                "certificate": prepared.parameters.certificate.to_json(),
                "dependence": None if found is None else found.to_json(),
                "schedule": prepared.schedule.to_json() | {"mean_latency": mean, "mean_from": source},
                "digest": prepared.digest,
            }
        )
        return
    _print_head(prepared)
    print("\nshares of time at full rate")
    _print_shares(prepared.schedule.shares)
    print("\nparameters")
    for line in _tree(prepared.parameters.describe(), "  "):
        print(line)
    print("\ncertificate")
    _print_certificate(prepared.parameters.certificate)


def doctor(
    as_json: JsonOption = False,
    prepare: Annotated[bool, typer.Option("--prepare", help="Compile now what every simulation needs.")] = False,
) -> None:
    """Look for every tool; print what is lost without it.

    Examples:
      modwright doctor
      modwright doctor --prepare
    """
    from ..base.tools import examine

    if prepare:
        from ..base.store import default_store
        from ..simulate.toolchain import precompile

        precompile(default_store())

    tools = examine()
    if as_json:
        print_json([tool.to_json() for tool in tools])
    else:
        rows = [(t.name, t.version or "missing", t.use if t.version else t.cost) for t in tools]
        table(("tool", "version", "what it is for, or what is lost without it"), rows)
    missing = [t.name for t in tools if t.required and not t.version]
    if missing and not as_json:
        print(f"Missing and needed: {', '.join(missing)}. `make setup` installs what PyPI has.")
    if missing:
        raise typer.Exit(TOOL_MISSING)


def _option(option: Option) -> JsonObject:
    return {
        "name": option.name,
        "kind": option.kind.__name__,
        "default": option.default,
        "choices": list(option.choices),
        "minimum": option.minimum,
        "maximum": option.maximum,
        "help": option.help,
    }


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _range(option: Option) -> str:
    if option.kind is bool:
        return "true, false"
    if option.choices:
        return ", ".join(map(str, option.choices))
    low, high = option.minimum, option.maximum
    if low is None and high is None:
        return option.kind.__name__
    return f"{'' if low is None else low}..{'' if high is None else high}"


def _print_head(prepared: Prepared) -> None:
    request, schedule = prepared.request, prepared.schedule
    modulus, curve = request.modulus, request.curve
    name = curve.name if curve else modulus.name if modulus else ""
    of = "" if modulus is None else f" for {name} ({modulus.value.bit_length()} bits)"
    print(f"{prepared.core.name}{of}, target {request.target}\n")
    rows = {
        "latency": f"{schedule.length}  ({schedule.formula})",
        "at full rate": schedule.pace,
        **(_means(prepared) if not schedule.constant_time else {}),
        "constant latency": "yes" if schedule.constant_time else "NO: it depends on operand values",
        "data-dependent": _chosen(prepared),
    }
    for name, text in rows.items():
        paragraph(text, f"{name:<17} ", " " * 18)


def _print_shares(shares: Sequence[Share]) -> None:
    """Each unit that works with its cycles in an operation and its share; registers and control are in the JSON."""
    from ..schedule import WORKING

    rows = [(share.unit, share.kind, share.cycles, share.percent) for share in shares if share.kind in WORKING]
    table(("unit", "kind", "busy cycles", "share"), rows, right=(2, 3))


def _chosen(prepared: Prepared) -> str:
    """Addresses and enables that depend on operands, where the netlist was searched before."""

    found = _stored_dependence(prepared)
    return "addresses and enables: not searched yet (modwright prove)" if found is None else found.brief


def _means(prepared: Prepared) -> dict[str, str]:
    """Mean latency over random operands and the mean interval, each with where it is from."""
    from ..measurement import mean_latency

    mean, source = mean_latency(prepared)
    interval = prepared.schedule.pace_at(mean).mean
    shown = (("mean latency", mean), ("mean interval", None if interval is None else float(interval)))
    return {name: NOT_KNOWN if value is None else f"{value:,.1f} cycles, {source}" for name, value in shown}


_COLUMNS = 78
"""Characters of a line of prose."""


def _print_certificate(certificate: Certificate) -> None:
    rows = [(i.name, i.rule, "0" if i.relation == "=" else _slack(i.slack)) for i in certificate.inequalities]
    table(("inequality", "rule", "slack"), rows, right=(2,))
    stronger = [i for i in certificate.inequalities if i.stronger]
    if stronger:
        print("\nstronger than needed")
    for i in stronger:
        print(textwrap.fill(f"{i.name}: {i.stronger}", _COLUMNS, initial_indent="  ", subsequent_indent="    "))


_ROUNDED_DOWN = Context(prec=3, rounding=ROUND_FLOOR)
"""Three digits of a slack."""


def _slack(value: Any) -> str:
    """Exact when it is a short integer, else rounded down: a slack is never shown larger than it is."""
    if value >= 1 or value == 0:
        return short_integer(int(value))
    numerator, denominator = Fraction(value).as_integer_ratio()
    return f"{float(_ROUNDED_DOWN.divide(Decimal(numerator), Decimal(denominator))):.3g}"


def _tree(value: object, indent: str) -> Iterable[str]:
    """Nested values, one a line; the elements of a list of integers share lines."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(str(key), inner, indent)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, inner in enumerate(value):
            yield from _entry(str(number), inner, indent)
    else:
        yield f"{indent}{_scalar(value)}"


def _entry(name: str, value: object, indent: str) -> Iterable[str]:
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        line = f"{indent}{name}: [{', '.join(_scalar(v) for v in _leaves(value))}]"
        if not isinstance(value, Mapping) and _flat(value) and len(line) <= 78:
            yield line
            return
        yield f"{indent}{name}:"
        yield from _tree(value, indent + "  ")
    else:
        yield f"{indent}{name}: {_scalar(value)}"


def _flat(value: Any) -> bool:
    return not any(isinstance(v, Mapping | Sequence) and not isinstance(v, str) for v in value)


def _leaves(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else list(value)


def _scalar(value: Any) -> str:
    big = isinstance(value, int) and abs(value) >= 1 << 32
    return "none" if value is None else hex(value) if big else _shown(value)
