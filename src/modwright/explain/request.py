# SPDX-License-Identifier: Apache-2.0
"""A request for a small modulus: options at which a core takes it, those of its own small trials first."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from ..base.errors import ModwrightError, ParameterError
from ..base.json import OptionValue
from ..base.notation import number_text
from ..contract import Core
from ..contract.option import Option
from ..contract.representation import Residues
from ..contract.request import Request
from ..contract.roles import Operand
from ..prepared import Prepared, prepare
from .forms import named

SMALL_BITS = 32
"""Bits of a modulus up to which the options of the trials are tried: those are of channels and limbs of a few bits."""

_SHOWING = (3, 4)
"""Channels of a base in which digits and h follow from each other; 4 are for rows of two."""

_WIDTHS = range(5, 25)
"""Widths of channels and limbs that are tried when the trials do not fit: a small base has few moduli of any width."""


def small_request(core: Core, document: Mapping[str, object]) -> Prepared:
    """The core for a modulus, with options of a trial where none are given and the modulus is small, in a few channels.

    Parameters
    ----------
    core : Core
    document : mapping
        A request in its YAML form.

    Raises
    ------
    ModwrightError
        Refusal of the first options that were tried, when none satisfy it.
    """
    request = Request.from_mapping(core, document)
    if document.get("options") or not _is_small(request):
        return prepare(core, request)
    refused: ModwrightError | None = None
    for options in _options(core):
        try:
            return _prepared(core, document, options)
        except (ModwrightError, ArithmeticError) as error:
            refused = refused or (error if isinstance(error, ModwrightError) else None)
    try:
        return prepare(core, request)
    except ParameterError:
        raise refused or ParameterError(f"{core.name} takes no such small modulus") from None


def _is_small(request: Request) -> bool:
    """Whether the core takes options of its trials; also without a modulus."""
    return request.modulus is None or request.modulus.value.bit_length() <= SMALL_BITS


def _prepared(core: Core, document: Mapping[str, object], options: Mapping[str, object]) -> Prepared:
    """The core with options, and with more channels than it needs where these are too few to show anything."""
    own = prepare(core, Request.from_mapping(core, {**document, "options": options}))
    if _residues(own) not in range(1, _SHOWING[0]) or not any(option.name == "channels" for option in core.options):
        return own
    for channels in _SHOWING:
        with suppress(ModwrightError, ArithmeticError):
            return prepare(core, Request.from_mapping(core, {**document, "options": {**options, "channels": channels}}))
    return own


def _residues(prepared: Prepared) -> int:
    """Residues of the operand that has the fewest, without redundant ones; 0 without such an operand."""
    domains = [role.domain for _, role in prepared.parameters.i.having(Operand) if isinstance(role.domain, Residues)]
    return min((sum(part.count for part in named(domain) if not part.redundant) for domain in domains), default=0)


def _options(core: Core) -> Iterator[dict[str, object]]:
    """Options of the trials without widths of numbers, which follow from the modulus; then other widths of channels."""
    sized = {option.name for option in core.options if option.sizes == "modulus"}
    found: list[dict[str, object]] = []
    for trial in core.trials:
        options = {name: value for name, value in dict(trial.document.get("options", {})).items() if name not in sized}
        if options not in found:
            found.append(options)
            yield options
    if any(option.name == "width" for option in core.options):
        for width in _WIDTHS:
            yield {**found[0], "width": width}


def chosen_options(request: Request, options: Sequence[Option]) -> dict[str, OptionValue]:
    """Options of a request that differ from their defaults."""
    return {option.name: value for option in options if (value := request.options[option.name]) != option.default}


def command_of(request: Request, options: Sequence[Option], operands: Mapping[str, int]) -> str:
    """The command that explains the same operation on the same core.

    A small modulus without options takes those of a trial: a core with its defaults has one of them in the command.
    """
    words = ["modwright", "explain", request.core]
    if request.curve is not None:
        words += ["--curve", request.curve.name]
    elif request.modulus is not None:
        modulus = request.modulus
        words += ["--modulus", number_text(modulus.value)] if modulus.anonymous else ["--field", modulus.name]
    stated = chosen_options(request, options)
    if not stated and _is_small(request):
        stated = dict([(o.name, o.default) for o in options if o.default is not None][:1])
    for name, value in stated.items():
        words += ["-O", f"{name}={option_text(value)}"]
    given = ",".join(f"{name}={number_text(value)}" for name, value in operands.items())
    return shlex.join([*words, *(["--operands", given] if given else [])])


def option_text(value: object) -> str:
    """The value of an option as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
