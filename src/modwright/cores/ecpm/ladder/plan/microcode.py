# SPDX-License-Identifier: Apache-2.0
"""The microcode: one control word a cycle for set-up, ladder step and exit, from the graphs placed in time.

Words, by number: 0 to 5 the state (XQ, XR, YQ, YR, G, M), 8 to 13 the state that the set-up has left, 6, 7, 14, 15
and those of the others that hold nothing for the rest. From 16 on, operands in the registers that they came into.

A bit of an address may be exchanged by a flag (`FLIPS`): bit 0, so that two words are one by a flag of the data, or
bit 3, where the state is that of the set-up. So no control word depends on a scalar or a point.

What a step does after its period is in the first words of the next one, and in the first of the exit. In the first step
there is no step before it, and what is marked `tail` does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .....engines.ladder.dataflow import BELOW, INVERSE, MARK, MULTIPLICATIONS, ONE, OUT, REDUCE, SUBTRACT, ZERO, Graph
from .....engines.ladder.machine import Machine, Placed, Table, Timing
from .....engines.ladder.placement import Loop, Placer, by_height
from .....engines.limb.operands import A_MINUS, B_MINUS, A, B, forward_code, limb_of
from .....engines.limb.schedule import make_schedule
from .....schedule import Loop as WordLoop
from .....schedule import Microcode, Schedule
from ..parameters import EcpmParameters
from . import formulas
from .homes import HOMES, PAIRS
from .stored import stored_loop
from .words import words_of_exit, words_of_setup, words_of_step

EXTERNAL = {"x": 16, "y": 17, "a": 19, "b": 20, "r2": 21, formulas.BLIND: 22}
"""Operands; y is at 18 as well, so that it is one of a pair with x, and of one with a."""
Y_BESIDE_A = 18
FLIPS = ("", "now", "before", "x_zero", "mirror", "inv_sign", "direct", "negate")
"""Sources that exchange bit 0 of an address: none; the bit of this step or of the one before; a flag of the data."""
ZEROS = ("", "x_zero", "y_zero", "a_zero", "g0_zero", "h_zero", "g_zero", "on_curve", "blind_zero")
"""Flags that are set from the read port."""
POINT_RANGE, CURVE_RANGE = 1, 2
"""Operands that are compared with m: x or y, which do not count at infinity; another operand."""
FROM_A, FROM_UNIT = 0, 1
"""First operand of the adder: its register, or 1 + the number of a multiplier."""
NOTHING, PLUS, MINUS, MODULUS = 0, 1, 2, 3
"""Second operand of the adder: 0, the read port, its negative, -m."""
LOAD, ITERATE, RESULT = 1, 2, 3
"""Control fields of the inversion."""


def unit_schedules(p: EcpmParameters) -> dict[str, Schedule]:
    """Make the schedule of each kind of operation of the multipliers."""
    return {kind: make_schedule(p.unit, kind) for kind in p.kinds}


def timing_of(schedule: Schedule, s: int) -> Timing:
    """Read from the schedule of a unit of s limbs when it reads its operands."""
    read: dict[str, list[int]] = {}
    for cycle, word in enumerate(schedule.words):
        for port in (A, A_MINUS, B, B_MINUS):
            code = word.get(port, 0)
            if code and not (port == A and code == forward_code(s)):
                read.setdefault(limb_of(port, code, s).bank, []).append(cycle)
    banks = tuple((bank, min(read[bank]), max(read[bank])) for bank in ("x", "y", "x2", "y2") if bank in read)
    return Timing(schedule.interval, schedule.latency, banks)


def machine_of(p: EcpmParameters, units: Mapping[str, Schedule]) -> Machine:
    """Describe what the graphs are placed on, with the units' schedules by kind."""
    timings = {kind: timing_of(schedule, p.unit.s) for kind, schedule in units.items()}
    for kind in MULTIPLICATIONS[:2]:  # a square is a product where there is nothing better
        timings.setdefault(kind, timings[p.kinds[0]])
    return Machine(timings, p.macs, p.iterations, p.forwards)


@dataclass(frozen=True)
class LadderPlan:
    """Set-up, ladder step and exit, placed in time.

    Parameters
    ----------
    microcode : Microcode
        Words of the set-up, a step, and the exit, one after the other; the step is the loop.
    setup, step, exit : int
        Number of words of each.
    placed : mapping of str to tuple of Placed
        Operations of each, in time.
    homes : mapping of str to mapping of str to int
        Word of each value, by graph.
    step_words : int
        Most words in which a step holds something in the same cycle.
    """

    microcode: Microcode
    setup: int
    step: int
    exit: int
    placed: Mapping[str, tuple[Placed, ...]]
    homes: Mapping[str, Mapping[str, int]]
    step_words: int


# --- control words


class _Writer:
    """Puts fields into words; no field has two values in one cycle."""

    def __init__(self, count: int, period: int = 0) -> None:
        self.words: list[dict[str, int]] = [{} for _ in range(count)]
        self.period = period

    def set(self, cycle: int, **fields: int) -> None:
        """Fields that are 0 stay out."""
        word = self.words[cycle % self.period if self.period else cycle]
        for name, value in fields.items():
            if value and word.setdefault(name, value) != value:
                raise ValueError(f"control field {name} has two values in cycle {cycle}")


@dataclass
class _Part:
    """One graph with its words, and how its control words are made."""

    graph: Graph
    placed: Sequence[Placed]
    homes: Mapping[str, int]
    writer: _Writer
    kinds: Sequence[str]
    period: int = 0
    shift: int = 0  # cycles by which the words come later

    def write(self) -> None:
        for one in self.placed:
            self.operation(one)

    def _tail(self, cycle: int) -> bool:
        return bool(self.period) and cycle >= self.period

    def _set(self, cycle: int, **fields: int) -> None:
        if cycle + self.shift >= 0:
            self.writer.set(cycle + self.shift, **fields)

    def _address(self, value: str) -> int:
        if value in EXTERNAL:
            return EXTERNAL[value]
        return self.homes[value] if value in self.homes else HOMES[value]

    def _exchange(self, address: int, cycle: int) -> int:
        """The flip for a word of the state, in a step."""
        if not self.period or address > PAIRS[-1]:
            return 0
        return FLIPS.index("before" if self._tail(cycle) else "now")

    def read(self, one: Placed) -> None:
        for read in one.reads:
            operand = one.operation.operands[read.index]
            made = {other.operation.name: other for other in self.placed}.get(operand.value)
            if made is not None and made.operation.makes_value and made.written == read.cycle and not operand.flag:
                self._set(read.cycle, forward=1)
            elif operand.flag:
                address = self._address(operand.value)
                if {operand.value, operand.other} == {"y", "a"}:
                    address = Y_BESIDE_A
                bank = int(operand.value in HOMES)
                self._set(read.cycle, read=address & ~1, flip=FLIPS.index(operand.flag), fresh=bank)
                if address & 1:
                    raise ValueError(f"{operand} begins with an odd word")
            else:
                address = self._address(operand.value)
                self._set(
                    read.cycle,
                    read=address,
                    flip=self._exchange(address, read.cycle),
                    fresh=int(operand.value in HOMES and operand.value in self.graph.inputs),
                )

    def result(self, one: Placed) -> None:
        address = self.homes[one.operation.name]
        self._set(
            one.written,
            write=1,
            into=address,
            into_flip=self._exchange(address, one.written),
            tail=int(self._tail(one.written)),
        )

    def operation(self, one: Placed) -> None:
        kind = one.operation.kind
        self.read(one)
        if kind in MULTIPLICATIONS:
            self._multiplication(one)
        elif kind == ZERO:
            self._set(one.start, zero=ZEROS.index(one.operation.name), tail_flag=int(self._tail(one.start)))
        elif kind in (MARK, OUT):
            self._set(one.start, **{one.operation.name: 1})
        elif kind == INVERSE:
            self._set(one.start, inverse=LOAD)
            for cycle in one.iterations[:-1]:
                self._set(cycle, inverse=ITERATE)
            self._set(one.iterations[-1], inverse=RESULT)
            self.result(one)
        else:
            self._sum(one)

    def _sum(self, one: Placed) -> None:
        kind = one.operation.kind
        self._set(one.start - 1, load_a=1, clear_a=int(kind == ONE))
        if kind == ONE:
            self._set(one.start, one=1)
        elif kind in (REDUCE, BELOW):
            self._set(one.start, second=MODULUS)
        else:
            self._set(one.start, second=MINUS if kind == SUBTRACT else PLUS)
        if kind == BELOW:
            point = one.operation.operands[0].value in formulas.POINT
            self._set(one.written, range=POINT_RANGE if point else CURVE_RANGE)
        else:
            self.result(one)

    def _multiplication(self, one: Placed) -> None:
        unit, kind = one.unit, one.operation.kind
        number = self.kinds.index(kind) if kind in self.kinds else 0
        self._set(one.start, **{f"start_{unit}": 1, f"kind_{unit}": number})
        for read in one.reads:
            for bank in ("x", "y") if read.target == "xy" else (read.target,):
                self._set(read.cycle, **{f"load_{bank}_{unit}": 1})
        self._set(one.written - 1, first=FROM_UNIT + unit, second=MODULUS)
        self.result(one)


def make_plan(p: EcpmParameters, units: Mapping[str, Schedule]) -> LadderPlan:
    """Place the graphs on the units, given by their schedules, and write the words."""
    machine = machine_of(p, units)
    graphs = (formulas.setup(p.blinding), formulas.step(p.sums), formulas.exit_(p.sums))
    setup = Placer(graphs[0], machine).place_all(by_height(graphs[0], machine))
    loop = stored_loop(p, graphs[1], machine)
    placed_exit = _place_exit(graphs[1], graphs[2], machine, loop)
    words = (words_of_setup(graphs[0], setup), words_of_step(graphs[1], loop))
    tail: dict[int, int] = {}
    for value, word in words[1].homes.items():
        tail[word] = max(tail.get(word, -1), words[1].span(value)[1] - loop.period)
    exit_words = words_of_exit(graphs[2], placed_exit, tail)
    # the scalar is reduced while the set-up runs, a bit a cycle
    setup_cycles = max(_length(setup) + 1, p.order_bits + 1)
    exit_cycles = _length(placed_exit)
    writers = (_Writer(setup_cycles), _Writer(loop.period, loop.period), _Writer(exit_cycles))
    _Part(graphs[0], setup, words[0].homes, writers[0], p.kinds).write()
    _Part(graphs[1], loop.placed, words[1].homes, writers[1], p.kinds, loop.period).write()
    _Part(graphs[1], loop.placed, words[1].homes, writers[2], p.kinds, loop.period, -loop.period).write()
    _Part(graphs[2], placed_exit, exit_words.homes, writers[2], p.kinds).write()
    for cycle in range(p.order_bits):
        writers[0].set(cycle, reduce=1)
    writers[0].set(setup_cycles - 2, initial=1)
    writers[0].set(setup_cycles - 1, begin=1, first_step=1)
    writers[1].set(loop.period - 1, begin=1)
    writers[2].set(exit_cycles - 1, end=1)
    code = tuple(word for writer in writers for word in writer.words)
    steps = WordLoop(setup_cycles, loop.period, p.order_bits)
    # the result is taken before the next operation starts, in the cycle after the last word or later
    interval = len(code) + (p.order_bits - 1) * loop.period + 2
    return LadderPlan(
        Microcode(code, interval, steps),
        setup_cycles,
        loop.period,
        exit_cycles,
        {"set-up": setup, "step": loop.placed, "exit": placed_exit},
        {"set-up": words[0].homes, "step": words[1].homes, "exit": exit_words.homes},
        words[1].most(),
    )


def _length(placed: Iterable[Placed]) -> int:
    return 1 + max(max(one.written, one.start) for one in placed)


def _place_exit(step: Graph, graph: Graph, machine: Machine, loop: Loop) -> tuple[Placed, ...]:
    """The exit behind the last step's tail."""
    before = Placer(step, machine)
    for one in loop.placed:
        before.take(one)
    table = Table()
    for resource, cycles in before.table.taken.items():
        table.taken[resource] = {cycle - loop.period for cycle in cycles if cycle >= loop.period}
    made = {one.operation.name: one for one in loop.placed}
    ready = {name: max(0, made[f"{name}'"].readable - loop.period) for name in formulas.STATE}
    return Placer(graph, machine, ready=ready, table=table).place_all(by_height(graph, machine))
