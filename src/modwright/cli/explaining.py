# SPDX-License-Identifier: Apache-2.0
"""The command explain: one operation, step by step."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError, quoted
from .common import CoreArgument, JsonOption, OptionsOption, parse_options, print_json, request_document
from .groups import grouped
from .selection import Modulus

if TYPE_CHECKING:
    from ..prepared import Prepared


@grouped
def explain(
    core: CoreArgument,
    modulus: Modulus,
    option: OptionsOption = None,
    operands: Annotated[
        str | None,
        typer.Option("--operands", metavar="NAME=N,..", help="Operands, such as x=58,y=44; others are random."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="S", help="Seed of the operands that are not given.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain one operation, cycle by cycle, with its numbers.

    Steps come from the schedule, numbers from the core's own record of the operation, registers from the simulated
    hardware. Small moduli are easiest to follow; with one of them and without -O, a core takes the options of its
    first test request. Bases of residues have few channels then, as a small modulus needs no more; -O channels=N gives
    others. The hardware is that of target generic, whatever a request file names.

    Examples:
      modwright explain modmul/csa --modulus 97 --operands x=58,y=44
      modwright explain modmul/sor-1m-p --modulus 97 --html explain.html
    """
    from ..base.store import check_writable
    from ..explain import as_text
    from ..explain import explain as run
    from ..pages import explanation_page
    from .comparing import write

    check_writable(html)
    document = run(_prepared(core, modulus, option), parse_operands(operands), seed)
    if html is not None:
        write(html, explanation_page(document, ["modwright", *sys.argv[1:]]))
    if as_json:
        print_json(document)
    elif html is None:
        print(as_text(document), end="")


def _prepared(core: str, modulus: Modulus, options: list[str] | None) -> Prepared:
    """The core for the modulus that is named here or in its request file; without one, at its first trial."""
    from ..contract.request import TARGETS, unknown_target
    from ..explain import small_request
    from ..prepared.registry import find

    keys = ("field", "modulus", "curve")
    document = request_document(core)
    found = find(document["core"])
    if (target := document.get("target", "generic")) not in TARGETS:
        raise unknown_target(target, TARGETS)
    named = {name: value for name in keys if (value := getattr(modulus, name)) is not None}
    if named:
        document = {key: value for key, value in document.items() if key not in keys}
    document |= {"core": found.name, "target": "generic", **named}
    if options:
        given = document.get("options")
        document["options"] = (given if isinstance(given, dict) else {}) | parse_options(options)
    if not any(key in document for key in (*keys, "options")):
        return small_request(found, {"core": found.name, **found.trials[0].document})
    return small_request(found, document)


def parse_operands(text: str | None) -> dict[str, int]:
    """`x=58,y=0x2c` as numbers; UsageError for another form, or a name that stands twice."""
    found: dict[str, int] = {}
    if text is None:
        return found
    for word in itertools.chain.from_iterable(part.split() or [part] for part in text.split(",")):
        name, sign, value = word.partition("=")
        try:
            number = int(value, 0)
        except ValueError:
            sign, number = "", 0
        if not sign or not name or number < 0:
            raise UsageError(f"--operands takes name=number, not {quoted(word)}", "--operands x=58,y=44")
        if name in found:
            raise UsageError(f"operand {quoted(name)} is given twice")
        found[name] = number
    return found
