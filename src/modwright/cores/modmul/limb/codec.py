# SPDX-License-Identifier: Apache-2.0
"""Codec of the limb multipliers: full limbs are edge cases, next to those that follow from the roles of the fields."""

from __future__ import annotations

from ....contract.codec import FieldCodec
from ....contract.edges import stored_values
from .parameters import LimbParameters


def make_codec(p: LimbParameters) -> FieldCodec:
    """The codec, with the cases of full limbs."""

    def full_limbs(m: int) -> dict[str, dict[str, int]]:
        back = pow(1 << p.T, -1, m)
        top = (m - 1) * back % m
        stored = stored_by_limbs(m, p.w).items()
        return {f"{name} · (M-1)": {"x": value * back % m, "y": top} for name, value in stored}

    return FieldCodec(p, full_limbs, p.example)


def stored_by_limbs(m: int, w: int) -> dict[str, int]:
    """Values in the Montgomery domain whose limbs of w bits are full."""
    ones, limb = (1 << (m.bit_length() - 1)) - 1, (1 << w) - 1
    return {"lowest limb full": limb % m, "all but the lowest limb": (ones - limb) % m}


def all_stored(m: int, w: int) -> dict[str, int]:
    """Every named value in the Montgomery domain."""
    return stored_values(m) | stored_by_limbs(m, w)
