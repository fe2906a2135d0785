# SPDX-License-Identifier: Apache-2.0
"""A cox-rower for the bases of several draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from ....engines.coxrower.engine import CoxrowerEngine


@dataclass(frozen=True)
class DrawnEngine(CoxrowerEngine):
    """The cox-rower of the first draw, whose sums are as large as those of any.

    Parameters
    ----------
    drawn : tuple of CoxrowerEngine
        The cox-rower of every draw.
    members : tuple of tuple of int
        For each draw and rower, the number of the modulus that is in A.
    """

    drawn: tuple[CoxrowerEngine, ...] = ()
    members: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def over(cls, drawn: Sequence[CoxrowerEngine], members: tuple[tuple[int, ...], ...]) -> DrawnEngine:
        """The cox-rower for some draws."""
        own = {field.name: getattr(drawn[0], field.name) for field in fields(CoxrowerEngine)}
        return cls(**own, drawn=tuple(drawn), members=members)

    def sum_bound(self, channel: int, base: int) -> int:
        """Largest sum that is reduced by a modulus of a channel, of any draw."""
        pairs = zip(self.drawn, self.members, strict=True)
        return max(engine.sum_bound(channel, base ^ member[channel]) for engine, member in pairs)
