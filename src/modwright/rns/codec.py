# SPDX-License-Identifier: Apache-2.0
"""Between integers and residue vectors, for multipliers whose operands and result are residues."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from ..contract import Field, PayloadValue
from ..contract.operands import Reading, Residues, residues_of
from ..contract.roles import ErrorCode, Errors
from .base import Base
from .drawing import draw_below, draw_residues

UNCHECKED = "0: any representatives are taken; undefined for an integer that is not below its bound, which is not seen"
"""The note on the error field of a core on residues."""


def unchecked() -> Field:
    """The error field of a core that reports nothing."""
    return Field("error", 1, bound=1, note=UNCHECKED, role=ErrorCode())


class ResidueCodec:
    """Codec of a modular multiplication x·y on residues.

    Parameters
    ----------
    base : Base
        The channels.
    modulus : int
        p.
    bound : int
        Operands and result, as integers, are below it.
    scale : sequence of int
        What a channel stores is <x·scale_i>_{m_i}; ones for plain residues.
    result_bound : int
        Where the result has a smaller bound than the operands.
    """

    def __init__(
        self,
        base: Base,
        modulus: int,
        bound: int,
        scale: Sequence[int] | None = None,
        *,
        result_bound: int | None = None,
    ) -> None:
        self.base, self.modulus, self.bound = base, modulus, bound
        self.result_bound = bound if result_bound is None else result_bound
        self.scale = tuple(scale or [1] * base.count)
        self._unscale = tuple(pow(s, -1, m) for s, m in zip(self.scale, base.moduli, strict=True))

    def store(self, x: int) -> tuple[int, ...]:
        """The residues that stand for an integer."""
        return tuple(x * s % m for s, m in zip(self.scale, self.base.moduli, strict=True))

    def restore(self, residues: Sequence[int]) -> int:
        """The integer in [0, M) that residues stand for."""
        return self.base.from_residues([r * s for r, s in zip(residues, self._unscale, strict=True)])

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of x and y; ValueError when one is not below the bound."""
        for name in "xy":
            if not 0 <= case[name] < self.bound:
                raise ValueError(f"{name} = {case[name]:#x} is not below {self.bound:#x}")
        return {name: self.store(case[name]) for name in "xy"}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The integers that the residues stand for, of any representatives, below the bound."""
        values = {name: self.restore(_residues(value)) for name, value in payload.items()}
        return None if max(values.values()) >= self.bound else Reading(values)

    def draw(self, rng: random.Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Residues of any integers below the bound, any representatives."""
        return {name: self.draw_operand(rng) for name in "xy"}

    def residues(self) -> list[Residues]:
        """Both operands."""
        return [residues_of(name, self.base.moduli, self.bound, self.scale) for name in "xy"]

    def draw_operand(self, rng: random.Random) -> tuple[int, ...]:
        """Residues of one operand."""
        x = draw_below(rng, self.bound, self.modulus)
        return draw_residues(rng, self.base, x, 0, self.bound, self.scale)

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The product modulo p; `representative` is the integer that the residues stand for."""
        residues = payload["z"]
        assert isinstance(residues, tuple)
        z = self.restore(residues)
        return {"z": z % self.modulus, "representative": z, "error": None if z < self.result_bound else Errors.BOUND}

    def edges(self) -> dict[str, dict[str, int]]:
        """The must-test values: identities, ends of the range, x·y over the whole range."""
        p, top = self.modulus, self.bound - 1
        cases = {
            "0·0": (0, 0),
            "0·(p-1)": (0, p - 1),
            "1·1": (1, 1),
            "1·(p-1)": (1, p - 1),
            "(p-1)·(p-1)": (p - 1, p - 1),
            "x·x^-1": (2, pow(2, -1, p)),
            "p·1": (min(p, top), 1),
            "largest operands": (top, top),
            "largest times one": (top, 1),
        }
        cases |= self._targets()
        return {name: {"x": x, "y": y} for name, (x, y) in cases.items()}

    def _targets(self) -> dict[str, tuple[int, int]]:
        """Products near eighths of the range."""
        top = self.bound - 1
        targets = {f"x·y near {k}/8 of the range": top * top * k // 8 for k in range(1, 8)}
        chooser = random.Random(self.modulus)
        cases = {}
        for name, target in targets.items():
            x = chooser.randrange(max(1, top // 2), top + 1)
            cases[name] = (x, min(target // x, top))
        return cases

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results chain into x, uncorrected."""
        return [("z", "x")]


def _residues(value: PayloadValue) -> tuple[int, ...]:
    assert isinstance(value, tuple)
    return value
