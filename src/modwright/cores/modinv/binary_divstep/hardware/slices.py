# SPDX-License-Identifier: Apache-2.0
"""Numbers in slices: each slice has a separate carry chain and works a cycle behind the one below it.

The carry out of a slice waits in a register for the slice above. Where a sum is halved, the lowest bit of a slice
becomes the top bit of the one below, which needs it in the cycle in which the sum of the slice above is formed, and
takes it from there. So in such numbers only the top slice has a register for its top bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Mux, Signal, Value


@dataclass(frozen=True)
class Choice:
    """The term that a step adds: a number, its negative, or 0.

    Parameters
    ----------
    taken : Value
        Bit that is 0 for no term.
    negated : Value
        Bit for the complement of the term and a carry into the lowest bit; 0 where `taken` is.
    """

    taken: Value
    negated: Value

    def of(self, value: Value) -> Value:
        """The term without the carry, as wide as `value`."""
        return Mux(self.taken, Mux(self.negated, ~value, value), 0)

    def delayed(self, m: Module, name: str) -> Choice:
        """The choice a cycle later."""
        return Choice(delayed(m, self.taken, f"{name}_taken"), delayed(m, self.negated, f"{name}_negated"))


def delayed(m: Module, value: Value, name: str) -> Signal:
    """A bit a cycle later."""
    register = Signal(name=name)
    m.d.sync += register.eq(value)
    return register


def extended(top: bool, *values: Value) -> tuple[Value, ...]:
    """Numbers of the top slice with one more bit of sign; those of another slice unchanged."""
    return tuple(Cat(value, value[-1]) if top else value for value in values)


def added(m: Module, first: Value, second: Value, carry: Value, name: str) -> Signal:
    """Sum `first` + `second` + carry in one chain; both operands have n bits, the sum n + 1."""
    found = Signal(len(first) + 1, name=name)
    m.d.comb += found.eq((Cat(carry, first) + Cat(carry, second)) >> 1)
    return found
