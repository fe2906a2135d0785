# SPDX-License-Identifier: Apache-2.0
"""Types of a flattened module in Yosys' JSON, restricted to the entries that are read here."""

from __future__ import annotations

from typing import TypedDict

Bits = list[int | str]
"""Bits by the numbers of their nets; constants as strings."""


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
    """A named word, with its bits."""

    bits: Bits
    attributes: dict[str, str]


class Module(TypedDict):
    """A flattened module."""

    attributes: dict[str, str]
    ports: dict[str, Port]
    cells: dict[str, CellText]
    netnames: dict[str, Net]
