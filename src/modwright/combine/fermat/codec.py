# SPDX-License-Identifier: Apache-2.0
"""Between plain values and the representation of the multiplier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ...contract import Codec, PayloadValue
from ...contract.operands import Reading, one_in
from ...engines.inversion.codec import NOT_INVERTIBLE, InversionCodec, reading_of


class FermatCodec:
    """The representation of the multiplier, Montgomery factor included."""

    def __init__(self, p: Any, inner: Codec) -> None:
        self.p, self.inner = p, inner

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Residues of a·A mod P in both bases; ValueError for an operand that the multiplier does not take."""
        return {"a": self.inner.encode({"x": case["a"], "y": 0})["x"]}

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The multiplier's reading; an error where that is 0 modulo P."""
        found = self.inner.read({"x": payload["a"], "y": payload["a"]})
        return None if found is None else reading_of(found.case["x"], self.p.modulus)

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """A draw of the multiplier's first operand; one in eight is 0 modulo P."""
        if one_in(rng, 8):
            return {"a": self.inner.encode({"x": self.p.modulus * rng.randrange(2), "y": 0})["x"]}
        return {"a": self.inner.draw(rng, case)["x"]}

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """The inverse modulo P."""
        if payload["error"]:
            return {"z": 0, "error": NOT_INVERTIBLE}
        return self.inner.decode(payload)

    def edges(self) -> dict[str, dict[str, int]]:
        """As those of the other inverters."""
        return InversionCodec(self.p).edges()

    def feedback(self) -> Sequence[tuple[str, str]]:
        """Results are operands again."""
        return [("z", "a")]
