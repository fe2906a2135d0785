# SPDX-License-Identifier: Apache-2.0
"""Operands of an exponentiation that fail in simulation."""

from __future__ import annotations

import time
from random import Random

from ..netlist import Netlist
from ..refute import OPERATIONS, SECONDS, draw, due, run
from ..stretches import HANDSHAKES
from .claim import PowerClaim

MOST_CYCLES = 1000
"""Cycles of an exponentiation up to which some are simulated: one takes a few seconds then."""


def find_failing_power(netlist: Netlist, claim: PowerClaim, cycles: int) -> tuple[dict[str, int], str]:
    """Search for operands whose result is wrong, and the fault; empty where none were found."""
    rng, end, whole = Random(1), time.process_time() + SECONDS, claim.claim
    inputs = {name.removeprefix("i_"): source for name, source in netlist.inputs.items() if name not in HANDSHAKES}
    widths = {name: netlist.widths[source] for name, source in inputs.items()}
    tries = draw(whole, widths, rng)
    while cycles <= MOST_CYCLES and time.process_time() < end:
        given = [next(tries) | {claim.exponent: rng.getrandbits(claim.bits)} for _ in range(OPERATIONS)]
        for operands, outcome in zip(given, run(netlist, given, 4 * cycles + 16), strict=False):
            if outcome is None:
                return operands, "no result, or one with unknown bits"
            code, z = due(whole, operands), outcome[whole.result]
            m = operands[whole.modulus] if isinstance(whole.modulus, str) else whole.modulus
            expected = 0 if code else pow(operands[claim.base], operands[claim.exponent], m)
            if outcome[whole.error] != code:
                return operands, f"error code {outcome[whole.error]} where {code} is due"
            if z != expected:
                return operands, f"{whole.result} = {z:#x}, and not {expected:#x}"
    return {}, ""
