# SPDX-License-Identifier: Apache-2.0
"""The register file: fields that name registers, and operands that come from them.

Registers are numbered from 1. Number 0 is the stream: as a source the operand next to the number, as a destination the
result alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Field, PayloadValue, integer
from ....contract.roles import Scalar
from ....functions.rns import PRODUCT

SOURCES = {"x": "from_x", "y": "from_y"}
"""Field with the number of the register that an operand comes from."""
INTO = "into"
"""Field with the number of the register that the result goes into."""
STREAM = 0
"""Number that names no register."""


def fields(registers: int) -> tuple[Field, ...]:
    """Numbers of sources and destination, for numbers below `registers`."""
    bits = (registers - 1).bit_length()
    sources = (
        Field(name, bits, role=Scalar(name), more=f"register in place of {operand}; 0: {operand} of the stream")
        for operand, name in SOURCES.items()
    )
    return (*sources, Field(INTO, bits, role=Scalar(INTO), more="register that z is written into as well; 0: none"))


def register(number: int) -> str:
    """Name of a register, next to the fields of an input payload."""
    return f"register {number}"


def operands_of(payload: Mapping[str, PayloadValue]) -> dict[str, PayloadValue] | None:
    """Operands that the operation reads, by name: the stream's, or registers; None where one was never written."""
    found: dict[str, PayloadValue] = {}
    for name in ("x", "y") if payload.get("op", PRODUCT) == PRODUCT else ("x",):
        number = integer(payload.get(SOURCES[name], STREAM))
        source = name if number == STREAM else register(number)
        if source not in payload:
            return None
        found[name] = payload[source]
    return found
