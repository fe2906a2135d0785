# SPDX-License-Identifier: Apache-2.0
"""The command line: one function a command, and the one place where errors become exit codes.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done; 1 verification failed; 2 usage or bad
input; 3 a tool is missing; 4 no parameters satisfy the request; 5 a target was missed; 70 internal error;
130 interrupted; 141 the reader of a pipe closed it; 143 terminated.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperGroup

from .. import __version__
from ..base.disk import refusal
from ..base.errors import ModwrightError, UsageError, quoted, shortened
from ..base.garbage import few_collections
from ..base.signals import ended_by_sigterm, report_signal
from . import streams
from .former import of_today
from .loading import Commands
from .streams import PIPE_CLOSED

INTERNAL_ERROR = 70
"""EX_SOFTWARE of sysexits.h."""
_OBJECTS = 50_000
"""Objects that are made before garbage is looked for: modules and cores, of which little is garbage before the end."""


class CommandLine(TyperGroup):
    """The commands; one that a signal ends says so, and one whose reader has gone away ends without a word."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = cast(Any, Commands())  # nothing is added to them

    def list_commands(self, ctx: typer.Context) -> list[str]:
        """The names of the commands, none of which is made for it."""
        return list(self.commands)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:
        """The command of a command line, also of one that earlier versions took."""
        return super().resolve_command(ctx, of_today(args))

    def make_context(
        self, info_name: str | None, args: list[str], parent: typer.Context | None = None, **extra: object
    ) -> typer.Context:
        """Read the options before the command; help and version are printed here."""
        try:
            return cast(typer.Context, super().make_context(info_name, args, parent, **extra))
        except BrokenPipeError:
            streams.drop()
            raise typer.Exit(PIPE_CLOSED) from None
        except OSError:
            streams.check_written()  # when it is stdout that takes no more, this says so
            raise

    def invoke(self, ctx: typer.Context) -> Any:
        """Run the command that was named."""
        try:
            with ended_by_sigterm():
                result = super().invoke(ctx)
            streams.check_written()
        except BrokenPipeError:
            streams.drop()
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt as end:
            raise typer.Exit(report_signal(end)) from None
        except OSError:
            streams.check_written()  # when it is stdout that takes no more, this says so
            raise
        return result


app = typer.Typer(
    name="modwright",
    cls=CommandLine,
    help="Verified, measured hardware for modular arithmetic.\n\n"
    "Name a core and a modulus: derive its constants, check it, measure it, build it.\n\n"
    "\b\nStart with:\n  modwright list\n  modwright build examples/secp256k1-sor.yaml",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(on: bool) -> None:
    if on:
        print(f"modwright {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Options that stand before the command."""


@cache
def _command_line() -> CommandLine:
    return cast(CommandLine, typer.main.get_command(app))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code and never raises.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after `modwright`; those of the process when not given.
    """
    try:
        streams.ready()
        with few_collections(_OBJECTS):
            code = _run(sys.argv[1:] if arguments is None else arguments)
        streams.check_written()
    except BrokenPipeError:
        return PIPE_CLOSED
    except KeyboardInterrupt as end:
        return report_signal(end)
    except Exception as error:
        return _ended(error)
    return code


def _ended(error: Exception) -> int:
    """Report an error; the exit code, which is that of stdout where this does not take what was printed before."""
    code = _report_error(error)
    try:
        streams.check_written()
    except BrokenPipeError:
        return PIPE_CLOSED
    except UsageError as unwritten:
        return _report_error(unwritten)
    return code


def _run(words: Sequence[str]) -> int:
    try:
        _command_line()(args=list(words), prog_name="modwright")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    return 0


_LINE = 500
"""Characters of a line of a message; lists of names are shorter, and only what a user gave is longer."""


def _report_error(error: Exception) -> int:
    """Say on stderr what went wrong; its exit code."""
    if os.environ.get("MODWRIGHT_DEBUG") == "1" and not isinstance(error, ModwrightError):
        traceback.print_exception(error)
    user = _of_user(error)
    if user is not None:
        streams.complain("\n".join(shortened(line, _LINE) for line in f"error: {user}".splitlines()))
        return user.exit_code
    text = str(error).strip().splitlines()
    streams.complain(
        f"internal error: {type(error).__name__}{': ' + shortened(text[0], _LINE) if text else ''}\n"
        "  This is a fault of Modwright. MODWRIGHT_DEBUG=1 shows where it comes from; please report it."
    )
    return INTERNAL_ERROR


def _folder_is_gone() -> bool:
    try:
        return not Path.cwd().is_dir()
    except FileNotFoundError:
        return True


def _of_user(error: Exception) -> ModwrightError | None:
    """An error that a user can cause, in words; None for a fault of ours."""
    if isinstance(error, ModwrightError):
        return error
    if isinstance(error, MemoryError):
        return UsageError("there is not enough memory", "fewer operations, or a smaller modulus")
    if isinstance(error, UnicodeEncodeError):
        return UsageError(f"{quoted(error.object)} holds bytes that are not UTF-8", "another name")
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        return UsageError("the working folder was deleted", "cd to another one")
    return refusal(error) if isinstance(error, OSError) else None
