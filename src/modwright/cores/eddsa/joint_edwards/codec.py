# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the operands of an EdDSA core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ....contract.operands import draw, draw_above, draw_bad_modulus
from ....engines.ladder.codec import SMALL_PRIMES
from ....engines.ladder.joint.codec import InputPayload, JointCodec
from ....functions.eddsa import FUNCTION, SCHEME
from ....functions.signature import VERIFY
from .parameters import EddsaParameters
from .plan.formulas import PUBLIC


class EddsaCodec(JointCodec[EddsaParameters]):
    """Plain numbers in and out."""

    function, scheme = FUNCTION, SCHEME
    public, numbers = PUBLIC, ("s",)
    small_primes = SMALL_PRIMES[1:]
    """Over 5 elements no point has an odd order."""

    @property
    def compared(self) -> Sequence[str]:
        """y of the signature's point, too."""
        return (*super().compared, "ry")

    def spoiled(self, rng: Random, given: Mapping[str, int], payload: InputPayload) -> InputPayload:
        """A payload with a change that is reported, or that makes a signature another one."""
        m, order, n = given["modulus"], given["order"], self.p.n
        match rng.randrange(5):
            case 0:
                return payload | {rng.choice(("m", "order")): draw_bad_modulus(rng, n)}
            case 1:
                return payload | {rng.choice((*self.curve, *PUBLIC, "ry")): draw_above(rng, m, n)}
            case 2:
                return payload | {"py": (given["py"] + rng.randrange(1, m)) % m}
            case 3:
                return payload | {"rs": given["rs"] ^ 1, "s": draw_above(rng, order, n)}
            case _:
                return payload | {"op": VERIFY + 1, "h": draw(rng, 1 << n)}
