# SPDX-License-Identifier: Apache-2.0
"""The identities of a ladder: what its set-up, its steps and its exit compute, against the group of the curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..decide import UndecidedError
from ..poly import ZERO, Poly, Ring
from .curve import DOMAIN, FREE, ROLES, Element, Evaluator, Pair, given_constants, ratio_of
from .expressions import GIVEN, Expressions


def setup_roles(expressions: Expressions, words: Mapping[str, int], blind: str) -> dict[str, str]:
    """The word of each role of the state, which the set-up leaves for (Q, R) = (P, 2P), with Z = 2y, or 2y·blind.

    Raises
    ------
    UndecidedError
        When the set-up leaves other words.
    """
    ring = Ring()
    x, y, a = (ring.atom(name, *FREE) for name in ("x", "y", "a"))
    factor = ring.atom(blind, *FREE) if blind else None
    leaves = {(GIVEN, "x"): Element(x), (GIVEN, "y"): Element(y), (GIVEN, "a"): Element(a)} | given_constants()
    if factor is not None:
        leaves[GIVEN, blind] = Element(factor, domain=DOMAIN)  # what is multiplied by Z is blind·2^-T, other than 0 too
    evaluator = Evaluator(expressions, ring, leaves)
    found = {name: evaluator.element(number) for name, number in words.items()}
    due = _doubled(ring, x, y, a, factor)
    roles: dict[str, str] = {}
    for role, poly in due.items():
        names = [name for name, element in found.items() if element == Element(poly, domain=element.domain)]
        names = [name for name in names if found[name].domain == DOMAIN and name not in roles.values()]
        if not names:
            raise UndecidedError(f"the set-up does not leave {role} of (P, 2P)")
        roles[role] = names[0]
    return roles


def _doubled(ring: Ring, x: Poly, y: Poly, a: Poly, factor: Poly | None) -> dict[str, Poly]:
    """The words of (P, 2P): u is 0, and λ = (3x² + a) / 2y."""
    times = ring.times
    z = y.scaled(2) if factor is None else times(y.scaled(2), factor)
    square = times(z, z)
    tangent = times(x, x).scaled(3) + a  # 2λ·y
    m = tangent.scaled(2) if factor is None else times(tangent.scaled(2), factor)  # 2λ·Z, with Z / y = 2·blind
    lifted = tangent if factor is None else times(tangent, factor)  # λ·Z
    xr = times(lifted, lifted) - times(x, square).scaled(3)
    yq = times(times(y.scaled(2), z), square)
    return {"XQ": ZERO, "XR": xr, "YQ": yq, "YR": yq + times(m, xr), "G": times(xr, xr), "M": m}


@dataclass(frozen=True)
class StepClaim:
    """A step: without an exchange (Q, R) becomes (Q + R, 2R), with one (2Q, Q + R).

    Parameters
    ----------
    expressions : Expressions
    roles : mapping of str to str
        The word of each role.
    made : mapping of str to int
        The expression that follows in the place of each word.
    exchanged : bool
    """

    expressions: Expressions
    roles: Mapping[str, str]
    made: Mapping[str, int]
    exchanged: bool

    def check(self, h_zero: int, g_zero: int) -> None:
        """Check the words of the next state, and the tests: of this step, that the point that it doubles is of order 2;
        of the next one, that its points have one abscissa.

        Raises
        ------
        UndecidedError
            When an identity does not hold.
        """
        pair = Pair()
        evaluator = Evaluator(self.expressions, pair.ring, pair.leaves(self.roles))
        words = {role: evaluator.poly(self.made[self.roles[role]], DOMAIN) for role in ROLES}
        doubled, sign = (pair.u, 1) if self.exchanged else (pair.v, -1)
        height = pair.height(doubled)  # y_Q, or -y_R
        z = pair.product(height, pair.v - pair.u, pair.power(pair.z, 6)).scaled(2)
        if not any(_is_next(pair, words, doubled, height.scaled(sign), each, self.exchanged) for each in (z, -z)):
            raise UndecidedError("a step does not make the next pair of points of the ladder")
        test = evaluator.poly(h_zero, DOMAIN)
        if not ratio_of(test, height, [pair.z], pair.ring) and not ratio_of(
            test, pair.power(height, 2), [pair.z], pair.ring
        ):
            raise UndecidedError("a step tests something else than the ordinate of the point that it doubles")
        if not ratio_of(evaluator.poly(g_zero, DOMAIN), words["XR"] - words["XQ"], [], pair.ring):
            raise UndecidedError("a step tests something else than the difference of the points' abscissas")


def _is_next(pair: Pair, words: Mapping[str, Poly], w: Poly, y: Poly, z: Poly, exchanged: bool) -> bool:
    """Whether words are those of the doubled point (x_P + w, y) and the sum Q + R, with the factor z."""
    double, total = ("XQ", "YQ", 1), ("XR", "YR", -1)
    if not exchanged:
        double, total = ("XR", "YR", -1), ("XQ", "YQ", 1)
    return (
        _is_double(pair, words[double[0]], words[double[1]].scaled(double[2]), w, y, z)
        and _is_sum(pair, words[total[0]], words[total[1]].scaled(total[2]), z)
        and _is_state(pair, words, z)
    )


def _is_double(pair: Pair, xs: Poly, ys: Poly, w: Poly, y: Poly, z: Poly) -> bool:
    """Whether xs = (x - x_P)·z² and ys = 2·(ordinate)·z³ of twice the point (x_P + w, y), by its tangent."""
    times, square, y2 = pair.ring.times, pair.power(z, 2), pair.power(y, 2)
    slope = pair.power(pair.x + w, 2).scaled(3) + pair.a  # times 2y
    abscissa = pair.power(slope, 2) - times(y2, w.scaled(2) + pair.x.scaled(3)).scaled(4)
    ordinate = times(slope, times(w, square) - xs) - times(y2, square).scaled(2)
    return times(y2, xs).scaled(4) == times(abscissa, square) and times(y, ys) == times(ordinate, z)


def _is_sum(pair: Pair, xs: Poly, ys: Poly, z: Poly) -> bool:
    """Whether xs = (x - x_P)·z² and ys = 2·(ordinate)·z³ of Q + R, by their chord."""
    times, square = pair.ring.times, pair.power(z, 2)
    rise, run = -(pair.height(pair.v) + pair.height(pair.u)), pair.v - pair.u
    abscissa = pair.power(rise, 2) - times(pair.power(run, 2), pair.u + pair.v + pair.x.scaled(3))
    ordinate = times(rise, times(pair.u, square) - xs) - pair.product(run, pair.height(pair.u), square)
    return times(pair.power(run, 2), xs) == times(abscissa, square) and times(run, ys) == times(ordinate, z).scaled(2)


def _is_state(pair: Pair, words: Mapping[str, Poly], z: Poly) -> bool:
    """Whether words are those of a pair for the slope M / 2z: on one line through P, with the sum and the product of
    abscissas that the curve has there, and G the square of a difference."""
    times, square, cube = pair.ring.times, pair.power(z, 2), pair.power(z, 3)
    start, m = times(pair.y, cube).scaled(2), words["M"]
    sums = (words["XQ"] + words["XR"]).scaled(4) + times(pair.x, square).scaled(12)
    tangent = pair.power(pair.x, 2).scaled(3) + pair.a
    products = times(tangent, pair.power(z, 4)).scaled(4) - pair.product(m, pair.y, cube).scaled(4)
    return (
        words["YQ"] == start + times(m, words["XQ"])
        and words["YR"] == start + times(m, words["XR"])
        and pair.power(m, 2) == sums
        and times(words["XQ"], words["XR"]).scaled(4) == products
        and words["G"] == pair.power(words["XR"] - words["XQ"], 2)
    )


@dataclass(frozen=True)
class ExitClaim:
    """The result of a ladder that is in coordinates: Q, or -R if it is mirrored.

    Parameters
    ----------
    expressions : Expressions
    roles : mapping of str to str
    mirrored : bool
    on_axis : bool
        x_P is 0; then a is not, or the ladder is not in coordinates.
    """

    expressions: Expressions
    roles: Mapping[str, str]
    mirrored: bool
    on_axis: bool

    def check(self, x: int, y: int) -> None:
        """Check the coordinates.

        Raises
        ------
        UndecidedError
            When an identity does not hold, or what is inverted may be 0.
        """
        pair = Pair(on_axis=self.on_axis)
        evaluator = Evaluator(self.expressions, pair.ring, pair.leaves(self.roles))
        w = pair.v if self.mirrored else pair.u
        for number, due in ((x, pair.x + w), (y, pair.height(w))):
            found = evaluator.element(number)
            if found.domain != 0 or found.top != pair.ring.times(due, found.bottom):
                raise UndecidedError("what leaves is not the point of the ladder")
            others = [pair.y, pair.z, *([] if self.on_axis else [pair.x])]
            if not self._is_unit(pair, found.bottom, others):
                raise UndecidedError("what is inverted at the end may be 0")

    def _is_unit(self, pair: Pair, bottom: Poly, others: list[Poly]) -> bool:
        """Whether a polynomial is a product of what is not 0: y_P, Z and x_P, or a where x_P is 0."""
        one = Poly({(): 1})
        powers = [pair.power(pair.a, k) for k in range(4)] if self.on_axis else [one]
        return any(ratio_of(bottom, power, others, pair.ring) for power in powers)


def is_curve_equation(expressions: Expressions, number: int) -> bool:
    """Whether an expression is 0 if and only if the point is on the curve: y² - x³ - a·x - b but for a factor."""
    ring = Ring()
    x, y, a, b = atoms = [ring.atom(name, *FREE) for name in ("x", "y", "a", "b")]
    leaves = {(GIVEN, name): Element(atom) for name, atom in zip(("x", "y", "a", "b"), atoms, strict=True)}
    try:
        found = Evaluator(expressions, ring, leaves | given_constants()).element(number)
    except UndecidedError:
        return False
    times = ring.times
    due = times(y, y) - times(times(x, x) + a, x) - b
    return ratio_of(found.top, due, [], ring) and found.bottom == Poly({(): 1})
