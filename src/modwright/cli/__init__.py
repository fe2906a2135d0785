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
from typing import Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..ending import ended_by_sigterm, said
from ..errors import ModwrightError
from . import (
    comparing,
    emulation,
    evidence,
    exploring,
    inspection,
    listing,
    papers,
    production,
    provider,
    statistics,
    synthesis,
)
from . import rsa as rsa_command

INTERNAL_ERROR = 70
"""EX_SOFTWARE of sysexits.h."""
PIPE_CLOSED = 141
"""128 + SIGPIPE."""


class Commands(TyperGroup):
    """The commands; one that a signal ends says so, and one whose reader has gone away ends without a word."""

    def invoke(self, ctx: typer.Context) -> Any:
        """Run the command that was named."""
        try:
            with ended_by_sigterm():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # what is still buffered goes nowhere, else the interpreter complains once more at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt as end:
            raise typer.Exit(said(end)) from None
        return result


app = typer.Typer(
    name="modwright",
    cls=Commands,
    help="Verified, measured hardware for modular arithmetic.\n\n"
    "Name a core and a field; see what it is made of, check it, measure it, build it.\n\n"
    "\b\nStart with:\n  modwright list\n  modwright build examples/secp256k1-sor.yaml",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(listing.list_cores)
app.command("fields")(listing.list_fields)
app.command("curves")(listing.list_curves)
app.command("show")(inspection.show)
app.command("params")(inspection.params)
app.command("generate")(production.generate)
app.command("simulate")(evidence.simulate)
app.command("prove")(evidence.prove)
app.command("synth")(synthesis.synth)
app.command("build")(production.build)
app.command("emulate")(emulation.emulate)
app.command("provider")(provider.provider)
app.command("fusesoc")(provider.fusesoc)
app.command("wave")(evidence.wave)
app.command("campaign")(statistics.campaign)
app.command("rsa")(rsa_command.rsa)
app.command("compare")(comparing.compare)
app.command("paper")(papers.paper)
app.command("explore")(exploring.explore)
app.command("doctor")(inspection.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"modwright {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Options that stand before the command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code and never raises.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after `modwright`; those of the process when not given.
    """
    try:
        app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name="modwright")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except ModwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except Exception as error:
        _report_internal_error(error)
        return INTERNAL_ERROR
    return 0


def _report_internal_error(error: Exception) -> None:
    if os.environ.get("MODWRIGHT_DEBUG") == "1":
        traceback.print_exception(error)
    text = str(error).strip().splitlines()
    print(
        f"internal error: {type(error).__name__}{': ' + text[0] if text else ''}\n"
        "  This is a fault of Modwright. MODWRIGHT_DEBUG=1 shows where it comes from; please report it.",
        file=sys.stderr,
    )
