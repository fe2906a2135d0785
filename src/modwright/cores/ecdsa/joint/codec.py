# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of an ECDSA core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from ....contract.operands import draw, draw_above, draw_bad_modulus
from ....contract.roles import Errors
from ....engines.ladder.joint.codec import InputPayload, JointCodec
from ....functions.ecdsa import FUNCTION, SCHEME, draw_case, evaluate, small_curves
from ....functions.signature import SIGN, VERIFY
from .parameters import EcdsaParameters
from .plan.formulas import PUBLIC


class EcdsaCodec(JointCodec[EcdsaParameters]):
    """Plain numbers in and out."""

    function, scheme = FUNCTION, SCHEME
    public, numbers = PUBLIC, ("d", "k", "r", "s")

    def error_of(self, case: Mapping[str, int]) -> str | None:
        """The error of a case on a curve; with `check`, that of a signature that does not fit the public key, too."""
        return _unverified(case) if self.p.check and case["op"] == SIGN else super().error_of(case)

    def borders(self, case: Mapping[str, int]) -> dict[str, InputPayload]:
        """Signatures of which one number is 0, too; r is only on small curves, where x of a point can be the order."""
        found = super().borders(case)
        if case["op"] == SIGN:
            found |= {"signature with s = 0": self.encode(_without_s(self.completed(case)))}
            found |= {
                f"signature with r = 0 over {other['modulus']}": self.encode(other) for other in self._without_r()
            }
        return found

    def _without_r(self) -> Iterator[dict[str, int]]:
        """On the first small curve with a point whose x is 0 modulo the order, that one signs as the base point."""
        curves = ((p, *curve) for p in self.small_primes if p >> self.p.n == 0 for curve in small_curves(p))
        for p, a, b, points in curves:
            order = len(points) + 1
            for x, y in points if order >> self.p.n == 0 else ():
                if x % order == 0:
                    case = dict.fromkeys(FUNCTION.operands, 0) | {"op": SIGN, "d": 1, "e": 1, "k": 1, "qx": x, "qy": y}
                    yield case | {"modulus": p, "a": a, "b": b, "order": order, "gx": x, "gy": y}
                    return

    def spoiled(self, rng: Random, given: Mapping[str, int], payload: InputPayload) -> InputPayload:
        """A payload with a change that is reported, or that makes a signature another one."""
        m, order, n = given["modulus"], given["order"], self.p.n
        match rng.randrange(6):
            case 0:
                return payload | {rng.choice(("m", "order")): draw_bad_modulus(rng, n)}
            case 1:
                return payload | {rng.choice((*self.curve, *PUBLIC)): draw_above(rng, m, n)}
            case 2:
                return payload | {rng.choice(("d", "k", "r", "s")): rng.choice((0, order, draw_above(rng, order, n)))}
            case 3:
                return payload | {"qy": (given["qy"] + rng.randrange(1, m)) % m}
            case 4:
                return self.encode(_unsigned(rng, given))
            case _:
                return payload | {"op": VERIFY + 1, "e": draw(rng, 1 << n)}


def _unsigned(rng: Random, given: Mapping[str, int]) -> dict[str, int]:
    """An invalid signature: s is 0, or the public key is the signer's with the other sign."""
    case = {**given, **draw_case(rng, given, SIGN)}
    if rng.randrange(2):
        return {**case, "qy": case["modulus"] - case["qy"]}
    return _without_s(case)


def _without_s(case: Mapping[str, int]) -> dict[str, int]:
    """The case of a hash that makes s = 0 of a signature's case."""
    r = evaluate(case, None)["first"]
    assert isinstance(r, int)
    return {**case, "e": -r * case["d"] % case["order"]}


def _unverified(case: Mapping[str, int]) -> str | None:
    """The error of the check, which needs the public key when signing; None without one, or for another error."""
    checked = evaluate({**case, "op": VERIFY, "r": 1, "s": 1}, None)
    signed = evaluate(case, None)
    if "error" in checked:
        # of the public key; one of the scalars, which has a smaller code than that of the curve, comes first
        return Errors.NOT_REDUCED if signed.get("error") == Errors.NOT_REDUCED else str(checked["error"])
    if "error" in signed:
        return str(signed["error"])
    numbers = {"r": int(signed["first"]), "s": int(signed["second"])}
    verified = evaluate({**case, **numbers, "op": VERIFY}, None)
    return None if verified["accepted"] else Errors.UNVERIFIED
