# SPDX-License-Identifier: Apache-2.0
"""Words of one operation of a netlist: each output of a cell in each cycle, as pieces, evaluated on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .choices import entry
from .memories import Memories
from .netlist import (
    GATES,
    NODES,
    UNKNOWN,
    Cell,
    Module,
    Node,
    Piece,
    RefusedError,
    Value,
    constant,
    cut,
    gate,
    invert,
    is_gate,
    join,
    node,
    node_of,
    nonzero,
    repeat,
    unknown,
    width,
)
from .selections import agreed

EXACT: dict[str, Callable[[int, int], int]] = {
    "$add": lambda a, b: a + b,
    "$sub": lambda a, b: a - b,
    "$mul": lambda a, b: a * b,
    "$lt": lambda a, b: a < b,
    "$le": lambda a, b: a <= b,
    "$gt": lambda a, b: a > b,
    "$ge": lambda a, b: a >= b,
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
}

FACTORS = ("$mul", "$and", "$logic_and")
"""Cells whose result is 0 where one operand is."""
Named = tuple[str, int, int]
"""A cell, the place of a bit in its word, and a cycle."""
Part = tuple[str, int, int] | Piece
"""Bits of a cell's output or of a port: its name, the place in its word, and how many; or bits without a cell."""
SUMS: dict[int, tuple[Node, int, int]] = {}
"""Reference of a part of a sum in parts: the sum, the place of the part in it, and its bits there."""
SEEN: set[int] = set()
CYCLES: dict[int, int] = {}
"""The cycle of each product."""
MOST_NODES = 300
LEAST_ROW = 3
"""Most bits of a word that cannot be a row of adders."""


class Words(Memories):
    """Values by cell and cycle.

    `start` has the values of registers, by name, in cycle 0; `given` the value of an input port in a cycle. Values that
    depend on no operand come from the first run of `control`; bits that it does not know come from `named`, by cell,
    place and cycle, which must be those of the second run, the operation alone, and are unknown where they are not
    named. `rests` has registers that hold a value in all cycles but those from a first to before an end. `like` is
    another run of the module. With `tables`, words of constant tables are words also where operands reach the address.
    """

    def __init__(
        self,
        module: Module,
        start: Mapping[str, Value],
        given: Callable[[str, int], Value],
        control: tuple[Words, Words] | None = None,
        named: Mapping[Named, int] | None = None,
        rests: Mapping[str, tuple[Value, int, int]] | None = None,
        like: Words | None = None,
    ) -> None:
        self.module, self.start, self.given, self.control = module, start, given, control
        super().__init__(control)
        self.rests, self.named = rests or {}, named or {}
        self.known: dict[tuple[str, int], Value] = {}
        if like:
            self.driver, self.tainted, self.rows, self.parts = like.driver, like.tainted, like.rows, like.parts
            return
        self.parts: dict[tuple[int | str, ...], list[Part]] = {}
        self.driver: dict[object, tuple[str, int]] = {}
        for name, port in module["ports"].items():
            if port["direction"] == "input":
                self.driver |= {bit: (name, k) for k, bit in enumerate(port["bits"])}
        for name, cell in module["cells"].items():
            self.driver |= {bit: (name, k) for k, bit in enumerate(output_of(cell))}
        self.tainted, self.rows = self._tainted(), self._row_cells()

    def _tainted(self) -> set[str]:
        """Ports of operands, and cells that they reach."""
        users: dict[str | None, set[str]] = {}
        for name, cell in self.module["cells"].items():
            for port, bits in cell["connections"].items():
                for bit in bits if cell["port_directions"][port] == "input" else ():
                    users.setdefault(self.driver.get(bit, (None,))[0], set()).add(name)
        found = {n for n in self.module["ports"] if n.startswith("i_") and n not in ("i_valid", "i_ready")}
        queue = list(found)
        while queue:
            new = users.get(queue.pop(), set()) - found
            found |= new
            queue += new
        return found

    def _row_cells(self) -> set[str]:
        """Registers of words with a parity, and gates of them: they stay words also where they are 0."""
        cells = self.module["cells"]
        of: dict[str, set[str]] = {}
        for name, cell in cells.items():
            if cell["type"] in GATES and len(cell["connections"]["Y"]) > LEAST_ROW:
                bits = {*cell["connections"]["A"], *cell["connections"]["B"]}
                drivers = [self.driver[bit][0] for bit in bits if bit in self.driver]
                of[name] = {driver for driver in drivers if drivers.count(driver) > LEAST_ROW}
        found = {d for name, read in of.items() if cells[name]["type"] == "$xor" for d in read}
        found = {d for d in found if d in cells and cells[d]["type"] == "$dff"}
        while more := {name for name, read in of.items() if read & found} - found:
            found |= more
        return found

    def at(self, bits: Sequence[int | str], cycle: int) -> Value:
        """The value of some bits of the netlist in a cycle."""
        found: list[Piece] = []
        for name, low, n in self._segments(tuple(bits)):
            if not isinstance(name, str):
                found.append((name, low, n))
                continue
            passed = self._passed(name, low, n, cycle) if self.control else None
            found += cut(self.out(name, cycle), low, n) if passed is None else self.at(*passed)
        return join(found)

    def _segments(self, bits: tuple[int | str, ...]) -> list[Part]:
        """Longest parts of some bits."""
        if bits not in self.parts:
            self.parts[bits] = found = []
            k = 0
            while k < len(bits):
                if bits[k] not in self.driver:
                    found.append((None, int(bits[k]), 1) if bits[k] in ("0", "1") else (UNKNOWN, 0, 1))
                    k += 1
                    continue
                name, low = self.driver[bits[k]]
                n = 1
                while k + n < len(bits) and self.driver.get(bits[k + n]) == (name, low + n):
                    n += 1
                found.append((name, low, n))
                k += n
        return self.parts[bits]

    def _passed(self, name: str, low: int, n: int, cycle: int) -> tuple[Sequence[int | str], int] | None:
        """Where a part of a register or of a known choice comes from: nothing is needed of its other bits."""
        cell = self.module["cells"].get(name)
        if self.control is None or cell is None or name not in self.tainted or (name, cycle) in self.known:
            return None
        whole = n == len(output_of(cell)) or name in self.rows or name in self.rests
        if whole or constant(self.control[0].out(name, cycle)) is not None:
            return None
        ports = cell["connections"]
        if cell["type"] == "$dff" and cycle:
            return ports["D"][low : low + n], cycle - 1
        select = constant(self.at(ports["S"], cycle)) if cell["type"] == "$mux" else None
        return None if select is None else (ports["AB"[select]][low : low + n], cycle)

    def out(self, name: str, cycle: int) -> Value:
        """The output of a cell, or an input port."""
        if (name, cycle) not in self.known:
            value = self.control[0].out(name, cycle) if self.control else ()
            if self.control and name not in self.tainted:
                value = self._with_named(name, cycle, value) if unknown(value) else value
            elif not self.control or constant(value) is None or (constant(value) == 0 and name in self.rows):
                register = self.module["cells"].get(name, {"type": ""})["type"] == "$dff"
                keeps = bool(self.control) and register and constant(value) == 0
                value = value if keeps else self._out(name, cycle)
                if self.control and register and name in self.rows and constant(value) == 0:
                    value = node("zero", width(value), name)
            self.known[name, cycle] = value
        return self.known[name, cycle]

    def _with_named(self, name: str, cycle: int, value: Value) -> Value:
        """A word of control, whose bits that the first run does not know are those that are named, or unknown."""
        found = [cut(value, k, 1)[0] for k in range(width(value))]
        for k, bit in enumerate(found):
            number = self.named.get((name, k, cycle))
            if bit[0] is not UNKNOWN or number is None:
                continue
            if self.control and constant(cut(self.control[1].out(name, cycle), k, 1)) != number:
                raise RefusedError(f"bit {k} of {name} has another value in cycle {cycle} than the log states")
            found[k] = None, number, 1
        return join(found)

    def _out(self, name: str, cycle: int) -> Value:
        if name in self.module["ports"]:
            return self.given(name, cycle)
        cell = self.module["cells"][name]
        if cell["type"] == "$dff":
            value, first, end = self.rests.get(name, ((), 0, 0))
            if value and not first <= cycle < end:
                return value
            if cycle:
                return self.at(cell["connections"]["D"], cycle - 1)
            return self.start.get(name, ((UNKNOWN, 0, len(cell["connections"]["Q"])),))
        return self._logic(name, cycle, {k: int(v, 2) for k, v in cell["parameters"].items() if set(v) <= {"0", "1"}})

    def _logic(self, name: str, cycle: int, p: dict[str, int]) -> Value:
        cell = self.module["cells"][name]
        kind, ports = cell["type"], cell["connections"]
        if kind in ("$mux", "$pmux"):
            return self._mux(ports, cycle, p["WIDTH"])
        if kind == "$mem_v2":
            return self.memory(name, cycle, p)
        factors = [ports["A"], ports["B"]] if kind in (*FACTORS, "$or") else []
        factors.sort(key=lambda bits: not self.tainted.isdisjoint(self._drivers(bits)))
        absorbs = (1 << p["Y_WIDTH"]) - 1 if kind == "$or" else 0
        if any(constant(self.at(bits, cycle)) == absorbs for bits in factors):
            return ((None, absorbs, p["Y_WIDTH"]),)  # nothing is needed of the other operand
        a = self.at(ports["A"], cycle)
        b = self.at(ports["B"], cycle) if "B" in ports else ((None, 0, 1),)
        if kind in ("$reduce_or", "$reduce_bool", "$logic_not", "$reduce_and"):
            test = nonzero(invert(a) if kind == "$reduce_and" else a)
            return invert(test) if kind in ("$logic_not", "$reduce_and") else test
        if kind in ("$logic_and", "$logic_or"):
            return gate(kind.replace("logic_", ""), nonzero(a), nonzero(b))
        if kind in ("$shl", "$shr"):
            n = constant(b)
            if n is None:
                return ((UNKNOWN, 0, p["Y_WIDTH"]),)
            if kind == "$shl":
                return cut(join([(None, 0, n), *a, (None, 0, p["Y_WIDTH"])]), 0, p["Y_WIDTH"])
            return cut(join([*a, (None, 0, n + p["Y_WIDTH"])]), n, p["Y_WIDTH"])
        signed = p["A_SIGNED"] and p.get("B_SIGNED", 1)
        n = p["Y_WIDTH"] if kind in ("$add", "$sub", "$mul", *GATES, "$not") else max(p["A_WIDTH"], p["B_WIDTH"])
        a, b = (cut(join([*v, *_fill(v, n, signed)]), 0, n) for v in (a, b))
        if kind == "$not":
            return invert(a)
        if kind in GATES:
            return gate(kind, a, b)
        if kind not in EXACT:
            raise RefusedError(f"a cell of type {kind}")
        return self._exact(kind, a, b, n, signed, cycle)

    def _drivers(self, bits: Sequence[int | str]) -> set[str]:
        """Cells and ports that drive bits."""
        return {self.driver[bit][0] for bit in bits if bit in self.driver}

    def _exact(self, kind: str, a: Value, b: Value, n: int, signed: int, cycle: int) -> Value:
        compared = kind not in ("$add", "$sub", "$mul")
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            if signed and compared:
                x, y = (v - (1 << n) if v >> (n - 1) else v for v in (x, y))
            return ((None, EXACT[kind](x, y) % (1 << (1 if compared else n)), 1 if compared else n),)
        if kind in ("$eq", "$ne"):
            test = nonzero(gate("$xor", a, b))
            return invert(test) if kind == "$eq" else test
        if kind == "$mul" and 0 in (x, y):
            return ((None, 0, n),)
        if unknown(a) or unknown(b):
            return ((UNKNOWN, 0, 1 if compared else n),)
        if compared:
            if kind in ("$gt", "$le"):
                a, b = b, a
            less = cut(a, n - 1, 1) if signed and constant(b) == 0 else node("less", 1, a, b, signed)
            return less if kind in ("$lt", "$gt") else invert(less)
        if kind != "$mul" and y == 0:
            return a
        return self._sum(a, b, n, cycle) if kind == "$add" else self._node(kind, n, a, b, cycle)

    def _node(self, kind: str, n: int, a: Value, b: Value, cycle: int) -> Value:
        found = node(kind, n, a, b)
        CYCLES.setdefault(id(found[0][0]), cycle)
        return found

    def _sum(self, a: Value, b: Value, n: int, cycle: int) -> Value:
        """A sum; bits below it that only one operand has pass, and a constant 1 next to a bit makes it a carry."""
        if constant(a) == 0:
            return b
        for one, other in ((a, b), (b, a)):
            first = cut(one, 0, 1)
            if constant(first) == 0 and not is_gate(other[0]):
                return (
                    join([*cut(other, 0, 1), *self._sum(cut(a, 1, n - 1), cut(b, 1, n - 1), n - 1, cycle)])
                    if n > 1
                    else other
                )
            if constant(first) == 1 and other[0][2] == 1 and n > 1:
                high = self._sum(cut(a, 1, n - 1), cut(b, 1, n - 1), n - 1, cycle)
                carry = join([*cut(other, 0, 1), (None, 0, n - 2)])
                return join([*invert(cut(other, 0, 1)), *self._sum(high, carry, n - 1, cycle)])
        found = node("$add", n, a, b)
        if id(found[0][0]) not in SEEN:
            SEEN.add(id(found[0][0]))
            self._parts(node_of(found), cycle)
        return found

    def _parts(self, n: Node, cycle: int) -> None:
        """Where bits passed below a sum of products of one cycle: they and the sum are one number again."""
        for value in n[2]:
            part, low, _ = value[0]
            if part is None:
                continue
            total, at, bits = SUMS.get(id(part), (None, 0, 0))
            below = total[2][0][:-1] if total and at and bits == part[1] else ()
            below += cut(((part, 0, part[1]),), 0, low) if low else ()
            if below and _products(n):
                whole = (*below, (n, 0, n[1]))
                total, at = node_of(node("concat", width(whole), whole)), 0
                for inner, _, bits in whole:
                    if inner is not None:
                        SUMS[id(inner)] = total, at, bits
                    at += bits
                return

    def _mux(self, ports: dict[str, list[int | str]], cycle: int, n: int) -> Value:
        select = self.at(ports["S"], cycle)
        bits = [cut(select, k, 1) for k in range(width(select))]
        numbers = [constant(bit) for bit in bits]
        if numbers.count(1) > 1 or any(unknown(bit) for bit in bits):
            arms = [k for k, number in enumerate(numbers) if number != 0]
            values = [self.at(ports["B"][k * n : (k + 1) * n], cycle) for k in arms] if 1 not in numbers else []
            return agreed([self.at(ports["A"], cycle), *values], n) if values else ((UNKNOWN, 0, n),)
        if 1 in numbers:
            k = numbers.index(1)
            return self.at(ports["B"][k * n : (k + 1) * n], cycle)
        if self.tables and None in numbers and (found := self.row(ports, cycle, n)):
            return found
        if len(bits) == 1:
            ports = ports | {port: self.under(ports[port], ports["S"], k, cycle) for k, port in enumerate("AB")}
        value = self.at(ports["A"], cycle)
        subject, places = self.covered(ports["S"]) if unknown(value) and set(numbers) == {None} else ([], [])
        if places:
            inputs = [self.at(ports["B"][k * n : (k + 1) * n], cycle) for k in places]
            found = [constant(value) for value in inputs]
            if None not in found:
                return entry(self.at(subject, cycle), [number or 0 for number in found], n)
            value = inputs[places.index(len(bits) - 1)]
        for k, bit in enumerate(bits):
            if numbers[k] is None and not (places and k == len(bits) - 1):
                other = self.at(ports["B"][k * n : (k + 1) * n], cycle)
                if unknown(value) or unknown(other):
                    return ((UNKNOWN, 0, n),)
                value = value if value == other else node("mux", n, bit, value, other)
        return value


def forget() -> None:
    """Begin with no nodes, so that an answer depends on nothing that was checked before."""
    for known in (NODES, SUMS, SEEN, CYCLES):
        known.clear()


def _products(n: Node) -> bool:
    """Whether a sum consists only of products of one cycle."""
    found: set[int] = set()
    queue, cycles = [n], set[int]()
    while queue:
        for value in queue.pop()[2]:
            for inner, _, _ in value:
                if inner is None or id(inner) in found:
                    continue
                found.add(id(inner))
                if inner[0] == "$mul":
                    cycles.add(CYCLES[id(inner)])
                elif inner[0] in ("$add", "concat") and len(found) < MOST_NODES:
                    queue.append(inner)
                else:
                    return False
    return len(cycles) == 1


def output_of(cell: Cell) -> list[int | str]:
    """Bits that a cell drives."""
    return cell["connections"][{"$dff": "Q", "$mem_v2": "RD_DATA"}.get(cell["type"], "Y")]


def _fill(value: Value, n: int, signed: int) -> Value:
    more = n - width(value)
    return () if more <= 0 else repeat(cut(value, width(value) - 1, 1), more) if signed else ((None, 0, more),)
