# SPDX-License-Identifier: Apache-2.0
"""Common parts of functions that sign and verify: numbers of operations, the curve of a case, random cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from ..catalog import Curve, Modulus
from .curves import SMALL_FIELD
from .function import Domain, Operands, Results, modulus_of

SIGN, VERIFY = 1, 2
"""Numbers of the operations; 0 makes a point."""
NOTHING: Results = {"first": 0, "second": 0, "accepted": 0}
"""Results with the value 0 of those that an operation does not have."""


@dataclass(frozen=True)
class Scheme:
    """A signature scheme over curves of one form.

    Parameters
    ----------
    coefficients : tuple of str
        Names of both coefficients of a curve, as in `Curve.a` and `Curve.b`.
    curve : callable
        The curve of a domain; UsageError for one that the scheme is not defined on.
    evaluate : callable
        Results of a case, or its error.
    draw_curve : callable
        A curve over a small field with its base point, as constants of a case.
    draw_case : callable
        Operands of one operation without error, from the constants of the curve.
    has_order : callable
        Whether modulus, coefficients, order and base point belong together.
    """

    coefficients: tuple[str, str]
    curve: Callable[[Domain], Curve]
    evaluate: Callable[[Mapping[str, int], Domain], Results]
    draw_curve: Callable[[Random, int], dict[str, int]]
    draw_case: Callable[[Random, Mapping[str, int], int], dict[str, int]]
    has_order: Callable[[int, int, int, int, int, int], bool]

    @property
    def constants(self) -> dict[str, Callable[[Curve], int]]:
        """Constants of a curve by their names in a case."""
        a, b = self.coefficients
        return {
            a: lambda curve: curve.a,
            b: lambda curve: curve.b,
            "order": lambda curve: curve.order,
            "gx": lambda curve: curve.gx,
            "gy": lambda curve: curve.gy,
        }

    def constants_of(self, curve: Curve) -> dict[str, int]:
        """The modulus and the constants of a curve."""
        return {"modulus": curve.p} | {name: value(curve) for name, value in self.constants.items()}

    def completed(self, case: Mapping[str, int], domain: Domain) -> dict[str, int]:
        """The case with the constants of its curve, its own or those of the domain."""
        if "order" in case:
            return {"modulus": modulus_of(case, domain), **case}
        return {**self.constants_of(self.curve(domain)), **case}

    def own_curve(
        self, rng: Random, modulus: Modulus | None, curve: Curve | None
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Constants of the curve, and those that a case has to carry: none of a given curve."""
        if curve is None and modulus is not None and modulus.value < SMALL_FIELD:
            drawn = self.draw_curve(rng, modulus.value)
            return drawn, drawn
        return self.constants_of(self.curve(curve)), {}

    def random(self, rng: Random, modulus: Modulus | None, curve: Curve | None) -> Operands:
        """Any operation; over a small field without a curve, on any curve that is drawn."""
        constants, own = self.own_curve(rng, modulus, curve)
        return {**own, **self.draw_case(rng, constants, rng.randrange(VERIFY + 1))}
