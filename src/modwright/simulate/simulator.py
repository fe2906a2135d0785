# SPDX-License-Identifier: Apache-2.0
"""Choice of a simulator, and one run from reset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..base.errors import UsageError
from ..prepared import Prepared
from . import toolchain
from .compiled import LONG_RUN
from .compiled_session import CompiledSession
from .pure import PureSession
from .session import Session
from .stimulus import Stalls, Stimulus, Trace, feedback_copies

SIMULATORS = ("auto", "compiled", "pure")

Watcher = Callable[[Session, tuple[Any, ...]], Session]
"""Given a session of the compiled simulator and the arguments that opened it; returns the session to use."""
_watchers: list[Watcher] = []


def available_simulator() -> str:
    """Simulator of "auto" on this machine: "compiled" with Verilator and a C++ compiler, else "pure"."""
    return "compiled" if toolchain.available() else "pure"


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Let a watcher see every session of the compiled simulator that is opened here, such as one that records it."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextmanager
def open_session(
    prepared: Prepared,
    simulator: str = "auto",
    *,
    stalls: Stalls | None = None,
    chained: bool = False,
    initial: int | None = None,
    operations: int | None = 1,
) -> Iterator[Session]:
    """A simulation of a core from reset on.

    Parameters
    ----------
    prepared : Prepared
    simulator : str
        "compiled", "pure" or "auto".
    stalls : Stalls or None
    chained : bool
        Whether operations are chained, see `Stimulus`.
    initial : int or None
        Seed, at least 0, of random values that registers and the memories that are written have before the reset.
        None: all 0 in the compiled simulator, their initial values in the pure one.
    operations : int or None
        Expected number of operations, None for very many: a core that runs long is compiled with more optimisation,
        which changes no result.

    Raises
    ------
    UsageError
        For an unknown simulator, or a chained run of a core without feedback.
    ToolMissingError
        When the compiled one is requested and Verilator or a compiler is missing.
    """
    if simulator not in SIMULATORS:
        raise UsageError(f"unknown simulator {simulator!r}", f"one of {', '.join(SIMULATORS)}")
    if simulator == "auto":
        simulator = available_simulator()
    p = prepared.parameters
    copies = feedback_copies(p.o, p.i, prepared.codec.feedback()) if chained else ()
    if simulator == "compiled":
        opening = (prepared, stalls, copies, initial)
        session: Session = CompiledSession(*opening, cycles=_expected_cycles(prepared, chained, operations))
        for watcher in _watchers:
            session = watcher(session, opening)
    else:
        session = PureSession(prepared, stalls, copies, initial)
    try:
        yield session
    finally:
        session.close()


def _expected_cycles(prepared: Prepared, chained: bool, operations: int | None) -> int:
    """Cycles of a run without stalls, in which the last operation takes its latency."""
    if operations is None:
        return LONG_RUN
    schedule = prepared.schedule
    return (operations - 1) * (schedule.latency if chained else schedule.interval) + schedule.latency


def run(prepared: Prepared, stimulus: Stimulus, simulator: str = "auto") -> Trace:
    """Run operations on a core from reset on.

    After the last one, the core runs empty for one latency and one interval, in which no result may come.

    Parameters
    ----------
    prepared : Prepared
    stimulus : Stimulus
    simulator : str
        "compiled", "pure", or "auto" for that of `available_simulator`. Both give the same trace.

    Returns
    -------
    Trace
        One entry an operation.

    Raises
    ------
    VerificationError
        When the core stops, gives a result without an operation, or withdraws one.
    UsageError, ToolMissingError
        See `open_session`.
    """
    with open_session(
        prepared,
        simulator,
        stalls=stimulus.stalls,
        chained=stimulus.chained,
        initial=stimulus.initial,
        operations=len(stimulus.words),
    ) as session:
        trace = session.feed(stimulus.words)
        session.idle(prepared.schedule.latency + prepared.schedule.interval)
    return trace
