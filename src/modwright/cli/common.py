# SPDX-License-Identifier: Apache-2.0
"""Options that make a request, and the writing of results: shared by the commands."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from ..base.remaining import rest
from .streams import writes_all

if TYPE_CHECKING:
    from ..contract import Core
    from ..contract.request import Request
    from ..prepared import Prepared

CoreArgument = Annotated[
    str,
    typer.Argument(metavar="CORE", help="Name of a core (see `modwright list`), or a request file (.yaml)."),
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="DEVICE", help="generic, ecp5, xc7 or asic.  [default: ecp5]"),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-O", metavar="NAME=VALUE", help="An option of the core; repeatable."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="A Dask scheduler in place of processes, tcp://HOST:PORT."),
]
MOST_CASES = 10_000_000
"""Random operands of one run: all are held in memory, at some hundred bytes each."""
MOST_PROCESSES = 1024
"""Processes of this machine for one command."""


def check_processes(workers: int | None, scheduler: str | None, option: str = "--workers") -> None:
    """UsageError for a number of processes next to a scheduler, which has its own workers."""
    if workers is not None and scheduler is not None:
        raise UsageError(f"{option} is the number of processes, and --scheduler has its own workers", "one of them")


def finite(value: float | None) -> float | None:
    """The value of an option; ranges let NaN through, and those with one bound infinity."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, metavar="S", help="Seed of the random operands.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, max=MOST_PROCESSES, metavar="W", help="Processes.  [default: one for each processor]"
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force", help="Write into a folder of other files: those of the same names are replaced, the rest stays."
    ),
]


def select(
    core: str,
    field: str | None,
    modulus: str | None,
    curve: str | None,
    target: str | None,
    options: Sequence[str] | None,
    otherwise: Mapping[str, str] | None = None,
) -> tuple[Core, Request]:
    """The core and the request that the words of a command line mean.

    A request file gives the start; the options of the command line replace what it says. `otherwise` names a
    field, modulus or curve for the case that neither does.

    Raises
    ------
    UsageError
        When a name or a value is unknown, or nothing says which modulus is meant.
    """
    from ..contract.request import Request
    from ..functions import find_function
    from ..prepared.registry import find_requested

    document = request_document(core)
    named = {"field": field, "modulus": modulus, "curve": curve}
    if any(value is not None for value in named.values()):
        for key in named:
            document.pop(key, None)
    document |= {key: value for key, value in (named | {"target": target}).items() if value is not None}
    if not any(key in document for key in named):
        document |= dict(otherwise or {})
    if options:
        given = document.get("options") or {}
        document["options"] = (given if isinstance(given, dict) else {}) | parse_options(options)
    found, document = find_requested(document)
    request = Request.from_mapping(found, document)
    if request.modulus is None and not found.runtime_modulus:
        fields = "" if find_function(found.function).over_curve else "--field NAME, "
        raise UsageError(
            f"{found.name} is built for one modulus, and none is named", f"{fields}--modulus N or --curve NAME"
        )
    return found, request


def request_document(core: str) -> JsonObject:
    """The request file that `core` is the path of, else a request that only names the core."""
    path = Path(core)
    if path.suffix not in (".yaml", ".yml") and not _is_file(path):
        return {"core": core}
    from ..contract.request import load_document

    return load_document(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # longer than a name can be
        return False


def check_different(words: Sequence[str], flag: str) -> None:
    """UsageError for a word that a flag gives twice."""
    for number, word in enumerate(words):
        if word in words[:number]:
            raise UsageError(f"{flag} {quoted(word)} is given twice")


def core_name(text: str) -> str:
    """The name of the core in a CORE argument, which may be a request file."""
    return request_document(text)["core"]


def prepare_selected(core: Core, request: Request) -> Prepared:
    """Derive the parameters of a request."""
    from ..prepared import prepare

    return prepare(core, request)


def parse_options(words: Sequence[str], flag: str = "--option") -> dict[str, str]:
    """`name=value` words of a flag as a mapping; UsageError for a word without `=` or a name given twice."""
    result: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise UsageError(f"{flag} takes name=value, not {quoted(word)}")
        if name in result:
            raise UsageError(f"{flag} {quoted(name)} is given twice")
        result[name] = value
    return result


def print_json(value: object) -> None:
    """JSON on stdout."""
    from ..base.json import plain

    print(json.dumps(plain(value), indent=2, ensure_ascii=not writes_all()))


def note(text: str) -> None:
    """One line of progress, on stderr."""
    print(text, file=sys.stderr, flush=True)


_HEARTBEAT_SECONDS = 5.0
_LONGEST_HEARTBEAT_SECONDS = 160.0
_LOOK_SECONDS = 1.0
"""Time between two looks at what is left of a job, which sees its stages only as they pass."""


@contextmanager
def heartbeat(label: str) -> Iterator[None]:
    """Say on stderr that long work continues, and how long it takes where that is known: after `_HEARTBEAT_SECONDS`,
    then at twice the time, and so on up to `_LONGEST_HEARTBEAT_SECONDS` between two lines. Work that is done sooner has
    no such line."""
    over, start = Event(), time.monotonic()

    def say() -> None:
        due = _HEARTBEAT_SECONDS
        while not over.wait(min(_LOOK_SECONDS, _HEARTBEAT_SECONDS)):
            left, elapsed = rest(), time.monotonic() - start
            if elapsed >= due:
                with suppress(OSError, ValueError):
                    note(f"{label}: {elapsed:.0f} s{left}")
                due = elapsed + min(elapsed, _LONGEST_HEARTBEAT_SECONDS)

    reporter = Thread(target=say, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        over.set()
        reporter.join()


_NARROWEST = 40
"""Characters of a line at least, whatever a terminal says."""


def paragraph(text: str, indent: str = "", hanging: str | None = None) -> None:
    """Text on stdout, wrapped to the terminal; its second and later lines start with `hanging`."""
    width = max(_NARROWEST, min(shutil.get_terminal_size().columns, 100))
    below = indent if hanging is None else hanging
    print(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=below, break_on_hyphens=False))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """A table on stdout, folded to the terminal; columns numbered in `right` are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        grid.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(_literal(cell) for cell in row))
    text = io.StringIO()  # a console with stdout ends the process itself where the reader has gone away
    console = Console(file=text, force_terminal=sys.stdout.isatty(), highlight=False, soft_wrap=False)
    console.width = max(_NARROWEST, console.width)  # of a terminal that knows no size, 0
    console.print(grid)
    print(text.getvalue(), end="")


def _literal(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def short_integer(value: object) -> str:
    """An integer for a table: in full up to 12 digits, else its power of two, rounded down."""
    if not isinstance(value, int) or isinstance(value, bool):
        return str(value)
    return str(value) if abs(value) < 10**12 else f"{'-' if value < 0 else ''}2^{abs(value).bit_length() - 1}.."
