# SPDX-License-Identifier: Apache-2.0
"""Mutations that have an effect in a reset alone: a register that is not reset, or to another value.

From a state in which core and mutant are the same they stay the same until the next reset. So only the states between
a reset and the cycle in which the last difference is overwritten have to be looked at, however many others there are.
"""

from __future__ import annotations

from .circuit import FALSE, Circuit
from .twins import RESET, D, Twins, literal_of


def quiet(twins: Twins[D], watched: list[int]) -> set[int] | None:
    """Latches that are 0 for the mutation to have no effect without a reset; None where it has one all the same.

    They are among those that no input reaches but a reset, as one that says that a register was not written since a
    reset, and once they are 0 they stay so until the next one.

    Parameters
    ----------
    twins : Twins
    watched : list of int
        Literals of the graph that are compared.
    """
    circuit, design = Circuit(), twins.design
    inputs, latches = circuit.several(design.graph.inputs), circuit.several(len(design.graph.latches))
    inputs[design.inputs.index(RESET)] = FALSE
    zeros = set(design.alone)
    while True:
        state = [FALSE if k in zeros else literal for k, literal in enumerate(latches)]
        cycle = twins.cycle(circuit, inputs, state, state)
        following = twins.following(cycle)
        left = {k for k in zeros if following[k] == (FALSE, FALSE)}
        if left == zeros:
            break
        zeros = left
    pairs = [(literal_of(cycle.core, literal), literal_of(cycle.mutant, literal)) for literal in watched]
    pairs += [(cycle.core[variable], literal) for variable, literal in cycle.own.items()]
    return zeros if all(core == mutant for core, mutant in (*following, *pairs)) else None
