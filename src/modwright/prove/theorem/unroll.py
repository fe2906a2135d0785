# SPDX-License-Identifier: Apache-2.0
"""One operation as a straight line of words, for any other activity of the core at the same time.

The operation is accepted in cycle 0. Control is known from two simulations. `around` starts from unknown registers,
with the other handshakes and operands unknown: a bit that is known in it is so in every run. `alone` starts after
reset, with no other operation. A control bit that only `alone` knows is assumed, and listed with its cycle to be
proved. Registers before cycle 0 and operands of other operations are unknown words; no result may contain them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from .lookups import absorbed, looked_up, rows_of, under
from .netlist import CONSTANT, MEMORY, REGISTER, UNKNOWN, Cell, Netlist, Run, Runs, UnsupportedError, part
from .pieces import Value, constant, number_of, reason_of, width_of
from .stretches import Resting, payload_inputs
from .tables import MOST_ADDRESS_BITS, added_by_columns, cases_of, constants_at, entry_of
from .ternary import BITWISE, COMPARISONS, Word, number, ones
from .words import Words

_DEPTH = 10**6
"""Depth of recursion; a word can come from as many cycles back as the operation has. Python's own stack is not used."""

_TABLES = {"$and": 0x8, "$or": 0xE, "$xor": 0x6, "$xnor": 0x9}


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Raise the limit of recursion for values that depend on all cycles before, and restore it afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Unrolled:
    """Values of sources in the cycles of an operation.

    Parameters
    ----------
    netlist : Netlist
    around : list of list of Word
        Every source in each cycle, see `around`.
    alone : list of list of Word
        Every source in each cycle of one operation after reset, see `alone`.
    held : bool
        Whether registers hold named words at the start instead of unknown ones.
    resting : mapping of int to Resting
        Registers that are assumed to hold a number between operations.
    start : mapping of int to Value
        Words of registers in cycle 0.
    words : Words or None
        Builder of the words; a new one without it.

    Attributes
    ----------
    rested : set of int
        Registers of `resting` that were read while they rest.
    assumed : dict
        Control bits that only `alone` knows: (source, bit, cycle) to 0 or 1; only those that were read.
    """

    def __init__(
        self,
        netlist: Netlist,
        around: Sequence[Sequence[Word]],
        alone: Sequence[Sequence[Word]],
        *,
        held: bool = False,
        resting: Mapping[int, Resting] | None = None,
        words_of: Mapping[str, int] | None = None,
        start: Mapping[int, Value] | None = None,
        words: Words | None = None,
    ) -> None:
        self.words_of, self._start = words_of or {}, start or {}
        self.resting, self.rested = resting or {}, set[int]()
        self.netlist, self.words, self.held = netlist, words or Words(), held
        self.alone, self.around = alone, around
        self.operands = payload_inputs(netlist)
        self.tainted = netlist.tainted(self.operands)
        self.assumed: dict[tuple[int, int, int], int] = {}
        self._values: dict[tuple[int, int], Value] = {}
        self._inputs = {source: name for name, source in netlist.inputs.items()}
        self._rows = added_by_columns(netlist)
        self._registers = {cell.out for cell in netlist.registers}

    def port(self, runs: Runs, cycle: int) -> Value:
        """The value at a port; the input ports carry the operation's operands in cycle 0 only."""
        with _deep_recursion():
            return self._port(runs, cycle)

    def _port(self, runs: Runs, cycle: int) -> Value:
        return self.words.join([piece for run in runs for piece in self._run(run, cycle)])

    def _run(self, run: Run, cycle: int) -> Value:
        source, low, bits = run
        if source == CONSTANT:
            return constant(low, bits)
        if source == UNKNOWN:
            return self.words.unknown("an undriven bit", bits)
        if source not in self.tainted:
            return self._control(source, low, bits, cycle)
        passed = self._passed(source, low, bits, cycle) if bits < self.netlist.widths[source] else None
        if passed is not None:
            return self._port(*passed)
        key = source, cycle
        if key not in self._values:
            self._values[key] = self._source(source, cycle)
        return self.words.slice(self._values[key], low, bits)

    def _passed(self, source: int, low: int, bits: int, cycle: int) -> tuple[Runs, int] | None:
        """Where some bits of a word come from, through a register or a choice that is known: the other bits of a shift
        register, and the control that they depend on, are not needed. None for anything else."""
        cell = self.netlist.drivers.get(source)
        if cell is None or (source, cycle) in self._values or source in self._rows:
            return None
        if self.around[cycle][source][1] == ones(self.netlist.widths[source]):
            return None
        if cell.kind == REGISTER and cycle and source not in self.resting:
            return part(cell.ports["D"], low, bits), cycle - 1
        if cell.kind == "$mux":
            select = number_of(self._port(cell.ports["S"], cycle))
            return None if select is None else (part(cell.ports["AB"[select]], low, bits), cycle)
        return None

    def input(self, name: str, width: int) -> Value:
        """The operand at an input port, in words of the operation."""
        bits = self.words_of.get(name, width)
        if width % bits or bits == width:
            return self.words.whole(self.words.node("input", width, name=name))
        count = width // bits
        return tuple((self.words.node("input", bits, name=f"{name}[{k}]"), 0, bits) for k in range(count))

    # --- control

    def _control(self, source: int, low: int, bits: int, cycle: int) -> Value:
        """Value of bits that no operand reaches."""
        (value, known), (other, sure) = self.around[cycle][source], self.alone[cycle][source]
        mask = ones(bits) << low
        if known & mask != mask:
            for k in range(low, low + bits):
                if not known >> k & 1 and sure >> k & 1:
                    self.assumed[source, k, cycle] = other >> k & 1
            value |= other & sure & ~known
            known |= sure
        if known & mask == mask:
            return constant(value >> low & ones(bits), bits)
        return self.words.unknown(f"{self.netlist.names[source]} is not known in cycle {cycle}", bits)

    # --- data

    def _source(self, source: int, cycle: int) -> Value:
        value, known = self.around[cycle][source]
        width = self.netlist.widths[source]
        if known == ones(width):
            if value or source not in self._rows:
                return constant(value, width)
            if source in self._registers:
                return self._held(source, value)
        if source in self._inputs:
            name = self._inputs[source]
            if cycle == 0:
                return self.input(name, width)
            return self.words.unknown(f"{name} of another operation, in cycle {cycle}", width)
        cell = self.netlist.drivers[source]
        if cell.kind == REGISTER:
            rest = self.resting.get(source)
            if rest is not None and not rest.first <= cycle < rest.end:
                self.rested.add(source)
                return self._held(source, rest.number)
            if cycle == 0:
                name = self.netlist.names[source]
                if source in self._start:
                    return self._start[source]
                if self.held:
                    return self.words.whole(self.words.node("input", width, name=name))
                return self.words.unknown(f"{name} from before the operation", width)
            value = self._port(cell.ports["D"], cycle - 1)
            return self._held(source, 0) if number_of(value) == 0 else value
        if cell.kind == MEMORY:
            return self._memory(cell, cycle)
        return self._logic(cell, cycle)

    def _held(self, source: int, value: int) -> Value:
        """The number that a register holds; a row of carry-save adders stays a word also where it is 0."""
        width = self.netlist.widths[source]
        if value or source not in self._rows:
            return constant(value, width)
        return self.words.whole(self.words.node("zero", width, table=source))

    def _logic(self, cell: Cell, cycle: int) -> Value:
        if cell.kind in ("$mux", "$pmux"):
            return self._multiplexer(cell, cycle)
        name = f"{self.netlist.names[cell.out]}@{cycle}"
        p, words = cell.parameters, self.words
        whole = absorbed(cell, self.tainted, lambda runs: number_of(self._port(runs, cycle)))
        if whole is not None:
            return constant(whole, p["Y_WIDTH"])
        a = self._port(cell.ports["A"], cycle)
        b = self._port(cell.ports["B"], cycle) if "B" in cell.ports else ()
        if cell.kind.startswith(("$reduce", "$logic")):
            return self._reduce(cell, a, b, name)
        if cell.kind.startswith("$sh") or cell.kind.startswith("$ssh"):
            return self._shift(cell, a, b, name)
        signed = bool(p["A_SIGNED"]) and bool(p.get("B_SIGNED", 1))
        width = max(p["A_WIDTH"], p["B_WIDTH"]) if cell.kind in COMPARISONS else p["Y_WIDTH"]
        a = words.extend(a, width, signed=signed)
        b = words.extend(b, width, signed=signed) if b else b
        if cell.kind in BITWISE:
            return words.invert(a, name) if cell.kind == "$not" else self._bitwise(cell.kind, a, b, name)
        if cell.kind in COMPARISONS:
            return self._compare(cell, a, b, signed, name)
        if cell.kind in ("$add", "$sub", "$mul", "$neg"):
            return words.arithmetic(cell.kind[1:], [a, b] if b else [a], name)
        raise UnsupportedError(f"a cell of type {cell.kind}, {cell.name}, has no rule")

    def _bitwise(self, kind: str, a: Value, b: Value, name: str) -> Value:
        return a if kind == "$pos" else self.words.bitwise(_TABLES[kind], [a, b], name)

    def _multiplexer(self, cell: Cell, cycle: int) -> Value:
        width, name = cell.parameters["WIDTH"], f"{self.netlist.names[cell.out]}@{cycle}"
        select = self._port(cell.ports["S"], cycle)
        bits = [self.words.slice(select, n, 1) for n in range(cell.parameters.get("S_WIDTH", 1))]
        known = [number_of(bit) for bit in bits]
        if known.count(1) > 1:
            return self.words.unknown(f"two inputs of the multiplexer {name} are chosen", width)
        if 1 in known:
            return self._choice(cell, known.index(1), cycle)
        if self.words_of and None in known:
            table = rows_of(self.netlist, cell, lambda n: self._choice(cell, n, cycle))
            if table is not None:
                return self.words.lookup(self._port(table[0], cycle), table[1], width, name)
        if cell.kind == "$mux" and known == [None]:
            zero, one = (self._port(self._under(cell, k, cycle), cycle) for k in (0, 1))
            return self.words.choose(select, zero, one, name)
        found = self._port(cell.ports["A"], cycle)
        possible = [n for n in range(len(bits)) if known[n] is None]
        if reason_of([found]) and len(possible) == len(bits):
            cases = cases_of(self.netlist, cell)
            if cases is not None:
                numbers = constants_at(cell, cases[1])
                if numbers is not None:
                    return entry_of(self.words, numbers, self._port(cases[0], cycle), width, name)
                found = self._choice(cell, possible.pop(), cycle)
        for n, bit in enumerate(bits):
            if n in possible:
                found = self.words.choose(bit, found, self._choice(cell, n, cycle), name)
        return found

    def _under(self, cell: Cell, k: int, cycle: int) -> Runs:
        """Input k of a multiplexer, or what passes through others to it where its bit is k."""
        of = cell.ports
        return under(self.netlist, of["AB"[k]], of["S"], k, lambda runs: number_of(self._port(runs, cycle)))

    def _choice(self, cell: Cell, n: int, cycle: int) -> Value:
        """Input number n at port B, only its runs are followed; port A for -1."""
        width = cell.parameters["WIDTH"]
        if n < 0:
            return self._port(cell.ports["A"], cycle)
        return self._port(part(cell.ports["B"], n * width, width), cycle)

    def _reduce(self, cell: Cell, a: Value, b: Value, name: str) -> Value:
        words, kind = self.words, cell.kind
        if kind in ("$reduce_or", "$reduce_bool"):
            return words.nonzero(a, name)
        if kind == "$logic_not":
            return words.invert(words.nonzero(a, name), name)
        if kind == "$reduce_and":
            return words.invert(words.nonzero(words.invert(a, name), name), name)
        if kind in ("$logic_and", "$logic_or"):
            table = 0x8 if kind == "$logic_and" else 0xE
            return words.bitwise(table, [words.nonzero(a, name), words.nonzero(b, name)], name)
        found = constant(0, 1)
        for k in range(width_of(a)):
            found = words.bitwise(0x6, [found, words.slice(a, k, 1)], name)
        return found

    def _compare(self, cell: Cell, a: Value, b: Value, signed: bool, name: str) -> Value:
        words, kind = self.words, cell.kind
        if kind in ("$eq", "$ne", "$eqx", "$nex"):
            equal = words.invert(words.nonzero(words.bitwise(0x6, [a, b], name), name), name)
            if number_of(a) is None and number_of(b) is None and width_of(a) > 1:
                equal = words.test("equal", [a, b], name)
            return equal if kind in ("$eq", "$eqx") else words.invert(equal, name)
        if kind in ("$gt", "$le"):
            a, b = b, a
        if signed and number_of(b) == 0:
            less = words.slice(a, width_of(a) - 1, 1)
        else:
            less = words.test("less", [a, b], name, signed=signed)
        return less if kind in ("$lt", "$gt") else words.invert(less, name)

    def _shift(self, cell: Cell, a: Value, b: Value, name: str) -> Value:
        p, words = cell.parameters, self.words
        by = number_of(b)
        if by is None:
            return words.unknown(f"the shift {name} is by an operand", p["Y_WIDTH"])
        by = number(by, p["B_WIDTH"], signed=bool(p["B_SIGNED"]))
        left = by if cell.kind in ("$shl", "$sshl") else -by
        signed = bool(p["A_SIGNED"])
        size = max(p["A_WIDTH"], p["Y_WIDTH"])
        a = words.extend(a, size, signed=signed)
        if left >= 0:
            return words.slice(words.join([*constant(0, left), *a]), 0, p["Y_WIDTH"])
        a = words.extend(a, size - left, signed=signed and cell.kind == "$sshr")
        return words.slice(a, -left, p["Y_WIDTH"])

    # --- memories

    def _memory(self, cell: Cell, cycle: int) -> Value:
        bits = cell.parameters["ABITS"]
        found: list[Value] = []
        for port in range(cell.parameters["RD_PORTS"]):
            address = self._port(part(cell.ports["RD_ADDR"], port * bits, bits), cycle)
            if self.words_of and number_of(address) is None and not cell.written:
                found.append(looked_up(self.words, address, cell, self.netlist.names[cell.out]))
            elif number_of(address) is None and not cell.written and bits <= MOST_ADDRESS_BITS:
                name = f"{self.netlist.names[cell.out]}@{cycle}"
                found.append(entry_of(self.words, cell.contents, address, cell.parameters["WIDTH"], name))
            else:
                found.append(self._word(cell, number_of(address), cycle))
        return self.words.join([piece for value in found for piece in value])

    def _word(self, cell: Cell, address: int | None, cycle: int) -> Value:
        """A word of a memory at the start of a cycle."""
        p, name = cell.parameters, self.netlist.names[cell.out]
        if address is None:
            return self.words.unknown(f"an address of {name} depends on operands, in cycle {cycle}", p["WIDTH"])
        if not cell.written:
            value, known = cell.contents[address] if address < len(cell.contents) else (0, 0)
            if known == ones(p["WIDTH"]):
                return constant(value, p["WIDTH"])
        for before in reversed(range(cycle if cell.written else 0)):
            for port in reversed(range(p["WR_PORTS"])):
                found = self._written(cell, port, address, before)
                if found is not None:
                    return found
        return self.words.unknown(f"word {address} of {name} from before the operation", p["WIDTH"])

    def _written(self, cell: Cell, port: int, address: int, cycle: int) -> Value | None:
        """The word that a port writes to an address; None when it surely writes nothing there."""
        width, bits = cell.parameters["WIDTH"], cell.parameters["ABITS"]
        enable = number_of(self._port(part(cell.ports["WR_EN"], port * width, width), cycle))
        if enable == 0:
            return None
        where = number_of(self._port(part(cell.ports["WR_ADDR"], port * bits, bits), cycle))
        if where is not None and where != address:
            return None
        if where is None or enable != ones(width):
            name = self.netlist.names[cell.out]
            return self.words.unknown(f"what is written to {name} in cycle {cycle} is not known", width)
        return self._port(part(cell.ports["WR_DATA"], port * width, width), cycle)
