# SPDX-License-Identifier: Apache-2.0
"""The clock rate of a core on ECP5, Gowin or Nexus, by place and route over a set of seeds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from ..base.errors import UsageError
from ..base.json import JsonMapping, JsonObject
from ..base.remaining import remaining
from ..base.store import Store, version_of
from . import nextpnr
from .counts import count
from .devices import FIRST, Device, find_device
from .harness import TOP, shift_harness
from .netlist import PLACED, Netlist, synthesise, wrap
from .progress import announce
from .settings import DEFAULT, HARNESSES, Settings

ROUTER1_SHARE = 0.6
"""Share of a device's LUT sites and of its multiplier blocks up to which router1 is the default.

Below, it gives the faster result: `modmul/csa` of 256 bits reaches 153.7 MHz with router1 and 99.9 with router2, an
earlier form of `modmul/orup-interleaved` 193 and 128. It has routed cores of up to 45 % of the LUTs; fuller designs are
measured with router2. With a floorplan router1 has routed a core with 74 % of the blocks, and one with all block
RAMs."""

NEXUS = "nexus"
"""Family whose clock router2 of nextpnr 0.11.1 does not route, from its pad to the clock buffer: neither that of
`modmul/csa` of 8 bits nor that of `modmul/orup-dsp` of 256."""

_COMMON = {"lut": "LUT4 sites", "ff": "flip-flops"}
UNITS = {
    "ecp5": {**_COMMON, "dsp": "MULT18X18D", "bram": "DP16KD", "lutram": "TRELLIS_DPR16X4"},
    "gowin": {**_COMMON, "dsp": "MULT18X18", "bram": "BSRAM", "lutram": "RAM16SDP4"},
    "nexus": {**_COMMON, "dsp": "MULT18X18", "bram": "DP16K", "lutram": "DPR16X4"},
}
"""Cells that are counted, by family."""

TOOLS = {family: f"nextpnr-{name}" for family, name in nextpnr.ARCHITECTURES.items()}


@dataclass(frozen=True)
class SeedResult:
    """One seed: its clock rate in MHz, or None and the reason."""

    seed: int
    fmax_mhz: float | None
    reason: str = ""


@dataclass(frozen=True)
class Timing:
    """Clock rate after place and route, over register-to-register paths only.

    Parameters
    ----------
    fmax_mhz, fmax_median : float
        Best and median over the seeds that were placed, in MHz.
    per_seed : tuple of SeedResult
        Every requested seed.
    seed : int
        The best seed, to which `utilisation` and `critical_path` belong.
    device, package, speed : str
        Part, package and speed grade.
    frequency_mhz : float
        Target clock of nextpnr.
    router, harness, method : str
        Router, harness, and the method in words.
    utilisation : dict
        Used and available sites by type.
    critical_path : dict
        See `nextpnr.Placement`.
    tool : dict
        Versions of the tools.
    wide_lut : bool
        See `counts.Resources`.
    floorplan : str or None
        See `floorplan`.
    timing_weight : int or None
        See `settings.Settings`.
    """

    fmax_mhz: float
    fmax_median: float
    per_seed: tuple[SeedResult, ...]
    seed: int
    device: str
    package: str
    speed: str
    frequency_mhz: float
    router: str
    harness: str
    method: str
    utilisation: dict[str, dict[str, int]]
    critical_path: JsonObject
    tool: dict[str, str]
    wide_lut: bool = False
    floorplan: str | None = None
    timing_weight: int | None = None

    def to_json(self) -> JsonObject:
        """Plain values for report.json; `status` distinguishes them from those of `NotPlaced`.

        A floorplan and a weight of timing are named only where they are given.
        """
        values = {"status": "measured", **asdict(self), "per_seed": [asdict(s) for s in self.per_seed]}
        given = {"floorplan": self.floorplan, "timing_weight": self.timing_weight}
        return {name: value for name, value in values.items() if given.get(name, value) is not None}

    @classmethod
    def from_json(cls, document: JsonMapping) -> Timing:
        """Inverse of `to_json`."""
        values = {name: value for name, value in document.items() if name != "status"}
        values["per_seed"] = tuple(SeedResult(**s) for s in values["per_seed"])
        return cls(**values)


@dataclass(frozen=True)
class NotPlaced:
    """Result of place and route where no seed gave a placed and routed design.

    Parameters
    ----------
    reason : str
        Reason, with the numbers.
    device : str
        Part number.
    needed, available : dict
        Need of the netlist for each resource of which the device has too little, and the device's capacity; empty when
        the counts fit and nextpnr gave up.
    tool : dict
        Versions of the tools.
    """

    reason: str
    device: str
    needed: dict[str, int] = field(default_factory=dict)
    available: dict[str, int] = field(default_factory=dict)
    tool: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Plain values for report.json; `status` distinguishes them from those of `Timing`."""
        return {"status": "not placed", **asdict(self)}

    @classmethod
    def from_json(cls, document: JsonMapping) -> NotPlaced:
        """Inverse of `to_json`."""
        return cls(**{name: value for name, value in document.items() if name != "status"})


def timing(
    verilog: str, top: str, settings: Settings = DEFAULT, *, store: Store, target: str = "ecp5"
) -> Timing | NotPlaced:
    """Place and route a core for each seed.

    Every seed is stored when it is done, so that an interrupted set resumes.

    Parameters
    ----------
    verilog, top : str
        The design and its top module, with a clock `clk`.
    settings : Settings
    store : Store
        Store of netlists and placements.
    target : str
        One of `netlist.PLACED`.

    Returns
    -------
    Timing or NotPlaced
        The latter at once when the synthesised counts exceed the device, else when no seed was placed.

    Raises
    ------
    UsageError
        For an unknown device, harness or router, or a design without a register-to-register path.
    ToolFailedError
        When Yosys refuses the Verilog, or nextpnr crashes or is killed.
    """
    ready = _ready(verilog, top, settings, store, target)
    if ready.refused:
        return ready.refused
    chosen = ready.flow.device
    placed: dict[int, nextpnr.Placement] = {}
    results: list[SeedResult] = []
    start = time.monotonic()
    for done, seed in enumerate(settings.seeds):
        if rest := remaining(time.monotonic() - start, done, len(settings.seeds)):
            announce(f"{done} of {len(settings.seeds)} seeds placed{rest}")
        outcome = nextpnr.place(ready.netlist, ready.flow, seed, store=store, timeout=settings.timeout)
        if isinstance(outcome, str):
            results.append(SeedResult(seed, None, outcome))
        else:
            placed[seed] = outcome
            results.append(SeedResult(seed, outcome.fmax_mhz))
    if not placed:
        return NotPlaced("; ".join(r.reason for r in results), chosen.part, tool=ready.tool)
    best = max(placed, key=lambda seed: placed[seed].fmax_mhz)
    return Timing(
        fmax_mhz=placed[best].fmax_mhz,
        fmax_median=round(statistics.median(p.fmax_mhz for p in placed.values()), 2),
        per_seed=tuple(results),
        seed=best,
        device=chosen.part,
        package=chosen.package,
        speed=chosen.speed,
        frequency_mhz=settings.frequency,
        router=ready.flow.router,
        harness=ready.harness,
        method=f"{TOOLS[target]} place and route, {HARNESSES[ready.harness]}; register-to-register paths only",
        utilisation=placed[best].utilisation,
        critical_path=placed[best].critical_path,
        tool=ready.tool,
        wide_lut=settings.wide_lut,
        floorplan=settings.floorplan,
        timing_weight=settings.timing_weight,
    )


def seed_digest(verilog: str, top: str, settings: Settings = DEFAULT, *, store: Store, target: str = "ecp5") -> str:
    """Digest in the store of the first seed of a `timing` with the same parameters."""
    ready = _ready(verilog, top, settings, store, target)
    return nextpnr.place_digest(ready.netlist, ready.flow, settings.seeds[0])


def check_floorplan(verilog: str, top: str, settings: Settings = DEFAULT, *, store: Store) -> None:
    """Refuse, by a UsageError, a floorplan for blocks that a core of ECP5 does not have; synthesises it."""
    ready = _ready(verilog, top, settings, store, "ecp5")
    if ready.refused is None:
        nextpnr.place_digest(ready.netlist, ready.flow, settings.seeds[0])


@dataclass(frozen=True)
class _Ready:
    """Preparation that all seeds share; `refused` when none of them can be placed."""

    netlist: Netlist
    flow: nextpnr.Flow
    harness: str
    tool: dict[str, str]
    refused: NotPlaced | None


def _ready(verilog: str, top: str, settings: Settings, store: Store, target: str) -> _Ready:
    if target not in PLACED:
        raise UsageError(f"target {target} has no place and route", f"one of {', '.join(PLACED)}")
    chosen = find_device(settings.device or FIRST[target], target)
    harness = settings.harness or ("out-of-context" if target == "ecp5" else "shift")
    if target != "ecp5" and harness != "shift":
        raise UsageError(f"{TOOLS[target]} has no out-of-context mode", "the harness of four pins (shift)")
    if target == NEXUS and settings.router not in (None, "router1"):
        raise UsageError(f"{settings.router} of {TOOLS[target]} routes no clock", "router1")
    if target != "ecp5" and settings.floorplan:
        raise UsageError(f"a floorplan is for ecp5, and the target is {target}", "no --floorplan")
    tool = {name: version_of(name) for name in ("pyosys", nextpnr.PACKAGES[target])}
    netlist = _netlist(verilog, top, harness, store, settings.wide_lut, target)
    router = settings.router or router_by_rule(count(netlist, chosen.family), chosen, settings.floorplan)
    bare, how = harness == "out-of-context", (settings.floorplan, settings.timing_weight)
    flow = nextpnr.Flow(chosen, settings.frequency, router, bare, *how)
    return _Ready(netlist, flow, harness, tool, _too_large(netlist, chosen, tool))


def router_by_rule(counts: Mapping[str, int | None], device: Device, floorplan: str | None) -> str:
    """The router when none is named: router1 with a floorplan, for Nexus, or up to `ROUTER1_SHARE` of the device, else
    router2."""
    if device.family == NEXUS:
        return "router1"
    shares = [(counts[name] or 0) / device.capacity[name] for name in ("lut", "dsp")]
    return "router1" if floorplan or max(shares) <= ROUTER1_SHARE else "router2"


def _netlist(verilog: str, top: str, harness: str, store: Store, wide_lut: bool, target: str) -> Netlist:
    """The netlist that `resources` counts, bare or in its harness."""
    bare = synthesise(verilog, top, target, store=store, wide_lut=wide_lut)
    if harness == "out-of-context":
        return bare
    return wrap(bare, shift_harness(top, bare.ports), TOP, store=store, target=target)


def _too_large(netlist: Netlist, device: Device, tool: dict[str, str]) -> NotPlaced | None:
    """Compare the counts with the device before any placing."""
    counts, capacity = count(netlist, device.family), device.capacity
    needed = {name: n for name in capacity if (n := counts[name] or 0) > capacity[name]}
    if not needed:
        return None
    numbers = ", ".join(f"{n} {UNITS[device.family][name]} of {capacity[name]}" for name, n in needed.items())
    reason = f"{netlist.top} does not fit {device.part}: it needs {numbers}"
    return NotPlaced(reason, device.part, needed, {name: capacity[name] for name in needed}, tool)
