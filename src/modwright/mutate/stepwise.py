# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by single cycles: from no state of the core does the mutant go another way.

Where core and mutant take the same next state and have the same outputs from each state that the core reaches, they
stay the same. A mutation may change words on the way to the registers, as long as nothing is left of it there. It is a
question about one machine, not about two next to each other, and mostly about few of its registers.
"""

from __future__ import annotations

from ..base.disk import scratch
from ..prove import abc
from .circuit import FALSE, TRUE, Circuit
from .graph import Graph
from .twins import Twins, Whole, literal_of

SECONDS = 4
"""Seconds of a processor that the search may take."""
_VALID, _RESULT = "o__valid", "o__payload"
_SHOWS = "shows"
_FILE = "step.aig"


def decide(design: Whole, number: int) -> str:
    """The statement that proves a mutant equivalent; empty when it was not.

    Parameters
    ----------
    design : Whole
        The design with all mutants, see `schemata.merged`; its inputs may have any values.
    number : int
        Number of the mutant.
    """
    graph = _step(Twins(design, number))
    if graph.outputs[_SHOWS] != FALSE and not _never(graph):
        return ""
    return "no register and no output takes another value in any reachable state"


def _step(twins: Twins[Whole]) -> Graph:
    """The core, with an output that is 1 where the mutant goes another way from the same state."""
    design, circuit = twins.design, Circuit()
    inputs = circuit.several(design.graph.inputs)
    state = circuit.several(len(design.graph.latches))
    cycle = twins.cycle(circuit, inputs, state, state)
    following = twins.following(cycle)
    (valid,) = design.outputs[_VALID]
    differs = [circuit.unequal(core, mutant) for core, mutant in following]
    for name, bits in design.outputs.items():
        counts = literal_of(cycle.core, valid) if name == _RESULT else TRUE
        for bit in bits:
            other = circuit.unequal(literal_of(cycle.core, bit), literal_of(cycle.mutant, bit))
            differs.append(circuit.both(counts, other))
    shows = circuit.any_of(differs)
    latches = zip((core for core, _ in following), (initial for _, initial in design.graph.latches), strict=True)
    gates = (circuit.gate(variable) for variable in range(1 + len(inputs) + len(state), circuit.size))
    ordered = tuple((max(gate), min(gate)) for gate in gates if gate is not None)
    return Graph(len(inputs), tuple(latches), {_SHOWS: shows}, ordered).cone(_SHOWS)


def _never(graph: Graph) -> bool:
    """Whether the output is 0 in every reachable state, by signal correspondence and property-directed reachability."""
    with scratch() as folder:
        (folder / _FILE).write_bytes(graph.written({}))
        commands = f"read {_FILE}; strash; scleanup; scorr -C 1000; write_aiger left.aig; pdr"
        log = abc.run_abc(folder, commands, SECONDS)
        return "Property proved" in log or bool(abc.never(folder / "left.aig", [_FILE]))
