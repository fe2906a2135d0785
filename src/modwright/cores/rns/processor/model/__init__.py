# SPDX-License-Identifier: Apache-2.0
"""Golden model: products of the multiplier, passes with the representatives of the rowers, conversions, and moves."""

from __future__ import annotations

from collections.abc import Mapping

from .....contract import Outcome, PayloadValue, integer
from .....engines.plus_minus import Flow, Pass, factor
from .....functions.rns import CONVERSIONS, FROM_BINARY, HOLD, INTO_A, INTO_B, INVERSION, MOVE
from .....schedule import Schedule
from ..parameters import NOT_INVERTIBLE, ProcessorParameters
from ..plan.conversions import BACK, T_A, digits_of, in_place
from ..plan.passes import COMMON, START
from ..plan.registers import factors_of, operands_of
from ..schedule import move_cycles, parts_in
from .divsteps import by_divsteps
from .hats import from_binary_hats, times, to_binary_hats


class ProcessorModel:
    """Golden model."""

    def __init__(self, p: ProcessorParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation, on numbers of the stream or of registers next to its payload."""
        found = self._operation(operands)
        return Outcome({"binary": 0, **found.payload}, found.cycles) if self.p.conversion else found

    def _operation(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation, without the field that only conversion has."""
        numbers = operands_of(operands)
        if numbers is None:
            return Outcome({"z": (0,) * (2 * self.p.n), "error": self.p.unwritten}, move_cycles(self.p))
        if operands.get("op") == INVERSION:
            return self._inversion(numbers["x"])
        if operands.get("op") in CONVERSIONS:
            return self._conversion(integer(operands["op"]), numbers["x"])
        if operands.get("op") in (MOVE, HOLD):
            return Outcome({"z": numbers["x"], "error": 0}, move_cycles(self.p))
        _, s = self.p.hats(factors_of(numbers))
        alone = not self.p.inverts and not self.p.registers
        cycles = self.schedule.latency if alone else parts_in(self.schedule).product
        return Outcome({"z": (*self.p.engine.extend(1, s), *s), "error": 0}, cycles)

    def _inversion(self, x: PayloadValue) -> Outcome:
        """One inversion, with V3 as an integer, on which alone the decisions depend, and V1 as hats; or by divsteps."""
        p = self.p
        assert isinstance(x, tuple)
        if p.divsteps is not None:
            payload, rounds = by_divsteps(p, p.divsteps, x), p.divsteps.rounds
            return Outcome(payload, parts_in(self.schedule).inversion(rounds))
        in_b = [hat * m_over for hat, m_over in zip(x[p.n :], p.B.cofactors, strict=True)]
        flow = Flow(p.rules.kind, p.modulus, sum(in_b) % p.B.product)
        values = Values(p)
        passes = 0
        while not flow.done:
            values.step(flow.step())
            passes += 1
        z = values.end(flow.V3)
        payload = {
            "z": (*p.engine.extend(1, z), *z),
            "error": 0 if flow.V3 else NOT_INVERTIBLE,
        }
        return Outcome(payload, parts_in(self.schedule).inversion(passes))

    def _conversion(self, op: int, x: PayloadValue) -> Outcome:
        """One extension or conversion, which ends as a product does, but for digits."""
        assert isinstance(x, tuple)
        p, engine, cycles = self.p, self.p.engine, parts_in(self.schedule).conversion(op)
        if op in (INTO_A, INTO_B, FROM_BINARY):
            s = {INTO_A: self._into_a, INTO_B: self._into_b, FROM_BINARY: self._from_binary}[op](x)
            return Outcome({"z": (*engine.extend(1, s), *s), "error": 0}, cycles)
        _, s = to_binary_hats(p, x)
        value = sum(hat * m_over for hat, m_over in zip(s, p.B.cofactors, strict=True)) % p.B.product
        words = digits_of(value - p.modulus if value >= p.modulus else value, p.width, p.n)
        return Outcome({"z": in_place(words), "binary": 1, "error": 0}, cycles)

    def _into_a(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Hats in B as they are, by a product with 1."""
        return self.p.engine.reduce(1, x[self.p.n :])

    def _into_b(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Hats in B by the exact extension of residues in A."""
        p, engine = self.p, self.p.engine
        hats = engine.reduce(0, times(x[: p.n], p.constants[T_A]))
        extended = engine.extend(0, hats, h=engine.exactly(hats))
        return engine.reduce(1, times(extended, p.constants[BACK]))

    def _from_binary(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Hats of S in B, from words."""
        return from_binary_hats(self.p, x)[1]


class Values:
    """V1 and U1: their integers, and the rowers' hats of them with P added."""

    def __init__(self, p: ProcessorParameters) -> None:
        self.p, self.V, self.U = p, p.start, 0
        common = p.passes.common
        self._v, self._u = self._sum((START, common)), self._sum((p.passes.whole, common))

    def step(self, pass_: Pass) -> None:
        """One pass."""
        D, s, P = pass_.divisor, pass_.sign, self.p.modulus
        total = self.V + s * self.U
        f = factor(total, D, P)
        by_sign = {0: "0", 1: f"1/{D}", -1: f"-1/{D}"}[s]
        c = f + D - 1 - s
        last = (f"{c}P/{D}", 1) if self.p.blocks else (f"P/{D}", c)
        after = self._sum((f"1/{D}", self._v), (by_sign, self._u), last)
        if pass_.swap:
            self.U, self._u = self.V, self._v
        self.V, self._v = (total + f * P) // D, after

    def end(self, V3: int) -> tuple[int, ...]:
        """Hats of V1 + P, P - V1, or 0, by the sign of V3."""
        last = ("2P", 1) if self.p.blocks else ("P/2", 2 * COMMON)
        return self._sum(({0: "0", 1: "1", -1: "-1"}[V3], self._v), last if V3 < 0 else ("0", 0))

    def _sum(self, *terms: tuple[str, int | tuple[int, ...]]) -> tuple[int, ...]:
        """The reduced sum of constants times hats, or times a number that all rowers have."""
        sums = [0] * self.p.n
        for name, value in terms:
            every = (value,) * self.p.n if isinstance(value, int) else value
            sums = [t + c * v for t, c, v in zip(sums, self.p.constants[name], every, strict=True)]
        return self.p.engine.reduce(1, sums)
