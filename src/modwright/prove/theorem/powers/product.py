# SPDX-License-Identifier: Apache-2.0
"""The product of an exponentiation's multiplier, proved of its own netlist in each context in which it occurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from ..contract import Claim, Limit
from ..decide import Operation, UndecidedError, decide, limit_by_one
from ..netlist import Netlist
from ..pieces import Node
from ..resting import RestlessError, resting_of, rests_of
from ..stretches import ACCEPTED, TAKEN, Resting
from ..ternary import Word
from ..unroll import Unrolled
from .cycle import Cycle, joined_cycle

Limits = Mapping[str, Limit]
"""Limits of a product, by the operand that is 1."""


def prove_products(netlist: Netlist, claim: Claim, cycles: Sequence[Cycle]) -> list[Operation]:
    """Prove the claim of a product in all idle states: from what these have in common, or in each.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    joined = joined_cycle(netlist, cycles)
    if joined is not None:
        try:
            return [prove_product(netlist, claim, joined)]
        except UndecidedError:
            if len(cycles) == 1:
                raise
    return [prove_product(netlist, claim, cycle) for cycle in cycles]


def prove_stretches(netlist: Netlist, claim: Claim, stretches: Sequence[Sequence[Sequence[Word]]]) -> list[Operation]:
    """Prove the claim of a product in stretches of control, with the words of all other products unknown.

    Raises
    ------
    UndecidedError
        When it is not proved.
    """
    found = [_product(netlist, claim, rows, len(rows) - 1, {}) for rows in stretches]
    for operation in found:
        decide(claim, operation)
    return found


def limits_by_one(claim: Claim, operations: Sequence[Operation]) -> Limits:
    """Limits of a product of two operands that is proved, where one of them is 1."""
    (names,) = claim.terms
    limits = {name: [limit_by_one(claim, operation, name) for operation in operations] for name in names}
    return {name: max(found, key=attrgetter("factor")) for name, found in limits.items()}


def prove_product(netlist: Netlist, claim: Claim, cycle: Cycle) -> Operation:
    """Prove the claim of a product, for operands in the idle state and a result that is taken at once."""
    rows, done = cycle.rows, cycle.done
    resting = resting_of(netlist, rows, len(rows), done)
    while True:
        found = _product(netlist, claim, rows, done, resting)
        try:
            for rest in rests_of(found.unrolled):
                _check_rest(cycle, rest.first, rest.end, rest.bits)
        except RestlessError as error:
            resting = {source: rest for source, rest in resting.items() if source not in error.sources}
            continue
        decide(claim, found)
        return found


def _product(
    netlist: Netlist, claim: Claim, rows: Sequence[Sequence[Word]], done: int, resting: Mapping[int, Resting]
) -> Operation:
    """The words of a product, whose control is known in each cycle."""
    fields = {name: runs for name, runs in netlist.outputs.items() if name not in (ACCEPTED, TAKEN)}
    unrolled = Unrolled(netlist, rows, rows, resting=resting, words_of=claim.words)
    outputs = {name.removeprefix("o_"): unrolled.port(runs, done) for name, runs in fields.items()}
    inputs = {name.removeprefix("i_"): _whole(unrolled, name) for name in unrolled.operands}
    return Operation(unrolled, inputs, outputs)


def _whole(unrolled: Unrolled, name: str) -> Node:
    width = unrolled.netlist.widths[unrolled.netlist.inputs[name]]
    return unrolled.words.node("input", width, name=name)


def _check_rest(cycle: Cycle, first: int, end: int, bits: Sequence[tuple[int, int, int]]) -> None:
    """Check control in the cycles in which a register rests, the idle ones among them."""
    for place, row in enumerate(cycle.rows):
        for source, bit, value in bits:
            held, known = row[source]
            if not first - 1 <= place < end and (not known >> bit & 1 or held >> bit & 1 != value):
                raise UndecidedError("a register of the multiplier does not rest between products")
