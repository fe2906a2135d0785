# SPDX-License-Identifier: Apache-2.0
"""The pure simulator: Amaranth's simulator, for machines without a C++ compiler and for waves.

It runs the same loop as `session.cpp`, cycle for cycle. Amaranth cannot simulate device cells, so a core that
instantiates them is built from the same request with target "generic": its registers and its schedule do not
depend on how the multipliers are written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, ClockDomain, Fragment, Value
from amaranth.sim import Simulator

from ..base.errors import ModwrightError, UsageError
from ..prepared import Prepared, prepare
from .initial import random_state
from .session import Report, Session, Status, check
from .stimulus import Copy, Interrupted, StallGenerator, Stalls, Trace, timeout_cycles

PERIOD_NS = 10
"""Clock period of the simulation; only waves show it."""
_TARGETS_WITH_CELLS = ("ecp5",)
_REPORT_CYCLES = 256


def without_cells(prepared: Prepared) -> Prepared:
    """The same core without device cells.

    Raises
    ------
    UsageError
        When there is no generic form with the options, or it has another schedule or other payloads, as that of a
        core whose radix or pipeline follows the device.
    """
    if prepared.request.target not in _TARGETS_WITH_CELLS:
        return prepared
    request = dataclasses.replace(prepared.request, target="generic")
    name, target, hint = prepared.core.name, prepared.request.target, "`simulate` with the compiled simulator"
    of_cells = f"{name} for target {target} has device cells, which the pure simulator does not know, and for target"
    try:
        generic = prepare(prepared.core, request, prepared.store)
    except ModwrightError as error:
        raise UsageError(f"{of_cells} generic there is none with these options: {error.message}", hint) from error
    before, after = prepared.parameters, generic.parameters
    if (generic.schedule, after.i, after.o) != (prepared.schedule, before.i, before.o):
        raise UsageError(f"{of_cells} generic another schedule or other payloads", f"--target generic, or {hint}")
    return generic


class PureSession(Session):
    """A session of the pure simulator.

    Parameters
    ----------
    prepared : Prepared
    stalls : Stalls or None
    copies : sequence of Copy
        Feedback of a chained run; empty for any other run.
    initial : int or None
        Seed of the registers and memories before the reset; None: their initial values, without a reset.

    Attributes
    ----------
    simulator : Simulator
        Amaranth's simulator, for `Simulator.write_vcd`.
    component : Component
        The core.
    """

    def __init__(
        self, prepared: Prepared, stalls: Stalls | None, copies: Sequence[Copy], initial: int | None = None
    ) -> None:
        built = without_cells(prepared)
        self.component = built.core.build(built.parameters, built.schedule)
        ports: Any = self.component  # streams i and o, which the type does not know
        self._accepting, self._valid, self._result = (
            Value.cast(port) for port in (ports.i.ready, ports.o.valid, ports.o.payload)
        )
        self._inputs = Cat(ports.i.valid, ports.o.ready, ports.i.payload)  # Amaranth settles the design after each set
        self._domain = ClockDomain("sync")
        self._design = Fragment.get(self.component, None)
        self._design.add_domains(self._domain)
        self.simulator = Simulator(self._design)
        self.simulator.add_clock(PERIOD_NS * 1e-9)
        self._name = prepared.core.name
        self._copies = copies
        self._generator = StallGenerator(stalls or Stalls(0, 0, 0))
        self._timeout_cycles = timeout_cycles(prepared.schedule, stalls)
        self._before = 0  # operations of earlier batches
        self._cycle = self._moved = 0  # this cycle; the last one with a transfer
        self._offering = False  # i.valid is high
        self._operands = 0  # word at the input stream
        self._driven: int | None = None  # the inputs as they were set last
        self._head: int | None = None  # a result that was seen and not yet taken
        self._last: int | None = None  # the result taken last
        self._words: Sequence[int] = ()
        self._trace = Trace()
        self._status = Status.RUNNING
        self._started = False
        self._initial = initial
        self._resets = 0  # cycles of a reset that are left
        self._in_reset = False
        self._state: int | None = None  # seed of the state before it
        self._reset: int | None = None  # cycle in which the last one ended
        self._sent = self._taken = 0  # transfers, without operations that a reset dropped

    def feed(self, words: Sequence[int], report: Report | None = None) -> Trace:
        """Run a batch until its last result was taken; see `Session.feed`."""
        self._words, self._trace = words, Trace()
        self._moved = self._cycle
        while len(self._trace.words) < len(words):
            self._advance()
            if report is not None and self._cycle % _REPORT_CYCLES == 0:
                report(len(self._trace.words))
        self._before += len(words)
        return self._trace

    def idle(self, cycles: int) -> None:
        """Let cycles pass with nothing offered; see `Session.idle`."""
        self._words, self._trace = (), Trace()
        end = self._cycle + cycles
        while self._cycle < end:
            self._moved = self._cycle
            self._advance()

    def interrupt(self, words: Sequence[int], cycles: int, reset: int, state: int | None = None) -> Interrupted:
        """Offer operations for that number of cycles, then reset the core; see `Session.interrupt`."""
        self._words, self._trace = words, Trace()
        self._moved = self._cycle
        end = self._cycle + cycles
        while self._cycle < end and len(self._trace.words) < len(words):
            self._advance()
        trace, done = self._trace, len(self._trace.words)
        lost, waiting = len(trace.accepted) - done, self._head is not None
        self._resets, self._state = reset, state
        while self._resets:
            self._advance()
        self._reset = self._cycle - 1
        self._before += done
        self._drop()
        trace.accepted, trace.valid = trace.accepted[:done], trace.valid[:done]
        return Interrupted(trace, lost, waiting)

    def _drop(self) -> None:
        """Forget what was offered and not taken, as the core did in its reset."""
        self._words, self._trace = (), Trace()
        self._offering, self._head, self._last = False, None, None
        self._sent = self._taken
        self._moved = self._cycle
        self._generator.restart()

    def close(self) -> None:
        """Close the session, which holds nothing to free."""

    def _advance(self) -> None:
        """One step of the simulator: at most one cycle."""
        if not self._started:
            self.simulator.add_testbench(self._drive, background=True)
            self._started = True
        self.simulator.advance()
        if self._status is not Status.RUNNING:
            check(
                self._status,
                name=self._name,
                first=self._before,
                accepted=len(self._trace.accepted),
                done=len(self._trace.words),
                cycle=self._cycle,
                timeout_cycles=self._timeout_cycles,
                reset=self._reset,
            )

    async def _drive(self, ctx) -> None:
        if self._initial is not None:
            self._randomise(ctx, self._initial)
            ctx.set(self._domain.rst, 1)
            await ctx.tick()
            ctx.set(self._domain.rst, 0)
        self._before_edge(ctx)
        async for _ in ctx.tick():
            self._before_edge(ctx)

    def _before_edge(self, ctx) -> None:
        """One cycle of a reset, in which no transfer counts, or of the streams."""
        if self._resets and not self._in_reset:
            if self._state is not None:
                self._randomise(ctx, self._state)
            ctx.set(self._domain.rst, 1)
            self._in_reset = True
        if self._resets:
            self._offer(ctx)
            self._cycle += 1
            self._resets -= 1
            return
        if self._in_reset:
            ctx.set(self._domain.rst, 0)
            self._in_reset = False
        self._status = self._step(ctx)

    def _step(self, ctx) -> Status:
        """One cycle, before its edge."""
        trace = self._trace
        ready = self._offer(ctx)
        accept = self._offering and ctx.get(self._accepting)
        status = self._look(ctx, ready=ready)
        if accept:
            trace.accepted.append(self._cycle)
            self._offering = False
            self._moved = self._cycle
            self._sent += 1
        if status is not Status.RUNNING:
            return status
        if self._cycle - self._moved >= self._timeout_cycles:
            return Status.STUCK
        self._cycle += 1
        return Status.RUNNING

    def _offer(self, ctx) -> bool:
        """Drive both streams; whether the reader is ready."""
        trace = self._trace
        unmoved = self._cycle - self._moved
        hold, wait = self._generator.step(self._sent, self._taken, self._offering, unmoved)
        following = len(trace.accepted)
        source_free = not self._copies or following == len(trace.words)
        if not self._offering and following < len(self._words) and source_free and not hold:
            self._operands = self._chained(self._words[following])
            self._offering = True
        driven = self._offering | (not wait) << 1 | self._operands << 2
        if driven != self._driven:
            ctx.set(self._inputs, driven)
            self._driven = driven
        return not wait

    def _randomise(self, ctx, seed: int) -> None:
        for register, value in random_state(self._design, seed):
            ctx.set(register, value)

    def _chained(self, word: int) -> int:
        """The operands of a word, of which a chained run takes some from the last result."""
        if self._last is not None:
            for copy in self._copies:
                word = copy.apply(self._last, word)
        return word

    def _look(self, ctx, *, ready: bool) -> Status:
        """Payload of the output stream in this cycle."""
        trace = self._trace
        if not ctx.get(self._valid):
            return Status.RUNNING if self._head is None else Status.WITHDRAWN
        if len(trace.words) == len(trace.accepted):
            return Status.SURPLUS
        word = ctx.get(self._result)
        if self._head is None:
            trace.valid.append(self._cycle)
        elif word != self._head:
            return Status.WITHDRAWN
        self._head = None if ready else word
        if ready:
            trace.words.append(word)
            trace.taken.append(self._cycle)
            self._last = word
            self._moved = self._cycle
            self._taken += 1
        return Status.RUNNING
