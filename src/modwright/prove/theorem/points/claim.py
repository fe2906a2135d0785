# SPDX-License-Identifier: Apache-2.0
"""The claim of a point multiplication, and the contract of its operation unit, from payloads and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....cores.ecpm.ladder.parameters import EcpmParameters
from ....cores.ecpm.ladder.plan.ladder import scalar_steps
from ....engines.ladder.control import machine_of
from ....engines.limb.units import SQUARE
from ....schedule import Schedule
from .unit import Contract, Kind

FACTORS = 2
"""Operands of a product; a sum of two products has twice as many."""


@dataclass(frozen=True)
class PointClaim:
    """The claim of one point multiplication.

    Parameters
    ----------
    bits, order_bits : int
        Bits of the modulus and of the order.
    blind : str
        Operand that blinds; empty without one.
    contract : Contract
    lifts : bool
        The scalar unit adds multiples of the order, and makes no remainder.
    """

    bits: int
    order_bits: int
    blind: str
    contract: Contract
    lifts: bool = False

    @property
    def reductions(self) -> tuple[int, ...]:
        """Control fields that the scalar unit needs, one a cycle."""
        return scalar_steps(self.order_bits, self.lifts)

    @property
    def statement(self) -> str:
        """One operation in words: what is proved, and what is assumed."""
        n, contract = self.order_bits, self.contract
        blinds = f", {self.blind} from 1 to m - 1" if self.blind else ""
        wrong = f"x, y, a, b{f' or {self.blind}' if self.blind else ''}"
        zero = f", or {self.blind} is 0" if self.blind else ""
        return (
            f"for every prime m of at most {self.bits} bits from 5 on, and a, b, x, y below m{blinds}, with P = (x, y) "
            "on a nonsingular curve y² = x³ + a·x + b: error is 0, and the result is u·P, with coordinates below m, or "
            f"0 next to infinity where u·P is at infinity; u is 2^{n} + Σ bits·2^i of the {n} bits that the scalar "
            "unit gives; infinity and error 0 where the point is said to be at infinity; error 1 where m is even or "
            f"below 4 or the order is 0, else 2 where {wrong} is not below m{zero}, x and y only if the point is not "
            "at infinity, else 3 where P is not on the curve, and the coordinates are 0 then; the exceptional states "
            "(Q, R or Q + R at infinity, 2·Q or 2·R at infinity, y = 0, x = a = 0) are cases; control is that of the "
            "program in the netlist. Each multiplier of the operation unit is proved of the same Verilog to give "
            f"{self._products} in the cycle of its contract, for operands below m that stay in the cycles in which "
            "they are read, for one product alone and right between two others of its kind. Assumed, not proved: that "
            f"the operation unit keeps the rest of its contract: {self._squares}products next to others at other "
            "distances or of other kinds; of the adder with the inversion, which gets the results, sums, differences "
            f"and remainders below m, the inverse after {contract.iterations} iterations{self._alone} with its sign, "
            f"and the comparison with m; that the bits of the scalar unit are those of {self._scalar}, and its test of "
            "order 0; that r2, q and mu belong to m; and the group law of the curve"
        )

    @property
    def _products(self) -> str:
        """Results of the multipliers that are proved, in words."""
        T = self.contract.iterations // 2
        kinds = [kind for kind in self.contract.kinds if not kind.square]
        sums = ["x·y + x2·y2" if len(kind.banks) > FACTORS else "x·y" for kind in kinds]
        words = [f"z with 2^{T}·z ≡ {s}, z < {kind.multiple}·m" for s, kind in zip(sums, kinds, strict=True)]
        return ", or ".join(words)

    @property
    def _alone(self) -> str:
        return ", which follow each other while nothing passes the adder," if self.contract.alone else ""

    @property
    def _scalar(self) -> str:
        n = self.order_bits
        if self.lifts:
            return f"k, k + q' or k + 2q', the first with a bit {n}, q' the order times a power of two, of {n} bits"
        return f"2^{n} + ((k - 2^{n}) mod order)"

    @property
    def _squares(self) -> str:
        return "squares; " if any(kind.square for kind in self.contract.kinds) else ""


def claim_of_points(p: EcpmParameters, units: Mapping[str, Schedule]) -> PointClaim:
    """The claim of a core, with the schedules of its multipliers by kind."""
    machine = machine_of(p, units)
    timings = machine.timings
    kinds = [
        Kind(timings[kind].interval, timings[kind].latency, timings[kind].banks, p.unit.multiple(kind), kind == SQUARE)
        for kind in p.kinds
    ]
    contract = Contract(tuple(kinds), p.iterations, machine.alone)
    return PointClaim(p.n, p.order_bits, "blind" if p.blinding else "", contract, p.lifts_scalar)
