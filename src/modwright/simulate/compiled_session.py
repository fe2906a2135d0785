# SPDX-License-Identifier: Apache-2.0
"""A session of the compiled simulator: the functions of a core's shared library, by ctypes."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..prepared import Prepared
from .compiled import build, words
from .session import Report, Session, Status, check
from .stimulus import Copy, Interrupted, Stalls, Trace, timeout_cycles

_CYCLES_A_CALL = 1 << 16
"""A signal such as Ctrl-C is seen between two calls; at the slowest some ten thousand cycles pass in a second."""
_MOST_SEED = (1 << 31) - 1
"""Verilator takes seeds from 1 to this; 0 stands for none."""
_WORD_BYTES = 8


class _Copy(ctypes.Structure):
    _fields_ = (("source", ctypes.c_uint64), ("target", ctypes.c_uint64), ("bits", ctypes.c_uint64))


class _Library:
    """The functions of a core's shared library, typed."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        word, pointer, buffer = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p
        self.open = _function(library.session_open, pointer, *[word] * 7)
        self.close = _function(library.session_close, None, pointer)
        self.chain = _function(library.session_chain, None, pointer, buffer, word)
        self.feed = _function(library.session_feed, None, pointer, buffer, word, *[buffer] * 4)
        self.advance = _function(library.session_advance, ctypes.c_int, pointer, word)
        self.idle = _function(library.session_idle, ctypes.c_int, pointer, word)
        self.reset = _function(library.session_reset, None, pointer, word, word)
        self.waiting = _function(library.session_waiting, ctypes.c_bool, pointer)
        self.accepted = _function(library.session_accepted, word, pointer)
        self.done = _function(library.session_done, word, pointer)
        self.cycle = _function(library.session_clock, word, pointer)


def _function(function: Any, result: object, *arguments: object) -> Callable[..., int]:
    function.restype, function.argtypes = result, arguments
    return function


class CompiledSession(Session):
    """A session of the compiled simulator.

    Parameters
    ----------
    prepared : Prepared
    stalls : Stalls or None
    copies : sequence of Copy
        Feedback of a chained run; empty for any other run.
    initial : int or None
        Seed of the registers and memories before the reset; None: they are 0.
    cycles : int
        Cycles that are expected; see `compiled.library`.
    library : Path, optional
        A shared library with the same functions, used instead of that of `compiled.build`.
    """

    def __init__(
        self,
        prepared: Prepared,
        stalls: Stalls | None,
        copies: Sequence[Copy],
        initial: int | None = None,
        *,
        cycles: int = 0,
        library: Path | None = None,
    ) -> None:
        self._library = _Library(library or build(prepared, cycles))
        self._name = prepared.core.name
        self._i_bytes = words(prepared.parameters.i.width) * _WORD_BYTES
        self._o_bytes = words(prepared.parameters.o.width) * _WORD_BYTES
        self._timeout_cycles = timeout_cycles(prepared.schedule, stalls)
        self._before = 0  # operations of earlier batches
        self._reset: int | None = None  # cycle in which the last one ended
        s = stalls or Stalls(0, 0, 0)
        self._handle = self._library.open(_seed(initial), s.seed, s.i, s.o, s.quiet, s.sparse, self._timeout_cycles)
        if copies:
            rows = (_Copy * len(copies))(*(_Copy(c.source, c.target, c.bits) for c in copies))
            self._library.chain(self._handle, rows, len(copies))

    def feed(self, words: Sequence[int], report: Report | None = None) -> Trace:
        """Run a batch until its last result was taken; see `Session.feed`."""
        batch = _Batch(words, self._i_bytes, self._o_bytes)
        for done in self._advanced(batch):
            if report is not None:
                report(done)
        self._before += len(words)
        return batch.trace(0, len(words))

    def feed_until_unlike(self, words: Sequence[int], expected: Trace) -> Trace:
        """Run a batch as `feed` does, but end it soon after the first operation that is not as in the given trace.

        Returns
        -------
        Trace
            Trace of the operations that were done, which begins as the given one up to that operation.
        """
        batch = _Batch(words, self._i_bytes, self._o_bytes)
        compared = 0
        for done in self._advanced(batch):
            if batch.trace(compared, done) != expected.part(compared, done):
                return batch.trace(0, done)
            compared = done
        self._before += len(words)
        return expected

    def _advanced(self, batch: _Batch) -> Iterator[int]:
        """Run a batch in stretches; the operations that are done after each."""
        self._library.feed(self._handle, *batch.buffers())
        status = Status.RUNNING
        while status is Status.RUNNING:
            status = Status(self._library.advance(self._handle, _CYCLES_A_CALL))
            yield self._library.done(self._handle)
        self._check(status)

    def interrupt(self, words: Sequence[int], cycles: int, reset: int, state: int | None = None) -> Interrupted:
        """Offer operations for that number of cycles, then reset the core; see `Session.interrupt`."""
        batch = _Batch(words, self._i_bytes, self._o_bytes)
        self._library.feed(self._handle, *batch.buffers())
        status = Status.RUNNING
        while cycles and status is Status.RUNNING:
            part = min(cycles, _CYCLES_A_CALL)
            status = Status(self._library.advance(self._handle, part))
            cycles -= part
        self._check(status)
        done = self._library.done(self._handle)
        lost, waiting = self._library.accepted(self._handle) - done, bool(self._library.waiting(self._handle))
        self._library.reset(self._handle, reset, _seed(state))
        self._reset = self._library.cycle(self._handle) - 1
        self._before += done
        return Interrupted(batch.trace(0, done), lost, waiting)

    def idle(self, cycles: int) -> None:
        """Let cycles pass with nothing offered; see `Session.idle`."""
        self._library.feed(self._handle, None, 0, None, None, None, None)
        self._check(Status(self._library.idle(self._handle, cycles)))

    def close(self) -> None:
        """Free the simulation."""
        self._library.close(self._handle)

    def _check(self, status: Status) -> None:
        check(
            status,
            name=self._name,
            first=self._before,
            accepted=self._library.accepted(self._handle),
            done=self._library.done(self._handle),
            cycle=self._library.cycle(self._handle),
            timeout_cycles=self._timeout_cycles,
            reset=self._reset,
        )


def _seed(state: int | None) -> int:
    return 0 if state is None else 1 + state % _MOST_SEED


class _Batch:
    """The buffers of a batch, which the library reads and fills."""

    def __init__(self, words: Sequence[int], i_bytes: int, o_bytes: int) -> None:
        self._count, self._size = len(words), o_bytes
        self._operands = b"".join([word.to_bytes(i_bytes, "little") for word in words])
        self._results = bytearray(self._count * o_bytes)
        self._stamps = [array("Q", bytes(8 * self._count)) for _ in range(3)]

    def buffers(self) -> tuple[object, ...]:
        """The arguments of `session_feed` after the session."""
        return self._operands, self._count, _address(self._results), *(s.buffer_info()[0] for s in self._stamps)

    def trace(self, first: int, last: int) -> Trace:
        """Trace of the operations from `first` to before `last`, which are done."""
        size, results = self._size, self._results
        taken = [int.from_bytes(results[at : at + size], "little") for at in range(first * size, last * size, size)]
        return Trace(taken, *(s[first:last].tolist() for s in self._stamps))


def _address(buffer: bytearray) -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * len(buffer)).from_buffer(buffer)
