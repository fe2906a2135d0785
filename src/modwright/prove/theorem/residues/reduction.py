# SPDX-License-Identifier: Apache-2.0
"""The integer of a result whose words in one base are made by a Montgomery reduction, and in the other by an extension.

In some channels, base B, the result's word is one word γ_b of its own up to a unit, a hat; in the others it is a sum
of these hats and a word of a table. Modulo b, γ_b is a sum of the product of the operands' words, of words γ_i that
are congruent to g_i·V modulo a_i, with V the product of the operands, and of a word of a table.

With M the product of the a_i, and the factors of all channels of B as one number modulo B, there are integers v_i and
ρ with (v·V + Σ p·v_i·(M/a_i)·γ_i)/M + p·ρ = Z, where Z has the words of B; its numerator is a multiple of each a_i, so
Z is an integer, and congruent to v·M^-1·V modulo p. Its interval is that of the fractions, with the address of the
table in place of ρ. In the other channels, Z is extended from B as in a sum of residues.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, prod

from ..decide import UndecidedError
from ..poly import Poly
from .channels import Channels, Form, form_of
from .claim import ResidueClaim, Vector
from .sums import (
    Digit,
    Linear,
    Multiple,
    Product,
    Reduced,
    Sum,
    added,
    centred,
    check_range,
    decide_class,
    digits_of,
    ends_of,
    fractions,
    joined,
    products_of,
    range_of,
    remainder,
)


@dataclass(frozen=True)
class Hat:
    """A word that is the result's word in a channel, up to a unit.

    Parameters
    ----------
    atom : int
    unit : int
        The result's word is congruent to unit times the word.
    """

    atom: int
    unit: int


def hats_of(channels: Channels, forms: Sequence[Form], moduli: Sequence[int]) -> dict[int, Hat]:
    """Channels whose word is one word up to a unit, which no other channel has so."""
    found: dict[int, Hat] = {}
    for k, (form, m) in enumerate(zip(forms, moduli, strict=True)):
        if len(form.words) != 1 or form.constant or form.tables:
            continue
        ((atom, unit),) = form.words.items()
        taken = atom in {hat.atom for hat in found.values()}
        if atom in channels.facts.values and not taken and gcd(unit, m) == 1:
            found[k] = Hat(atom, unit)
    return found


def part_of(vector: Vector, places: Sequence[int], units: Mapping[int, int] | None = None) -> Vector:
    """The words of some channels, each over a unit."""
    scale: list[int] = []
    for k in places:
        m = vector.moduli[k]
        scale.append(vector.scale[k] * pow((units or {}).get(k, 1), -1, m) % m)
    return replace(vector, moduli=tuple(vector.moduli[k] for k in places), scale=tuple(scale))


def reduced_sum(
    channels: Channels, forms: Sequence[Form], hats: Mapping[int, Hat], claim: ResidueClaim, inputs: Mapping[str, int]
) -> Sum:
    """Prove the claim of a product that is reduced, and extended to the channels without hats.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    vector = claim.vector
    base = part_of(vector, list(hats), {k: hat.unit for k, hat in hats.items()})
    reduced = _reduce(channels, hats, base, claim, products_of(claim, inputs))
    rest = [k for k in range(len(forms)) if k not in hats]
    others = part_of(vector, rest)
    found = Sum(*joined([forms[k] for k in rest], others), [])
    found.digits = [Digit(hat.atom, k, s) for (k, hat), s in zip(hats.items(), base.scale, strict=True)]
    found.reduced = reduced
    claimed = Multiple(prod(others.moduli), 1, vector.least, vector.limit - 1)
    decide_class(channels, found, {k: vector.moduli[k] for k in hats}, claimed)
    return found


def extended_sum(channels: Channels, forms: Sequence[Form], claim: ResidueClaim, inputs: Mapping[str, int]) -> Sum:
    """Prove the claim of an operand that is extended to other moduli: its integer is the result's.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    products = products_of(claim, inputs)
    found = Sum(*joined(forms, claim.vector), [])
    found.digits = digits_of(channels, sorted(found.words), products)
    least, most = range_of(claim)
    moduli = {digit.channel: products[digit.channel].modulus for digit in found.digits}
    words = {
        product.monomial[0]: (product.modulus, product.scale)
        for product in products
        if product.modulus & product.modulus - 1 == 0
    }
    decide_class(channels, found, moduli, Multiple(claim.modulus, claim.factor, least, most, words))
    return found


def _reduce(
    channels: Channels, hats: Mapping[int, Hat], base: Vector, claim: ResidueClaim, products: Sequence[Product]
) -> Reduced:
    """The integer that has the words of the hats, in its range and congruent as claimed."""
    p, B = claim.modulus, prod(base.moduli)
    forms: list[Form] = []
    weights: list[int] = []
    for k, hat in hats.items():
        product, m = products[k], products[k].modulus
        of = channels.reduced(hat.atom, m, frozenset())
        if of is None:
            raise UndecidedError(f"{channels.facts.ring.atoms[hat.atom].name} is not a sum modulo {m:#x}")
        weights.append(of.terms.get(product.monomial, 0) * product.scale)
        forms.append(form_of(channels, Poly({x: v for x, v in of.items() if x != product.monomial}), m))
    constant, words, tables = joined(forms, base)
    digits = digits_of(channels, sorted(words), [product for product in products if product.channel not in hats])
    moduli = {digit.atom: products[digit.channel].modulus for digit in digits}
    M = prod(moduli.values())
    if len({digit.channel for digit in digits}) < len(digits) or moduli.keys() != words.keys():
        raise UndecidedError(f"{len(words)} words are reduced, and not all are multiples of the product, one a channel")
    if gcd(p, M * B) != 1 or len(tables) > 1:
        raise UndecidedError("moduli of channels are not co-prime to p, or a reduction has tables of several addresses")
    inverse = pow(p, -1, B)
    factors = {atom: p * centred(value * moduli[atom] * inverse, B) for atom, value in words.items()}
    rows = {t: [p * centred((constant + row) * inverse, B) for row in table] for t, table in tables.items()}
    if not tables and constant:
        raise UndecidedError("the result of a reduction has a constant term")
    found = Reduced(
        centred(remainder(weights, base) * M, B),
        {atom: value * (M // moduli[atom]) for atom, value in factors.items()},
        rows,
        digits,
    )
    for digit in digits:
        if (found.product + found.words[digit.atom] * digit.of) % moduli[digit.atom]:
            raise UndecidedError(f"the result of a reduction is not an integer modulo {moduli[digit.atom]:#x}")
    if (found.product * pow(M, -1, p) - claim.factor) % p:
        raise UndecidedError("the result of a reduction is not congruent to the product modulo p")
    check_range(*_ends(channels, found, M, range_of(claim)), base)
    return found


def _ends(channels: Channels, reduced: Reduced, M: int, product: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """The interval of the integer: a word of a table that is linear in its address counts with the other words."""
    facts = channels.facts
    total: Linear = {(atom,): Fraction(value, M) for atom, value in reduced.words.items()}
    low, high = sorted(Fraction(reduced.product * end, M) for end in product)
    for (address, _, least, _), rows in reduced.tables.items():
        steps = {b - a for a, b in itertools.pairwise(rows)}
        if len(steps) > 1:
            low, high = low + min(rows), high + max(rows)
            continue
        step = steps.pop() if steps else 0
        whole = facts.closed(address, {digit.atom for digit in reduced.digits})
        total = added(total, fractions(whole, Fraction(step)))
        low, high = low + rows[0] - step * least, high + rows[0] - step * least
    least, most = ends_of(facts.ring, total)
    return low + least, high + most
