# SPDX-License-Identifier: Apache-2.0
"""Operands of an exponentiation that fail in simulation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random

from ..netlist import Netlist
from ..refute import draw, due, first_failing, operand_widths
from .claim import PowerClaim

MOST_CYCLES = 1000
"""Cycles of an exponentiation up to which some are simulated: one takes a few seconds then."""


def find_failing_power(netlist: Netlist, claim: PowerClaim, cycles: int) -> tuple[dict[str, int], str]:
    """Search for operands whose result is wrong, and the fault; empty where none were found."""
    if cycles > MOST_CYCLES:
        return {}, ""
    rng = Random(1)
    bases = draw(claim.claim, operand_widths(netlist), rng)
    tries = (operands | {claim.exponent: rng.getrandbits(claim.bits)} for operands in bases)
    return first_failing(netlist, tries, partial(judge, claim), cycles)


def judge(claim: PowerClaim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    """The fault of a result; empty when there is none."""
    whole = claim.claim
    code, z = due(whole, operands), outcome[whole.result]
    m = operands[whole.modulus] if isinstance(whole.modulus, str) else whole.modulus
    expected = 0 if code else pow(operands[claim.base], operands[claim.exponent], m)
    if outcome[whole.error] != code:
        return f"error code {outcome[whole.error]} where {code} is due"
    return f"{whole.result} = {z:#x}, and not {expected:#x}" if z != expected else ""
