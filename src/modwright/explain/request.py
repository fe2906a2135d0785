# SPDX-License-Identifier: Apache-2.0
"""A request for a small modulus: options at which a core takes it, those of its own small trials first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..base.errors import ModwrightError, ParameterError
from ..contract import Core
from ..contract.request import Request
from ..prepared import Prepared, prepare

SMALL_BITS = 32
"""Bits of a modulus up to which the options of the trials are tried: those are of channels and limbs of a few bits."""

_WIDTHS = range(5, 25)
"""Widths of channels and limbs that are tried when the trials do not fit: a small base has few moduli of any width."""


def small_request(core: Core, document: Mapping[str, object]) -> Prepared:
    """The core for a modulus, with options of a trial where none are given and the modulus is small.

    Parameters
    ----------
    core : Core
    document : mapping
        A request in its YAML form.

    Raises
    ------
    ModwrightError
        Refusal of the core with its defaults, when no options satisfy it.
    """
    request = Request.from_mapping(core, document)
    if document.get("options") or (request.modulus is not None and request.modulus.value.bit_length() > SMALL_BITS):
        return prepare(core, request)
    refused: ModwrightError | None = None
    for options in _options(core):
        try:
            return prepare(core, Request.from_mapping(core, {**document, "options": options}))
        except (ModwrightError, ArithmeticError) as error:
            refused = refused or (error if isinstance(error, ModwrightError) else None)
    try:
        return prepare(core, request)
    except ParameterError:
        raise refused or ParameterError(f"{core.name} takes no such small modulus") from None


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
