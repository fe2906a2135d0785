# SPDX-License-Identifier: Apache-2.0
"""Golden model: products of the multiplier, passes with the representatives of the rowers, and moves as they are."""

from __future__ import annotations

from collections.abc import Mapping

from ....contract import Outcome, PayloadValue
from ....engines.plus_minus import Flow, Pass, factor
from ....functions.rns import HOLD, INVERSION, MOVE
from ....schedule import Schedule
from .parameters import COMMON, NOT_INVERTIBLE, START, ProcessorParameters
from .plan import factors_of, operands_of
from .schedule import move_cycles, parts_in


class ProcessorModel:
    """Golden model."""

    def __init__(self, p: ProcessorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation, on numbers of the stream or of registers next to its payload."""
        numbers = operands_of(operands)
        if numbers is None:
            return Outcome({"z": (0,) * (2 * self.p.n), "error": self.p.unwritten}, move_cycles(self.p))
        if operands.get("op") == INVERSION:
            return self._inversion(numbers["x"])
        if operands.get("op") in (MOVE, HOLD):
            return Outcome({"z": numbers["x"], "error": 0}, move_cycles(self.p))
        _, s = self.p.hats(factors_of(numbers))
        alone = self.p.kind is None and not self.p.registers
        cycles = self.schedule.latency if alone else parts_in(self.schedule).product
        return Outcome({"z": (*self.p.engine.extend(1, s), *s), "error": 0}, cycles)

    def _inversion(self, x: PayloadValue) -> Outcome:
        """One inversion, with V3 as an integer, on which alone the decisions depend, and V1 as hats."""
        p = self.p
        assert isinstance(x, tuple)
        in_b = [hat * m_over for hat, m_over in zip(x[p.n :], p.B.cofactors, strict=True)]
        flow = Flow(p.rules.kind, p.modulus, sum(in_b) % p.B.product)
        values = Values(p)
        passes = 0
        while not flow.done:
            values.step(flow.step())
            passes += 1
        z = values.end(flow.V3)
        payload: dict[str, PayloadValue] = {
            "z": (*p.engine.extend(1, z), *z),
            "error": 0 if flow.V3 else NOT_INVERTIBLE,
        }
        return Outcome(payload, parts_in(self.schedule).inversion(passes))


class Values:
    """V1 and U1: their integers, and the rowers' hats of them with P added."""

    def __init__(self, p: ProcessorParameters) -> None:
        self.p, self.V, self.U = p, p.start, 0
        self._v = self._sum((START, COMMON))
        self._u = self._sum(("P/2", COMMON))

    def step(self, pass_: Pass) -> None:
        """One pass."""
        D, s, P = pass_.divisor, pass_.sign, self.p.modulus
        total = self.V + s * self.U
        f = factor(total, D, P)
        by_sign = {0: "0", 1: f"1/{D}", -1: f"-1/{D}"}[s]
        after = self._sum((f"1/{D}", self._v), (by_sign, self._u), (f"P/{D}", f + D - 1 - s))
        if pass_.swap:
            self.U, self._u = self.V, self._v
        self.V, self._v = (total + f * P) // D, after

    def end(self, V3: int) -> tuple[int, ...]:
        """Hats of V1 + P, P - V1, or 0, by the sign of V3."""
        return self._sum(({0: "0", 1: "1", -1: "-1"}[V3], self._v), ("P/2", 2 * COMMON if V3 < 0 else 0))

    def _sum(self, *terms: tuple[str, int | tuple[int, ...]]) -> tuple[int, ...]:
        """The reduced sum of constants times hats, or times a number that all rowers have."""
        sums = [0] * self.p.n
        for name, value in terms:
            every = (value,) * self.p.n if isinstance(value, int) else value
            sums = [t + c * v for t, c, v in zip(sums, self.p.constants[name], every, strict=True)]
        return self.p.engine.reduce(1, sums)
