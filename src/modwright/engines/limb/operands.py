# SPDX-License-Identifier: Apache-2.0
"""Sources of the two inputs of a multiplier, and their codes in control words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

A_BANKS, B_BANKS = ("x", "x2", "t"), ("y", "y2", "m", "mu", "q")
"""Operands whose limbs reach input a, and input b; t are limbs that the unit stores."""

A, A_MINUS, B, B_MINUS = "a", "a_minus", "b", "b_minus"
"""Fields of a control word: the limb of each factor, and the limb that is subtracted from it."""


def field_of(name: str, lane: int) -> str:
    """A field of the control word, or a port, that each multiplier has: `lane` is 0 for the first one."""
    return f"{name}_{lane}" if lane else name


@dataclass(frozen=True)
class Limb:
    """Limb `index` of one of the operands x, y, x2, y2, m, mu, q, or of t."""

    bank: str
    index: int = 0

    def __str__(self) -> str:
        return self.bank if self.bank == "q" else f"{self.bank}_{self.index}"


@dataclass(frozen=True)
class Factor:
    """A limb, or the difference of two limbs."""

    limb: Limb
    minus: Limb | None = None

    def __str__(self) -> str:
        return str(self.limb) if self.minus is None else f"({self.limb} - {self.minus})"

    @property
    def quotients(self) -> set[int]:
        """Indices of the limbs of t in the factor."""
        return {limb.index for limb in (self.limb, self.minus) if limb is not None and limb.bank == "t"}


def _banks(port: str) -> tuple[str, ...]:
    return A_BANKS if port in (A, A_MINUS) else B_BANKS


def code_of(port: str, limb: Limb, s: int) -> int:
    """Code of a limb at an input; 0 is the code for none."""
    return 1 + _banks(port).index(limb.bank) * s + limb.index


def limb_of(port: str, code: int, s: int) -> Limb:
    """Inverse of `code_of`."""
    return Limb(_banks(port)[(code - 1) // s], (code - 1) % s)


def forward_code(s: int) -> int:
    """Code, at input a, of the lowest limb that leaves the first multiplier in the same cycle."""
    return 1 + len(A_BANKS) * s


def factors(a: Factor, b: Factor, *, forwarded: bool, s: int, lane: int = 0) -> dict[str, int]:
    """The fields of a control word for two factors at the multiplier `lane`."""
    limbs = {A: a.limb, A_MINUS: a.minus, B: b.limb, B_MINUS: b.minus}
    codes = {port: code_of(port, limb, s) for port, limb in limbs.items() if limb is not None}
    codes |= {A: forward_code(s)} if forwarded else {}
    return {field_of(port, lane): code for port, code in codes.items()}


def codes_used(words: Iterable[dict[str, int]], field: str) -> list[int]:
    """Codes of the sources of an input in any of the words."""
    return sorted({word[field] for word in words if word.get(field)})
