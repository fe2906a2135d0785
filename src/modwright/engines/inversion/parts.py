# SPDX-License-Identifier: Apache-2.0
"""Parts of the microcode of the inversion engine: products, sums and results, each with its control fields.

Cycle 0 of a part is that of its start; a part's control words begin in cycle 1, but for products of the stream's
operand, which need no control.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...schedule import Schedule, StepList
from .engine import InversionEngine

COEFFICIENTS, READ_PORT = "coefficients", "read port"
"""Memory ports of a rower: of its constants, and of its registers."""

INPUT, BUS, REGISTER, RESULT = range(4)
"""Field `a`, source of the first operand: the stream, the bus's coefficient, a register, or the result."""


@dataclass(frozen=True)
class Product:
    """One product of a sum.

    Parameters
    ----------
    a : int
        Source of the first operand.
    b : str
        Name of a constant; empty for the register that `register` names, or for a constant that data select (`choice`).
    register : int
        The register that is read.
    coefficient : int
        Field `bus`: the coefficient on the bus.
    choice : int
        Field `choice`: the constant that follows from data.
    """

    a: int
    b: str = ""
    register: int = 0
    coefficient: int = 0
    choice: int = 0


@dataclass
class Part(StepList):
    """Steps under construction.

    Parameters
    ----------
    engine : InversionEngine
    """

    engine: InversionEngine

    def sum(self, name: str, start: int, *products: Product) -> int:
        """Place products in consecutive cycles from `start` on, their sum and its reduction; return the cycle of the
        result."""
        engine = self.engine
        for number, product in enumerate(products):
            cycle, label = start + number, f"{name}: product {number + 1}"
            self._product(label, cycle, product)
            if number:
                self.add(f"{label} added", "accumulator", cycle + engine.latency - 1, sum=1)
        last = start + len(products) - 1 + engine.latency
        self.add(f"{name}: reduction", "reduction", last, latency=engine.fold_cycles)
        return last + engine.fold_cycles

    def _product(self, name: str, cycle: int, product: Product) -> None:
        engine = self.engine
        reads = (
            *((COEFFICIENTS,) if product.b or product.choice else ()),
            *((READ_PORT,) if product.a == REGISTER else ()),
        )
        self.add(
            name,
            "multiply-accumulate",
            cycle,
            latency=engine.latency,
            also=reads,
            a=product.a,
            b=engine.addresses[product.b] if product.b else 0,
            choice=product.choice,
            factor=int(product.a == BUS and not product.b and not product.choice),
            read=product.register,
        )
        if product.coefficient:
            self.add(f"{name}: coefficient", "bus", cycle - 1, bus=product.coefficient)

    def sum_of_rowers(self, name: str, start: int, product: Product) -> None:
        """Place a product that is not reduced: the accumulators are summed over the rowers."""
        self._product(name, start, product)

    def write(self, name: str, cycle: int, register: int) -> None:
        """Store the result that can be read in `cycle`."""
        self.add(f"{name}: kept", "registers", cycle, write=1, into=register)


@dataclass(frozen=True)
class Phases:
    """Schedules of an inversion, in the order in which they run.

    Parameters
    ----------
    load, turn, finish : Schedule
        Control words of the beginning, of one pass or round, and of the end.
    """

    load: Schedule
    turn: Schedule
    finish: Schedule

    @property
    def schedules(self) -> dict[str, Schedule]:
        """Schedules by the names of the phases."""
        return {"load": self.load, "turn": self.turn, "finish": self.finish}
