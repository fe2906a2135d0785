# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractContextManager
from typing import Any, Literal, TextIO

from amaranth.hdl import Elaboratable, Fragment

class Simulator:
    def __init__(self, toplevel: Elaboratable | Fragment, *, engine: Literal["pysim"] = "pysim") -> None: ...
    def add_clock(
        self, period: float, *, phase: float | None = None, domain: str = "sync", if_exists: bool = False
    ) -> None: ...
    def add_testbench(
        self, constructor: Callable[[Any], Coroutine[Any, Any, None]], *, background: bool = False
    ) -> None:
        """The constructor takes a context with `get`, `set` and `tick`."""
    def run(self) -> None: ...
    def advance(self) -> bool: ...
    def reset(self) -> None: ...
    def write_vcd(
        self,
        vcd_file: str | TextIO,
        gtkw_file: str | TextIO | None = None,
        *,
        traces: Iterable[Any] = (),
        fs_per_delta: int = 0,
    ) -> AbstractContextManager[None]: ...
