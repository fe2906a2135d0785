# SPDX-License-Identifier: Apache-2.0
"""Values of expressions on a curve: polynomials and fractions in the coordinates of a state.

A state is a pair of points Q and R = Q + P, none of them at infinity. The line through P, Q and -R has a slope λ; with
u = x_Q - x_P, v = x_R - x_P:

    y_Q = y_P + λ·u,  -y_R = y_P + λ·v,  u + v = λ² - 3x_P,  u·v = 3x_P² + a - 2λ·y_P

as 0, u and v are the roots of the cubic equation of the line and the curve. So x_P, y_P, λ and u are free, and v, a and
b follow: an identity of polynomials in these four, and in Z, holds for every pair of every curve. The words of the
state are those of `words_of`, with some Z other than 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..decide import UndecidedError
from ..poly import ONE, ZERO, Poly, Ring
from .expressions import GIVEN, INVERSE, PRODUCT, STATE, SUBTRACT, Expressions
from .expressions import ONE as UNIT

ROLES = ("XQ", "XR", "YQ", "YR", "G", "M")
"""Words of a state: (x_Q - x_P)·Z², (x_R - x_P)·Z², 2y_Q·Z³, -2y_R·Z³, (XR - XQ)², 2λ·Z."""
DOMAIN = 1
"""Exponent of R = 2^T that words of the state have as a factor."""
FREE = (0, 2)
"""Interval that an atom needs: not that of a bit, and nothing else follows from it."""


@dataclass(frozen=True)
class Element:
    """A residue top / bottom · R^domain.

    Parameters
    ----------
    top, bottom : Poly
    domain : int
    """

    top: Poly
    bottom: Poly = ONE
    domain: int = 0


class Evaluator:
    """Values of expressions.

    Parameters
    ----------
    expressions : Expressions
    ring : Ring
    leaves : mapping of (str, str) to Element
        Operands and words of the state, by kind and name.
    """

    def __init__(self, expressions: Expressions, ring: Ring, leaves: Mapping[tuple[str, str], Element]) -> None:
        self.expressions, self.ring, self.leaves = expressions, ring, leaves
        self._made: dict[int, Element] = {}

    def element(self, expression: int) -> Element:
        """The value of an expression.

        Raises
        ------
        UndecidedError
            For sums of words in different domains, and words that are not known.
        """
        if expression not in self._made:
            op, operands, name = self.expressions.table[expression]
            values = [self.element(operand) for operand in operands]
            self._made[expression] = self._apply(op, values, name)
        return self._made[expression]

    def _apply(self, op: str, values: list[Element], name: str) -> Element:
        times = self.ring.times
        if op in (GIVEN, STATE):
            if (op, name) not in self.leaves:
                raise UndecidedError(f"what is computed depends on {name}")
            return self.leaves[op, name]
        if op == UNIT:
            return Element(ONE)
        if op == INVERSE:
            (d,) = values
            return Element(-d.bottom if name else d.bottom, d.top, 2 - d.domain)
        a, b = values
        if op == PRODUCT:
            return Element(times(a.top, b.top), times(a.bottom, b.bottom), a.domain + b.domain - 1)
        b = Element(-b.top, b.bottom, b.domain) if op == SUBTRACT else b
        return self._sum(a, b)

    def _sum(self, a: Element, b: Element) -> Element:
        times = self.ring.times
        if a.top == ZERO or b.top == ZERO:
            return b if a.top == ZERO else a
        if a.domain != b.domain:
            raise UndecidedError("a sum is of words in different domains")
        if a.bottom == b.bottom:
            return Element(a.top + b.top, a.bottom, a.domain)
        return Element(times(a.top, b.bottom) + times(b.top, a.bottom), times(a.bottom, b.bottom), a.domain)

    def poly(self, expression: int, domain: int) -> Poly:
        """The value of an expression without a denominator, in a domain.

        Raises
        ------
        UndecidedError
            When it is one, or in another domain.
        """
        found = self.element(expression)
        if found.bottom != ONE or (found.domain != domain and found.top != ZERO):
            raise UndecidedError("a word is not in the domain in which it is used")
        return found.top


class Pair:
    """A pair of points Q, R = Q + P in free coordinates.

    Parameters
    ----------
    on_axis : bool
        x_P is 0.

    Attributes
    ----------
    x, y, a : Poly
        Coordinates of P, and a of the curve.
    u, v : Poly
        x_Q - x_P and x_R - x_P.
    slope, z : Poly
        λ and Z.
    """

    def __init__(self, *, on_axis: bool = False) -> None:
        self.ring = ring = Ring()
        self.y, self.slope, self.u, self.z = (ring.atom(name, *FREE) for name in ("y_P", "λ", "u", "Z"))
        self.x = ZERO if on_axis else ring.atom("x_P", *FREE)
        times = ring.times
        self.v = times(self.slope, self.slope) - self.x.scaled(3) - self.u
        x_squared = times(self.x, self.x)
        self.a = times(self.u, self.v) - x_squared.scaled(3) + times(self.slope, self.y).scaled(2)

    def power(self, p: Poly, exponent: int) -> Poly:
        """A power of a polynomial."""
        found = ONE
        for _ in range(exponent):
            found = self.ring.times(found, p)
        return found

    def product(self, *factors: Poly) -> Poly:
        """A product."""
        found = ONE
        for factor in factors:
            found = self.ring.times(found, factor)
        return found

    def height(self, w: Poly) -> Poly:
        """The ordinate of the line at x_P + w."""
        return self.y + self.ring.times(self.slope, w)

    @property
    def words(self) -> dict[str, Poly]:
        """The words of the state, without their domain."""
        square, cube = self.power(self.z, 2), self.power(self.z, 3)
        xq, xr = self.product(self.u, square), self.product(self.v, square)
        return {
            "XQ": xq,
            "XR": xr,
            "YQ": self.product(self.height(self.u), cube).scaled(2),
            "YR": self.product(self.height(self.v), cube).scaled(2),
            "G": self.power(xr - xq, 2),
            "M": self.product(self.slope, self.z).scaled(2),
        }

    def leaves(self, names: Mapping[str, str]) -> dict[tuple[str, str], Element]:
        """Elements of the words of a state and of the operands; `names` has the word of each role."""
        words = self.words
        found = {(STATE, names[role]): Element(words[role], ONE, DOMAIN) for role in ROLES}
        plain = {"x": self.x, "y": self.y, "a": self.a}
        return found | {(GIVEN, name): Element(value) for name, value in plain.items()} | given_constants()


def given_constants() -> dict[tuple[str, str], Element]:
    """R² mod m, an operand that follows from the modulus."""
    return {(GIVEN, "r2"): Element(ONE, ONE, 2)}


def is_invertible(value: int) -> bool:
    """Whether a number is other than 0 modulo every prime from 5 on: it has the factors 2 and 3 alone."""
    if not value:
        return False
    for factor in (2, 3):
        while value % factor == 0:
            value //= factor
    return abs(value) == 1


def ratio_is_invertible(p: Poly, q: Poly) -> bool:
    """Whether p is c·q for a number c, or q is c·p, that is other than 0 modulo every prime from 5 on."""
    if p.shift or q.shift or not p.terms or set(p.terms) != set(q.terms):
        return False
    monomial = next(iter(p.terms))
    a, b = p.terms[monomial], q.terms[monomial]
    return is_invertible(a) and is_invertible(b) and p.scaled(b) == q.scaled(a)


def ratio_of(p: Poly, q: Poly, atoms: list[Poly], ring: Ring) -> bool:
    """Whether p is q times powers of some atoms, but for a number that can be inverted."""
    degrees = [_degree(p, atom) - _degree(q, atom) for atom in atoms]
    for atom, degree in zip(atoms, degrees, strict=True):
        for _ in range(degree):
            q = ring.times(q, atom)
    return min(degrees, default=0) >= 0 and ratio_is_invertible(p, q)


def _degree(p: Poly, atom: Poly) -> int:
    """Least power of an atom in the monomials of a polynomial."""
    (number_of_atom,) = atom.atoms
    return min((monomial.count(number_of_atom) for monomial in p.terms), default=0)
