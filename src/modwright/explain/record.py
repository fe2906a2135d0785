# SPDX-License-Identifier: Apache-2.0
"""The registers of a core in each cycle of one operation, from Amaranth's simulation of its hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.hdl import Fragment, MemoryInstance, Signal

from ..prepared import Prepared
from ..simulate.pure import PureSession
from ..simulate.session import Status


@dataclass(frozen=True)
class Recording:
    """One operation.

    Parameters
    ----------
    word : int
        The output payload.
    cycles : int
        Cycles from the input transfer to the first cycle with the result valid.
    registers : dict of str to list of int
        Value of each register in each cycle, 0 .. `cycles`; a name has the modules that it is in, with dots.
    widths : dict of str to int
        Bits of each register.
    """

    word: int
    cycles: int
    registers: dict[str, list[int]]
    widths: dict[str, int]


def record(prepared: Prepared, word: int) -> Recording:
    """Run one operation on an input payload, with free streams.

    Raises
    ------
    VerificationError
        When the core gives no result.
    """
    session = _Session(prepared)
    trace = session.feed([word])
    start, valid = trace.accepted[0], trace.valid[0]
    values = {name: column[start : valid + 1] for name, column in session.values.items()}
    return Recording(trace.words[0], valid - start, values, {n: len(s) for n, s in session.signals.items()})


class _Session(PureSession):
    """A session that looks at every register in every cycle, before the edge that ends it."""

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared, None, ())
        self.signals = dict(_registers(self._design, ""))
        self.values: dict[str, list[int]] = {name: [] for name in self.signals}

    def _step(self, ctx) -> Status:
        for name, signal in self.signals.items():
            self.values[name].append(int(ctx.get(signal)))
        return super()._step(ctx)


def _registers(part: Fragment, path: str) -> Iterator[tuple[str, Signal]]:
    """Named registers and clocked read ports of a design, the outer ones first; a name that stands twice in a module
    gets a number."""
    seen: dict[str, int] = {}
    for signal in _clocked(part):
        if not signal.name or signal.name.startswith("$"):
            continue
        seen[signal.name] = number = seen.get(signal.name, 0) + 1
        yield f"{path}{signal.name}{f'_{number}' if number > 1 else ''}", signal
    for inner, name, _ in part.subfragments:
        yield from _registers(inner, f"{path}{name}." if name else path)


def _clocked(part: Fragment) -> list[Signal]:
    found: dict[int, Signal] = {}
    for domain, statements in part.statements.items():
        if domain != "comb":
            for statement in statements:
                found |= {id(signal): signal for signal in statement._lhs_signals()}
    if isinstance(part, MemoryInstance):
        for port in part._read_ports:
            if port._domain != "comb":
                found |= {id(signal): signal for signal in port._data._lhs_signals()}
    return list(found.values())
