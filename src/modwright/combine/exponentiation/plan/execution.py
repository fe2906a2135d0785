# SPDX-License-Identifier: Apache-2.0
"""A program run cycle by cycle in plain integers, with products of any kind: of a model, or only their cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..parameters import ModexpParameters
from . import program
from .multiplier import Multiplier
from .program import (
    BACK,
    FIRST_BIT,
    ONE,
    A,
    B,
    Both,
    End,
    Instruction,
    Label,
    Loop,
    Pass,
    Product,
    Rest,
    Set,
    Skip,
    V,
    places_of,
    program_of,
)

Multiply = Callable[[int, int], tuple[int, int, int]]
"""Function from x and y to z, cycles and error."""

START = 1
"""Cycle of the first instruction; the operands come in cycle 0."""
WORD, JUMPING, RESTING = 2, 3, 4
"""Cycles of a control word, of one that jumps, and of one that first tests the whole exponent."""
ISSUE, CAPTURE = 1, 2
"""Cycles from a control word to its product at the multiplier, and from a result to the next word."""
ENTERING, LEAVING = "into residues", "out of residues"
"""Parts around a program whose multiplier has residues."""
LOOK = 3
"""Cycles from the last address of a look-up to B."""


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
    product: Multiply
    registers: dict[str, int]
    modulus: int
    exponent: int
    cycle: int = START
    """Cycle in which the next control word is active."""
    error: int = 0
    reduces_by: int = 0
    """Operand by which the multiplier reduces, set by the program where it is not M itself."""
    parts: list[Part] = field(default_factory=list)
    table: list[int] = field(default_factory=list)
    count: int = 0
    looked: int = -LOOK
    """Cycle of the last address of a look-up."""
    ready: list[int] = field(default_factory=lambda: [0, 0])
    """Cycle from which each multiplier takes a product."""
    products: list[int] = field(default_factory=lambda: [0, 0])
    """Products issued to each multiplier."""
    sums: int = 0
    """Cycles of the limb unit's adder."""
    table_cycles: list[int] = field(default_factory=lambda: [0, 0])
    """Cycles in which the table is read, and written."""

    def run(self) -> Execution:
        """Run the whole program; the result is valid in cycle `cycle` then."""
        steps, at = program_of(self.p), 0
        places = places_of(steps)
        while not isinstance(steps[at], End):
            target = self._step(steps[at])
            at = at + 1 if target is None else places[target]
        self.parts[-1].end = self.cycle
        if self.p.conversion:
            self._begin(LEAVING)
            self.cycle += self.p.conversion.exit_cycles
            self.parts[-1].end = self.cycle
        return self

    @property
    def multiplier(self) -> Multiplier:
        """The multiplier of the products."""
        return self.p.multiplier

    @property
    def power(self) -> str:
        """Register with the power at the end, where there is no domain to leave."""
        return B if self.p.from_right else A

    @property
    def bit(self) -> int:
        """The exponent's next bit."""
        return self.exponent & 1 if self.p.from_right else self.exponent >> (self.p.exponent_places - 1)

    def _step(self, instruction: Instruction) -> str | None:
        """Execute one instruction; return the label of the next one, or None."""
        match instruction:
            case Label():
                if instruction.part:
                    self._begin(instruction.part)
            case Product():
                self._one(instruction)
            case Both():
                self._both(instruction)
            case Pass():
                self._pass(instruction)
            case Set():
                self._set(instruction)
            case Skip():
                return self._skip(instruction)
            case Rest():
                self.cycle += RESTING
                return None if self.exponent else instruction.end
            case Loop():
                return self._loop(instruction)
            case _:
                assert isinstance(instruction, End)
        return None

    def _begin(self, part: str) -> None:
        if self.parts:
            self.parts[-1].end = self.cycle
        self.parts.append(Part(part, self.cycle))

    # --- control

    def _set(self, setting: Set) -> None:
        if setting.copy:
            self.cycle = max(self.cycle, self.looked + LOOK - 1)
            self.registers[A] = self.registers[B]
        if setting.store:
            self._store()
        if setting.look:
            self._look(self.cycle)
        if setting.count is not None:
            if setting.count < 1:
                raise ValueError(f"a loop runs at least once, not {setting.count} times")
            self.count = setting.count
        if setting.shift:
            self._shift()
        self.cycle += WORD

    def _skip(self, skip: Skip) -> str | None:
        """All leading zeros at once."""
        zeros = self.p.exponent_places - self.exponent.bit_length()
        self.cycle += WORD * zeros
        if zeros == self.p.exponent_places:
            self.cycle += JUMPING - WORD
            return skip.end
        self.cycle += WORD
        self.count -= zeros
        self._shift(zeros)
        return None

    def _loop(self, loop: Loop) -> str | None:
        self.cycle += JUMPING
        if loop.store:
            self._store()
        if loop.shift:
            self._shift()
        if not loop.counted:
            return loop.back
        self.count -= 1
        return loop.back if self.count else None

    def _shift(self, digits: int = 1) -> None:
        places = digits * self.p.window
        if self.p.from_right:
            self.exponent >>= places
        else:
            self.exponent = (self.exponent << places) & ((1 << self.p.exponent_places) - 1)

    def _store(self) -> None:
        self.table.append(self.registers[A])
        self.table_cycles[1] += 1

    def _look(self, cycle: int) -> None:
        self.table_cycles[0] += len(self.table)
        self.looked = cycle + len(self.table)
        self.registers[B] = self.table[self.exponent >> (self.p.exponent_places - self.p.window)]

    # --- products

    def _one(self, product: Product) -> None:
        if product.when_bit and not self.bit:
            self.cycle += WORD
            return
        acts = max(self.cycle, self.looked + LOOK - ISSUE) if product.y == B else self.cycle
        acts += -(acts - self.p.around[0] + ISSUE) % self.p.stride
        z, cycles, issued = self._issue(product, 0, acts + ISSUE)
        if product.look:
            self._look(acts)
        self._write(product, z)
        self.cycle = issued + cycles + CAPTURE - ISSUE

    def _both(self, both: Both) -> None:
        """Execute two products, both from the registers before them."""
        first, second = both.first, both.second
        z, cycles, issued = self._issue(first, 0, self.cycle + ISSUE)
        end = issued + cycles
        if not second.when_bit or self.bit:
            other, last = self._second(second, issued)
            self._write(first, z)
            self._write(second, other)
            end = max(end, last)
        else:
            self._write(first, z)
        self.cycle = end + CAPTURE - ISSUE

    def _second(self, second: Product, issued: int) -> tuple[int, int]:
        """Value of a product next to one issued in cycle `issued`, and the cycle in which it is valid."""
        if self.p.ports == 2:
            z, cycles, start = self._issue(second, 1, self.cycle + ISSUE)
            return z, start + cycles
        burst = self.multiplier.schedule.burst > 1
        if burst:
            self.ready[0] = issued + 1
        z, cycles, start = self._issue(second, 0, issued + 1)
        if burst:
            self.ready[0] = self.multiplier.ready(issued, start + cycles - issued - 1)
        return z, start + cycles

    def _issue(self, product: Product, port: int, cycle: int) -> tuple[int, int, int]:
        """Value, cycles and the cycle of issue."""
        issued = max(cycle, self.ready[port])
        word = (1 << self.multiplier.width) - 1
        z, cycles, error = self.product(self.registers[A] & word, self.registers[product.y] & word)
        self.ready[port] = self.multiplier.ready(issued, cycles)
        self.products[port] += 1
        self.error = self.error or error
        return z, cycles, issued

    def _write(self, product: Product, z: int) -> None:
        exchanged = product.swap and (self.bit if product.swap == FIRST_BIT else self.bit ^ self._following)
        if product.copy or exchanged:
            self.registers[A], self.registers[B] = self.registers[B], z
        else:
            self.registers[product.to] = z

    @property
    def _following(self) -> int:
        """The bit after the exponent's next, from the left; 0 after the last one."""
        return self.exponent >> (self.p.exponent_places - 2) & 1 if self.p.exponent_places > 1 else 0

    # --- the limb unit

    def _pass(self, pass_: Pass) -> None:
        value = self.registers[V]
        for _ in range(pass_.count):
            value = self._passed(pass_, value)
        self.registers[V] = 0 if pass_.last and self.error else value
        if pass_.to == A:
            self.registers[A] = value
        elif pass_.to:
            self.reduces_by = value
        self.sums += pass_.count * self.p.limbs
        self.cycle += 1 + pass_.count * self.p.turn

    def _passed(self, pass_: Pass, v: int) -> int:
        m = self.modulus
        match pass_.operation:
            case program.DOUBLE:
                return _reduced(m, 2 * v)
            case program.HALVE:
                return (v + (m if v & 1 else 0)) >> 1
            case program.REDUCE:
                return _reduced(m, v)
            case program.FRESH:
                return 1
            case program.LOAD:
                return self.registers[A]
            case _:
                return v


def _reduced(m: int, v: int) -> int:
    return v - m if v >= m else v


def start(
    p: ModexpParameters,
    product: Multiply,
    *,
    base: int,
    exponent: int,
    modulus: int = 0,
    square: int = 0,
    kind: type[Execution] = Execution,
) -> Execution:
    """An exponentiation in the cycle of its first instruction.

    Parameters
    ----------
    base, exponent : int
        The operand words.
    modulus : int
        M, of a runtime modulus.
    square : int
        R² modulo M, where it is an operand; with residues, the operand word of R² that A starts with.
    kind : type
        Class of the state.
    """
    one = 0 if p.multiplier.plain else p.multiplier.one
    if p.conversion:
        ones, back = (p.multiplier.residues_of(1, scaled=scaled) for scaled in (False, True))
        registers = {A: square, B: base, V: 0, ONE: ones, BACK: back}
    else:
        registers = {A: one, B: base, V: square, ONE: 1, BACK: 1 << p.guard}
    execution = kind(p, product, registers, modulus, exponent, cycle=START + p.around[0])
    if p.conversion:
        execution.parts.append(Part(ENTERING, START, execution.cycle))
    return execution
