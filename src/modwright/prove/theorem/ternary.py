# SPDX-License-Identifier: Apache-2.0
"""Three-valued simulation of a netlist: a bit is 0, 1 or unknown; a known bit is right for all values of the unknown
ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .netlist import CONSTANT, MEMORY, Cell, Netlist, Runs, UnsupportedError, Word


def ones(width: int) -> int:
    """The word whose bits are all 1."""
    return (1 << width) - 1


def gather(runs: Runs, values: Sequence[Word]) -> Word:
    """The word at a port."""
    value = known = at = 0
    for source, low, count in runs:
        if source >= 0:
            v, k = values[source]
            mask = ones(count)
            value |= (v >> low & mask) << at
            known |= (k >> low & mask) << at
        elif source == CONSTANT:
            value |= low << at
            known |= ones(count) << at
        at += count
    return value, known


def width_of(runs: Runs) -> int:
    """Bits of a port."""
    return sum(count for _, _, count in runs)


# --- cells


def extended(word: Word, width: int, to: int, *, signed: bool) -> Word:
    """An operand in more or fewer bits."""
    value, known = word
    if to > width:
        fill = ones(to) ^ ones(width)
        if not signed or not width:
            known |= fill
        elif known >> (width - 1) & 1:
            known |= fill
            value |= fill if value >> (width - 1) & 1 else 0
    return value & ones(to), known & ones(to)


def operands(cell: Cell, words: Mapping[str, Word]) -> tuple[Word, Word, int, bool]:
    """Operands at the width of the cell's operation, that width, and whether they are signed."""
    p = cell.parameters
    signed = bool(p["A_SIGNED"]) and bool(p.get("B_SIGNED", 1))
    width = p["Y_WIDTH"]
    if cell.kind in COMPARISONS:
        width = max(p["A_WIDTH"], p["B_WIDTH"])
    b = words.get("B", (0, 0))
    return (
        extended(words["A"], p["A_WIDTH"], width, signed=signed),
        extended(b, p.get("B_WIDTH", 1), width, signed=signed),
        width,
        signed,
    )


def number(value: int, width: int, *, signed: bool) -> int:
    """The integer of a word."""
    return value - (1 << width) if signed and value >> (width - 1) & 1 else value


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "$add": lambda a, b: a + b,
    "$sub": lambda a, b: a - b,
    "$mul": lambda a, b: a * b,
    "$neg": lambda a, _: -a,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "$lt": lambda a, b: a < b,
    "$le": lambda a, b: a <= b,
    "$gt": lambda a, b: a > b,
    "$ge": lambda a, b: a >= b,
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$eqx": lambda a, b: a == b,
    "$nex": lambda a, b: a != b,
}
BITWISE = ("$and", "$or", "$xor", "$xnor", "$not", "$pos")
REDUCTIONS = ("$reduce_or", "$reduce_bool", "$logic_not", "$reduce_and", "$reduce_xor")
LOGIC = ("$logic_and", "$logic_or")
SHIFTS = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")


def evaluate(cell: Cell, words: Mapping[str, Word]) -> Word:
    """The output of a combinational cell that is not a memory."""
    kind = cell.kind
    if kind in ("$mux", "$pmux"):
        return _multiplexer(cell, words)
    if kind in BITWISE:
        return _bitwise(kind, *operands(cell, words)[:3])
    if kind in ARITHMETIC:
        return _arithmetic(kind, *operands(cell, words)[:3])
    if kind in COMPARISONS:
        return _compare(kind, *operands(cell, words))
    if kind in REDUCTIONS:
        return _reduce(kind, words["A"], cell.parameters["A_WIDTH"])
    if kind in LOGIC:
        return _logic(cell, words)
    if kind in SHIFTS:
        return _shift(cell, words)
    raise UnsupportedError(f"a cell of type {kind}, {cell.name}, has no rule")


def _multiplexer(cell: Cell, words: Mapping[str, Word]) -> Word:
    width, (select, known) = cell.parameters["WIDTH"], words["S"]
    count = cell.parameters.get("S_WIDTH", 1)
    if known != ones(count):
        return common([words["A"], choice(words, width, 0)]) if count == 1 else (0, 0)
    if select & (select - 1):
        return 0, 0
    return choice(words, width, select.bit_length() - 1) if select else words["A"]


def choice(words: Mapping[str, Word], width: int, n: int) -> Word:
    """Input number n at port B of a multiplexer."""
    value, known = words["B"]
    return value >> (width * n) & ones(width), known >> (width * n) & ones(width)


def common(words: Sequence[Word]) -> Word:
    """Bits that are known and equal in all words."""
    value, known = words[0]
    for v, k in words[1:]:
        known &= k & ~(value ^ v)
    return value & known, known


def _bitwise(kind: str, left: Word, right: Word, width: int) -> Word:
    (a, ka), (b, kb) = left, right
    full = ones(width)
    if kind == "$and":
        known = ka & kb | ka & ~a | kb & ~b
        return a & b & known, known & full
    if kind == "$or":
        known = ka & kb | ka & a | kb & b
        return (a | b) & known, known & full
    if kind == "$xor":
        return (a ^ b) & ka & kb, ka & kb
    if kind == "$xnor":
        return ~(a ^ b) & ka & kb, ka & kb
    return (~a & ka if kind == "$not" else a), ka


def _arithmetic(kind: str, left: Word, right: Word, width: int) -> Word:
    (a, ka), (b, kb) = left, right
    if kind == "$neg":
        kb = ones(width)
    if kind == "$mul" and ((a == 0 and ka == ones(width)) or (b == 0 and kb == ones(width))):
        return 0, ones(width)
    unknown = ~(ka & kb) & ones(width)
    known = ones(width) if not unknown else (unknown & -unknown) - 1  # bits below the first unknown one are exact
    return ARITHMETIC[kind](a, b) & known, known


def _compare(kind: str, left: Word, right: Word, width: int, signed: bool) -> Word:
    (a, ka), (b, kb) = left, right
    if ka == kb == ones(width):
        return int(COMPARISONS[kind](number(a, width, signed=signed), number(b, width, signed=signed))), 1
    if kind in ("$eq", "$ne", "$eqx", "$nex") and (a ^ b) & ka & kb:
        return int(kind in ("$ne", "$nex")), 1
    return 0, 0


def _reduce(kind: str, a: Word, width: int) -> Word:
    value, known = a
    if kind == "$reduce_xor":
        return (value.bit_count() & 1, 1) if known == ones(width) else (0, 0)
    if kind == "$reduce_and":
        value = ~value & known
    hit, sure = (1, 1) if value else (0, int(known == ones(width)))
    return (hit ^ (kind in ("$logic_not", "$reduce_and"))) & sure, sure


def _logic(cell: Cell, words: Mapping[str, Word]) -> Word:
    a = _reduce("$reduce_or", words["A"], cell.parameters["A_WIDTH"])
    b = _reduce("$reduce_or", words["B"], cell.parameters["B_WIDTH"])
    return _bitwise("$and" if cell.kind == "$logic_and" else "$or", a, b, 1)


def _shift(cell: Cell, words: Mapping[str, Word]) -> Word:
    p, (by, known) = cell.parameters, words["B"]
    width = p["Y_WIDTH"]
    if known != ones(p["B_WIDTH"]):
        return 0, 0
    by = number(by, p["B_WIDTH"], signed=bool(p["B_SIGNED"]))
    left = by if cell.kind in ("$shl", "$sshl") else -by
    signed = bool(p["A_SIGNED"])
    value, known = extended(words["A"], p["A_WIDTH"], max(p["A_WIDTH"], width), signed=signed)
    size = max(p["A_WIDTH"], width)
    if left >= 0:
        return value << left & ones(width), (known << left | ones(left)) & ones(width)
    value, known = extended((value, known), size, size - left, signed=signed and cell.kind == "$sshr")
    return value >> -left & ones(width), known >> -left & ones(width)


# --- one cycle


class Simulation:
    """Registers and memories of a netlist, stepped cycle by cycle.

    Parameters
    ----------
    netlist : Netlist
    start : mapping of int to Word
        Initial values of registers by their sources; others, and memories that are written, hold unknown words.
    """

    def __init__(self, netlist: Netlist, start: Mapping[int, Word]) -> None:
        self.netlist = netlist
        self.values: list[Word] = [(0, 0)] * len(netlist.widths)
        for cell in netlist.registers:
            self.values[cell.out] = start.get(cell.out, (0, 0))
        self.contents: dict[int, Sequence[Word]] = {c.out: c.contents for c in netlist.logic if c.kind == MEMORY}
        self.contents |= {c.out: [(0, 0)] * c.parameters["SIZE"] for c in netlist.memories}

    def settle(self, inputs: Mapping[str, Word], forced: Mapping[int, Word]) -> list[Word]:
        """Every source in this cycle, with inputs by name; the known bits of `forced` replace those of their
        sources."""
        values = self.values
        for name, source in self.netlist.inputs.items():
            values[source] = inputs.get(name, (0, 0))
        for source, bits in forced.items():
            values[source] = _given(values[source], bits)
        for cell in self.netlist.logic:
            words = {port: gather(runs, values) for port, runs in cell.ports.items() if not _is_write(cell, port)}
            found = self._read(cell, words) if cell.kind == MEMORY else evaluate(cell, words)
            values[cell.out] = _given(found, forced[cell.out]) if cell.out in forced else found
        return values

    def clock(self) -> None:
        """Registers and memories take their next values."""
        before = self.values
        after = list(before)
        for cell in self.netlist.registers:
            after[cell.out] = gather(cell.ports["D"], before)
        for cell in self.netlist.memories:
            self.contents[cell.out] = self._write(cell, before)
        self.values = after

    def _read(self, cell: Cell, words: Mapping[str, Word]) -> Word:
        p, contents = cell.parameters, self.contents[cell.out]
        bits, value, known = p["ABITS"], 0, 0
        for port in range(p["RD_PORTS"]):
            address, sure = (word >> (bits * port) & ones(bits) for word in words["RD_ADDR"])
            if sure == ones(bits):
                v, k = contents[address] if address < len(contents) else (0, 0)
            else:
                v, k = common(contents) if not cell.written else (0, 0)
            value, known = value | v << (p["WIDTH"] * port), known | k << (p["WIDTH"] * port)
        return value, known

    def _write(self, cell: Cell, values: Sequence[Word]) -> Sequence[Word]:
        p, contents = cell.parameters, list(self.contents[cell.out])
        bits, width = p["ABITS"], p["WIDTH"]
        ports = [gather(cell.ports[name], values) for name in ("WR_ADDR", "WR_DATA", "WR_EN")]
        for port in range(p["WR_PORTS"]):
            (a, ka), (d, kd), (e, ke) = (
                (v >> (n * port) & ones(n), k >> (n * port) & ones(n))
                for (v, k), n in zip(ports, (bits, width, width), strict=True)
            )
            if ke == ones(width) and e == 0:
                continue
            for index, (v, k) in enumerate(contents):
                if (a ^ index) & ka:
                    continue
                mixed = _mixed((v, k), (d, kd), (e, ke))
                contents[index] = mixed if ka == ones(bits) else common([(v, k), mixed])
        return contents


def after_reset(netlist: Netlist, reset: str) -> dict[int, Word]:
    """Registers after one cycle of reset, whatever they held before."""
    simulation = Simulation(netlist, {})
    simulation.settle({reset: (1, 1)}, {})
    simulation.clock()
    return {cell.out: simulation.values[cell.out] for cell in netlist.registers}


def _given(word: Word, bits: Word) -> Word:
    """A word of which some bits are given from outside."""
    (v, k), (value, known) = word, bits
    return v & ~known | value, k | known


def _mixed(old: Word, new: Word, enable: Word) -> Word:
    """A word of a memory after a cycle in which its bits are written where `enable` is 1."""
    (v, k), (d, kd), (e, ke) = old, new, enable
    same = k & kd & ~(v ^ d)
    known = (ke & e & kd) | (ke & ~e & k) | same
    return (d & e & ke | v & ~(e & ke)) & known, known


def _is_write(cell: Cell, port: str) -> bool:
    return cell.kind == MEMORY and port != "RD_ADDR"
