# SPDX-License-Identifier: Apache-2.0
"""The Verilated core behind its AXI4-Lite wrapper, as registers that are read and written."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import TracebackType
from typing import Any

from ..base.errors import VerificationError
from ..bus import RegisterMap, Response, register_map
from ..deliver.verilog import core_verilog, wrapper_verilog
from ..prepared import Prepared
from ..simulate.compiled import library

_HARNESS = Path(__file__).with_name("device.cpp")
_HUNG = 4
"""Word of the harness for an access that got no answer."""
_CYCLES_A_CALL = 1 << 14
"""Cycles between two checks of the time, of the connection, and for Ctrl-C: some tens of milliseconds of simulation."""


class Device:
    """A core and its registers, used as a context manager.

    Parameters
    ----------
    prepared : Prepared
    pauses : int
        Largest number of random cycles between two steps of an access.
    seed : int
        Seed of the pauses.
    cycles : int
        Cycles that it is expected to run; see `simulate.compiled.library`.

    Raises
    ------
    ToolMissingError, ToolFailedError
        See `simulate.compiled.library`.
    """

    def __init__(self, prepared: Prepared, *, pauses: int = 0, seed: int = 1, cycles: int = 0) -> None:
        self.prepared = prepared
        self.map: RegisterMap = register_map(prepared)
        verilog = core_verilog(prepared) + wrapper_verilog(prepared, "axil")
        path = library(prepared.store, f"{prepared.top}_axil", verilog, _HARNESS, {}, cycles)
        self._library = _typed(ctypes.CDLL(str(path)))
        self._handle = self._library.device_open(seed, pauses)

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the simulation."""
        if self._handle:
            self._library.device_close(self._handle)
            self._handle = None

    def read(self, offset: int) -> tuple[int, Response]:
        """The word at an offset in bytes, and the response."""
        data = ctypes.c_uint32(0)
        response = self._library.device_read(self._handle, offset, ctypes.byref(data))
        return data.value, self._response(response, offset)

    def write(self, offset: int, value: int, strobes: int = 0xF) -> Response:
        """Write a word, or the bytes of it that the strobes name."""
        return self._response(self._library.device_write(self._handle, offset, value, strobes), offset)

    def _response(self, code: int, offset: int) -> Response:
        if code == _HUNG:
            raise VerificationError(f"{self.prepared.core.name}: no answer to an access at {offset:#x}")
        return Response(code)

    def run(self, cycles: int = _CYCLES_A_CALL) -> bool:
        """Let cycles pass, until the interrupt is pending; whether it is."""
        return bool(self._library.device_run(self._handle, cycles))

    def reset(self) -> None:
        """Reset wrapper and core."""
        self._library.device_reset(self._handle)

    @property
    def irq(self) -> bool:
        """The interrupt line."""
        return bool(self._library.device_irq(self._handle))

    @property
    def cycle(self) -> int:
        """Cycles since the start."""
        return self._library.device_clock(self._handle)


def _typed(library: Any) -> Any:
    word, long, pointer = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
    for name, result, arguments in (
        ("device_open", pointer, (long, word)),
        ("device_close", None, (pointer,)),
        ("device_reset", None, (pointer,)),
        ("device_write", ctypes.c_int, (pointer, word, word, word)),
        ("device_read", ctypes.c_int, (pointer, word, ctypes.POINTER(word))),
        ("device_clock", long, (pointer,)),
        ("device_irq", ctypes.c_int, (pointer,)),
        ("device_run", ctypes.c_int, (pointer, long)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
