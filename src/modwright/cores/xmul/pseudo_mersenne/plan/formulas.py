# SPDX-License-Identifier: Apache-2.0
"""The ladder on x-coordinates as products of sums: a step, and the words in which the values are.

RFC 7748, section 5 (Montgomery, Math. Comp. 48, 1987), with a24 = (A + 2) / 4 and BB in place of (A - 2) / 4 and AA.
Every operand of a product is a value, a sum or a difference of two: there is no addition of its own.

The state is a pair of points Q, R = Q + P as (X2 : Z2), (X3 : Z3), which begins with the point at infinity, (1 : 0),
and P = (u : 1). u = 0 makes (0 : 0) of R, and (1 : 0) or (0 : 0) of Q: 1/0 is 0, and so is the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Term = tuple[str, str]
""""+" or "-", and the value."""
Sum = tuple[Term, ...]

SAME, CONSTANT = "same", "a24"
"""Second factors that are something else than a sum: the first one, and the curve's constant, which is one digit."""


@dataclass(frozen=True)
class Product:
    """A product of two sums.

    Parameters
    ----------
    name : str
        Name of the result.
    x : tuple of terms
        The first factor, of which all digits work at once.
    y : tuple of terms, or SAME or CONSTANT
        The second one, of which a digit works in each cycle.
    """

    name: str
    x: Sum
    y: Sum | Literal["same", "a24"]

    @property
    def text(self) -> str:
        """The product as a formula."""
        x = _text(self.x)
        if self.y == SAME:
            return f"{self.name} = {x}²"
        y = self.y if isinstance(self.y, str) else _text(self.y)
        return f"{self.name} = {x}·{y}"


def _text(terms: Sum) -> str:
    body = "".join(f" {sign} {value}" if at else value for at, (sign, value) in enumerate(terms))
    return f"({body})" if len(terms) > 1 else body


def plus(a: str, b: str) -> Sum:
    """Sum of two values."""
    return ("+", a), ("+", b)


def minus(a: str, b: str) -> Sum:
    """Difference of two values."""
    return ("+", a), ("-", b)


def just(a: str) -> Sum:
    """A value."""
    return (("+", a),)


STATE = ("X2", "X3", "Z2", "Z3")
"""Values that a step leaves to the next one; a bit of the scalar exchanges X2 with X3 and Z2 with Z3."""

STEP = (
    Product("DA", minus("X3", "Z3"), plus("X2", "Z2")),
    Product("CB", minus("X2", "Z2"), plus("X3", "Z3")),
    Product("AA", plus("X2", "Z2"), SAME),
    Product("BB", minus("X2", "Z2"), SAME),
    Product("F", minus("AA", "BB"), CONSTANT),
    Product("X3'", plus("DA", "CB"), SAME),
    Product("TT", minus("DA", "CB"), SAME),
    Product("X2'", just("AA"), just("BB")),
    Product("Z3'", just("TT"), just("U")),
    Product("Z2'", plus("BB", "F"), minus("AA", "BB")),
)

WORDS = 16
"""Words of the memory."""
HOMES = {name: number for number, name in enumerate((*STATE, "U", "bias", "DA", "CB", "AA", "BB", "F", "TT", "saved"))}
"""Word of each value; bit 0 is exchanged for those of the state."""
