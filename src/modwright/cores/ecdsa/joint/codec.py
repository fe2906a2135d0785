# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of an ECDSA core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ....contract import PayloadValue
from ....contract.operands import Reading, Unpromised, draw, draw_above, draw_bad_modulus, one_in
from ....contract.roles import Errors
from ....functions.ecdsa import SIGN, VERIFY, constants_of, draw_case, draw_curve, evaluate, has_order
from .parameters import BAD_MODULUS, ERRORS, OUT_OF_RANGE, SMALLEST_MODULUS, SMALLEST_ORDER, EcdsaParameters
from .plan.formulas import BASE, CURVE, PUBLIC

SMALL_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
"""Fields over which any curve of prime order is drawn."""
NUMBERS = ("op", "d", "e", "k", "qx", "qy", "r", "s")


class EcdsaCodec:
    """Plain numbers in and out."""

    def __init__(self, p: EcdsaParameters) -> None:
        self.p = p

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Needs the operands of the function, and `modulus`, `a`, `b`, `order`, `gx`, `gy` or a curve to take those
        from.

        Raises
        ------
        ValueError
            For a modulus or an order that is even or too small, and what does not fit into its field.
        """
        values = {**self._defaults(case), **case}
        m, order = values["modulus"], values["order"]
        _require_odd("the modulus", m, SMALLEST_MODULUS, self.p.n)
        _require_odd("the order", order, SMALLEST_ORDER, self.p.n)
        given = {name: values[name] for name in ("order", *CURVE, *BASE, *NUMBERS)}
        given |= {"m": m, **self._constants(m, order)}
        payload: dict[str, PayloadValue] = {}
        for field in self.p.i.fields:
            payload[field.name] = value = given[field.name]
            if value < 0 or value >> field.width:
                raise ValueError(f"{field.name} has at most {field.width} bits and no sign, not {value:#x}")
        return payload

    def _constants(self, m: int, order: int) -> dict[str, int]:
        """Constants computed once from the modulus and the order, both odd."""
        own = self.p.constants_of(m)
        return own | {f"order_{name}": value for name, value in self.p.constants_of(order).items()}

    def _defaults(self, case: Mapping[str, int]) -> dict[str, int]:
        """The curve's constants, where the modulus is the curve's or is not given."""
        example = self.p.example
        if example is None or case.get("modulus", example.p) != example.p:
            return {}
        return {"modulus": example.p, **constants_of(example)}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """Errors of the modulus, the order and the curve, then those of keys, hashes and signatures, and with `check`
        that of a signature that does not fit the public key.

        Nothing is promised of the rest for a modulus or an order that is no prime, constants that are not those of
        either, and a curve that has not this order.
        """
        v = {name: value for name, value in payload.items() if isinstance(value, int)}
        m, order = v["m"], v["order"]
        if _is_bad(m, order):
            return Reading(error=ERRORS[BAD_MODULUS])
        if max(v[name] for name in (*CURVE, *BASE)) >= m or v["op"] > VERIFY:
            return Reading(error=ERRORS[OUT_OF_RANGE])
        constants = self._constants(m, order)
        if not has_order(m, *(v[name] for name in (*CURVE, "order", *BASE))):
            return None
        if any(v[name] != constants[name] for name in constants if name in v):
            return None
        case = {"modulus": m, **{name: v[name] for name in (*CURVE, "order", *BASE, *NUMBERS)}}
        error = evaluate(case, None).get("error")
        if self.p.check and case["op"] == SIGN:
            error = _unverified(case)
        return Reading(error=str(error)) if error else Reading(case)

    def unpromised(self) -> list[Unpromised]:
        """Constants that are not those of the modulus or of the order, and no curve of this order, with operands in
        range."""
        present = {field.name for field in self.p.i.fields}
        own = [name for name in self.p.constants_of(SMALLEST_MODULUS) if name in present]

        def constants_belong(m: int, *values: int) -> bool:
            return _is_bad(m, m) or [self.p.constants_of(m)[name] for name in own] == list(values)

        def curve_belongs(m: int, order: int, *values: int) -> bool:
            a, b, x, y = values
            return _is_bad(m, order) or max(values) >= m or has_order(m, a, b, order, x, y)

        def limit(m: int, *values: int) -> int:
            return m

        return [
            Unpromised(("m", *own), constants_belong, (*CURVE, *BASE), limit),
            Unpromised(("order", *(f"order_{name}" for name in own)), constants_belong),
            Unpromised(("m", "order", *CURVE, *BASE), curve_belongs, (*CURVE, *BASE), limit),
        ]

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any operation, on curves over small fields too; one time in four something that is reported, or a signature
        that is not valid."""
        given = {**self._defaults(case), **case}
        if one_in(rng, 3):
            curve = draw_curve(rng, rng.choice([prime for prime in SMALL_PRIMES if prime >> self.p.n == 0]))
            given = {**curve, **draw_case(rng, curve, rng.randrange(VERIFY + 1))}
        payload = self.encode(given)
        if not one_in(rng, 4):
            return payload
        m, order, n = given["modulus"], given["order"], self.p.n
        match rng.randrange(6):
            case 0:
                return payload | {rng.choice(("m", "order")): draw_bad_modulus(rng, n)}
            case 1:
                return payload | {rng.choice((*CURVE, *BASE, *PUBLIC)): draw_above(rng, m, n)}
            case 2:
                return payload | {rng.choice(("d", "k", "r", "s")): rng.choice((0, order, draw_above(rng, order, n)))}
            case 3:
                return payload | {"qy": (given["qy"] + rng.randrange(1, m)) % m}
            case 4:
                return self.encode(_unsigned(rng, given))
            case _:
                return payload | {"op": VERIFY + 1, "e": draw(rng, 1 << n)}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, PayloadValue | str | None]:
        """Key, signature or validity, or the name of the error."""
        error = payload["error"]
        assert isinstance(error, int)
        if error:
            return {"error": ERRORS.get(error, Errors.UNKNOWN)}
        return {**{name: payload[name] for name in ("first", "second", "valid")}, "error": None}

    def edges(self) -> dict[str, dict[str, int]]:
        """None but those of the function."""
        return {}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: what is signed belongs to no chain."""
        return []


def _unsigned(rng: Random, given: Mapping[str, int]) -> dict[str, int]:
    """A signature that is none: s is 0, or the public key is the signer's with the other sign."""
    case = {**given, **draw_case(rng, given, SIGN)}
    if rng.randrange(2):
        return {**case, "qy": case["modulus"] - case["qy"]}
    r = evaluate(case, None)["first"]
    assert isinstance(r, int)
    return {**case, "e": -r * case["d"] % case["order"]}


def _require_odd(name: str, value: int, least: int, bits: int) -> None:
    if value % 2 == 0 or value < least or value.bit_length() > bits:
        raise ValueError(f"{name} is odd, at least {least} and below 2^{bits}, not {value:#x}")


def _is_bad(m: int, order: int) -> bool:
    """Whether the modulus or the order is reported."""
    return m % 2 == 0 or m < SMALLEST_MODULUS or order % 2 == 0 or order < SMALLEST_ORDER


def _unverified(case: Mapping[str, int]) -> str | None:
    """The error of the check, which asks for the public key when signing; None where nothing or another is wrong."""
    asked = evaluate({**case, "op": VERIFY, "r": 1, "s": 1}, None)
    signed = evaluate(case, None)
    if "error" in asked:
        # of the public key; one of the scalars, which has a smaller code than that of the curve, comes first
        return Errors.NOT_REDUCED if signed.get("error") == Errors.NOT_REDUCED else str(asked["error"])
    if "error" in signed:
        return str(signed["error"])
    numbers = {"r": int(signed["first"]), "s": int(signed["second"])}
    verified = evaluate({**case, **numbers, "op": VERIFY}, None)
    return None if verified["valid"] else Errors.UNVERIFIED
