# SPDX-License-Identifier: Apache-2.0
"""The claim of an operation on residues, decided on the words of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..decide import Operation, UndecidedError
from ..netlist import UnsupportedError
from ..pieces import Value, width_of
from ..poly import Poly
from .channels import Channels
from .claim import ResidueClaim
from .coefficient_forms import Coefficients
from .coefficients import coefficients_of
from .facts import ChannelFacts
from .polynomial_claim import PolynomialClaim
from .reduction import extended_sum, hats_of, reduced_sum
from .sums import Sum, shared, sum_of


@dataclass
class Channelled:
    """The result of an operation as residues of a sum.

    Parameters
    ----------
    facts : ChannelFacts
    words : sequence of Poly
        Polynomial of each word of the result.
    total : Sum or Coefficients
        The integer, or those of the coefficients.
    """

    facts: ChannelFacts
    words: Sequence[Poly]
    total: Sum | Coefficients


def decide_residues(claim: ResidueClaim | PolynomialClaim, operation: Operation) -> Channelled:
    """Prove the claim.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    if operation.steady:
        raise UndecidedError(f"{operation.steady[0][0]} does not stay while the result waits")
    words = operation.unrolled.words
    facts = ChannelFacts(words.within, list(words.nodes.values()), list(operation.outputs.values()))
    try:
        if facts.reading(operation.outputs[claim.error]).poly.constant != 0:
            raise UndecidedError(f"{claim.error} is not always 0")
        found = [facts.reading(value).poly for value in _words(claim, operation)]
        inputs = {name: next(iter(facts.fact(node).poly.atoms)) for name, node in operation.inputs.items()}
        channels = Channels(facts)
        if isinstance(claim, PolynomialClaim):
            return Channelled(facts, found, coefficients_of(channels, found, claim, inputs))
        return Channelled(facts, found, _integer(channels, found, claim, inputs))
    except UnsupportedError as error:
        raise UndecidedError(str(error)) from None


def _words(claim: ResidueClaim | PolynomialClaim, operation: Operation) -> list[Value]:
    """Words of the result."""
    found: list[Value] = []
    for field, (bits, count) in claim.result_words.items():
        value = operation.outputs[field]
        if width_of(value) != bits * count:
            raise UndecidedError(f"{field} has {width_of(value)} bits")
        found += [operation.unrolled.words.slice(value, k * bits, bits) for k in range(count)]
    return found


def _integer(channels: Channels, words: Sequence[Poly], claim: ResidueClaim, inputs: Mapping[str, int]) -> Sum:
    """The integer of a result: a sum of residues, or a product that is reduced in one base and extended to another."""
    forms = shared(channels, words, claim.vector)
    if claim.is_equal:
        return extended_sum(channels, forms, claim, inputs)
    hats = hats_of(channels, forms, claim.vector.moduli)
    if hats and len(hats) < len(forms):
        return reduced_sum(channels, forms, hats, claim, inputs)
    return sum_of(channels, forms, claim, inputs)
