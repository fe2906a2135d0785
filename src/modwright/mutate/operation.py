# SPDX-License-Identifier: Apache-2.0
"""Equivalence of a core and a mutant by one operation, from its admission to the cycle in which its result is stored.

Both are cut in front of the memories in which results wait, see `queue`. They are equivalent when `i.ready`,
`o.valid`, the enables of those memories and their addresses are the same in every cycle, and the words that they take,
too, where the enable is 1: then they hold the same words. `control` has the values that control, which no operand
reaches, can have in each cycle after an admission. One operation is a combinational circuit: all cycles
from its admission to that in which its result is stored, with control as constants where it has one value only. Earlier
contents of registers are arbitrary, and differ where the mutation can reach them; operands and handshakes of later
cycles are arbitrary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from random import Random

from ..base.disk import scratch
from ..contract import Payload
from ..contract.operands import Residues, Unpromised
from ..prove import abc
from .circuit import FALSE, TRUE, Circuit
from .control import Control, Window
from .graph import Graph
from .machine import TooManyError
from .netlist import Netlist
from .offered import OFFERED, Offered
from .twins import PAYLOAD, Design, Twins, literal_of

EXHAUSTIVE_BITS = 21
"""Most bits of inputs of which all values are enumerated."""
MOST_WORK = 1 << 35
"""Largest product of gates and values that is evaluated."""
SECONDS = 8
"""Seconds of a processor for a SAT solver."""
_MOST_ADMITTING = 1 << 10
"""Most states of control at an admission that are distinguished; of more, only their common values are used."""
_TRIED = 1 << 13
"""Number of random values that are tried first."""
_AT_ONCE = 1 << 29
"""Most bits that are in memory at once."""


class Operations:
    """The operations of a core and of the mutants of one design.

    Parameters
    ----------
    netlist : Netlist
        The design with all mutants, cut; see `schemata.merged` and `queue.cut`.
    i : Payload
        Payload of the operands.
    residues : sequence of Residues
    unpromised : sequence of Unpromised
        Payloads that are excluded, see `Offered`.
    """

    def __init__(
        self, netlist: Netlist, i: Payload, residues: Sequence[Residues] = (), unpromised: Sequence[Unpromised] = ()
    ) -> None:
        self.design = Design(netlist)
        self._contract = i, residues, unpromised

    @cached_property
    def _offered(self) -> Graph:
        """The graph of the payloads of the contract."""
        with scratch() as folder:
            abc.Bench.of(Offered(*self._contract)).graph(folder, [OFFERED])
            return Graph.read((folder / "bench.aig").read_bytes())

    def decide(self, number: int) -> str:
        """The statement that proves a mutant equivalent; empty when none is found."""
        if not self.design.controlled:
            return ""
        twins = Twins(self.design, number)
        control = Control(twins)
        if not twins.same(self.design.outside) or twins.tainted - control.needed:
            return ""
        try:
            windows = control.windows()
        except TooManyError:
            return ""
        found = [
            self._same(twins, control, window, queue)
            for window, queue in zip(windows, self.design.queues, strict=False)
        ]
        return max(found, key=len) if found and all(found) else ""

    def _same(self, twins: Twins[Design], control: Control, window: Window, queue: tuple[int, list[int]]) -> str:
        """Method by which a queue was shown to take the same word; empty when none did."""
        circuit, shows = self._unrolled(twins, control, window, queue)
        cycles = len(window.constants) - 1
        if shows == FALSE:
            return f"no result depends on it: an operation of {cycles} cycles, by what control can be in each"
        how = _never(circuit, shows)
        return how and f"no result differs after an operation of {cycles} cycles, {how}"

    def _unrolled(
        self, twins: Twins[Design], control: Control, window: Window, queue: tuple[int, list[int]]
    ) -> tuple[Circuit, int]:
        """The circuit of an operation, and the literal that is 1 where a word that a queue takes differs."""
        push, word = queue
        circuit, last = Circuit(), len(window.constants) - 1
        core, mutant = _before(circuit, twins, control, window)
        cycle = None
        for at, constants in enumerate(window.constants):
            for k in control.free:
                core[k] = mutant[k] = circuit.fresh()
            for (k, changed), value in constants.items():
                if not changed:
                    core[k] = value
                if changed or k not in twins.tainted:
                    mutant[k] = value
            cycle = twins.cycle(circuit, self._inputs(circuit, at == 0, at == last), core, mutant)
            following = twins.following(cycle)
            core, mutant = [a for a, _ in following], [b for _, b in following]
        assert cycle is not None
        wrong = (
            circuit.unequal(literal_of(cycle.core, literal), literal_of(cycle.mutant, literal)) for literal in word
        )
        return circuit, circuit.both(literal_of(cycle.core, push), circuit.any_of(wrong))

    def _inputs(self, circuit: Circuit, first: bool, last: bool) -> list[int]:
        """Inputs of a cycle of an operation: no reset before the last one, its operands in the first one."""
        payload = self._payload(circuit) if first else []
        known = {"clk": FALSE} | ({"i__valid": TRUE} if first else {}) | ({} if last else {"rst": FALSE})
        if first and last:
            known["rst"] = FALSE
        found = []
        for name in self.design.inputs:
            base, _, index = name.rstrip("]").partition("[")
            if base == PAYLOAD and payload:
                found.append(payload[int(index or 0)])
            else:
                found.append(known[name] if name in known else circuit.fresh())
        return found

    def _payload(self, circuit: Circuit) -> list[int]:
        graph = self._offered
        values, _ = circuit.frame(graph, circuit.several(graph.inputs))
        bits = {int(name.rstrip("]").partition("[")[2] or 0): literal for name, literal in graph.outputs.items()}
        return [literal_of(values, bits[k]) for k in range(len(bits))]


def _before(circuit: Circuit, twins: Twins[Design], control: Control, window: Window) -> tuple[list[int], list[int]]:
    """The latches in the cycle of an admission: free, equal where no mutation reaches, control at its possible
    values."""
    core = circuit.several(len(twins.design.control))
    mutant = [circuit.fresh() if k in twins.tainted else literal for k, literal in enumerate(core)]
    states = window.admitting
    if len(states) <= _MOST_ADMITTING:
        index = circuit.several((len(states) - 1).bit_length())
        rows = [*states, *[states[0]] * ((1 << len(index)) - len(states))]
        for (k, changed), column in zip(control.copies, zip(*rows, strict=True), strict=True):
            literal = circuit.chosen(index, "".join(column))
            if not changed:
                core[k] = literal
            if changed or k not in twins.tainted:
                mutant[k] = literal
    return core, mutant


def _never(circuit: Circuit, literal: int) -> str:
    """Method by which a literal was shown to be 0 for all inputs; empty when none did."""
    cone, inputs = circuit.cone([literal]), circuit.support([literal])
    rng = Random(len(cone))
    if circuit.evaluated_in(cone, [literal], {literal: rng.getrandbits(_TRIED) for literal in inputs}, _TRIED)[0]:
        return ""
    if len(inputs) <= EXHAUSTIVE_BITS and len(cone) << len(inputs) <= MOST_WORK:
        return "by all values" if _exhausted(circuit, cone, literal, inputs) else ""
    return "by SAT" if _unsatisfiable(circuit, literal) else ""


def _exhausted(circuit: Circuit, cone: Sequence[int], literal: int, inputs: Sequence[int]) -> bool:
    """Whether a literal is 0 for all values of its inputs."""
    together = min(len(inputs), max(6, (_AT_ONCE // len(cone)).bit_length() - 1))
    lanes, ones = 1 << together, (1 << (1 << together)) - 1
    values = {literal: ones // ((1 << (1 << k)) + 1) << (1 << k) for k, literal in enumerate(inputs[:together])}
    for number in range(1 << len(inputs) - together):
        values |= {literal: ones * (number >> k & 1) for k, literal in enumerate(inputs[together:])}
        if circuit.evaluated_in(cone, [literal], values, lanes)[0]:
            return False
    return True


def _unsatisfiable(circuit: Circuit, literal: int) -> bool:
    graph, _ = circuit.graph(literal)
    with scratch() as folder:
        (folder / "shows.aig").write_bytes(graph.written({}))
        log = abc.run_abc(folder, "read shows.aig; strash; iprove", SECONDS)
    return re.search(r"\bUNSATISFIABLE\b", log) is not None
