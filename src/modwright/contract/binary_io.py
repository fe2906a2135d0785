# SPDX-License-Identifier: Apache-2.0
"""The codec of a residue multiplier between converters: plain integers in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from .operands import Reading, draw_operands
from .payload import PayloadValue
from .roles import Errors

NOT_REDUCED = 1
"""Error code of an operand that is not below p."""


class Converted(Protocol):
    """Parameters as the codec needs them."""

    @property
    def modulus(self) -> int: ...
    @property
    def exact(self) -> bool: ...


class BinaryCodec:
    """Plain values as they are; an operand that is not reduced is let through, for the core to refuse."""

    def __init__(self, p: Converted) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """x and y; ValueError when one does not fit the port."""
        width = self.p.modulus.bit_length()
        for name in "xy":
            if case[name] < 0 or case[name] >> width:
                raise ValueError(f"{name} = {case[name]:#x} does not fit {width} bits")
        return {name: case[name] for name in "xy"}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading:
        """x and y as they are, or the error of one that is not below p."""
        x, y = payload["x"], payload["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        return Reading(error=Errors.NOT_REDUCED) if max(x, y) >= self.p.modulus else Reading({"x": x, "y": y})

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Operands below p; one time in four, one that is not."""
        p = self.p.modulus
        return {**draw_operands(rng, {name: (p, p.bit_length()) for name in "xy"})}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The product modulo p."""
        z = payload["z"]
        assert isinstance(z, int)
        return {
            "z": z % self.p.modulus,
            "representative": z,
            "error": Errors.NOT_REDUCED if payload["error"] == NOT_REDUCED else None,
        }

    def edges(self) -> dict[str, dict[str, int]]:
        """Identities and extremes, and operands that must be refused."""
        p = self.p.modulus
        top = (1 << p.bit_length()) - 1
        pairs = {
            "0·0": (0, 0),
            "0·(p-1)": (0, p - 1),
            "1·1": (1, 1),
            "1·(p-1)": (1, p - 1),
            "(p-1)·(p-1)": (p - 1, p - 1),
            "2·2^-1": (2, pow(2, -1, p)),
            "x = p": (p, 1),
            "y = p": (1, p),
            "x of all ones": (top, 0),
            "good after bad": (p - 1, 1),
        }
        return {name: {"x": x, "y": y} for name, (x, y) in pairs.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Exact results chain into x; other ones need not be below p."""
        return [("z", "x")] if self.p.exact else []
