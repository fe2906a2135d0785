# SPDX-License-Identifier: Apache-2.0
"""One divstep on low bits, which several inverters have."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value


def divstep_on_low_bits(m: Module, state: tuple[Value, ...], number: int) -> tuple[Value, ...]:
    """One divstep on low bits, whose top ones are lost one by one, and on the matrix."""
    D, f, g, u, v, q, r = state
    after = [Signal.like(x, name=f"{n}_{number}") for x, n in zip(state, ("D", "f", "g", *"uvqr"), strict=True)]
    odd, swap = Signal(name=f"odd_{number}"), Signal(name=f"swap_{number}")
    m.d.comb += [odd.eq(g[0]), swap.eq(odd & ~D[-1])]

    def added(x: Value, y: Value) -> Value:
        """Sum x + y; x - y when f and g are exchanged, x when g is even."""
        return Cat(swap, x).as_signed() + Cat(swap, Mux(odd, Mux(swap, ~y, y), 0)).as_signed() >> 1

    m.d.comb += [
        after[0].eq(Mux(swap, -D, D + 1)),
        after[1].eq(Mux(swap, g, f)),
        after[2].eq(added(g, f)[1:]),
        after[3].eq(Mux(swap, q, u) << 1),
        after[4].eq(Mux(swap, r, v) << 1),
        after[5].eq(added(q, u)),
        after[6].eq(added(r, v)),
    ]
    return tuple(after)
