# SPDX-License-Identifier: Apache-2.0
"""Multipliers of x-coordinates and of points of Edwards curves, ECDSA, EdDSA: the sums, the inversion and the mask."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from modwright.cores.ecdsa.joint.parameters import EcdsaParameters
from modwright.cores.eddsa.joint_edwards.parameters import EddsaParameters
from modwright.cores.edmul.comb.parameters import CombParameters
from modwright.cores.edmul.double_add.parameters import EdmulParameters
from modwright.cores.modmul.limb.model import result
from modwright.cores.xmul.montgomery_ladder.parameters import SMEARED, XmulParameters
from modwright.engines.ladder.parameters import FieldParameters
from modwright.functions.edmul import small_curve

from .directed import Directed, altered, directed
from .limbs import folded, inversion_wrong, operands

FAMILY = "montgomery_ladder"
MADE = {
    FAMILY: XmulParameters,
    "double_add": EdmulParameters,
    "comb": partial(CombParameters, curve=small_curve(13), teeth=1, target="generic"),
    "joint_edwards": EddsaParameters,
    "joint": partial(EcdsaParameters, check=False),
}
"""Parameters by family."""


@cache
def ladder(bits: int, limb: int, family: str = FAMILY) -> FieldParameters:
    """One L2 multiplier."""
    return MADE[family](family, folded(bits, limb), 1)


def sums_wrong(p: FieldParameters) -> str | None:
    """A result of a product or a square that does not fit the first sum, or the second one's word."""
    for kind in p.kinds:
        for values in operands(p.unit, kind):
            z, m = result(p.unit, values, kind), values["m"]
            if z >> p.sum_bits:
                return f"{z} does not fit the {p.sum_bits} bits of a sum"
            left = z - 2 * m if z >= 2 * m else z % m
            if max(left, 2 * m - 1) >> p.word_bits:
                return f"below 2·{m}, as a first operand may be, does not fit the {p.word_bits} bits of a word"
    return None


def mask_wrong(p: XmulParameters) -> str | None:
    """A mask of the largest power of two and 1 that has a bit 0."""
    mask = 1 << (p.n - 1) | 1
    for _ in range(p.mask_cycles):
        mask |= mask >> 1 | mask >> 2 | mask >> SMEARED
    expected = (1 << p.n) - 1
    return None if mask == expected else f"the mask of {p.n} bits came out as {mask:b}"


_WORD = {"word", "inversion-signed", "inversion-double"}


def _arithmetic(family: str) -> None:
    """Configurations of the arithmetic, which both families have."""

    @directed(family, "first-operand")
    def first_operand(_: str) -> Directed:
        """Sums of as many bits as a word; they hold 2m, and of a sum of products 3m is left."""
        good = ladder(8, 4, family)
        also = {"inversion-sum", *(["first-sum"] if good.sums else [])}
        return Directed(good, altered(good, sum_bits=good.n + 1), sums_wrong, frozenset(also))

    @directed(family, *sorted(_WORD))
    def word(name: str) -> Directed:
        """Words and registers of as many bits as the modulus."""
        good = ladder(6, 3, family)
        wrong = sums_wrong if name == "word" else inversion_wrong
        return Directed(good, altered(good, word_bits=good.n), wrong, frozenset(_WORD - {name}))

    @directed(family, "inversion-domain")
    def inversion(_: str) -> Directed:
        """An iteration less."""
        good = MADE[family](family, replace(folded(6, 3), n=5), 1)
        return Directed(good, altered(good, iterations=2 * good.T - 1), inversion_wrong)


for one in MADE:
    _arithmetic(one)


@directed(FAMILY, "mask")
def mask(_: str) -> Directed:
    """A cycle less."""
    good = XmulParameters(FAMILY, folded(8, 4), 1)
    return Directed(good, altered(good, mask_cycles=good.mask_cycles - 1), mask_wrong)
