# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of cores that sign and verify."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, TypeVar

from ....contract import PayloadValue
from ....contract.operands import Reading, Unpromised, one_in
from ....contract.roles import Errors
from ....functions.signature import VERIFY, Scheme
from ..codec import SMALL_PRIMES, CurveCodec, modulus_first, require_odd
from ..curve import SMALLEST_MODULUS, is_bad
from .parameters import OF_ORDER, ORDER, SMALLEST_ORDER, JointParameters, are_bad

P = TypeVar("P", bound=JointParameters)
InputPayload = dict[str, PayloadValue]


class JointCodec(CurveCodec[P]):
    """Codec of a core that signs and verifies.

    Attributes
    ----------
    scheme : Scheme
        The plain functions.
    public : tuple of str
        Coordinates of the public key.
    numbers : tuple of str
        Operands that are compared with the order.
    small_primes : tuple of int
        Fields over which any curve is drawn.
    """

    scheme: ClassVar[Scheme]
    public: ClassVar[Sequence[str]]
    numbers: ClassVar[Sequence[str]]
    small_primes: ClassVar[Sequence[int]] = SMALL_PRIMES

    @property
    def curve(self) -> tuple[str, ...]:
        """Coefficients of the curve and coordinates of the base point, which are compared with the modulus."""
        return tuple(name for name in self.function.constants if name != ORDER)

    @property
    def compared(self) -> Sequence[str]:
        """The curve's, and the coordinates of the public key."""
        return (*self.curve, *self.public)

    def changes(self, known: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Numbers that are 0 or the order, an order that is even or 1, no operation, and a key off the curve, too."""
        order, last = known[ORDER], self.public[-1]
        return {
            **super().changes(known),
            **{f"{name} = 0": {name: 0} for name in self.numbers},
            **{f"{name} = order": {name: order} for name in self.numbers},
            "order even": {ORDER: order - 1},
            "order = 1": {ORDER: 1},
            f"operation {VERIFY + 1} for {known['op']}": {"op": VERIFY + 1},
            f"{last} + 1": {last: (known[last] + 1) % known["m"]},
        }

    def borders(self, case: Mapping[str, int]) -> dict[str, InputPayload]:
        """A valid signature with other representatives of its numbers, which are beyond their range, too."""
        return super().borders(case) | (self._not_reduced() if case["op"] == VERIFY else {})

    def _not_reduced(self) -> dict[str, InputPayload]:
        """Over a small field, where numbers of n bits can be so large."""
        rng, valid = Random(VERIFY), False
        curve, case = self.scheme.draw_curve(rng, self.small_prime(rng, self.small_primes[:1])), dict[str, int]()
        while not valid:
            case = curve | self.scheme.draw_case(rng, curve, VERIFY)
            valid = bool(self.scheme.evaluate(case, None).get("accepted"))
        limits = dict.fromkeys(self.compared, case["modulus"]) | dict.fromkeys(self.numbers, case[ORDER])
        changes = {name: {name: case[name] + limit} for name, limit in limits.items()}
        fitting = {f"{name} not reduced": change for name, change in changes.items() if self._fits(change)}
        return {name: self.encode(case) | change for name, change in fitting.items()}

    def constants(self, values: Mapping[str, int]) -> dict[str, int]:
        """Operands that are computed once from the modulus and the order."""
        order = values[ORDER]
        require_odd("the order", order, SMALLEST_ORDER, self.p.n)
        return self.p.constants_of_both(values["modulus"], order)

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors of the modulus, the order and the curve, then those of the operation.

        Nothing is promised for the rest: a modulus or an order that is not prime where the scheme needs one, constants
        that are not those of either, and a curve whose base point has not this order.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, order = v["m"], v[ORDER]
        if are_bad(m, order):
            return Reading(error=Errors.BAD_MODULUS)
        if max(v[name] for name in self.curve) >= m or v["op"] > VERIFY:
            return Reading(error=Errors.NOT_REDUCED)
        if not self.scheme.has_order(m, *(v[name] for name in self.function.constants)):
            return None
        if any(v[name] != value for name, value in self.p.constants_of_both(m, order).items()):
            return None
        case = {"modulus": m, **{name: v[name] for name in (*self.function.constants, *self.function.operands)}}
        error = self.error_of(case)
        return Reading(error=str(error)) if error else Reading(case)

    def error_of(self, case: Mapping[str, int]) -> str | None:
        """The error of a case on a curve, by the plain function."""
        error = self.scheme.evaluate(case, None).get("error")
        return None if error is None else str(error)

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus or of the order, and no curve of this order, with operands in
        range."""
        own = tuple(self.p.constants_of(SMALLEST_MODULUS))

        def constants_belong(m: int, *values: int) -> bool:
            return is_bad(m) or tuple(self.p.constants_of(m).values()) == values

        def curve_belongs(m: int, order: int, *values: int) -> bool:
            a, b, x, y = values
            return are_bad(m, order) or max(values) >= m or self.scheme.has_order(m, a, b, order, x, y)

        return [
            Unpromised(("m", *own), constants_belong, self.curve, modulus_first),
            Unpromised((ORDER, *(f"{OF_ORDER}{name}" for name in own)), constants_belong),
            Unpromised(("m", ORDER, *self.curve), curve_belongs, self.curve, modulus_first),
        ]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any operation, on curves over small fields too; one time in four something that is reported, or a signature
        that is not valid."""
        given = self.completed(case)
        if one_in(rng, 3):
            curve = self.scheme.draw_curve(rng, self.small_prime(rng, self.small_primes))
            given = {**curve, **self.scheme.draw_case(rng, curve, rng.randrange(VERIFY + 1))}
        payload = self.encode(given)
        return self.spoiled(rng, given, payload) if one_in(rng, 4) else payload

    @abstractmethod
    def spoiled(self, rng: Random, given: Mapping[str, int], payload: InputPayload) -> InputPayload:
        """A payload with a change that is reported, or that makes a signature another one."""
        ...
