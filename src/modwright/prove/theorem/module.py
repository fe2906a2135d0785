# SPDX-License-Identifier: Apache-2.0
"""Types of a flattened module in Yosys' JSON, as far as it is read here."""

from __future__ import annotations

from typing import TypedDict

Bits = list[int | str]
"""Numbers of nets; constants as text."""


class Port(TypedDict):
    """A port of the module."""

    direction: str
    bits: Bits


class CellText(TypedDict):
    """A cell; parameters that are numbers are binary text."""

    type: str
    port_directions: dict[str, str]
    parameters: dict[str, str]
    connections: dict[str, Bits]


class Net(TypedDict):
    """A name of some bits."""

    bits: Bits
    attributes: dict[str, str]


class Module(TypedDict):
    """The module."""

    attributes: dict[str, str]
    ports: dict[str, Port]
    cells: dict[str, CellText]
    netnames: dict[str, Net]
