# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the payloads of the binary multipliers: they are the same integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ....contract import PayloadValue
from ....contract.operands import Reading, draw_operands
from ....contract.roles import Errors
from .model import HasModulus


class BinaryCodec:
    """Plain integers in and out."""

    def __init__(self, p: HasModulus) -> None:
        self.p = p.p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """x and y as they are; ValueError when one does not fit w bits. One in [p, 2^w) makes the core report it."""
        for name in "xy":
            if case[name] < 0 or case[name] >> self.p.bit_length():
                raise ValueError(f"{name} = {case[name]:#x} does not fit {self.p.bit_length()} bits")
        return {name: case[name] for name in "xy"}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading:
        """x and y as they are, or the error of one that is not below p."""
        x, y = payload["x"], payload["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        return Reading(error=Errors.NOT_REDUCED) if max(x, y) >= self.p else Reading({"x": x, "y": y})

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Operands below p; one time in four, one that is not."""
        p = self.p
        return {**draw_operands(rng, {name: (p, p.bit_length()) for name in "xy"})}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """z, and the error Errors.NOT_REDUCED when an operand was not below p."""
        return {"z": payload["z"], "error": Errors.NOT_REDUCED if payload["error"] else None}

    def edges(self) -> dict[str, dict[str, int]]:
        """Identities, extremes, products around p and around powers of two, and operands that are not reduced."""
        p = self.p
        top, full = p - 1, (1 << p.bit_length()) - 1
        half = (p + 1) // 2
        fold = (1 << p.bit_length()) % p
        cases = {
            "0·0": (0, 0),
            "0·(p-1)": (0, top),
            "(p-1)·0": (top, 0),
            "1·1": (1, 1),
            "1·(p-1)": (1, top),
            "(p-1)·1": (top, 1),
            "(p-1)·(p-1)": (top, top),
            "(p-1)·(p-2)": (top, p - 2),
            "2·2^-1": (2, half),
            "2^-1·2^-1": (half, half),
            "2^w·1": (fold, 1),
            "(2^w-1)·1": ((fold - 1) % p, 1),
            "2^w·2^w": (fold, fold),
            "2^(w-1)·2^(w-1)": ((full + 1) // 2, (full + 1) // 2),
            "(2^(w-1)-1)·(2^(w-1)-1)": (full // 2, full // 2),
            "p·1": (p, 1),
            "1·p": (1, p),
            "p·0": (p, 0),
            "p·p": (p, p),
            "(2^w-1)·(2^w-1)": (full, full),
        }
        return {name: {"x": x, "y": y} for name, (x, y) in cases.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x."""
        return [("z", "x")]
