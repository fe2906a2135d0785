# SPDX-License-Identifier: Apache-2.0
"""Golden model of a residue multiplier between converters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...contract import Model, Outcome, PayloadValue
from ...schedule import Schedule
from .parameters import NOT_REDUCED, ConvertedParameters, M, ResidueMultiplier


class ConvertedModel:
    """The multiplier's model between those of the converters."""

    def __init__(self, p: ConvertedParameters[ResidueMultiplier], schedule: Schedule, inner: Model) -> None:
        self.p, self.schedule, self.inner = p, schedule, inner

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        p = self.p
        if p.binary:
            x, y = operands["x"], operands["y"]
            assert isinstance(x, int)
            assert isinstance(y, int)
            if max(x, y) >= p.modulus:
                return Outcome({"z": 0, "error": NOT_REDUCED}, self.schedule.latency)
            operands = {"x": p.to_residues.apply(x), "y": p.to_residues.apply(y)}
        scaled = self.inner.run(operands).payload["z"]
        assert isinstance(scaled, tuple)
        z = p.from_residues.apply(scaled)
        return Outcome({"z": z if p.binary else p.to_residues.apply(z), "error": 0}, self.schedule.latency)


def make_model(
    p: M | ConvertedParameters[M],
    schedule: Schedule,
    model: Callable[[M, Schedule], Model],
) -> Model:
    """The model, with or without converters."""
    if not isinstance(p, ConvertedParameters):
        return model(p, schedule)
    return ConvertedModel(p, schedule, model(p.inner, schedule.parts["multiply"]))
