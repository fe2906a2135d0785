# SPDX-License-Identifier: Apache-2.0
"""Groups of options: a dataclass whose fields are options stands for all of them in the signature of a command.

A group is declared once, as a frozen dataclass with keyword fields of `Annotated[type, typer.Option(..)]`, and a class
variable `heading`. A command that takes a parameter of that type has its options, listed under the heading in the help,
and is called with one object.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Annotated, Any, cast, get_args, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.models import OptionInfo

from ..base.errors import UsageError
from ..base.json import JsonObject
from .common import heartbeat

_PREFORMATTED = re.compile(r"^(?=Examples?:$)", re.MULTILINE)


class Command(TyperCommand):
    """A command whose options are listed under the headings of their groups, its examples as they are written."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = _PREFORMATTED.sub("\b\n", self.help or "")  # Click folds no paragraph that a backspace opens

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        """Read the words, which are checked first, see `_check_words`, unless they are to be completed or explained."""
        if not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(args=[*args])
            if not values.get("help"):
                _check_words(values, cast("list[TyperOption | TyperArgument]", order))
        return super().parse_args(ctx, args)

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:
        """Write the sections: arguments, the groups in order, and what is in no group."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        plain = []
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is None:
                continue
            if not isinstance(parameter, TyperOption):
                in_group = sections["Arguments"] if parameter.param_type_name == "argument" else plain
            elif parameter.rich_help_panel:
                in_group = sections.setdefault(parameter.rich_help_panel, [])
            else:
                in_group = plain
            in_group.append(row)
        for heading, rows in {**sections, "Options": plain}.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _check_words(values: Mapping[str, object], order: Sequence[TyperOption | TyperArgument]) -> None:
    """UsageError for an option with one value that is given twice, and for a path without a name, which would mean
    the working folder. `order` has the parameters as they came, one for each time."""
    for parameter in order:
        name = parameter.opts[0] if isinstance(parameter, TyperOption) else parameter.human_readable_name
        single = isinstance(parameter, TyperOption) and not (parameter.multiple or parameter.is_flag)
        if single and order.count(parameter) > 1:
            raise UsageError(f"{name} is given twice", "one of them")
        given = values.get(parameter.name or "")
        if parameter.type.name == "path" and "" in (given if isinstance(given, list | tuple) else [given]):
            raise UsageError(f"{name} is an empty name", "the name of a file or folder")


class Group(TyperGroup):
    """A group of commands whose help has its examples as they are written."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = _PREFORMATTED.sub("\b\n", self.help or "")


class LongCommand(Command):
    """A command that may take minutes and has no progress display of its own: says every so often that it works."""

    def invoke(self, ctx: typer.Context) -> Any:
        """Run the command."""
        with heartbeat(ctx.command_path):
            return super().invoke(ctx)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Expand the parameters of a command that are groups into their options.

    Raises
    ------
    TypeError
        When two groups of a command have an option of the same name.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {}
    plain: list[inspect.Parameter] = []
    options: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            options += _options(hints[name])
        else:
            plain.append(_keyword(name, hints[name], parameter.default))
    names = [parameter.name for parameter in (*plain, *options)]
    if len(set(names)) < len(names):
        raise TypeError(f"{command.__name__} has two options of one name: {sorted(names)}")

    def run(**words: object) -> None:
        command(**{name: _made(group, words) for name, group in groups.items()}, **words)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    # arguments keep their order, and --json and its like come last
    parameters = sorted((*options, *plain), key=lambda parameter: parameter.name == "as_json")
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__dict__["__signature__"] = inspect.Signature(parameters)  # what Typer reads
    return run


def _made(group: type, words: JsonObject) -> Any:
    """A group from its words, which are taken out of `words`."""
    return group(**{field.name: words.pop(field.name) for field in dataclasses.fields(group)})


def _options(group: type) -> Iterator[inspect.Parameter]:
    """The fields of a group as keyword parameters, each with the heading of the group."""
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        kind, information = get_args(hints[field.name])
        if isinstance(information, OptionInfo):
            information = copy(information)
            information.rich_help_panel = getattr(group, "heading", None)
        yield _keyword(field.name, Annotated[kind, information], default)


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
