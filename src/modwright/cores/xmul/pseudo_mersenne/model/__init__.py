# SPDX-License-Identifier: Apache-2.0
"""Golden model: the ladder on digits, the power, and the exact result."""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Outcome, PayloadValue, integer
from .....schedule import Schedule
from ..parameters import ZERO, PseudoMersenneParameters
from ..plan.formulas import CONSTANT, SAME, STATE, STEP, Product, Sum
from ..plan.inversion import chain
from .digits import Digits, Watch


class PseudoMersenneModel:
    """Golden model: the outputs of the core bit for bit, and their cycles, which are the same for every operand."""

    def __init__(self, p: PseudoMersenneParameters, schedule: Schedule, watch: Watch | None = None) -> None:
        self.p, self._latency = p, schedule.latency
        self.digits = Digits(p, watch)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        p = self.p
        given = {name: integer(operands[name]) for name in ("a24", "clamp", "k", "u")}
        bits = decoded(given["k"] & (1 << p.n) - 1, given["clamp"], p.n)
        u = self.digits.split(given["u"] & (1 << p.n) - 1)
        values = {"X2": 1, "Z2": 0, "X3": u, "Z3": 1, "U": u}
        for at in reversed(range(p.n)):
            self._step(values, given["a24"], bits >> at & 1)
        z = self.digits.exact(self._times(self._inverse(values["Z2"]), values["X2"]))
        return Outcome({"z": z, "error": 0 if z else ZERO}, self._latency)

    def _step(self, values: dict[str, int], a24: int, bit: int) -> None:
        """A step, whose state is exchanged by the bit before and after it."""
        names = {name: f"{name[0]}{int(name[1]) ^ bit}" for name in STATE}
        own = {**values, **{name: values[names[name]] for name in STATE}}
        for product in STEP:
            own[product.name] = self._product(own, product, a24)
        for name in STATE:
            values[names[name]] = own[f"{name}'"]

    def _product(self, values: Mapping[str, int], product: Product, a24: int) -> int:
        x = self._sum(values, product.x)
        if product.y == CONSTANT:
            return self.digits.multiply(x, (a24,))
        return self._times(x, x if product.y == SAME else self._sum(values, _terms(product)))

    def _sum(self, values: Mapping[str, int], terms: Sum) -> int:
        found = values[terms[0][1]]
        for sign, name in terms[1:]:
            found = (self.digits.add if sign == "+" else self.digits.subtract)(found, values[name])
        return found

    def _times(self, x: int, y: int) -> int:
        """Product of two numbers; y is the factor of which one digit after the other is used."""
        return self.digits.multiply(x, self.digits.unpack(y))

    def _inverse(self, z: int) -> int:
        """Power z^(p - 2), the inverse; of 0 it is 0."""
        found = z
        for step in chain(self.p.n, self.p.c):
            saved = found
            for _ in range(step.squares):
                found = self._times(found, found)
            if step.factor:
                found = self._times(z if step.factor == "z" else saved, found)
        return found


def _terms(product: Product) -> Sum:
    assert isinstance(product.y, tuple)
    return product.y


def decoded(k: int, clamp: int, n: int) -> int:
    """The scalar with its lowest bits cleared and its highest one set, unless `clamp` is 0."""
    return k >> clamp << clamp | 1 << n - 1 if clamp else k
