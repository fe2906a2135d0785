# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a residue multiplier, with or without converters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...contract.operands import PAYLOAD
from ...contract.quantities import Extremes, Operands, Values
from .parameters import ConvertedParameters, M


def make_extremes(p: M | ConvertedParameters[M], inner: Callable[[M, int], Extremes]) -> Extremes:
    """The quantities of the multiplier, with or without converters.

    Parameters
    ----------
    p : parameters
    inner : callable
        Function of the multiplier's own parameters and the exclusive bound of operands.
    """
    if not isinstance(p, ConvertedParameters):
        return inner(p, p.bound)
    if not p.binary:
        return inner(p.inner, p.inner.bound)
    own = inner(p.inner, p.modulus)

    def observe(operands: Operands) -> Values:
        x, y = operands["x"], operands["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        if max(x, y) >= p.modulus:
            return {}
        return own.observe({"x": p.to_residues.apply(x), "y": p.to_residues.apply(y)})

    return replace(own, observe=observe, candidates=lambda: (c for c in own.candidates() if PAYLOAD not in c))
