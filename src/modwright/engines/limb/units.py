# SPDX-License-Identifier: Apache-2.0
"""The four units, and what they compute."""

from __future__ import annotations

from dataclasses import dataclass

PRODUCT, SQUARE, SUM = "product", "square", "sum"
KINDS = (PRODUCT, SQUARE, SUM)
"""x·y; x·y with y = x; x·y + x2·y2 before one reduction."""


@dataclass(frozen=True)
class Unit:
    """One way to multiply.

    Parameters
    ----------
    name : str
        The part of the core's name after the slash.
    folds : bool
        The first s - 1 limbs are removed by mu = 2^-w mod m, without a product for their quotients.
    karatsuba : bool
        Pairs of limbs are multiplied by Karatsuba's method, in x·y and in t·mu.
    kinds : tuple of str
        What it computes, of `KINDS`.
    title : str
        Another name, which says how it multiplies; empty where `name` does.
    """

    name: str
    folds: bool
    karatsuba: bool
    kinds: tuple[str, ...]
    title: str = ""

    @property
    def core(self) -> str:
        """Name of the core."""
        return f"modmul/{self.name}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the core."""
        return (f"modmul/{self.title}",) if self.title else ()


R64 = Unit("r64", False, False, (PRODUCT,))
L1 = Unit("limb-l1", False, False, KINDS, "limb-scan")
L2 = Unit("limb-l2", True, False, KINDS, "limb-fold")
L3 = Unit("limb-l3", True, True, KINDS, "limb-fold-karatsuba")
UNITS = (R64, L1, L2, L3)


_BY_CORE = {unit.core: unit for unit in UNITS}


def unit_of(core: str) -> Unit:
    """The unit of a core."""
    return _BY_CORE[core]
