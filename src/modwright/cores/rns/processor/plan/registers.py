# SPDX-License-Identifier: Apache-2.0
"""The register file: fields that name registers, operands that come from them, and the pair that is held for a sum.

Registers are numbered from 1. Number 0 is the stream: as a source the operand next to the number, as a destination the
result alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Field, PayloadValue, integer
from .....contract.roles import Scalar
from .....functions.rns import FROM_BINARY, HOLD, PAIRED, PRODUCT, SUM, TO_BINARY

SOURCES = {"x": "from_x", "y": "from_y"}
"""Field with the number of the register that an operand comes from."""
INTO = "into"
"""Field with the number of the register that the result goes into."""
PAIR = {"x2": "held x", "y2": "held y"}
"""Name, next to the fields of an input payload, of each operand of the pair that is held; absent without a pair."""
STREAM = 0
"""Number that names no register. A binary number has no register either: `FROM_BINARY` reads x of the stream, and the
result of `TO_BINARY` goes to the stream alone, whatever numbers are next to them."""


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
    """Operands that the operation reads, by name: the stream's, or registers, and for a sum the pair that is held, if
    any; None where a register was never written."""
    op = payload.get("op", PRODUCT)
    found = {name: payload[held] for name, held in PAIR.items() if op == SUM and held in payload}
    for name in ("x", "y") if op in PAIRED else ("x",):
        number = STREAM if op == FROM_BINARY else integer(payload.get(SOURCES[name], STREAM))
        source = name if number == STREAM else register(number)
        if source not in payload:
            return None
        found[name] = payload[source]
    return found


def destination_of(payload: Mapping[str, PayloadValue]) -> int:
    """The register that the result goes into as well."""
    return STREAM if payload.get("op") == TO_BINARY else integer(payload.get(INTO, STREAM))


def factors_of(operands: Mapping[str, PayloadValue]) -> dict[str, PayloadValue]:
    """Operands of a product or of a sum, with zeros in place of a pair where none is held."""
    return dict.fromkeys(PAIR, zeros(operands["x"])) | dict(operands)


def pair_after(op: PayloadValue, operands: Mapping[str, PayloadValue]) -> dict[str, PayloadValue]:
    """The pair that an operation without an error leaves: its operands, or zeros after a product or a sum."""
    if op == HOLD:
        return {held: operands[name] for name, held in zip(("x", "y"), PAIR.values(), strict=True)}
    return {held: zeros(operands["x"]) for held in PAIR.values()} if op in PAIRED else {}


def zeros(like: PayloadValue) -> tuple[int, ...]:
    """Residues of 0, as many as a number has."""
    assert isinstance(like, tuple)
    return (0,) * len(like)
