# SPDX-License-Identifier: Apache-2.0
"""Place and route by nextpnr in a process of its own, one seed at a time, each stored."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..base.disk import failed
from ..base.errors import NoPathError, ToolMissingError
from ..base.json import JsonObject
from ..base.store import Store, digest_of, version_of
from .devices import Device
from .floorplan import place_blocks, sites_of
from .netlist import Netlist
from .progress import announce

ARCHITECTURES = {"ecp5": "ecp5", "gowin": "himbaechel-gowin", "nexus": "nexus"}
"""nextpnr's name of each family."""

PACKAGES = {family: f"yowasp-nextpnr-{name}" for family, name in ARCHITECTURES.items()}
"""The distribution with nextpnr, by family."""


def _command(architecture: str) -> tuple[str, ...]:
    name = f"nextpnr_{architecture.replace('-', '_')}"
    return (sys.executable, "-c", f"import sys, yowasp_{name} as n; sys.exit(n.run_{name}(sys.argv[1:]))")


COMMANDS = {family: _command(name) for family, name in ARCHITECTURES.items()}
"""nextpnr without its arguments, by family."""

PLACEMENTS = "place"
"""Kind of the results in the store."""

ROUTERS = {
    "router1": ("router1",),
    "router2": ("router2",),
    "router2-alt": ("router2", "--router2-alt-weights"),
}
"""Arguments after `--router`, by name."""

PHASES = (
    ("Info: Packing IOs", "packing"),
    ("Info: Creating initial analytic placement", "placing"),
    ("Info: Running simulated annealing placer", "refining the placement"),
    ("Info: Routing..", "routing"),
    ("Info: Running router2", "routing"),
    ("Info: Critical path report", "analysing"),
)
"""Start of a line of the log, and the phase that it opens."""

REFUSALS = (
    r"no BELs remaining to implement cell type",
    r"Unable to find legal placement",
    r"[Ff]ailed to (place|route|legali[sz]e|find a route)",
    r"[Uu]nable to (place|route|legali[sz]e)",
    r"Routing design failed",
)
"""Error texts of nextpnr for which the design, not the tool, is at fault: too large, or not routable."""

GOWIN_FAMILY = "GW2A-18"
"""Name of the chip database."""

PINS = {
    "gowin": ("pins.cst", 'IO_LOC "{name}" {pin};\n'),
    "nexus": ("pins.pdc", "ldc_set_location -site {{{pin}}} [get_ports {name}]\n"),
}
"""File with the places of the harness's pins, and its line for one of them, where nextpnr places no pad by itself."""

_QUIET_SECONDS = 5
"""A phase that starts sooner after the last line shown is not announced: small designs stay quiet."""

_STATUS_SECONDS = 60
"""Seconds between two announcements of the latest line while a phase lasts."""


@dataclass(frozen=True)
class Flow:
    """Settings that one placement depends on in addition to netlist and seed."""

    device: Device
    frequency_mhz: float
    router: str
    out_of_context: bool
    floorplan: str | None = None
    timing_weight: int | None = None

    def arguments(self, seed: int) -> list[str]:
        """nextpnr's arguments; files are named relative to the folder it runs in."""
        device = self.device
        common = ["--freq", f"{self.frequency_mhz:g}", "--router", *ROUTERS[self.router], "--seed", str(seed)]
        common += ["--json", "netlist.json", "--report", "report.json"]
        if self.timing_weight is not None:
            common += ["--placer-heap-timingweight", str(self.timing_weight)]
        if device.family == "gowin":
            chosen = ["--device", device.part, "--vopt", f"family={GOWIN_FAMILY}", "--vopt", f"cst={PINS['gowin'][0]}"]
            return [*chosen, *common, "--timing-allow-fail"]
        if device.family == "nexus":
            return ["--device", device.part, "--pdc", PINS["nexus"][0], *common, "--timing-allow-fail"]
        chosen = [f"--{device.name}", "--package", device.package, "--speed", device.speed, *common]
        chosen += ["--lpf-allow-unconstrained", "--timing-allow-fail"]
        return chosen + (["--out-of-context"] if self.out_of_context else [])


@dataclass(frozen=True)
class Placement:
    """One seed, placed and routed.

    Parameters
    ----------
    fmax_mhz : float
        Clock rate, over register-to-register paths.
    utilisation : dict
        Used and available sites by type; types of which none are used are left out.
    critical_path : dict
        `from`, `to` (cell.port), `delay_ns`, of which `logic_ns` (clock-to-out and setup included) and
        `routing_ns`; `nets`, the number of nets with a delay; `longest_net`, its `name` and `delay_ns`; `levels`, the
        logic between the two registers, where cells joined without a net in between count once: a LUT with its
        multiplexers, or a carry chain.
    """

    fmax_mhz: float
    utilisation: dict[str, dict[str, int]]
    critical_path: JsonObject


def place(netlist: Netlist, flow: Flow, seed: int, *, store: Store, timeout: float | None) -> Placement | str:
    """Place and route one seed, or take it from the store; the reason in words when nextpnr refuses.

    A refusal is stored as well, since the same seed would fail again. Running out of time is not.

    Raises
    ------
    ToolMissingError
        When nextpnr is not installed.
    ToolFailedError
        When it crashes or is killed.
    """
    family = flow.device.family
    package = PACKAGES[family]
    if version_of(package) == "absent":
        extra = f" (Modwright's extra '{family}')" if family != "ecp5" else ""
        raise ToolMissingError(f"nextpnr for {family} is not installed", f"pip install {package}{extra}")
    try:
        folder = store.folder(
            PLACEMENTS, place_digest(netlist, flow, seed), lambda work: _run(netlist, flow, seed, work, timeout)
        )
    except _OutOfTimeError as error:
        return str(error)
    refusal = folder / "refused.txt"
    if refusal.is_file():
        return refusal.read_text(encoding="utf-8")
    return read_report(json.loads((folder / "report.json").read_text(encoding="utf-8")), netlist.top)


def place_digest(netlist: Netlist, flow: Flow, seed: int) -> str:
    """Digest of a seed in the store."""
    versions = version_of(PACKAGES[flow.device.family]), version_of("pyosys")
    sites = []
    if flow.floorplan:
        document = json.loads(netlist.path.read_text(encoding="utf-8"))
        cells = document["modules"][netlist.top]["cells"]
        sites.append(sites_of(cells, netlist.top, flow.device, flow.floorplan))
    return digest_of(netlist.digest, flow.arguments(seed), *versions, *sites)


class _OutOfTimeError(Exception):
    """End of nextpnr by the time limit; carries the message for the user."""


def pins_file(family: str, names: Sequence[str], pins: Sequence[str]) -> str:
    """Physical constraints of a family in `PINS`: every port of the harness at a pin."""
    _, line = PINS[family]
    return "".join(line.format(name=name, pin=pin) for name, pin in zip(names, pins, strict=True))


def _run(netlist: Netlist, flow: Flow, seed: int, folder: Path, timeout: float | None) -> None:
    """Leave report.json and nextpnr.log in `folder`, or refused.txt."""
    announce(f"placing and routing {netlist.top}, seed {seed}, with nextpnr")
    # A copy, because the WebAssembly runtime maps /tmp to a folder of its own: only relative names are safe.
    if flow.floorplan:
        text = netlist.path.read_text(encoding="utf-8")
        placed = place_blocks(text, netlist.top, flow.device, flow.floorplan)
        (folder / "netlist.json").write_text(placed, encoding="utf-8")
    else:
        shutil.copyfile(netlist.path, folder / "netlist.json")
    family = flow.device.family
    if family in PINS:
        ports = [port.name for port in netlist.ports]
        (folder / PINS[family][0]).write_text(pins_file(family, ports, flow.device.pins), encoding="utf-8")
    phases = _Phases(seed)
    code, log, expired = stream([*COMMANDS[family], *flow.arguments(seed)], folder, phases.see, timeout)
    (folder / "netlist.json").unlink()
    (folder / "nextpnr.log").write_text("".join(log), encoding="utf-8")
    if expired:
        raise _OutOfTimeError(f"seed {seed}: not done after {timeout:g} s, while {phases.current}")
    if code == 0 and (folder / "report.json").is_file():
        return
    errors = [line.removeprefix("ERROR:").strip() for line in log if line.startswith("ERROR:")]
    if any(re.search(pattern, error) for pattern in REFUSALS for error in errors):
        (folder / "refused.txt").write_text(f"nextpnr, seed {seed}: {errors[0]}", encoding="utf-8")
        return
    what = f"was killed by signal {-code}" if code < 0 else f"failed with exit code {code}"
    hint = "more memory (a full device takes 1.3 GB) or a smaller design" if code < 0 else ""
    raise failed(f"nextpnr {what} while {phases.current} (seed {seed})", "".join(log), 8, folder, hint=hint)


class _Phases:
    """Follower of the log that announces nextpnr's phases."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.current = "starting"
        self._shown = time.monotonic()

    def see(self, line: str) -> None:
        """Take one line of the log."""
        for start, phase in PHASES:
            if line.startswith(start) and phase != self.current:
                self.current = phase
                if time.monotonic() - self._shown > _QUIET_SECONDS:
                    self._show(phase)
                return
        if time.monotonic() - self._shown > _STATUS_SECONDS and line.strip():
            self._show(f"{self.current}: {line.removeprefix('Info:').strip()}")

    def _show(self, text: str) -> None:
        self._shown = time.monotonic()
        announce(f"  seed {self.seed}: {text}")


def stream(
    command: Sequence[str], folder: Path, see: Callable[[str], None], timeout: float | None
) -> tuple[int, list[str], bool]:
    """Run a command and show `see` each line as it comes.

    Returns the exit code, the lines, and whether the command was ended because `timeout` seconds were over.
    The command never outlives this call: an exception, Ctrl-C among them, ends it first.
    """
    expired = threading.Event()
    lines: list[str] = []
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:

        def end() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(timeout, end) if timeout is not None else None
        try:
            if timer:
                timer.start()
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                see(line)
            process.wait()
        except BaseException:
            process.kill()
            raise
        finally:
            if timer:
                timer.cancel()
    return process.returncode, lines, expired.is_set()


def read_report(report: JsonObject, top: str) -> Placement:
    """Read nextpnr's JSON report.

    Raises
    ------
    NoPathError
        When no path runs from register to register: such a design has no clock rate.
    """
    if not report["fmax"]:
        raise NoPathError(f"{top} has no path from register to register, so it has no clock rate")
    clock, figures = min(report["fmax"].items(), key=lambda item: item[1]["achieved"])
    path = next(
        p["path"] for p in report["critical_paths"] if p["from"].partition(" ")[2] == p["to"].partition(" ")[2] == clock
    )
    used = {name: sites for name, sites in sorted(report["utilization"].items()) if sites["used"]}
    return Placement(round(figures["achieved"], 2), used, _summary(path))


def _summary(path: Sequence[JsonObject]) -> JsonObject:
    wires = [segment for segment in path if segment["type"] == "routing"]
    nets = [segment["delay"] for segment in wires]
    longest = max(wires, key=lambda segment: segment["delay"], default=None)
    levels = sum(
        after["type"] == "logic" and net["type"] == "routing" and net["delay"] > 0 for net, after in pairwise(path)
    )
    total = sum(segment["delay"] for segment in path)
    return {
        "from": "{cell}.{port}".format(**path[0]["from"]),
        "to": "{cell}.{port}".format(**path[-1]["to"]),
        "delay_ns": round(total, 3),
        "logic_ns": round(total - sum(nets), 3),
        "routing_ns": round(sum(nets), 3),
        "nets": sum(delay > 0 for delay in nets),
        "levels": levels,
        **({} if longest is None else {"longest_net": _net(longest)}),
    }


def _net(segment: JsonObject) -> JsonObject:
    return {"name": segment["net"], "delay_ns": round(segment["delay"], 3)}
