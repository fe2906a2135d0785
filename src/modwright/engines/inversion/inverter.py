# SPDX-License-Identifier: Apache-2.0
"""Parameters that inverters on the rowers of this engine have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...base.json import Constant
from ...contract import Obligations, Payload
from .engine import InversionEngine
from .parameters import RowerParameters


@dataclass(frozen=True, kw_only=True)
class InverterParameters(RowerParameters, ABC):
    """Parameters of an inverter, to be derived from.

    Parameters
    ----------
    modulus : int
        P.
    base, top_bits, target, latency, local
        See `RowerParameters`.
    """

    modulus: int

    @property
    @abstractmethod
    def engine(self) -> InversionEngine:
        """Rowers and cox."""
        ...

    @property
    @abstractmethod
    def bound(self) -> int:
        """Exclusive bound of the result."""
        ...

    @abstractmethod
    def own_description(self) -> Mapping[str, Constant]:
        """Constants in addition to those of the engine."""
        ...

    @cached_property
    def o(self) -> Payload:
        """The inverse."""
        return self.engine.result_payload(self.bound)

    def obligations(self) -> Obligations:
        """Obligations of the rowers and the cox."""
        return self.engine.obligations()

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return self.engine.describe(self.modulus, self.bound, self.own_description())
