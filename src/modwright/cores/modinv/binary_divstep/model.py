# SPDX-License-Identifier: Apache-2.0
"""The binary inverter in plain integers: divsteps on f and g, the same on d and e modulo M."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from ....engines.divsteps import divstep
from ....schedule import Schedule
from .parameters import NOT_INVERTIBLE, BinaryInversionParameters


def inverse(a: int, m: int, steps: int) -> int | None:
    """Inverse a^-1 modulo an odd m by `steps` divsteps, for 0 ≤ a < m; None when it does not exist.

    a·d ≡ f and a·e ≡ g (mod m) hold in every state.
    """
    half = (m + 1) >> 1
    D, f, g, d, e = 0, m, a, 0, 1
    for _ in range(steps):
        before = d
        D, f, g, odd, swap = divstep(D, f, g)
        if swap:
            d, e = e, (e - before) * half % m
        else:
            e = (e + (before if odd else 0)) * half % m
    return {1: d, -1: -d % m}.get(f)


class BinaryInversionModel:
    """Golden model."""

    def __init__(self, p: BinaryInversionParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One inversion."""
        a, m = operands["a"], operands.get("m", self.p.modulus)
        assert isinstance(a, int)
        assert isinstance(m, int)
        z, error = 0, self._refused(a, m)
        if not error:
            found = inverse(a - m if a >= m else a, m, self.p.steps)
            z, error = (0, NOT_INVERTIBLE) if found is None else (found, 0)
        return Outcome({"z": z, "error": error}, self.schedule.latency)

    @staticmethod
    def _refused(a: int, m: int) -> int:
        if m % 2 == 0 or m < 3:
            return BAD_MODULUS
        return OUT_OF_RANGE if a >= 2 * m else 0
