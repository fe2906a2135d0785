# SPDX-License-Identifier: Apache-2.0
"""Coefficients of a result, as integer forms in quotients, words and the coefficients of two operands."""

from __future__ import annotations

from dataclasses import dataclass, field

from .channels import Table
from .sums import Digit, Sum

Pair = tuple[int, int]
"""Coefficients of both operands."""


@dataclass
class Quotient:
    """Q = (unit·V + Σ words)/(unit·M) + a word of a table, with V a sum of products.

    Parameters
    ----------
    unit : int
        A power of two of which every word is a multiple.
    words : dict of int to int
    tables : dict of Table to list of int
    digits : list of Digit
        The words as multiples of V; M is the product of their moduli.
    hats : list of Digit
        Words that are multiples of Q.
    least, most : int
    """

    unit: int
    words: dict[int, int]
    tables: dict[Table, list[int]]
    digits: list[Digit]
    hats: list[Digit]
    least: int = 0
    most: int = 0


@dataclass
class Coefficient:
    """Z_k, an integer form.

    Parameters
    ----------
    constant : int
    products : dict of Pair to int
    quotients : dict of int to int
    words : dict of int to int
    extended : dict of int to Sum
        Σ of hats and a word of a table that is the quotient's part modulo the channels without hats.
    """

    constant: int
    products: dict[Pair, int]
    quotients: dict[int, int] = field(default_factory=dict[int, int])
    words: dict[int, int] = field(default_factory=dict[int, int])
    extended: dict[int, Sum] = field(default_factory=dict[int, Sum])


@dataclass
class Coefficients:
    """The coefficients of a result, and the quotients that they are made of, one for each V_k."""

    forms: list[Coefficient]
    quotients: dict[int, Quotient]
