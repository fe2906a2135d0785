# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of a point multiplier with its prime built in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from .....contract import PayloadValue
from .....contract.operands import Cover, Reading, Unpromised, one_in
from .....engines.ladder.codec import SMALL_PRIMES
from ..parameters.residues import ResidueLadderParameters
from ..plan.formulas import CURVE, POINT
from .codec import EcpmCodec
from .covers import covers_of_prime
from .drawing import draw_point, draw_scalar, spoil


class ResidueLadderCodec(EcpmCodec):
    """Plain affine values in and out, of curves over one prime."""

    p: ResidueLadderParameters

    @property
    def prime(self) -> int:
        """P, the modulus of every case."""
        return self.p.modulus

    def encode(self, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Encode a case with `a`, `b`, `order`, `k`, `x` and `y`, or without the numbers of the example curve.

        Raises
        ------
        ValueError
            For another modulus, and what does not fit into its field.
        """
        if case.get("modulus", self.prime) != self.prime:
            raise ValueError(f"the modulus is {self.prime:#x}, not {case['modulus']:#x}")
        return super().encode({"modulus": self.prime, **case})

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors in the order of their codes, the first of an order that is 0; nothing is promised of a curve with a
        singular point, and of an order that is not a multiple of that of the point."""
        found = super().read(self._known(payload))
        if found is None or found.error is not None:
            return found
        case = {name: value for name, value in found.case.items() if name != "modulus"}
        return Reading(case)

    def _known(self, payload: Mapping[str, PayloadValue]) -> dict[str, PayloadValue]:
        return {**payload, "m": self.prime}

    def unpromised(self) -> list[Unpromised]:
        """Coefficients of no curve, with operands in range."""

        def belong(order: int, *coefficients: int) -> bool:
            return order == 0 or max(coefficients) >= self.prime or self.is_curve(self.prime, *coefficients)

        return [Unpromised(("order", *CURVE), belong, POINT, lambda *_: self.prime)]

    def covers(self) -> Iterator[Cover]:
        """See `covers_of_prime`."""
        return covers_of_prime(self.p, self.prime, self.is_curve)

    def known_numbers(self, payload: Mapping[str, PayloadValue]) -> dict[str, int]:
        """The numbers of a payload, with the modulus."""
        return {**super().known_numbers(payload), "m": self.prime}

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Changes of other fields than the modulus."""
        return {name: change for name, change in super().changes(known).items() if "m" not in change}

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """Scalars next to multiples of the order, points of small order, and over a small field any curve; one time in
        two, something that is reported, and now and then the point at infinity."""
        given = {"x": 0, "y": 0} | self.completed({"modulus": self.prime, **case})
        given |= {name: 0 for name in POINT if given[name] is None}
        primes = (self.prime,) if self.prime in SMALL_PRIMES else ()
        point = draw_point(rng, given, self.p, primes)
        payload = self.encode({**point, "k": draw_scalar(rng, point["order"], self.p.n + 1)})
        if one_in(rng, 12):
            return payload | {"infinity": 1}
        changes = spoil(rng, self.known_numbers(payload), self.p) if one_in(rng, 2) else {}
        return payload | {name: value for name, value in changes.items() if name != "m"}
