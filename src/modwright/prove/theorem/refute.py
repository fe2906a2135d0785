# SPDX-License-Identifier: Apache-2.0
"""Operands that fail: operations of a netlist in simulation, against the claim in plain integers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random

from .contract import Claim, Limit
from .netlist import Netlist
from .residues.claim import ResidueClaim
from .residues.polynomial_claim import PolynomialClaim
from .residues.refute import draw_residues, judge_residues
from .stretches import ACCEPTED, HANDSHAKES, READY, RESET, TAKEN, VALID, known_bit
from .ternary import Simulation, after_reset, gather

AnyClaim = Claim | ResidueClaim | PolynomialClaim
"""The claim of an operation: on numbers, on residues of one integer, or on those of coefficients."""
SECONDS = 6.0
"""CPU time of a search; a wrong carry shows in the first operations or hardly ever."""
OPERATIONS = 3
"""Operations after one reset, so that the state after one affects the next."""
NO_RESULT = "no result, or one with unknown bits"
"""The fault of a result that is late, or not known."""


def find_failure(
    netlist: Netlist, claim: AnyClaim, cycles: int, seconds: float = SECONDS
) -> tuple[dict[str, int], str]:
    """Search for operands whose result is wrong.

    Returns
    -------
    tuple of dict and str
        Operands of the operation, empty when none was found; and the fault.
    """
    rng = Random(1)
    if isinstance(claim, Claim):
        tries = draw(claim, operand_widths(netlist), rng)
        return first_failing(netlist, tries, partial(judge, claim), cycles, seconds)
    return first_failing(netlist, draw_residues(claim, rng), partial(judge_residues, claim), cycles, seconds)


def operand_widths(netlist: Netlist) -> dict[str, int]:
    """Bits of every operand."""
    inputs = netlist.inputs.items()
    return {name.removeprefix("i_"): netlist.widths[source] for name, source in inputs if name not in HANDSHAKES}


def first_failing(
    netlist: Netlist,
    tries: Iterator[dict[str, int]],
    fault: Callable[[Mapping[str, int], Mapping[str, int]], str],
    cycles: int,
    seconds: float = SECONDS,
) -> tuple[dict[str, int], str]:
    """Simulate operations until one fails.

    Parameters
    ----------
    netlist : Netlist
    tries : iterator of dict
        Operands, without end.
    fault : callable
        The fault of operands and their result; empty when there is none.
    cycles : int
        Latency; a result that takes some times longer is given up.
    seconds : float
        CPU time after which no more are simulated.

    Returns
    -------
    tuple of dict and str
        Operands of the operation, empty when none was found; and the fault.
    """
    end = time.process_time() + seconds
    while time.process_time() < end:
        given = [next(tries) for _ in range(OPERATIONS)]
        for operands, outcome in zip(given, run(netlist, given, 4 * cycles + 16), strict=False):
            wrong = NO_RESULT if outcome is None else fault(operands, outcome)
            if wrong:
                return operands, wrong
    return {}, ""


def run(netlist: Netlist, given: list[dict[str, int]], most: int) -> Iterator[dict[str, int] | None]:
    """Results of operations after a reset, each as soon as it is taken; None for one that is late or has unknown
    bits."""
    simulation = Simulation(netlist, after_reset(netlist, RESET))
    sent = silent = 0
    for _ in range(len(given)):
        silent = 0
        while silent < most:
            silent += 1
            inputs = {VALID: (int(sent < len(given)), 1), READY: (1, 1), RESET: (0, 1)}
            for name, value in given[min(sent, len(given) - 1)].items():
                inputs[f"i_{name}"] = value, (1 << netlist.widths[netlist.inputs[f"i_{name}"]]) - 1
            values = simulation.settle(inputs, {})
            found = None
            if known_bit(netlist.outputs[TAKEN], values):
                found = {name: gather(runs, values) for name, runs in netlist.outputs.items()}
            sent += int(sent < len(given) and known_bit(netlist.outputs[ACCEPTED], values) == 1)
            simulation.clock()
            if found:
                known = all(k == (1 << sum(n for *_, n in netlist.outputs[name])) - 1 for name, (_, k) in found.items())
                yield {name.removeprefix("o_"): v for name, (v, _) in found.items()} if known else None
                break
        else:
            yield None


def limit_of(limit: Limit, operands: Mapping[str, int]) -> int:
    """A limit as a number."""
    return limit.factor * operands[limit.of] if limit.of else limit.factor


def due(claim: Claim, operands: Mapping[str, int]) -> int:
    """The error code that operands should have."""
    m = operands[claim.modulus] if isinstance(claim.modulus, str) else claim.modulus
    for code, kind in claim.codes.items():
        bad = m % 2 == 0 or m < claim.least
        large = any(operands[name] >= limit_of(limit, operands) for name, limit in claim.operands.items())
        if bad if kind == "modulus" else large:
            return code
    return 0


def judge(claim: Claim, operands: Mapping[str, int], outcome: Mapping[str, int]) -> str:
    """The fault of a result; empty when there is none."""
    code, z = due(claim, operands), outcome[claim.result]
    if outcome[claim.error] != code:
        return f"error code {outcome[claim.error]} where {code} is due"
    for out, name in claim.repeated.items():
        if outcome[out] != operands[name]:
            return f"{out} = {outcome[out]:#x}"
    if code:
        return f"{claim.result} = {z:#x} with error code {code}" if z else ""
    m = operands[claim.modulus] if isinstance(claim.modulus, str) else claim.modulus
    total = 0
    for product in claim.terms:
        one = 1
        for name in product:
            one *= operands[name]
        total += one
    if ((z << claim.exponent) - total) % m:
        return f"{claim.result} = {z:#x}, which is not congruent"
    return f"{claim.result} = {z:#x}, not below its limit" if z >= limit_of(claim.limit, operands) else ""


def draw(claim: Claim, widths: Mapping[str, int], rng: Random) -> Iterator[dict[str, int]]:
    """Yield operands without end, edges first."""
    while True:
        found: dict[str, int] = {}
        m = claim.modulus
        if isinstance(m, str):
            n = widths[m]
            top = 1 << (n - 1)
            choices = ((1 << n) - 1, rng.getrandbits(n) | 1 | top, rng.getrandbits(n) | 1, top + 1, 3)
            found[m] = value = rng.choice(choices[: 3 if rng.random() < 0.8 else 5])
            if rng.random() < 0.04:
                found[m] = value = rng.choice((value & ~1, 1, 0, 2))
        else:
            value = m
        for relation in claim.relations:
            found[relation.field] = constant_of(relation.kind, relation.bits, value)
        for name, limit in claim.operands.items():
            most = max(1, limit_of(limit, found))
            x = rng.choice((most - 1, most - 1 - rng.getrandbits(8), rng.randrange(most), rng.randrange(most), 0, 1))
            if rng.random() < 0.04:
                x = rng.choice((most, most + 1, (1 << widths[name]) - 1))
            found[name] = max(0, min(x, (1 << widths[name]) - 1))
        yield found


def constant_of(kind: str, bits: int, m: int) -> int:
    """A constant next to a modulus; 0 where an even one has none."""
    if m % 2 == 0 or m < 2:
        return 0
    return -pow(m, -1, 1 << bits) % (1 << bits) if kind == "inverse" else pow(2, bits, m)
