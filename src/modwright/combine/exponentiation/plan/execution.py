# SPDX-License-Identifier: Apache-2.0
"""A program run cycle by cycle in plain integers, with products of any kind: of a model, or of nothing but cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ..parameters import ModexpParameters
from .multiplier import Multiplier
from .program import (
    BACK,
    DOUBLE,
    HALVE,
    ONE,
    A,
    B,
    Both,
    Instruction,
    Label,
    Look,
    Loop,
    Multiply,
    Pass,
    Rest,
    Set,
    Skip,
    V,
    Wait,
    places_of,
    program_of,
)

Product = Callable[[int, int], tuple[int, int, int]]
"""x, y to z, cycles and error."""

START = 1
"""Clock of the first instruction; the operands come in cycle 0."""


@dataclass
class Part:
    """Cycles [start, end) of a part of the program."""

    name: str
    start: int
    end: int = 0


@dataclass
class Execution:
    """State of one exponentiation.

    Parameters
    ----------
    p : ModexpParameters
    product : callable
    registers : dict
        A, B, V, ONE and BACK.
    modulus : int
        M; 0 where the limb unit is not needed.
    exponent : int
        e, in [0, 2^p.exponent_places).
    """

    p: ModexpParameters
    product: Product
    registers: dict[str, int]
    modulus: int
    exponent: int
    cycle: int = START
    error: int = 0
    reduces_by: int = 0
    """Set by the program where it is not M itself."""
    parts: list[Part] = field(default_factory=list)
    table: list[int] = field(default_factory=list)
    count: int = 0
    looked: int = 0
    """Clock from which B is what was looked up."""
    ready: list[int] = field(default_factory=lambda: [0, 0])
    """Clock from which each multiplier takes a product."""
    products: list[int] = field(default_factory=lambda: [0, 0])
    """Products issued to each multiplier."""
    sums: int = 0
    """Cycles of the limb unit's adder."""
    table_cycles: list[int] = field(default_factory=lambda: [0, 0])
    """Cycles in which the table is read, and written."""

    def run(self) -> Execution:
        """Run the whole program."""
        program, at = program_of(self.p), 0
        places = places_of(program)
        while at < len(program):
            target = self._step(program[at])
            at = at + 1 if target is None else places[target]
        self.parts[-1].end = self.cycle
        return self

    @property
    def multiplier(self) -> Multiplier:
        """The multiplier, whose cycles these are."""
        return self.p.multiplier

    @property
    def bit(self) -> int:
        """The exponent's next bit."""
        return self.exponent & 1 if self.p.from_right else self.exponent >> (self.p.exponent_places - 1)

    def _step(self, instruction: Instruction) -> str | None:
        """One instruction; the label to go on at, or None for the next one."""
        match instruction:
            case Label():
                if instruction.part:
                    self._begin(instruction.part)
            case Multiply():
                self._multiply(instruction)
            case Both():
                self._both(instruction)
            case Pass():
                self._pass(instruction)
            case Wait():
                self.cycle = max(self.cycle, self.looked) + 1
            case _:
                self.cycle += 1
                return self._control(instruction)
        return None

    def _begin(self, part: str) -> None:
        if self.parts:
            self.parts[-1].end = self.cycle
        self.parts.append(Part(part, self.cycle))

    # --- control, a cycle each

    def _control(self, instruction: Instruction) -> str | None:
        match instruction:
            case Set():
                return self._set(instruction)
            case Look():
                self._look(self.cycle - 1)
            case Skip():
                return self._skip(instruction)
            case Rest():
                return None if self.exponent else instruction.end
            case Loop():
                return self._loop(instruction)
        return None

    def _set(self, one: Set) -> None:
        if one.store:
            self._store()
        if one.copy and one.copy[0] == "m":
            self.reduces_by = self.registers[V]
        elif one.copy:
            self.registers[one.copy[0]] = self.registers[one.copy[1]]
        if one.swap and self.bit:
            self._swap()
        if one.count is not None:
            self.count = one.count
        self._shift(one.shift)

    def _skip(self, skip: Skip) -> str | None:
        """All leading zeros at once; the cycle of the first bit of 1, or of the last zero, is counted already."""
        zeros = self.p.exponent_places - self.exponent.bit_length()
        self.cycle += min(zeros, self.p.exponent_places - 1)
        if zeros == self.p.exponent_places:
            return skip.end
        self.count -= zeros
        self._shift(zeros)
        return None

    def _loop(self, loop: Loop) -> str | None:
        if loop.store:
            self._store()
        before = self.bit
        self._shift(loop.shift)
        if loop.swap and before != self.bit:
            self._swap()
        if not loop.counted:
            return loop.back
        self.count -= 1
        return loop.back if self.count else None

    def _swap(self) -> None:
        self.registers[A], self.registers[B] = self.registers[B], self.registers[A]

    def _shift(self, places: int) -> None:
        if self.p.from_right:
            self.exponent >>= places
        else:
            self.exponent = (self.exponent << places) & ((1 << self.p.exponent_places) - 1)

    def _store(self) -> None:
        self.table.append(self.registers[A])
        self.table_cycles[1] += 1

    def _look(self, cycle: int) -> None:
        """The table is read in the cycles after, its last entry reaches B in two more."""
        self.table_cycles[0] += len(self.table)
        self.looked = cycle + len(self.table) + 2
        self.registers[B] = self.table[self.exponent >> (self.p.exponent_places - self.p.window)]

    # --- products

    def _multiply(self, one: Multiply) -> None:
        if one.when_bit and not self.bit:
            self.cycle += 1
            return
        z, cycles, issued = self._issue(one, 0, self.cycle)
        if one.look:
            self._look(issued)
        self.registers[one.to] = z
        self.cycle = issued + cycles + 1

    def _both(self, both: Both) -> None:
        z, cycles, issued = self._issue(both.first, 0, self.cycle)
        end = issued + cycles + 1
        if not both.second.when_bit or self.bit:
            other, last = self._second(both.second, issued, end)
            self.registers[both.second.to] = other
            end = max(end, last)
        self.registers[both.first.to] = z
        self.cycle = end

    def _second(self, second: Multiply, issued: int, end: int) -> tuple[int, int]:
        """Value of a product next to one issued in cycle `issued` and done in `end`, and the first cycle after it."""
        if self.p.ports == 2:
            z, cycles, start = self._issue(second, 1, self.cycle)
            return z, start + cycles + 1
        burst = self.multiplier.schedule.burst > 1
        if burst:
            self.ready[0] = issued + 1
        z, cycles, start = self._issue(second, 0, issued + 1)
        if burst:
            self.ready[0] = max(end + 1, start + cycles + 1)
        return z, start + cycles + 1

    def _issue(self, one: Multiply, port: int, cycle: int) -> tuple[int, int, int]:
        """Value, cycles and the cycle of issue."""
        issued = max(cycle, self.ready[port])
        word = (1 << self.multiplier.width) - 1
        z, cycles, error = self.product(self.registers[one.x] & word, self.registers[one.y] & word)
        self.ready[port] = self.multiplier.ready(issued, cycles)
        self.products[port] += 1
        self.error = self.error or error
        return z, cycles, issued

    # --- the limb unit

    def _pass(self, one: Pass) -> None:
        step = {DOUBLE: partial(_double, self.modulus), HALVE: partial(_halve, self.modulus)}.get(
            one.operation, partial(_reduce, self.modulus)
        )
        value = 1 if one.fresh else self.registers[V]
        for _ in range(one.count):
            value = step(value)
        self.registers[V] = value
        passes = one.count * (self.p.limbs + (one.operation == HALVE))
        self.sums += passes
        self.cycle += passes + 2


def _double(m: int, v: int) -> int:
    return _reduce(m, 2 * v)


def _halve(m: int, v: int) -> int:
    return (v + (m if v & 1 else 0)) >> 1


def _reduce(m: int, v: int) -> int:
    return v - m if v >= m else v


def start(
    p: ModexpParameters, product: Product, *, base: int, exponent: int, modulus: int = 0, square: int = 0
) -> Execution:
    """An exponentiation in the cycle of its first instruction.

    Parameters
    ----------
    base, exponent : int
        The operand words.
    modulus : int
        M, of a runtime modulus.
    square : int
        R² modulo M, where it comes in on the stream.
    """
    one = 0 if p.multiplier.domain else p.multiplier.one
    registers = {A: one, B: base, V: square, ONE: 1, BACK: 1 << p.guard}
    return Execution(p, product, registers, modulus, exponent)
