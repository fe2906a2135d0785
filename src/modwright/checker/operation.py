# SPDX-License-Identifier: Apache-2.0
"""One operation of a netlist, derived again from the Verilog: its words, with no more about control than the log
names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from .claims import LEAST_KEYS, Key, Log, Subject
from .netlist import UNKNOWN, Cell, RefusedError, Value, constant, cut, join, load, node, width
from .words import Named, Words

NOT_FIELDS = ("i_valid", "i_ready")
CELLS = Path(__file__).parents[1] / "rtl" / "cells"
"""Models of device cells; in the package of a core they are next to its Verilog."""


class Operation:
    """One log and the Verilog that it is about; `places` has the bit of the netlist, and the cycle, of each output
    bit."""

    def __init__(self, log: Log, path: Path) -> None:
        if not isinstance(log, dict) or any(key not in log for key in LEAST_KEYS):
            raise RefusedError("the log lacks a part")
        if hashlib.sha256(path.read_bytes()).hexdigest() != log["verilog"]:
            raise RefusedError("the log is about another Verilog")
        self.log = log
        self.subject = Subject(log["claim"])
        self.claim, self.of_residues = self.subject.claim, self.subject.residues
        models = sorted(CELLS.glob("*.v")) or sorted(path.parent.glob("MULT*.v"))
        self.module = load(path, log["top"], models)
        self.sizes = {name: len(port["bits"]) for name, port in self.module["ports"].items()}
        self.m = None if self.claim["modulus"].isidentifier() else int(self.claim["modulus"], 16)
        self.first: Words | None = None
        self.places: dict[int | str, tuple[int | str, int]] = {}

    def run(
        self,
        start: Mapping[str, Value],
        inputs: Mapping[Key, Value],
        forced: Mapping[tuple[str, int], Value],
        control: tuple[Words, Words] | None = None,
        named: Mapping[Named, int] | None = None,
        rests: Mapping[str, tuple[Value, int, int]] | None = None,
    ) -> Words:
        """Words of a run, with inputs given by name and cycle; other inputs are unknown."""

        def given(name: str, cycle: int) -> Value:
            value = inputs.get((name, cycle), inputs.get(name))
            return ((UNKNOWN, 0, self.sizes[name]),) if value is None else value

        found = Words(self.module, start, given, control, named, rests, self.first)
        self.first = self.first or found
        found.tables = self.subject.has_words
        found.known |= forced
        return found

    def unroll(self) -> None:
        """Unroll the operation; of control it knows what holds by itself, and the lemmas of the log."""
        self.begin()
        zero, one = ((None, 0, 1),), ((None, 1, 1),)
        alone = self.run(self.start, {"rst": zero, "o_ready": one, ("i_valid", 0): one, "i_valid": zero}, {})
        result = {*self.module["ports"]["o_" + self.claim["result"]]["bits"]}
        memories = [c for c in self.module["cells"].values() if c["type"] == "$mem_v2"]
        read = (c for c in memories if self.log["queue"] and result & {*c["connections"]["RD_DATA"]})
        queue = next(read, None)
        strobe = queue["connections"]["WR_EN"] if queue else self.module["ports"]["o_valid"]["bits"]
        if [constant(alone.at(strobe[:1], self.log["ready"] - back)) for back in (0, 1)] != [1, 0]:
            raise RefusedError("no result is valid in the cycle that the log states")
        self.places = {bit: (bit, self.log["ready"]) for name in self.written_fields() for bit in self.port(name)}
        if queue:
            self.put_into(queue, self.log["ready"])
        probes = {(cell, bit, cycle): value for cell, bit, cycle, value in self.log["probes"]}
        around = self.around(self.held(set(self.registers) - alone.tainted, probes), alone)
        self.check_interval(around)
        around = self.run({}, self.operands(), {}, (around, alone), probes, self.rests(around))
        self.resting(around)
        self.outputs = self.results(around)

    def begin(self) -> None:
        """Find registers, their values after reset, and words for the operands."""
        self.registers = {n: c["connections"]["D"] for n, c in self.module["cells"].items() if c["type"] == "$dff"}
        reset = self.run({}, {"rst": ((None, 1, 1),)}, {})
        self.start = {name: reset.at(bits, 0) for name, bits in self.registers.items()}
        names = [name for name in self.sizes if name[:2] == "i_" and name not in NOT_FIELDS]
        self.inputs = {field: node("input", bits, ((None, 0, 0),), field) for field, bits in self.words_of(names)}
        self.fields = {name[2:]: self.value_of(name) for name in names}

    def operands(self) -> dict[Key, Value]:
        """Inputs of an operation: its operands in cycle 0."""
        return {("i_" + name, 0): value for name, value in self.fields.items()} | {"rst": ((None, 0, 1),)}

    def around(self, start: Mapping[str, Value], alone: Words) -> Words:
        """Control around an input transfer in cycle 0, with all other handshakes unknown."""
        one = ((None, 1, 1),)
        name, low = alone.driver[self.port("ready", "i_")[0]]
        ready = {} if low or width(alone.out(name, 0)) > 1 else {(name, 0): one}
        return self.run(start, {"rst": ((None, 0, 1),), ("i_valid", 0): one}, ready)

    def check_interval(self, around: Words) -> None:
        """Check that no operation starts earlier after another than the log states."""
        if any(constant(around.at(self.port("ready", "i_"), k)) != 0 for k in range(1, self.log["interval"])):
            raise RefusedError("another operation may start earlier than the log states")

    def words_of(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Words of the operands, with their bits."""
        for name in names:
            bits, count = self.subject.operands.get(name[2:], (0, 0))
            if not count:
                yield name[2:], self.sizes[name]
            elif self.sizes[name] != bits * count:
                raise RefusedError(f"{name} has another width than the claim states")
            else:
                yield from ((f"{name[2:]}[{k}]", bits) for k in range(count))

    def value_of(self, name: str) -> Value:
        """An input port as words."""
        count = sum(field.startswith(f"{name[2:]}[") for field in self.inputs)
        words = [f"{name[2:]}[{k}]" for k in range(count)] or [name[2:]]
        return join(piece for word in words for piece in self.inputs[word])

    def held(self, registers: Iterable[str], probes: Mapping[tuple[str, int, int], int]) -> dict[str, Value]:
        """Values of registers at an input transfer for which the log has lemmas, which also hold at the first after
        reset."""
        cells = self.module["cells"]
        found: dict[str, Value] = {}
        for name in registers:
            bits = [probes.get((name, k, 0)) for k in range(len(cells[name]["connections"]["Q"]))]
            if any(bit not in (None, constant(cut(self.start[name], k, 1))) for k, bit in enumerate(bits)):
                raise RefusedError(f"{name} has another value after reset than the log states for every input transfer")
            found[name] = join((UNKNOWN, 0, 1) if bit is None else (None, bit, 1) for bit in bits)
        return found

    def rests(self, control: Words) -> dict[str, tuple[Value, int, int]]:
        """Registers that hold a number by the log, except in some cycles of an operation; cycles of two operations are
        disjoint."""
        found: dict[str, tuple[Value, int, int]] = {}
        for name, held, first, end, _ in self.log["rests"]:
            value = ((None, int(held, 16), width(self.start[name])),)
            if not 0 < first < end < first + self.log["interval"] or end > self.log["ready"] + 1:
                raise RefusedError(f"{name} does not rest long enough")
            if name not in control.tainted or self.start[name] != value:
                raise RefusedError(f"{name} has another value after reset than the log states")
            found[name] = value, first, end
        return found

    def resting(self, around: Words) -> None:
        """Check that the operation leaves the number in them, and that they hold it in all other cycles."""
        for name, held, _, end, bits in self.log["rests"]:
            d = self.module["cells"][name]["connections"]["D"]
            size = len(d)
            if around.at(d, end - 1) != ((None, int(held, 16), size),):
                raise RefusedError(f"{name} has another value after the operation than the log states")
            forced: dict[tuple[str, int], Value] = {}
            for cell in {cell for cell, _, _ in bits}:
                if cell in around.tainted:
                    raise RefusedError(f"{cell} is not control")
                known = {bit: value for other, bit, value in bits if other == cell}
                count = width(around.out(cell, 0))
                forced[cell, 0] = join((None, known[k], 1) if k in known else (UNKNOWN, 0, 1) for k in range(count))
            start = {name: ((None, int(held, 16), size),)}
            if self.run(start, {"rst": ((None, 0, 1),)}, forced).at(d, 0) != start[name]:
                raise RefusedError(f"{name} does not stay between operations")

    def written_fields(self) -> list[str]:
        """Fields of the result."""
        results = [*self.subject.results] or [self.claim["result"]]
        return [*results, self.claim["error"], *self.claim["repeated"]]

    def port(self, field: str, side: str = "o_") -> list[int | str]:
        """Bits of a port."""
        return self.module["ports"][side + field]["bits"]

    def put_into(self, queue: Cell, cycle: int) -> None:
        """Note for each output bit that a queue has where it comes from, and when."""
        ports = queue["connections"]
        written = dict(zip(ports["RD_DATA"], ports["WR_DATA"], strict=True))
        self.places |= {bit: (written[bit], cycle) for bit in self.places if bit in written}

    def results(self, words: Words) -> dict[str, Value]:
        """Fields of the result, as they are put into their queues."""
        found: dict[str, Value] = {}
        for field in self.written_fields():
            places = [self.places[bit] for bit in self.port(field)]
            parts = [(cycle, [bit for bit, _ in part]) for cycle, part in groupby(places, key=itemgetter(1))]
            found[field] = join(piece for cycle, bits in parts for piece in words.at(bits, cycle))
        return found
