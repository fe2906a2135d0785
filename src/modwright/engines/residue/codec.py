# SPDX-License-Identifier: Apache-2.0
"""Codec of a residue multiplier, with or without converters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...contract import Codec
from ...contract.binary_io import BinaryCodec
from ...rns.codec import ResidueCodec
from .parameters import ConvertedParameters


def make_codec(p: Any, roots: Callable[[Any], Sequence[int] | None]) -> Codec:
    """The codec of a multiplier, with or without converters."""
    if not isinstance(p, ConvertedParameters):
        return ResidueCodec(p.base, p.modulus, p.bound, roots(p))
    if p.binary:
        return BinaryCodec(p)
    return ResidueCodec(p.base, p.modulus, p.inner.bound, result_bound=p.bound)
