# SPDX-License-Identifier: Apache-2.0
"""Numbers inside the products of inversion by Fermat's theorem."""

from __future__ import annotations

from dataclasses import replace

from ...contract.quantities import Extremes, Operands, Values
from ...schedule import Schedule
from .parameters import FermatParameters

FEW = 10
"""Operations of a run that are observed, with hundreds of products each."""


def extremes(p: FermatParameters, schedule: Schedule) -> Extremes:
    """Extremes of Fermat's method: the multiplier's own, over all products of an inversion."""
    del schedule
    assert p.core.extremes is not None
    own, model = p.core.extremes(p.inner, p.schedule), p.core.model(p.inner, p.schedule)

    def observe(operands: Operands) -> Values:
        memory, found = {0: operands["a"]}, {}
        for instruction in p.program:
            product = {"x": memory[instruction.x], "y": memory[instruction.y]}
            for name, values in own.observe(product).items():
                found.setdefault(name, []).extend(values)
            memory[instruction.into] = model.run(product).payload["z"]
        return found

    quantities = tuple(replace(q, why=f"of every product; {q.why}") for q in own.quantities)
    return Extremes(quantities, observe, lambda: ({"a": a} for a in (0, 1, 2, p.modulus - 1)), FEW)
