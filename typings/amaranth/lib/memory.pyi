# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterable
from typing import Any, final

from amaranth.hdl import ShapeLike, Signal, Value
from amaranth.lib import wiring

class Memory(wiring.Component):
    """Made of shape, depth and initial values; a `MemoryData` in their place is not typed."""

    def __init__(
        self, *, shape: ShapeLike, depth: int, init: Iterable[Any], attrs: dict[str, Any] | None = None
    ) -> None: ...
    def read_port(self, *, domain: str = "sync", transparent_for: Iterable[WritePort] = ()) -> ReadPort: ...
    def write_port(self, *, domain: str = "sync", granularity: int | None = None) -> WritePort: ...

@final
class ReadPort:
    """`data` has the memory's shape."""

    addr: Signal
    data: Any
    en: Value

@final
class WritePort:
    """`data` has the memory's shape."""

    addr: Signal
    data: Any
    en: Value
