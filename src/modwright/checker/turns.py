# SPDX-License-Identifier: Apache-2.0
"""Operations in turn: the words of one in each phase, and the queues in which they wait.

Registers that begin an operation in one of a few states, its phase, are found to go through these again, from reset on.
By the log, queues are put to and taken from in one cycle of each operation and in no other, so the word that is read is
the operation's own; that their addresses are counters of these events is derived again.
"""

from __future__ import annotations

from collections.abc import Mapping

from .netlist import UNKNOWN, RefusedError, Value, constant, cut, join
from .operation import Operation
from .words import Words, output_of

Event = tuple[str, int]
"""A cell, and a bit of its output."""
ZERO, ONE = ((None, 0, 1),), ((None, 1, 1),)


class Turns(Operation):
    """One log and the Verilog that it is about, of operations in turn or of any other."""

    def unroll(self) -> None:
        """Unroll an operation of each phase, with the lemmas of the log on control and queues."""
        if "phases" not in self.log:
            super().unroll()
            return
        self.begin()
        self.places = {bit: (bit, self.log["ready"]) for field in self.written_fields() for bit in self.port(field)}
        queues = [(self.module["cells"][name], put, taken) for name, put, taken, *_ in self.log["queues"]]
        for queue, put, taken in queues:
            if taken is None:
                self.put_into(queue, put)
        outputs = {bit for field in self.written_fields() for bit in self.port(field)} - {"0", "1"}
        waiting = [put for _, put, taken in queues if taken is None]
        if outputs & {bit for bit in self.places if self.places[bit][0] == bit} or max(waiting) != self.log["ready"]:
            raise RefusedError("results do not wait in queues that are put to in the cycle that the log states")
        self.events: dict[str, list[Event]] = {
            name: [(cell, bit) for cell, bit in events] for name, _, _, *events in self.log["queues"]
        }
        self.rooms = {name: self.room_of(name, events) for name, events in self.events.items()}
        states = [{name: int(number, 16) for name, number in state} for state in self.log["phases"]]
        self.check_phases(states)
        found = [self.in_phase(phase, state) for phase, state in enumerate(states)]
        if any(outputs != found[0] for outputs in found):
            raise RefusedError("the words of an operation differ with its phase")
        self.outputs = found[0]

    def values(self, state: Mapping[str, int]) -> dict[str, Value]:
        """Numbers of registers as values."""
        return {name: ((None, number, len(self.registers[name])),) for name, number in state.items()}

    def next_of(self, start: Mapping[str, Value], forced: Mapping[Event, int]) -> Words:
        """A cycle from some registers on, with some bits given, and nothing else known but that there is no reset."""
        fixed: dict[tuple[str, int], Value] = {}
        for (cell, bit), value in forced.items():
            if self.first is None or cell in self.first.tainted:
                raise RefusedError(f"{cell} is not control")
            size = len(output_of(self.module["cells"][cell]))
            fixed[cell, 0] = join((None, value, 1) if k == bit else (UNKNOWN, 0, 1) for k in range(size))
        return self.run(start, {"rst": ZERO}, fixed)

    # --- phases

    def check_phases(self, states: list[dict[str, int]]) -> None:
        """Check that the first phase is that after reset, and that each leads to the next: in every cycle, or in input
        transfers and in no other cycle."""
        if not states or any(self.start[name] != value for name, value in self.values(states[0]).items()):
            raise RefusedError("the first phase is not that after reset")
        strobes = self.strobes() if self.log["counted"] else []
        for state, following in zip(states, [*states[1:], states[0]], strict=True):
            steps = [(following, 1), (state, 0)] if self.log["counted"] else [(following, 1)]
            for after, bit in steps:
                words = self.next_of(self.values(state), dict.fromkeys(strobes, bit))
                if any(words.at(self.registers[name], 0) != value for name, value in self.values(after).items()):
                    raise RefusedError("a phase does not lead to the next one")

    def strobes(self) -> list[Event]:
        """Conjunctions of both sides of the input handshake."""
        sides = [self.port("valid", "i_"), self.port("ready", "i_")]
        return [
            (name, 0)
            for name, cell in self.module["cells"].items()
            if cell["type"] in ("$and", "$logic_and")
            and [cell["connections"][port] for port in "AB"] in (sides, sides[::-1])
        ]

    def in_phase(self, phase: int, state: Mapping[str, int]) -> dict[str, Value]:
        """The result of an operation of a phase."""
        start = self.start | self.values(state)
        if not self.log["counted"] and phase:
            idle = self.run(self.start, {"rst": ZERO, "i_valid": ZERO, "o_ready": ZERO}, {})
            start = {name: idle.at(bits, phase - 1) for name, bits in self.registers.items()}
        alone = self.run(start, {"rst": ZERO, "o_ready": ZERO, ("i_valid", 0): ONE, "i_valid": ZERO}, {})
        around = self.around(self.values(state), alone)
        self.check_interval(around)
        held = {(cell, bit, cycle): value for cell, bit, cycle, of, value in self.log["held"] if of == phase}
        words = self.run({}, self.operands(), {}, (around, alone), held)
        for name, put, taken, *_ in self.log["queues"]:
            self.check_queue(alone, name, put, taken, self.events[name])
            words.queues[name] = put
        words.elsewhere = {
            (cell, port, place, at) for cell, port, place, at, of in self.log["elsewhere"] if of == phase
        }
        found = self.results(words)
        for name, cycles in words.reads.items():
            self.check_reads(name, cycles)
        return found

    # --- queues

    def check_queue(self, alone: Words, name: str, put: int, taken: int | None, events: list[Event]) -> None:
        """Check that an operation puts a word and takes it in the cycles that the log states, and in no other."""
        for (cell, bit), cycle in zip(events, (put, taken), strict=True):
            ones = [at for at in range(self.log["ready"] + 2) if constant(cut(alone.out(cell, at), bit, 1)) != 0]
            if cell in alone.tainted or ones != ([] if cycle is None else [cycle]):
                raise RefusedError(f"{name} is not used in the cycles that the log states")

    def room_of(self, name: str, events: list[Event]) -> int:
        """Words that may wait in a memory whose addresses are counters of two bits, and which is written as the first
        one is 1, or in every cycle."""
        cell = self.module["cells"][name]
        ports, p = cell["connections"], cell["parameters"]
        if [int(p[key], 2) for key in ("WR_PORTS", "RD_PORTS")] != [1, 1]:
            raise RefusedError(f"{name} has more ports than a queue")
        (put, start), (taken, other) = (
            self.counted(ports[port], event) for port, event in zip(("WR_ADDR", "RD_ADDR"), events, strict=True)
        )
        size, enables = len(ports["WR_EN"]), ports["WR_EN"]
        written = [constant(self.next_of({}, {events[0]: bit}).at(enables, 0)) for bit in (0, 1)]
        full = (1 << size) - 1
        if (put, start) != (taken, other) or put > int(p["SIZE"], 2) or written not in ([0, full], [full, full]):
            raise RefusedError(f"{name} is not a queue")
        return put - (written[0] == full)

    def counted(self, bits: list[int | str], event: Event) -> tuple[int, int]:
        """Numbers that a register goes through, as a bit steps it, and the one after reset; from 0 on, one by one."""
        name = next((name for name, cell in self.module["cells"].items() if cell["connections"].get("Q") == bits), "")
        start = constant(self.start.get(name, ((UNKNOWN, 0, 1),)))
        for word in range(1 << len(bits)):
            held = {name: ((None, word, len(bits)),)}
            runs = (self.next_of(held, {event: bit}) for bit in (0, 1))
            same, after = (constant(run.at(self.registers[name], 0)) for run in runs)
            if same != word or after not in (word + 1, 0):
                break
            if after == 0 and start is not None and start <= word:
                return word + 1, start
        raise RefusedError(f"{name} is not a counter")

    def check_reads(self, name: str, cycles: set[int]) -> None:
        """Check that words are read while they are the first of their queue, and have not been written over."""
        _, put, taken, _, _ = next(queue for queue in self.log["queues"] if queue[0] == name)
        interval = self.log["interval"]
        if taken is None or any(not put < cycle <= taken < cycle + interval for cycle in cycles):
            raise RefusedError(f"{name} is read in a cycle in which its first word may be another")
        if (taken - put) // interval >= self.rooms[name]:
            raise RefusedError(f"words of {name} may be written over before they are read")
