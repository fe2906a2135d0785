# SPDX-License-Identifier: Apache-2.0
"""Between plain affine values and the scalar of a multiplier of a base point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ....contract import PayloadValue, integer
from ....contract.operands import Reading, draw
from ....contract.roles import Errors
from .parameters import CombParameters


class CombCodec:
    """A scalar in, plain affine values out."""

    def __init__(self, p: CombParameters) -> None:
        c = p.curve
        self.p = p
        self._own = {"modulus": c.p, "a": c.a, "d": c.b, "x": c.gx, "y": c.gy}

    def fit(self, case: Mapping[str, int]) -> dict[str, int]:
        """The case on the curve of the core, with its base point."""
        return {**case, **self._own, "k": case["k"] & ((1 << self.p.n) - 1)}

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Encode a case with the scalar k.

        Raises
        ------
        ValueError
            For another curve or another point than the core has, and a scalar that does not fit.
        """
        for name, value in self._own.items():
            if case.get(name, value) != value:
                raise ValueError(f"the core has {name} = {value:#x} built in, and not {case[name]:#x}")
        k = case["k"]
        if k < 0 or k >> self.p.n:
            raise ValueError(f"k has at most {self.p.n} bits and no sign, not {k:#x}")
        return {"k": k}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading:
        """Any scalar of the base point."""
        return Reading({**self._own, "k": integer(payload["k"])})

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Any scalar of n bits."""
        return {"k": draw(rng, 1 << self.p.n)}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, object]:
        """The multiple, or the name of an error."""
        x, y = integer(payload["x"]), integer(payload["y"])
        if integer(payload["error"]):
            return {"error": Errors.UNKNOWN}
        return {"rx": x, "ry": y, "error": None if max(x, y) < self.p.modulus else Errors.BOUND}

    def edges(self) -> dict[str, dict[str, int]]:
        """Scalars beyond the order, and of one row or one column of the comb."""
        p, order = self.p, self.p.curve.order
        scalars = {
            "N": order,
            "2^n - 1": (1 << p.n) - 1,
            "row 0": (1 << p.columns) - 1,
            "column 0": sum(1 << at for at in range(0, p.n, p.columns)),
            "column c - 1": sum(1 << at for at in range(p.columns - 1, p.n, p.columns)),
        }
        return {f"[{name}]B": {"k": k, "x": p.curve.gx, "y": p.curve.gy} for name, k in scalars.items()}

    def feedback(self) -> Sequence[tuple[str, str]]:
        """None: results are coordinates."""
        return []
