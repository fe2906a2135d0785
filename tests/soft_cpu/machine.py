# SPDX-License-Identifier: Apache-2.0
"""RV32I with M, an instruction at a time, with the cycles that picorv32 takes for each.

The instruction set is that of "The RISC-V Instruction Set Manual, Volume I", chapters RV32I and M. The costs are those
of the table "Cycles per Instruction Performance" in picorv32's README (YosysHQ/picorv32), dual-port registers, a memory
that answers in one cycle, shifts in two stages: `4 + shift // 4 + shift % 4`, which is its range of 4 to 14; MUL 40 and
MULH 72 cycles with ENABLE_MUL. Its table has no row for a division, a fence or a counter: a division is 40 cycles and
the others as many as an indirect jump, the dearest row. A load or store of the device waits for the bus in addition.
"""

from collections.abc import Callable
from typing import Protocol

MASK = 0xFFFFFFFF
RAM = 1 << 20
JUMP, ALU, SKIPPED, LOAD, STORE, TAKEN, INDIRECT = 3, 3, 3, 5, 5, 5, 6
MULTIPLY, MULTIPLY_HIGH, DIVIDE = 40, 72, 40
SHIFT = 4
CYCLE, CYCLE_HIGH = 0xC00, 0xC80
"""Numbers of the counters."""


class Bus(Protocol):
    """Device at an address of its own; each access returns the cycles that the CPU waits."""

    def load(self, offset: int, cycle: int) -> tuple[int, int]:
        """(word, cycles)"""
        ...

    def store(self, offset: int, value: int, cycle: int) -> int:
        """Cycles of the wait."""
        ...

    def fence(self) -> None:
        """Let what was stored arrive."""
        ...


class TrapError(Exception):
    """Error of a program: an instruction that is not there, an address without memory, or too many steps."""


Operation = Callable[[int, int], int]


def signed(value: int, bits: int = 32) -> int:
    """The number that `bits` bits stand for in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else value


class Machine:
    """A CPU with a megabyte of memory from address 0.

    Parameters
    ----------
    bus : Bus or None
        Device from `base` on.
    base : int
    multiplier : bool
        Whether it has M.
    """

    def __init__(self, bus: Bus | None = None, base: int = 0x40000000, *, multiplier: bool = True) -> None:
        self.memory = bytearray(RAM)
        self.x = [0] * 32
        self.pc = self.cycle = self.steps = 0
        self.bus, self.base, self.multiplier = bus, base, multiplier
        self._decoded: dict[int, Callable[[], None]] = {}

    # --- memory

    def word(self, address: int) -> int:
        """A word of the memory."""
        return int.from_bytes(self.memory[address : address + 4], "little")

    def put(self, address: int, *words: int) -> None:
        """Write words into the memory."""
        for number, word in enumerate(words):
            self.memory[address + 4 * number : address + 4 * number + 4] = word.to_bytes(4, "little")

    def _load(self, address: int, size: int) -> int:
        if address < RAM:
            if address % size:
                raise TrapError(f"load of {size} bytes at {address:#x}")
            return int.from_bytes(self.memory[address : address + size], "little")
        if self.bus is None or size != 4 or address % 4 or address < self.base:
            raise TrapError(f"load of {size} bytes at {address:#x}, pc {self.pc:#x}")
        value, wait = self.bus.load(address - self.base, self.cycle)
        self.cycle += wait
        return value

    def _store(self, address: int, size: int, value: int) -> None:
        if address < RAM:
            if address % size:
                raise TrapError(f"store of {size} bytes at {address:#x}")
            self.memory[address : address + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        elif self.bus is None or size != 4 or address % 4 or address < self.base:
            raise TrapError(f"store of {size} bytes at {address:#x}, pc {self.pc:#x}")
        else:
            self.cycle += self.bus.store(address - self.base, value, self.cycle)

    # --- instructions

    def run(self, start: int, steps: int = 10_000_000) -> None:
        """Run from an address to an EBREAK."""
        self.pc = start
        decoded = self._decoded
        for _ in range(steps):
            do = decoded.get(self.pc)
            if do is None:
                word = self.word(self.pc) if self.pc < RAM else 0
                if word == 0x00100073:  # ebreak
                    return
                do = decoded[self.pc] = self._decode(word)
            self.steps += 1
            do()
        raise TrapError(f"no end after {steps} instructions")

    def _decode(self, word: int) -> Callable[[], None]:
        """What an instruction does, with its fields taken apart."""
        opcode, rd, kind = word & 0x7F, word >> 7 & 31, word >> 12 & 7
        rs1, rs2, high = word >> 15 & 31, word >> 20 & 31, word >> 25
        immediate = signed(word >> 20, 12)
        match opcode:
            case 0x37:
                return self._constant(rd, word & 0xFFFFF000)
            case 0x17:
                return self._constant(rd, (self.pc + (word & 0xFFFFF000)) & MASK)
            case 0x6F:
                return self._jump(rd, _jump_offset(word))
            case 0x67 if kind == 0:
                return self._jump_register(rd, rs1, immediate)
            case 0x63 if kind in _BRANCHES:
                return self._branch(_BRANCHES[kind], rs1, rs2, _branch_offset(word))
            case 0x03 if kind in _LOADS:
                return self._loading(rd, rs1, immediate, *_LOADS[kind])
            case 0x23 if kind in (0, 1, 2):
                return self._storing(rs1, rs2, signed(high << 5 | rd, 12), 1 << kind)
            case 0x13 if kind in (1, 5) and (high == 0 or (kind, high) == (5, 0x20)):
                return self._shift_by(rd, rs1, rs2, _OPERATIONS[kind, high])
            case 0x13 if kind not in (1, 5):
                return self._with_immediate(rd, rs1, immediate & MASK, _OPERATIONS[kind, 0])
            case 0x33 if (kind, high) in _OPERATIONS:
                shifts = kind in (1, 5)
                return self._with_register(rd, rs1, rs2, _OPERATIONS[kind, high], shifts=shifts)
            case 0x33 if high == 1 and self.multiplier:
                cost = MULTIPLY if kind == 0 else MULTIPLY_HIGH if kind < 4 else DIVIDE
                return self._with_register(rd, rs1, rs2, _PRODUCTS[kind], cost)
            case 0x0F if kind == 0:
                return self._fence
            case 0x73 if kind == 2 and rs1 == 0 and word >> 20 in (CYCLE, CYCLE_HIGH):
                return self._counter(rd, 32 if word >> 20 == CYCLE_HIGH else 0)
            case _:
                raise TrapError(f"instruction {word:#010x} at {self.pc:#x}")

    def _next(self, rd: int, value: int, cost: int) -> None:
        if rd:
            self.x[rd] = value
        self.pc += 4
        self.cycle += cost

    def _constant(self, rd: int, value: int) -> Callable[[], None]:
        return lambda: self._next(rd, value, ALU)

    def _counter(self, rd: int, shift: int) -> Callable[[], None]:
        return lambda: self._next(rd, self.cycle >> shift & MASK, INDIRECT)

    def _fence(self) -> None:
        if self.bus is not None:
            self.bus.fence()
        self._next(0, 0, INDIRECT)

    def _jump(self, rd: int, offset: int) -> Callable[[], None]:
        def do() -> None:
            back = self.pc + 4
            self.pc = (self.pc + offset) & MASK
            self.cycle += JUMP
            if rd:
                self.x[rd] = back

        return do

    def _jump_register(self, rd: int, rs1: int, offset: int) -> Callable[[], None]:
        def do() -> None:
            back = self.pc + 4
            self.pc = (self.x[rs1] + offset) & 0xFFFFFFFE
            self.cycle += INDIRECT
            if rd:
                self.x[rd] = back

        return do

    def _branch(self, taken: Callable[[int, int], bool], rs1: int, rs2: int, offset: int) -> Callable[[], None]:
        def do() -> None:
            if taken(self.x[rs1], self.x[rs2]):
                self.pc = (self.pc + offset) & MASK
                self.cycle += TAKEN
            else:
                self.pc += 4
                self.cycle += SKIPPED

        return do

    def _loading(self, rd: int, rs1: int, offset: int, size: int, extended: bool) -> Callable[[], None]:
        def do() -> None:
            value = self._load((self.x[rs1] + offset) & MASK, size)
            self._next(rd, signed(value, 8 * size) & MASK if extended else value, LOAD)

        return do

    def _storing(self, rs1: int, rs2: int, offset: int, size: int) -> Callable[[], None]:
        def do() -> None:
            self._store((self.x[rs1] + offset) & MASK, size, self.x[rs2])
            self._next(0, 0, STORE)

        return do

    def _with_immediate(self, rd: int, rs1: int, value: int, operation: Operation) -> Callable[[], None]:
        return lambda: self._next(rd, operation(self.x[rs1], value), ALU)

    def _shift_by(self, rd: int, rs1: int, amount: int, operation: Operation) -> Callable[[], None]:
        return lambda: self._next(rd, operation(self.x[rs1], amount), SHIFT + amount // 4 + amount % 4)

    def _with_register(
        self, rd: int, rs1: int, rs2: int, operation: Operation, cost: int = ALU, *, shifts: bool = False
    ) -> Callable[[], None]:
        def do() -> None:
            by = self.x[rs2] & 31
            self._next(rd, operation(self.x[rs1], self.x[rs2]), SHIFT + by // 4 + by % 4 if shifts else cost)

        return do


def _jump_offset(word: int) -> int:
    parts = (word >> 31) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return signed(parts, 21)


def _branch_offset(word: int) -> int:
    parts = (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
    return signed(parts, 13)


def _divide(a: int, b: int) -> int:
    """DIV: towards 0; by 0 it gives -1."""
    if b == 0:
        return MASK
    quotient = abs(signed(a)) // abs(signed(b))
    return (quotient if (signed(a) < 0) == (signed(b) < 0) else -quotient) & MASK


def _remainder(a: int, b: int) -> int:
    """REM: with the sign of the dividend; by 0 it gives the dividend."""
    if b == 0:
        return a
    rest = abs(signed(a)) % abs(signed(b))
    return (-rest if signed(a) < 0 else rest) & MASK


_BRANCHES: dict[int, Callable[[int, int], bool]] = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    4: lambda a, b: signed(a) < signed(b),
    5: lambda a, b: signed(a) >= signed(b),
    6: lambda a, b: a < b,
    7: lambda a, b: a >= b,
}
_LOADS = {0: (1, True), 1: (2, True), 2: (4, False), 4: (1, False), 5: (2, False)}
"""Bytes of a load by its kind, and whether its sign is extended."""
_OPERATIONS: dict[tuple[int, int], Operation] = {
    (0, 0): lambda a, b: (a + b) & MASK,
    (0, 0x20): lambda a, b: (a - b) & MASK,
    (1, 0): lambda a, b: a << (b & 31) & MASK,
    (2, 0): lambda a, b: int(signed(a) < signed(b)),
    (3, 0): lambda a, b: int(a < b),
    (4, 0): lambda a, b: a ^ b,
    (5, 0): lambda a, b: a >> (b & 31),
    (5, 0x20): lambda a, b: (signed(a) >> (b & 31)) & MASK,
    (6, 0): lambda a, b: a | b,
    (7, 0): lambda a, b: a & b,
}
_PRODUCTS: dict[int, Operation] = {
    0: lambda a, b: a * b & MASK,
    1: lambda a, b: (signed(a) * signed(b)) >> 32 & MASK,
    2: lambda a, b: (signed(a) * b) >> 32 & MASK,
    3: lambda a, b: (a * b) >> 32,
    4: _divide,
    5: lambda a, b: a // b if b else MASK,
    6: _remainder,
    7: lambda a, b: a % b if b else a,
}
