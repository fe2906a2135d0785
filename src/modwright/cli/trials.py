# SPDX-License-Identifier: Apache-2.0
"""Groups of options for the operands of a simulation: seed and number, and those of a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from .common import MOST_CASES, SeedOption

if TYPE_CHECKING:
    from ..pipeline import Plan


@dataclass(frozen=True, kw_only=True)
class Seeded:
    """Random operands, the same for the same seed."""

    heading: ClassVar = "Operations"

    seed: SeedOption = 1


@dataclass(frozen=True, kw_only=True)
class SomeOperands(Seeded):
    """A few operations, to look at."""

    random: Annotated[int, typer.Option("--random", min=1, max=1000, metavar="N", help="Operations.")] = 2


@dataclass(frozen=True, kw_only=True)
class BuildOperands(Seeded):
    """The operands of a build, next to its edge cases."""

    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            min=0,
            max=MOST_CASES,
            metavar="N",
            help="Random operands to simulate.  [default: 10000, or 50 without a compiled simulator]",
        ),
    ] = None

    def plan(
        self,
        *,
        place: bool = False,
        router: str | None = None,
        floorplan: str | None = None,
        timing_weight: int | None = None,
    ) -> Plan:
        """The evidence that a build with these operands gathers."""
        from ..pipeline import Plan

        return Plan(self.random, self.seed, place, router, floorplan, timing_weight)
