# SPDX-License-Identifier: Apache-2.0
"""A core under simulation: the interface of both simulators, and the report of a simulation that cannot continue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Protocol

from ..base.errors import VerificationError
from .stimulus import Interrupted, Trace

Report = Callable[[int], None]
"""Callback with the number of operations of the batch that are done, called now and then."""


class Status(IntEnum):
    """End of a stretch of simulation; the numbers are those of `session.cpp`."""

    RUNNING = 0
    DONE = 1
    STUCK = 2
    SURPLUS = 3
    WITHDRAWN = 4


class Session(Protocol):
    """One simulation from reset on: batches of operations, one after another, with one count of cycles over all of
    them."""

    def feed(self, words: Sequence[int], report: Report | None = None) -> Trace:
        """Run a batch until its last result was taken.

        Raises
        ------
        VerificationError
            When the core stops, or breaks the rules of its output stream.
        """
        ...

    def idle(self, cycles: int) -> None:
        """Let cycles pass with nothing offered; VerificationError when a result comes."""
        ...

    def interrupt(self, words: Sequence[int], cycles: int, reset: int, state: int | None = None) -> Interrupted:
        """Offer operations for that number of cycles, then reset the core for `reset` cycles, see `stimulus`.

        The window ends earlier when every operation is done. With `state`, the seed of random values, registers and
        memories have those when the reset comes. VerificationError as for `feed`.
        """
        ...

    def close(self) -> None:
        """Free what the simulation holds."""
        ...


def check(
    status: Status,
    *,
    name: str,
    first: int,
    accepted: int,
    done: int,
    cycle: int,
    timeout_cycles: int,
    reset: int | None = None,
) -> None:
    """Raise for a simulation that cannot continue.

    Parameters
    ----------
    status : Status
    name : str
        Name of the core.
    first : int
        Index of the batch's first operation.
    accepted, done : int
        Operations of the batch whose operands were accepted, and whose results were taken.
    cycle : int
        Cycle in which it ended.
    timeout_cycles : int
        Cycles without a transfer that were allowed.
    reset : int or None
        Cycle in which the last reset in the middle of operations ended.
    """
    if status in (Status.RUNNING, Status.DONE):
        return
    operation = f"operation {first + done}"
    if status is Status.SURPLUS:
        text = f"a result in cycle {cycle} that belongs to no operation (after {first + done} operations)"
    elif status is Status.WITHDRAWN:
        text = f"the result of {operation} was withdrawn or changed in cycle {cycle}, before it was taken"
    elif accepted > done:
        text = f"no result of {operation}: no transfer for {timeout_cycles} cycles, up to cycle {cycle}"
    else:
        text = f"{operation} is not accepted: no transfer for {timeout_cycles} cycles, up to cycle {cycle}"
    after = f"; the last reset ended in cycle {reset}" if reset is not None else ""
    raise VerificationError(f"{name}: {text}{after}")
