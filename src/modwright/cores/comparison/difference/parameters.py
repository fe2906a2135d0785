# SPDX-License-Identifier: Apache-2.0
"""Constants of a comparison by mixed radix digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Payload, unchecked
from ....contract.representation import NamedChannels
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Value
from ....engines.coxrower.bases import fewest
from ....engines.coxrower.digits import OnDigits
from ....engines.coxrower.options import local_of
from ....rns import mixed_radix
from ....rns.extension import NONE, Extension, find_bases

PLUS, MINUS = 0, 1
"""Indices of the factors of x and y."""


@dataclass(frozen=True)
class ComparisonParameters(OnDigits):
    """Every constant of one comparison.

    x and y are below P. Their difference modulo A is below P where x ≥ y, and above A - P where not; with
    A = W·a_n, the last digit says which.

    Parameters
    ----------
    modulus : int
        P, exclusive bound of operands.
    extension : Extension
        From A to A, as the rowers have no other base: none takes place.
    limit_digit : int
        t: the last digit of x - y is below it where x ≥ y, and at least this where x < y.
    target, latency, local
        See `OnTwoBases`.
    """

    limit_digit: int

    @property
    def weight(self) -> int:
        """W, the weight of the last digit."""
        return mixed_radix.weights(self.A)[-1]

    @property
    def entering(self) -> tuple[tuple[int, ...], ...]:
        """The factors of x and y, 1 and -1, in the places `PLUS` and `MINUS`."""
        return (1,) * self.n, tuple(a - 1 for a in self.A.moduli)

    @cached_property
    def certificate(self) -> Certificate:
        """Inequalities by which the last digit decides on every pair of numbers below the modulus."""
        least, a = self.limit_digit * self.weight, self.A.product
        return Certificate(
            (
                Inequality("above", "P <= t·W", self.modulus, "<=", least, "else some x ≥ y count as x < y"),
                Inequality("below", "t·W + P - 1 <= A", least + self.modulus - 1, "<=", a, "else some x < y do not"),
            )
        )

    @cached_property
    def i(self) -> Payload:
        """Residues of both numbers."""
        role = Residues(self.A, parts=(NamedChannels("A", self.n),))
        names = (("x", self.width), ("y", self.width))
        return Payload(tuple(Field(n, w, self.n, role=Operand(n, role, self.modulus)) for n, w in names))

    @cached_property
    def o(self) -> Payload:
        """Two bits."""
        less = Field("less", 1, role=Value("less"), more="1: x < y")
        return Payload((less, Field("equal", 1, role=Value("equal"), more="1: x = y"), unchecked()))

    def own_description(self) -> dict[str, Constant]:
        """The base, and the limit of the last digit."""
        return {"base": self.A.moduli, "limit_digit": self.limit_digit}


def derive_comparison(request: Request) -> ComparisonParameters:
    """The fewest moduli for which the certificate holds."""
    modulus, options = request.fixed_modulus(), request.options

    def derived(count: int) -> ComparisonParameters:
        A, _ = find_bases(options["width"], count)
        return ComparisonParameters(
            modulus,
            Extension(A, A, 1, 1, 0, NONE),
            -(-modulus // mixed_radix.weights(A)[-1]),
            target=request.target,
            latency=options["latency"],
            local=local_of(request),
        )

    return fewest(request, (2 * modulus).bit_length(), derived)
