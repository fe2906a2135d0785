# SPDX-License-Identifier: Apache-2.0
"""Operands of an inverter that fail in simulation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from math import gcd
from random import Random

from ..netlist import Netlist
from ..refute import OPERATIONS, SECONDS, run
from .claim import InversionClaim

SOME = 0.1
"""Share of operands that are out of range, or without inverse if there are such."""


def find_failing_inversion(
    netlist: Netlist, claim: InversionClaim, cycles: int, seconds: float = SECONDS
) -> tuple[dict[str, int], str]:
    """Search for an operand whose result is wrong, and the fault; empty where none was found."""
    end, width = time.process_time() + seconds, netlist.widths[netlist.inputs[f"i_{claim.operand}"]]
    tries = draw(claim, width, Random(1))
    while time.process_time() < end:
        given = [next(tries) for _ in range(OPERATIONS)]
        for operands, outcome in zip(given, run(netlist, given, 4 * cycles + 16), strict=False):
            wrong = "no result, or one with unknown bits" if outcome is None else judge(claim, operands, outcome)
            if wrong:
                return operands, wrong
    return {}, ""


def draw(claim: InversionClaim, width: int, rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end."""
    m, most = claim.modulus, (1 << width) - 1
    factor = next((k for k in range(3, 1000, 2) if m % k == 0), m)
    while True:
        a = rng.choice((rng.randrange(m), m - 1 - rng.getrandbits(4) % m, rng.randrange(2 * m), rng.getrandbits(3)))
        if rng.random() < SOME:
            a = rng.choice((0, m, 2 * m - 1, 2 * m, most, rng.getrandbits(width), factor * rng.randrange(m // factor)))
        yield {claim.operand: min(a, most)}


def judge(claim: InversionClaim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    """The fault of a result; empty when there is none."""
    a, m = operands[claim.operand], claim.modulus
    code = claim.codes["operand"] if a >= claim.limit.factor else claim.codes["inverse"] if gcd(a, m) > 1 else 0
    z = 0 if code else pow(a, -1, m)
    if outcome[claim.error] != code:
        return f"error code {outcome[claim.error]} where {code} is due"
    return f"{claim.result} = {outcome[claim.result]:#x}, and not {z:#x}" if outcome[claim.result] != z else ""
