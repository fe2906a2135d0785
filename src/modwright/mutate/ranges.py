# SPDX-License-Identifier: Apache-2.0
"""Ranges that the words of a core keep in every reachable state, and the mutations that change nothing inside them.

Abstract interpretation of the netlist over intervals (P. Cousot, R. Cousot: Abstract Interpretation, POPL 1977): from
the initial state on, registers are joined with their next values until nothing grows; ends that keep growing are
moved out to powers of two. A mutation that changes no word for any values in these ranges leaves the mutant in the
state of the core, cycle by cycle.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from ..base.disk import scratch
from ..base.json import JsonMapping
from ..contract import Payload
from ..contract.operands import Residues
from ..rtl.verilog import run_yosys
from .intervals import Interval, fit, full, holds, join, of_cell, part, signed, unsigned, widened
from .mutations import Mutation, Rewire, insert, taken
from .netlist import Bit, Netlist

PAYLOAD_PORT = "i__payload"
_REGISTERS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
_CHOICES = ("$mux", "$pmux")
_EXACT, _GROWING = 4, 64
"""Rounds with exact growth, and rounds with growth to powers of two; then registers get the full interval."""
_NARROWING = 3
"""Rounds after the last growth, in which a register is narrowed to its next values, which still cover all it holds."""
_DEPTHS = (0, 2, 6)
"""Levels of cells before the changed one in successive queries; their inputs are free within their ranges."""
_SECONDS = 3

_QUESTION = """
read_json question.json
pmuxtree
sat -timeout {seconds} -prove shown 0
"""

Word = tuple[str, str, int]
"""A cell and its output; or "", a port and the number of its element."""


class Ranges:
    """The ranges of a core's words.

    Parameters
    ----------
    netlist : Netlist
    i : Payload
        Payload of the operands; its elements are below their bounds in every cycle, as in `miter`.
    residues : sequence of Residues
        Elements that are any representatives of residues, without bounds.
    """

    def __init__(self, netlist: Netlist, i: Payload, residues: Sequence[Residues] = ()) -> None:
        self._netlist = netlist
        self._words: dict[Word, list[Bit]] = {}
        self._at: dict[Bit, tuple[Word, int]] = {}
        self.intervals: dict[Word, Interval] = {}
        self._add_payload(i, {place[:2] for group in residues for place in group.places})
        for name, cell in netlist.cells.items():
            for port in _outputs(cell):
                self._add((name, port, 0), cell["connections"][port])
        self._solve()

    def _add(self, word: Word, bits: list[Bit]) -> None:
        self._words[word] = bits
        self.intervals[word] = full(len(bits))
        self._at |= {bit: (word, k) for k, bit in enumerate(bits)}

    def _add_payload(self, payload: Payload, free: Collection[tuple[str, int]]) -> None:
        bits = self._netlist.ports[PAYLOAD_PORT]["bits"]
        at = number = 0
        for field in payload.fields:
            for index in range(field.count):
                word = ("", PAYLOAD_PORT, number)
                self._add(word, bits[at : at + field.width])
                if (field.name, index) not in free:
                    self.intervals[word] = Interval(0, field.limit - 1)
                at, number = at + field.width, number + 1

    def _solve(self) -> None:
        registers = {name: cell for name, cell in self._netlist.cells.items() if cell["type"] in _REGISTERS}
        first = {name: self._constant(self._initial(cell)) for name, cell in registers.items()}
        self.intervals |= {(name, "Q", 0): value for name, value in first.items()}
        grown, rounds = True, 0
        while grown:
            grown, rounds = False, rounds + 1
            self._pass()
            for name, value in {name: self._next(cell) for name, cell in registers.items()}.items():
                word, width = (name, "Q", 0), len(registers[name]["connections"]["Q"])
                if not holds(self.intervals[word], value, width):
                    grown = True
                    value = join(self.intervals[word], value, width)
                    wide = value if rounds <= _EXACT else widened(value, width)
                    self.intervals[word] = wide if rounds <= _GROWING else full(width)
        for _ in range(_NARROWING):
            self._pass()
            values = {name: self._next(cell) for name, cell in registers.items()}
            for name, value in values.items():
                width = len(registers[name]["connections"]["Q"])
                narrow = join(first[name], value, width)
                if holds(self.intervals[name, "Q", 0], narrow, width):
                    self.intervals[name, "Q", 0] = narrow
        self._pass()

    def _initial(self, cell: JsonMapping) -> list[Bit]:
        return [self._netlist.initial.get(bit, "x") for bit in cell["connections"]["Q"]]

    @staticmethod
    def _constant(bits: Sequence[Bit]) -> Interval:
        if set(bits) - {"0", "1"}:
            return full(len(bits))
        value = sum(1 << k for k, bit in enumerate(bits) if bit == "1")
        return Interval(value, value)

    def _next(self, cell: JsonMapping) -> Interval:
        """Range of a register in the next cycle."""
        connections = cell["connections"]
        width = len(connections["Q"])
        value = self._of(connections["D"])
        if "EN" in connections:
            value = join(value, self._of(connections["Q"]), width)
        if "SRST" in connections:
            value = join(value, self._constant(cell["parameters"]["SRST_VALUE"][::-1]), width)
        return value

    def _pass(self) -> None:
        for name in self._order:
            cell = self._netlist.cells[name]
            self.intervals[name, "Y", 0] = self._result(cell)

    @cached_property
    def _order(self) -> list[str]:
        """Cells without a state, each after what it reads; cells in loops of words are left out and have the full
        interval."""
        cells = {n: c for n, c in self._netlist.cells.items() if _outputs(c) == ["Y"]}
        left = {n: {s for s in self._sources(c) if s in cells} for n, c in cells.items()}
        found: list[str] = []
        while ready := [n for n, sources in left.items() if not sources & left.keys()]:
            found += ready
            for name in ready:
                del left[name]
        return found

    def _sources(self, cell: JsonMapping) -> Iterator[str]:
        """Cells that drive the inputs of a cell."""
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for bit in bits:
                    if bit in self._at:
                        yield self._at[bit][0][0]

    def _result(self, cell: JsonMapping) -> Interval:
        connections, parameters = cell["connections"], cell["parameters"]
        width = len(connections["Y"])
        if cell["type"] in _CHOICES:
            a, b = connections["A"], connections["B"]
            value = self._of(a)
            for k in range(0, len(b), width):
                value = join(value, self._of(b[k : k + width]), width)
            return value
        ports = [port for port in ("A", "B") if port in connections]
        read = signed if all(int(parameters.get(f"{port}_SIGNED", "0"), 2) for port in ports) else unsigned
        return of_cell(cell["type"], [read(self._of(connections[p]), len(connections[p])) for p in ports], width)

    def _of(self, bits: Sequence[Bit]) -> Interval:
        """The range of a word that consists of parts of others."""
        value, at = Interval(0, 0), 0
        while at < len(bits):
            if at and isinstance(bits[at], int) and set(bits[at - 1 :]) == {bits[at - 1]}:
                return fit(*signed(value, at), len(bits))  # the sign, extended
            size = self._run(bits, at)
            above = self._part(bits[at : at + size])
            low = unsigned(value, at)
            value = fit((above.low << at) + low.low, (above.high << at) + low.high, at + size)
            at += size
        return value

    def _run(self, bits: Sequence[Bit], at: int) -> int:
        """Number of bits from `at` on that are neighbours in one word."""
        if bits[at] not in self._at:
            return 1
        word, first = self._at[bits[at]]
        size = 1
        while at + size < len(bits) and self._at.get(bits[at + size]) == (word, first + size):
            size += 1
        return size

    def _part(self, bits: Sequence[Bit]) -> Interval:
        if bits[0] not in self._at:
            return self._constant(bits)
        word, first = self._at[bits[0]]
        return part(self.intervals[word], first, len(bits))

    def unchanged(self, mutation: Mutation) -> bool:
        """Whether a mutation is proved to change no word that is read; False when not decided."""
        if _in_a_state(self._netlist.cells[mutation.cell]) and not isinstance(mutation.edit, Rewire):
            return False
        return any(self._proved(mutation, depth) for depth in _DEPTHS)

    def _proved(self, mutation: Mutation, depth: int) -> bool:
        question = self._netlist.copy()
        near = self._near(mutation.cell, depth)
        question.cells = {name: question.cells[name] for name in near}
        question.ports = {}
        _free_unknown(question)
        shown = [_shown(question, mutation, self._netlist.used)]
        if _in_a_state(question.cells[mutation.cell]):
            del question.cells[mutation.cell]
        read = {b for c in question.cells.values() for bits in c["connections"].values() for b in bits}
        for word in dict.fromkeys(self._at[bit][0] for bit in sorted(read & self._at.keys(), key=str)):
            shown += self._wrong(question, word)
        bad = shown[0]
        for wrong in shown[1:]:
            bad = question.binary("$and", [bad], [question.inverted(wrong)], 1)[0]
        question.add_port("shown", "output", [bad])
        question.add_port("free", "input", _undriven(question))
        return _always_zero(question)

    def _near(self, name: str, depth: int) -> set[str]:
        """A cell and the combinational cells before it, to a depth."""
        found = reached = {name}
        for _ in range(depth):
            sources = {s for name in reached for s in self._sources(self._netlist.cells[name]) if s}
            reached = {s for s in sources - found if not _in_a_state(self._netlist.cells[s])}
            found = found | reached
        return found

    def _wrong(self, question: Netlist, word: Word) -> Iterator[Bit]:
        """Nets that are 1 where a word is out of its range."""
        bits, (low, high) = self._words[word], self.intervals[word]
        width = len(bits)
        if (low, high) == full(width):
            return
        moved = question.binary("$sub", bits, [str(low >> k & 1) for k in range(width)], width)
        yield question.binary("$gt", moved, [str(high - low >> k & 1) for k in range(width)], 1)[0]


def _outputs(cell: JsonMapping) -> list[str]:
    return [port for port, direction in cell["port_directions"].items() if direction == "output"]


def _in_a_state(cell: JsonMapping) -> bool:
    """Whether a cell is a register or a memory."""
    return _outputs(cell) != ["Y"]


def _free_unknown(question: Netlist) -> None:
    """Make undefined bits free inputs."""
    for cell in question.cells.values():
        for port, bits in cell["connections"].items():
            cell["connections"][port] = [question.fresh(1)[0] if bit == "x" else bit for bit in bits]


def _shown(question: Netlist, mutation: Mutation, used: Collection[Bit]) -> Bit:
    """A net that is 1 where the result of the mutated cell differs from that of the original."""
    cell = question.cells[mutation.cell]
    if _in_a_state(cell):
        assert isinstance(mutation.edit, Rewire)
        after, old = taken(question, cell["connections"][mutation.edit.port], mutation.edit)
        return question.binary("$ne", after, old, 1)[0]
    y = cell["connections"]["Y"]
    other = question.fresh(len(y))
    name = f"{mutation.cell}$changed"
    question.cells[name] = {**cell, "connections": {**cell["connections"], "Y": other}}
    insert(question, Mutation(name, "", "", "", "", mutation.edit), "1")
    read = [k for k, bit in enumerate(y) if bit in used]
    return question.binary("$ne", [y[k] for k in read], [other[k] for k in read], 1)[0]


def _undriven(question: Netlist) -> list[Bit]:
    driven: set[Bit] = set()
    read: set[Bit] = set(question.ports["shown"]["bits"])
    for cell in question.cells.values():
        for port, bits in cell["connections"].items():
            (driven if cell["port_directions"][port] == "output" else read).update(bits)
    return sorted(bit for bit in read - driven if isinstance(bit, int))


def _always_zero(question: Netlist) -> bool:
    """Whether the output `shown` is 0 for all inputs."""
    module = {"attributes": {"top": 1}, "ports": question.ports, "cells": question.cells, "netnames": {}}
    with scratch() as folder:
        text = json.dumps({"creator": "modwright", "modules": {question.top: module}})
        (folder / "question.json").write_text(text, encoding="utf-8")
        log = run_yosys(_QUESTION.format(seconds=_SECONDS), folder=folder)
    return "no model found: SUCCESS!" in log
