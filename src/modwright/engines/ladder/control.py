# SPDX-License-Identifier: Apache-2.0
"""Control words of a program of field operations: one a cycle, from graphs placed in time.

Operands are read through one port: words by their numbers, and above them operands in the registers that they came
into. A bit of an address may be exchanged by a flag (`Names.flips`), so that no control word depends on the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...schedule import Schedule
from ..limb.operands import A_MINUS, B_MINUS, A, B, forward_code, limb_of
from ..limb.schedule import make_schedule
from .dataflow import BELOW, INVERSE, MARK, MULTIPLICATIONS, ONE, OUT, REDUCE, SUBTRACT, ZERO, Graph, Operand
from .machine import Machine, Placed, Read, Timing
from .parameters import FieldParameters

FROM_A, FROM_UNIT = 0, 1
"""First operand of the adder: its register, or 1 + the number of a multiplier."""
NOTHING, PLUS, MINUS, MODULUS = 0, 1, 2, 3
"""Second operand of the adder: 0, the read port, its negative, -m."""
LOAD, ITERATE, RESULT = 1, 2, 3
"""Control fields of the inversion."""


@dataclass(frozen=True)
class Names:
    """Numbers that the control words of a program use.

    Parameters
    ----------
    external : mapping of str to int
        Operands that are read where they came in, and their addresses.
    homes : mapping of str to int
        Words of the state that a loop carries from step to step.
    exchanged : int
        Words 0 to this one are pairs that a step exchanges; -1 where there are none.
    flips : tuple of str
        Sources that exchange bit 0 of an address: the first stands for none, "now" and "before" for what this step and
        the one before it exchange, the others are flags of the data.
    zeros : tuple of str
        Flags that are set from the read port; the first stands for none.
    ranges : mapping of str to int
        Operands that are compared with m, and the number of what follows.
    pairs : mapping of frozenset of str to int
        Even addresses of pairs of operands that are read by a flag.
    fresh : bool
        Words of the state are exchanged with those of the set-up by a flag of their own.
    quads : bool
        Operands may be one of four words by a number, which exchanges bits 0 and 1 of an address.
    """

    external: Mapping[str, int]
    homes: Mapping[str, int]
    exchanged: int
    flips: tuple[str, ...]
    zeros: tuple[str, ...]
    ranges: Mapping[str, int]
    pairs: Mapping[frozenset[str], int] = field(default_factory=dict[frozenset[str], int])
    fresh: bool = False
    quads: bool = False


def unit_schedules(p: FieldParameters) -> dict[str, Schedule]:
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


def machine_of(p: FieldParameters, units: Mapping[str, Schedule]) -> Machine:
    """Describe what the graphs are placed on, with the units' schedules by kind."""
    timings = {kind: timing_of(schedule, p.unit.s) for kind, schedule in units.items()}
    for kind in MULTIPLICATIONS[:2]:  # a square is a product where there is nothing better
        timings.setdefault(kind, timings[p.kinds[0]])
    return Machine(timings, p.macs, p.iterations, p.forwards, p.inverts_alone)


class Writer:
    """Writer of fields into words; no field has two values in one cycle."""

    def __init__(self, count: int, period: int = 0) -> None:
        self.words: list[dict[str, int]] = [{} for _ in range(count)]
        self.period = period

    def set(self, cycle: int, **fields: int) -> None:
        """Set fields in a cycle; those that are 0 stay out."""
        word = self.words[cycle % self.period if self.period else cycle]
        for name, value in fields.items():
            if value and word.setdefault(name, value) != value:
                raise ValueError(f"control field {name} has two values in cycle {cycle}")


@dataclass
class GraphWords:
    """One graph with its words, and how its control words are made: of a loop with its period, `shift` cycles late."""

    names: Names
    graph: Graph
    placed: Sequence[Placed]
    homes: Mapping[str, int]
    writer: Writer
    kinds: Sequence[str]
    period: int = 0
    shift: int = 0

    def write(self) -> None:
        """Put the fields of all operations into the words."""
        for placement in self.placed:
            self._operation(placement)

    def _tail(self, cycle: int) -> bool:
        return bool(self.period) and cycle >= self.period

    def _set(self, cycle: int, **fields: int) -> None:
        if cycle + self.shift >= 0:
            self.writer.set(cycle + self.shift, **fields)

    def _address(self, value: str) -> int:
        if value in self.names.external:
            return self.names.external[value]
        return self.homes[value] if value in self.homes else self.names.homes[value]

    def _exchange(self, address: int, cycle: int) -> int:
        """The flip for a word of the state, in a step."""
        if not self.period or address > self.names.exchanged:
            return 0
        return self.names.flips.index("before" if self._tail(cycle) else "now")

    def _fresh(self, value: str) -> int:
        return int(self.names.fresh and value in self.names.homes)

    def _read(self, placement: Placed) -> None:
        for read in placement.reads:
            operand = placement.operation.operands[read.index]
            made = {other.operation.name: other for other in self.placed}.get(operand.value)
            if made is not None and made.operation.makes_value and made.written == read.cycle and not operand.flag:
                self._set(read.cycle, forward=1)
            else:
                self._set(read.cycle, **self._read_fields(read, operand))

    def _read_fields(self, read: Read, operand: Operand) -> dict[str, int]:
        """Address of a word, and what exchanges its bits."""
        address, bank = self._address(operand.value), self._fresh(operand.value)
        if not operand.flag:
            fresh = bank if operand.value in self.graph.inputs else 0
            return {"read": address, "flip": self._exchange(address, read.cycle), "fresh": fresh}
        address = self.names.pairs.get(frozenset({operand.value, operand.other}), address)
        flag = "before" if operand.flag == "now" and self._tail(read.cycle) else operand.flag
        low = len(operand.values) - 1
        if address & low:
            raise ValueError(f"{operand} begins with word {address}, no multiple of {low + 1}")
        return {"read": address, "flip": self.names.flips.index(flag), "fresh": bank}

    def _result(self, placement: Placed) -> None:
        address = self.homes[placement.operation.name]
        self._set(
            placement.written,
            write=1,
            into=address,
            into_flip=self._exchange(address, placement.written),
            tail=int(self._tail(placement.written)),
        )

    def _operation(self, placement: Placed) -> None:
        kind = placement.operation.kind
        self._read(placement)
        if kind in MULTIPLICATIONS:
            self._multiplication(placement)
        elif kind == ZERO:
            self._set(
                placement.start,
                zero=self.names.zeros.index(placement.operation.name),
                tail_flag=int(self._tail(placement.start)),
            )
        elif kind in (MARK, OUT):
            self._set(placement.start, **{placement.operation.name: 1})
        elif kind == INVERSE:
            self._set(placement.start, inverse=LOAD)
            for cycle in placement.iterations[:-1]:
                self._set(cycle, inverse=ITERATE)
            self._set(placement.iterations[-1], inverse=RESULT)
            self._result(placement)
        else:
            self._sum(placement)

    def _sum(self, placement: Placed) -> None:
        kind = placement.operation.kind
        self._set(placement.start - 1, load_a=1, clear_a=int(kind == ONE))
        if kind == ONE:
            self._set(placement.start, one=1)
        elif kind in (REDUCE, BELOW):
            self._set(placement.start, second=MODULUS)
        else:
            self._set(placement.start, second=MINUS if kind == SUBTRACT else PLUS)
        if kind == BELOW:
            self._set(placement.written, range=self.names.ranges[placement.operation.operands[0].value])
        else:
            self._result(placement)

    def _multiplication(self, placement: Placed) -> None:
        unit, kind = placement.unit, placement.operation.kind
        number = self.kinds.index(kind) if kind in self.kinds else 0
        self._set(placement.start, **{f"start_{unit}": 1, f"kind_{unit}": number})
        for read in placement.reads:
            for bank in ("x", "y") if read.target == "xy" else (read.target,):
                self._set(read.cycle, **{f"load_{bank}_{unit}": 1})
        self._set(placement.written - 1, first=FROM_UNIT + unit, second=MODULUS)
        self._result(placement)


def length_of(placed: Iterable[Placed]) -> int:
    """Cycles of a graph that runs once."""
    return 1 + max(placement.last for placement in placed)
