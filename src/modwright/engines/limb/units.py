# SPDX-License-Identifier: Apache-2.0
"""The four units, and their kinds of operation."""

from __future__ import annotations

from dataclasses import dataclass

PRODUCT, SQUARE, SUM = "product", "square", "sum"
KINDS = (PRODUCT, SQUARE, SUM)
"""Kinds of operation: x·y; x·y with y = x; x·y + x2·y2 before one reduction."""


@dataclass(frozen=True)
class Unit:
    """Kind of a limb multiplier.

    Parameters
    ----------
    name : str
        The part of the core's name after the slash.
    folds : bool
        Whether the first s - 1 limbs are removed by mu = 2^-w mod m, without a product for their quotients.
    karatsuba : bool
        Whether pairs of limbs are multiplied by Karatsuba's method, in x·y and in t·mu.
    kinds : tuple of str
        Kinds of operation, of `KINDS`.
    former : str
        Corresponding part of a former name, which stays accepted and is the name in the Verilog; empty without one.
    """

    name: str
    folds: bool
    karatsuba: bool
    kinds: tuple[str, ...]
    former: str = ""

    @property
    def core(self) -> str:
        """Name of the core."""
        return f"modmul/{self.name}"

    @property
    def former_core(self) -> str:
        """The former name of the core; empty where there is none."""
        return f"modmul/{self.former}" if self.former else ""


R64 = Unit("r64", False, False, (PRODUCT,))
SCAN = Unit("limb-scan", False, False, KINDS, "limb-l1")
FOLD = Unit("limb-fold", True, False, KINDS, "limb-l2")
FOLD_KARATSUBA = Unit("limb-fold-karatsuba", True, True, KINDS, "limb-l3")
UNITS = (R64, SCAN, FOLD, FOLD_KARATSUBA)


_BY_CORE = {unit.core: unit for unit in UNITS}


def unit_of(core: str) -> Unit:
    """The unit of a core."""
    return _BY_CORE[core]
