# SPDX-License-Identifier: Apache-2.0
"""The ring in which step numbers of the operations travel, and the control of the steps from it.

The cycle in which an operation comes in, counted modulo P, is its slot. Its step number goes round a ring of P stages;
control of the steps is a tap of the ring, or a register behind it. Cycles are counted from the input transfer, cycle 0.
"""

from __future__ import annotations

from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ....rtl.pipeline import delayed
from ..cycles import first
from ..interleaved import InterleavedParameters
from .loop import InterleavedLoop
from .operands import READ_X, SlotOperands


def drive_steps(
    m: Module,
    p: InterleavedParameters,
    start: Value,
    entered: Value,
    operands: SlotOperands,
    loop: InterleavedLoop,
    integer: Value | None = None,
) -> Value:
    """Add the ring to a module; return the strobe of the cycle before that of the last S.

    Parameters
    ----------
    m : Module
    p : InterleavedParameters
    start, entered : Value
        Strobes: an operation comes in, or came in in the cycle before.
    operands : SlotOperands
    loop : InterleavedLoop
    integer : Value or None
        Strobe with `start`: the quotient digits of the d + 1 steps after the first d + 1 are 0, too.
    """
    active, index = Signal(p.slots), [Signal(range(p.digits), name=f"step_{n}") for n in range(p.slots)]
    last = Signal(p.slots)  # of stage 1 on: the step is the last one
    m.d.sync += [
        active.eq(Cat(start | (active[-1] & ~last[-1]), active[:-1])),
        last.eq(Cat(0, active[0] & (index[0] == p.digits - 1), last[1:-1])),
        index[0].eq(Mux(start, 0, index[-1] + 1)),
        *(after.eq(before) for before, after in pairwise(index)),
    ]
    beyond = Signal()  # X has no such digit
    m.d.sync += beyond.eq(index[READ_X - 2] >= p.N)
    m.d.comb += [
        operands.index.eq(index[READ_X - 1]),
        operands.zero.eq(beyond),
        loop.digit.eq(operands.digit),
        loop.y.eq(operands.y_word),
        loop.m.eq(operands.m_word),
    ]
    # in cycle c of `first` the S before step 0 is in its register; the quotient digits of steps 0 to d are 0
    since = [entered]  # cycles 1 on
    early = [first(p) - 1 - p.lead + step * p.slots for step in range(p.d + 1)]
    while len(since) < max(*early, first(p) - 1):
        since.append(delayed(m, since[-1], 1, f"fresh_{len(since)}"))
    m.d.comb += [
        loop.fresh.eq(since[first(p) - 2 - loop.AHEAD]),
        loop.early.eq(Cat([since[cycle - 1] for cycle in early] + _later(m, p, early[-1], integer)).any()),
    ]
    # stage 1 of the last step is in cycle 2 + (I - 1)·P, the last S in its register in cycle first + I·P
    return delayed(m, last[1], p.slots + first(p) - 3, "ended")


def _later(m: Module, p: InterleavedParameters, last: int, integer: Value | None) -> list[Value]:
    """Strobes of the d + 1 steps after that whose cycle is `last`, of products of integers."""
    if integer is None:
        return []
    early = delayed(m, integer, last, "integer")
    strobes: list[Value] = []
    for step in range(p.d + 1):
        early = delayed(m, early, p.slots, f"integer_{step}")
        strobes.append(early)
    return strobes
