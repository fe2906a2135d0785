# SPDX-License-Identifier: Apache-2.0
"""Operands of programs of field operations that follow from the modulus or from a curve that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...contract import Payload
from ...contract.roles import NegInverse, Power, constant
from .parameters import FieldParameters

SMALL_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
"""Fields over which any curve is drawn."""


def constants_of(p: FieldParameters, m: int) -> dict[str, int]:
    """Operands computed once from an odd modulus."""
    fields = Payload(p.constants_of_modulus)
    return {field.name: constant(role, m) for field, role in (*fields.having(NegInverse), *fields.having(Power))}


def defaults(names: Sequence[str], example: Sequence[int] | None, case: Mapping[str, int | None]) -> dict[str, int]:
    """The modulus and constants of the curve, its first numbers, where the modulus is the curve's or is not given."""
    if example is None or case.get("modulus", example[0]) != example[0]:
        return {}
    return dict(zip(names, example, strict=False))
