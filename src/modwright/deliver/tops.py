# SPDX-License-Identifier: Apache-2.0
"""The modules of a package that a design can instantiate, with the ports that their Verilog declares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .verilog import BUSES

_PORT = re.compile(r"^  (in|out)put (?:\[(\d+):0\] )?(\w+);$", flags=re.MULTILINE)
"""A port as Yosys declares it."""
CLOCKS = ("clk", "ACLK")
RESETS = ("rst", "ARESETn")
CORE_CLOCKS = ("core_clk",)


@dataclass(frozen=True)
class Port:
    """A port of a module.

    Parameters
    ----------
    name : str
    direction : str
        "in" or "out".
    bits : int
    """

    name: str
    direction: str
    bits: int


@dataclass(frozen=True)
class Top:
    """A module.

    Parameters
    ----------
    module : str
    bus : str
        One of `BUSES`, empty for the core.
    ports : tuple of Port
    clock, reset : str
        Names of ports; the reset is active low where it ends with "n".
    core_clock : str
        Port of the core's clock; empty where there is one clock only.
    """

    module: str
    bus: str
    ports: tuple[Port, ...]
    clock: str
    reset: str
    core_clock: str


def tops(top: str, files: Mapping[str, str]) -> list[Top]:
    """The core first, then the wrappers in the order of `BUSES`.

    Parameters
    ----------
    top : str
        The core's module.
    files : mapping of str to str
        The Verilog of a package by file name.
    """
    return [_top(f"{top}_{bus}" if bus else top, bus, files) for bus in ("", *BUSES)]


def _top(module: str, bus: str, files: Mapping[str, str]) -> Top:
    text = files[f"{module}.v"]
    start = text.index(f"\nmodule {module}(")
    declared = _PORT.findall(text, start, text.index("\nendmodule", start))
    ports = [Port(name, way, int(high or 0) + 1) for way, high, name in declared]
    clock, reset, core_clock = (_one(ports, names) for names in (CLOCKS, RESETS, CORE_CLOCKS))
    ports.sort(key=lambda port: port.name not in (clock, reset, core_clock))
    return Top(module, bus, tuple(ports), clock, reset, core_clock)


def _one(ports: list[Port], names: tuple[str, ...]) -> str:
    """The port of one of these names, empty where there is none."""
    return next((port.name for port in ports if port.name in names), "")
