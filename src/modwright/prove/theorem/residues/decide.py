# SPDX-License-Identifier: Apache-2.0
"""The claim of an operation on residues, decided on the words of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..decide import Operation, UndecidedError
from ..netlist import UnsupportedError
from ..pieces import width_of
from ..poly import Poly
from .channels import Channels
from .claim import ResidueClaim
from .facts import ChannelFacts
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
    total : Sum
        The integer.
    """

    facts: ChannelFacts
    words: Sequence[Poly]
    total: Sum


def decide_residues(claim: ResidueClaim, operation: Operation) -> Channelled:
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
    value, bits = operation.outputs[claim.result], claim.vector.bits
    if width_of(value) != bits * len(claim.vector.moduli):
        raise UndecidedError(f"{claim.result} has {width_of(value)} bits")
    try:
        if facts.reading(operation.outputs[claim.error]).poly.constant != 0:
            raise UndecidedError(f"{claim.error} is not always 0")
        found = [facts.reading(words.slice(value, k * bits, bits)).poly for k, _ in enumerate(claim.vector.moduli)]
        inputs = {name: next(iter(facts.fact(node).poly.atoms)) for name, node in operation.inputs.items()}
        return Channelled(facts, found, _integer(Channels(facts), found, claim, inputs))
    except UnsupportedError as error:
        raise UndecidedError(str(error)) from None


def _integer(channels: Channels, words: Sequence[Poly], claim: ResidueClaim, inputs: Mapping[str, int]) -> Sum:
    """The integer of a result: a sum of residues, or a product that is reduced in one base and extended to another."""
    forms = shared(channels, words, claim.vector)
    if claim.is_equal:
        return extended_sum(channels, forms, claim, inputs)
    hats = hats_of(channels, forms, claim.vector.moduli)
    if hats and len(hats) < len(forms):
        return reduced_sum(channels, forms, hats, claim, inputs)
    return sum_of(channels, forms, claim, inputs)
