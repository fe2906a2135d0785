# SPDX-License-Identifier: Apache-2.0
"""Settings of place and route, checked when they are made, before any long step."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from ..base.errors import UsageError, quoted, shortened
from . import nextpnr
from .floorplan import FLOORPLANS
from .forms import OPTIONS, Form

HARNESSES = {
    "out-of-context": "out of context: no I/O pads, the clock not on a global net",
    "shift": "in a harness of four pins: a shift register into all inputs, all outputs captured and folded",
}

ROUTERS = nextpnr.ROUTERS
"""Arguments of each router, by name; router2 suits a nearly full device, with other weights of congestion where it does
not converge."""

FREQUENCY_MHZ = 150.0
"""Default target clock of nextpnr: near what 18x18 blocks with registers reach. It changes no placement."""

LARGEST_WEIGHT = 1000
"""Largest weight of timing, a hundred times nextpnr's own: wires have no weight next to it any more."""

_LARGEST_SEED = 2**31 - 1
"""nextpnr reads a seed as an int of C."""


@dataclass(frozen=True)
class Settings:
    """Settings of a place and route, for each of its seeds.

    Parameters
    ----------
    seeds : tuple of int
        nextpnr's seeds, each once.
    frequency : float
        Target clock in MHz.
    device : str or None
        One of `devices.DEVICES`; None: the `devices.FIRST` of the target.
    harness : str or None
        One of `HARNESSES`; None: out of context on ECP5, whose paths from and to ports are left out. Gowin and
        Nexus have only the harness of four pins.
    router : str or None
        One of `ROUTERS`; None: by the share of the device that the design takes (`place_and_route.router_by_rule`).
    timeout : float or None
        Seconds that a seed may take.
    wide_lut : bool
        Let Yosys join LUT4 to wider LUTs; see `netlist.FLOWS`.
    floorplan : str or None
        One of `floorplan.FLOORPLANS`, on ECP5; None: nextpnr places all blocks.
    timing_weight : int or None
        Weight of timing against the length of wires in nextpnr's analytic placer; None: its own, 10.
    booth, clock_gates, latches, choices, area : bool
        Forms of gates, see `asic.gates`.

    Raises
    ------
    UsageError
        For a setting that does not exist.
    """

    seeds: tuple[int, ...] = (1,)
    frequency: float = FREQUENCY_MHZ
    device: str | None = None
    harness: str | None = None
    router: str | None = None
    timeout: float | None = None
    wide_lut: bool = False
    floorplan: str | None = None
    timing_weight: int | None = None
    booth: bool = False
    clock_gates: bool = False
    latches: bool = False
    choices: bool = False
    area: bool = False

    @property
    def form(self) -> dict[str, bool]:
        """Forms of gates, by name."""
        return {name: getattr(self, name) for name in OPTIONS}

    def __post_init__(self) -> None:
        Form(**self.form)  # refuses what excludes each other
        seeds = self.seeds
        if not seeds or len(set(seeds)) != len(seeds) or not all(1 <= seed <= _LARGEST_SEED for seed in seeds):
            raise UsageError(
                f"seeds are different integers from 1 to 2^31 - 1, not {shortened(', '.join(map(quoted, seeds)))}"
            )
        if not 0 < self.frequency < math.inf:
            raise UsageError(f"a clock of {self.frequency:g} MHz is not possible")
        if self.timeout is not None and not 0 < self.timeout <= threading.TIMEOUT_MAX:
            raise UsageError(f"a timeout of {self.timeout:g} s is not possible", "no --timeout, for no limit")
        if self.harness is not None and self.harness not in HARNESSES:
            raise UsageError(f"unknown harness {quoted(self.harness)}", f"one of {', '.join(HARNESSES)}")
        if self.router is not None and self.router not in ROUTERS:
            raise UsageError(f"unknown router {quoted(self.router)}", f"one of {', '.join(ROUTERS)}")
        if self.floorplan is not None and self.floorplan not in FLOORPLANS:
            raise UsageError(f"unknown floorplan {quoted(self.floorplan)}", f"one of {', '.join(FLOORPLANS)}")
        if self.timing_weight is not None and not 0 <= self.timing_weight <= LARGEST_WEIGHT:
            raise UsageError(f"a timing weight is from 0 to {LARGEST_WEIGHT}, not {quoted(self.timing_weight)}")


DEFAULT = Settings()
"""One seed, out of context where there is such a mode."""
