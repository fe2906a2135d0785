# SPDX-License-Identifier: Apache-2.0
"""Operands of an inverter that fail in simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import gcd
from random import Random

from ..netlist import Netlist
from ..refute import SECONDS, first_failing
from .claim import FACTOR, InversionClaim

SOME = 0.1
"""Share of operands that are out of range, or without inverse if there are such."""


def find_failing_inversion(
    netlist: Netlist, claim: InversionClaim, cycles: int, seconds: float = SECONDS
) -> tuple[dict[str, int], str]:
    """Search for an operand whose result is wrong, and the fault; empty where none was found."""
    tries = draw(claim, netlist.widths[netlist.inputs[f"i_{claim.operand}"]], Random(1))
    return first_failing(netlist, tries, partial(judge, claim), cycles, seconds)


def draw(claim: InversionClaim, width: int, rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end."""
    most = (1 << width) - 1
    while True:
        m = claim.modulus if isinstance(claim.modulus, int) else _modulus(claim.bits, rng)
        a = rng.choice((rng.randrange(m), m - 1 - rng.getrandbits(4) % m, rng.randrange(2 * m), rng.getrandbits(3)))
        if rng.random() < SOME:
            factor = next((k for k in range(3, 1000, 2) if m % k == 0), m)
            multiple = factor * rng.randrange(m // factor)
            a = rng.choice((0, m, 2 * m - 1, 2 * m, most, rng.getrandbits(width), multiple))
        given = {} if isinstance(claim.modulus, int) else {claim.modulus: m}
        yield {claim.operand: min(a, most), **given}


def _modulus(bits: int, rng: Random) -> int:
    """A modulus, odd as a rule."""
    any_one = rng.getrandbits(bits)
    m = rng.choice(((1 << bits) - 1, any_one | 1, any_one | 1 | 1 << (bits - 1), 3))
    return max(1, any_one) if rng.random() < SOME else m


def judge(claim: InversionClaim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    """The fault of a result; empty when there is none."""
    a = operands[claim.operand]
    m = claim.modulus if isinstance(claim.modulus, int) else operands[claim.modulus]
    wrong = {"modulus": m % 2 == 0 or m < claim.least, "operand": a >= FACTOR * m, "inverse": gcd(a, m) > 1}
    code = next((claim.codes[kind] for kind, holds in wrong.items() if holds), 0)
    z = 0 if code else pow(a, -1, m)
    if outcome[claim.error] != code:
        return f"error code {outcome[claim.error]} where {code} is due"
    return f"{claim.result} = {outcome[claim.result]:#x}, and not {z:#x}" if outcome[claim.result] != z else ""
