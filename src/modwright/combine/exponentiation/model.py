# SPDX-License-Identifier: Apache-2.0
"""The program with the multiplier's model: what an exponentiator outputs, bit for bit, and when."""

from __future__ import annotations

from collections.abc import Mapping

from ...contract import Outcome, PayloadValue
from ...schedule import Schedule
from .parameters import HARDWARE, ModexpParameters
from .plan.execution import Product, start
from .plan.multiplier import ERROR, MODULUS, TAG
from .plan.program import HALVE, Pass, V, program_of


class ModexpModel:
    """Golden model over the multiplier's own."""

    def __init__(self, p: ModexpParameters, schedule: Schedule) -> None:
        self.p = p
        self.inner = p.multiplier.core.model(p.multiplier.parameters, p.multiplier.schedule)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One exponentiation."""
        p = self.p
        base = p.base.pack({f.name: operands[f.name] for f in p.base.fields})
        exponent, modulus, square = (_integer(operands.get(name, 0)) for name in ("exponent", MODULUS, "square"))
        reduces_by = self._reduces_by(operands, modulus)
        done = start(
            p, self._product(modulus, reduces_by), base=base, exponent=exponent, modulus=modulus, square=square
        )
        done.run()
        z = 0 if done.error else done.registers[V if p.multiplier.domain else "A"]
        payload = {"z": z} if p.multiplier.domain else p.multiplier.z.unpack(z)
        return Outcome({**payload, ERROR: done.error}, done.clock)

    def _reduces_by(self, operands: Mapping[str, PayloadValue], modulus: int) -> int:
        """What the multiplier is given as its modulus."""
        p = self.p
        if not p.guard:
            return modulus
        if p.constants != HARDWARE:
            return _integer(operands["unit"])
        value = 1
        for _ in range(next(one.count for one in program_of(p) if isinstance(one, Pass) and one.operation == HALVE)):
            value = (value + (modulus if value & 1 else 0)) >> 1
        return value

    def _product(self, modulus: int, reduces_by: int) -> Product:
        """The multiplier's model for this modulus, on operand words."""
        p, m = self.p, self.p.multiplier
        fixed: dict[str, PayloadValue] = {}
        if m.domain:
            fixed[MODULUS] = reduces_by
            if m.tagged:
                fixed[TAG] = modulus

        def product(x: int, y: int) -> tuple[int, int, int]:
            outcome = self.inner.run({**m.x.unpack(x), **m.y.unpack(y), **fixed})
            z = p.multiplier.z.pack({f.name: outcome.payload[f.name] for f in m.z.fields})
            return z, outcome.cycles, _integer(outcome.payload[ERROR])

        return product


def _integer(value: PayloadValue) -> int:
    assert isinstance(value, int)
    return value
