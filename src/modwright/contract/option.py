# SPDX-License-Identifier: Apache-2.0
"""Options of a core: what they are called, what they may be, and the check of those that are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..base.errors import UsageError, quoted
from ..base.json import OptionValue

Size = Literal["modulus", "exponent", "order"]
"""Numbers with a width of their own, where they are operands."""


@dataclass(frozen=True)
class Option:
    """One option of a core, the same in YAML, on the command line and in Python."""

    name: str
    kind: type[int] | type[str] | type[bool]
    default: OptionValue
    """The value when none is given; None when `derive` chooses."""
    help: str
    choices: tuple[OptionValue, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    aliases: tuple[tuple[str, str], ...] = ()
    """Other words for choices, each with the choice that it stands for."""
    sizes: Size | None = None
    """The number whose bits the option gives, None for an option that is not a width."""


class Requestable(Protocol):
    """Subject that a request is checked against: a name and options, of which a `Core` is one."""

    @property
    def name(self) -> str:
        """`function/architecture`."""
        ...

    @property
    def options(self) -> tuple[Option, ...]:
        """Every option."""
        ...


Options = Mapping[str, Any]
"""Values by name, each of its option's kind once `check_options` has seen it, or None where the default is None."""


def check_options(core: Requestable, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Fill in defaults and check names, kinds, choices and ranges."""
    known = {o.name: o for o in core.options}
    for name in given:
        if name not in known:
            raise UsageError(f"{core.name} has no option {quoted(name)}", f"its options: {', '.join(known) or 'none'}")
    return {o.name: _check_option(core, o, given[o.name]) if o.name in given else o.default for o in core.options}


def _check_option(core: Requestable, option: Option, value: object) -> OptionValue:
    if value is None and option.default is None:
        return None
    where = f"{core.name}: option {option.name}"
    if option.kind is bool and isinstance(value, str) and value.lower() in ("true", "false"):
        value = value.lower() == "true"
    if option.kind is int and isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            raise UsageError(f"{where} is an integer, not {quoted(value)}") from None
    if isinstance(value, str):
        value = dict(option.aliases).get(value, value)
    if type(value) is not option.kind:
        raise UsageError(f"{where} is {option.kind.__name__}, not {quoted(value)}")
    if option.choices and value not in option.choices:
        raise UsageError(f"{where} is one of {', '.join(map(str, option.choices))}, not {quoted(value)}")
    if isinstance(value, int):
        if option.minimum is not None and value < option.minimum:
            raise UsageError(f"{where} is at least {option.minimum}, not {quoted(value)}")
        if option.maximum is not None and value > option.maximum:
            raise UsageError(f"{where} is at most {option.maximum}, not {quoted(value)}")
    return value
