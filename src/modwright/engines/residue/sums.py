# SPDX-License-Identifier: Apache-2.0
"""Constants that every sum-of-residues multiplier has, and the order in which its channels weigh the γ_i."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from ...base.errors import ParameterError
from ...contract import Inequality
from ...contract.request import Request
from ...rns import Base


@dataclass(frozen=True)
class SumOfResidues(ABC):
    """A multiplier whose result is Σ γ_i·w_i and corrections, in N channels.

    Parameters
    ----------
    modulus : int
        p.
    base : Base
        N moduli of n bits.
    q, offset : int
        Parameters of α: top bits added and D = 2^q·Δ.
    multipliers : int
        Multipliers of a channel, 1 to N.
    latency : int
        Cycles from operands to the readable product of a channel, L.
    target : str
        Device family of the multiplier blocks.
    """

    modulus: int
    base: Base
    q: int
    offset: int
    multipliers: int
    latency: int
    target: str

    @property
    def n(self) -> int:
        """Bits of a channel."""
        return self.base.width

    @property
    def N(self) -> int:
        """Channels."""
        return self.base.count

    @property
    def groups(self) -> int:
        """Rounds in which the N products γ_i·w_i are issued."""
        return -(-self.N // self.multipliers)

    @cached_property
    @abstractmethod
    def weights(self) -> tuple[int, ...]:
        """Weights w_i of the γ_i."""

    @abstractmethod
    def stored(self, value: int, channel: int) -> int:
        """A constant that is part of the result, in the form that channel `channel` holds."""

    def turns(self, multiplier: int) -> list[int | None]:
        """Positions by round of a multiplier's factors, γ_(j + position) in channel j; None in an idle round."""
        places = range(multiplier, self.groups * self.multipliers, self.multipliers)
        return [place if place < self.N else None for place in places]

    def weights_in_turn(self, channel: int, multiplier: int) -> list[int]:
        """Weights of a channel's multiplier by round, in the order in which the γ_i pass that channel; 0 for none."""
        turns = self.turns(multiplier)
        return [0 if t is None else self.stored(self.weights[(channel + t) % self.N], channel) for t in turns]


def no_channels(request: Request, counts: range, width: int, failure: Inequality, hint: str) -> ParameterError:
    """The error that no number of channels satisfies a request, with the inequality that fails for the largest."""
    name = request.modulus.name if request.modulus else ""
    return failure.refusal(
        f"{request.core} for {name}: no parameters with {counts[0]} to {counts[-1]} channels of {width} bits; with "
        f"{counts[-1]} fails {failure.name} ({failure.why})",
        hint,
    )
