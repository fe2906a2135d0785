# SPDX-License-Identifier: Apache-2.0
"""Commands whose modules are imported when they are requested: a command line needs one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from .groups import Command, LongCommand

PLACES = {
    "list": "listing.list_cores",
    "fields": "listing.list_fields",
    "curves": "listing.list_curves",
    "show": "inspection.show",
    "params": "inspection.params",
    "explain": "explaining.explain",
    "generate": "production.generate",
    "simulate": "evidence.simulate",
    "prove": "evidence.prove",
    "synth": "synthesis.synth",
    "synth-rtl": "synthesis.synth_rtl",
    "build": "production.build",
    "emulate": "emulation.emulate",
    "provider": "provider.provider",
    "fusesoc": "provider.fusesoc",
    "wave": "evidence.wave",
    "mutate": "mutation.mutate",
    "campaign": "statistics.campaign",
    "rsa": "rsa.rsa",
    "choose": "choosing.choose",
    "compare": "comparing.compare",
    "paper": "papers.paper",
    "explore": "exploring.explore",
    "worker": "batches.worker",
    "doctor": "inspection.doctor",
    "vivado": "xilinx.app",
}
"""Module of this folder and name in it, by command, in the order of the help."""
_LONG = ("explain", "params", "generate", "simulate", "prove", "synth", "synth-rtl", "provider", "wave")
"""Commands without a progress display that may take minutes."""


class Commands(Mapping[str, TyperCommand | TyperGroup]):
    """The commands by name; each is made when it is first looked at, and its module imported."""

    def __init__(self) -> None:
        self._made: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._made:
            self._made[name] = _made(name, *PLACES[name].split("."))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


def _made(name: str, module: str, attribute: str) -> TyperCommand | TyperGroup:
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = get_group(found)
        group.name = name
        return group
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=LongCommand if name in _LONG else Command)(found)
    return cast(TyperCommand, get_command(single))
