# SPDX-License-Identifier: Apache-2.0
"""Microcode of a program whose modulus changes: set-up modulo the order and modulo p, step, exit.

`to_field` and `to_order` are set in the last cycle in which the modulus is the other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....schedule import Schedule
from ..control import Names, length_of, machine_of
from ..dataflow import Graph
from ..machine import Machine, Placed
from ..parameters import FieldParameters
from ..phases import follow
from ..placement import Placer, by_height, place_loop
from ..program import Program, finish, place_exit, write_words
from ..words import Memory


@dataclass(frozen=True)
class JointProgram:
    """Formulas of the program, and the numbers in its control words.

    Parameters
    ----------
    names : Names
    memory : Memory
    setup : tuple of Graph
        Modulo the order; modulo p.
    step : Graph
    exit : tuple of Graph
        Modulo p; and modulo the order, where there is something to be computed.
    state : tuple of str
        Values that a step leaves to the next one, and to the exit.
    """

    names: Names
    memory: Memory
    setup: tuple[Graph, Graph]
    step: Graph
    exit: tuple[Graph, ...]
    state: tuple[str, ...]

    def place(self, p: FieldParameters, units: Mapping[str, Schedule], count: int) -> Program:
        """Place the graphs on the units, given by their schedules, and write the words; the step runs `count`
        times."""
        machine, step, memory = machine_of(p, units), self.step, self.memory
        setup = follow("set-up", [(graph, _alone(graph, machine)) for graph in self.setup])
        loop = place_loop(step, machine, tuple(step.by_name), {name: f"{name}'" for name in self.state}, ())
        first, *later = self.exit
        leaves = place_exit(step, first, machine, loop, self.state)
        exit_ = follow("exit", [(first, leaves), *((graph, _alone(graph, machine)) for graph in later)])
        words = memory.of_step(step, loop.placed, loop.period, self.state)
        parts = (
            memory.of_part(setup.graph, setup.placed),
            words,
            memory.of_part(exit_.graph, exit_.placed, words.tail()),
        )
        writers = write_words(self.names, p.kinds, parts, loop.period, length_of(setup.placed) + 1, settled=1)
        writers[0].set(setup.begins[1] - 1, to_field=1)
        for begin in exit_.begins[1:]:
            writers[2].set(begin - 1, to_order=1)
        return finish(writers, parts, count)


def _alone(graph: Graph, machine: Machine) -> Sequence[Placed]:
    return Placer(graph, machine).place_all(by_height(graph, machine))
