# SPDX-License-Identifier: Apache-2.0
"""The program with the multiplier's model: outputs of an exponentiator, bit for bit, and their cycles."""

from __future__ import annotations

from collections.abc import Mapping

from ...contract import Outcome, Payload, PayloadValue
from ...schedule import Schedule
from .parameters import HARDWARE, ModexpParameters
from .plan.execution import Multiply
from .plan.in_turn import started
from .plan.multiplier import ERROR, INVERSE, MODULUS, SCALED, TAG
from .plan.program import A, V


class ModexpModel:
    """Golden model over the multiplier's own."""

    def __init__(self, p: ModexpParameters, schedule: Schedule) -> None:
        self.p = p
        self.inner = p.multiplier.core.model(p.multiplier.parameters, p.multiplier.schedule)

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One exponentiation."""
        p = self.p
        base = self._base(operands)
        exponent, modulus = (_integer(operands.get(name, 0)) for name in ("exponent", MODULUS))
        square = _packed(p.i, operands, "square") if "square" in p.i.offsets else 0
        product = self._product(self._of_modulus(operands, modulus))
        done = started(p, product, base=base, exponent=exponent, modulus=modulus, square=square)
        done.run()
        if p.conversion:
            z = 0 if done.error else p.conversion.leave(done.registers[A], modulus)
            return Outcome({"z": z, ERROR: done.error}, done.cycle)
        z = 0 if done.error else done.registers[V if p.multiplier.domain else done.power]
        payload = {"z": z} if p.multiplier.domain else p.multiplier.z.unpack(z)
        return Outcome({**payload, ERROR: done.error}, done.cycle)

    def _base(self, operands: Mapping[str, PayloadValue]) -> int:
        """The word that B starts with."""
        conversion = self.p.conversion
        if conversion:
            return conversion.enter(_integer(operands["base"]))
        return self.p.base.pack({f.name: operands[f.name] for f in self.p.base.fields})

    def _of_modulus(self, operands: Mapping[str, PayloadValue], modulus: int) -> Mapping[str, PayloadValue]:
        """Operands of the multiplier that follow from M."""
        p, m = self.p, self.p.multiplier
        if m.residues:
            return {name: operands[name] for name in (MODULUS, *m.residues.words)}
        if m.domain is None:
            return {}
        scaled, inverse = self._constants(operands, modulus)
        if p.inverse:
            return {MODULUS: modulus, INVERSE: inverse} | ({SCALED: scaled} if p.scaled else {})
        return {MODULUS: scaled if p.guard else modulus} | ({TAG: modulus} if m.tagged else {})

    def _constants(self, operands: Mapping[str, PayloadValue], modulus: int) -> tuple[int, int]:
        """2^-k modulo M and -M^-1 mod 2^k: from the stream, or by halving 1 modulo M."""
        if self.p.constants != HARDWARE:
            return _integer(operands.get("unit", 0)), _integer(operands.get("inverse", 0))
        value, inverse = 1, 0
        for place in range(self.p.guard or self.p.inverse):
            odd = value & 1
            value, inverse = (value + modulus * odd) >> 1, inverse | odd << place
        return value, inverse

    def _product(self, fixed: Mapping[str, PayloadValue]) -> Multiply:
        """The multiplier's model on operand words, next to the operands that follow from M."""
        p, m = self.p, self.p.multiplier

        def product(x: int, y: int) -> tuple[int, int, int]:
            outcome = self.inner.run({**m.x.unpack(x), **m.y.unpack(y), **fixed})
            z = p.multiplier.z.pack({f.name: outcome.payload[f.name] for f in m.z.fields})
            return z, outcome.cycles, _integer(outcome.payload[ERROR])

        return product


def _packed(payload: Payload, operands: Mapping[str, PayloadValue], name: str) -> int:
    """The bits of one field."""
    return Payload((payload[name],)).pack({name: operands[name]})


def _integer(value: PayloadValue) -> int:
    assert isinstance(value, int)
    return value
