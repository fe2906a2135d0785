# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar, final

from amaranth.hdl import Elaboratable, Module, ShapeLike

_Interface = TypeVar("_Interface")

class Flow(Enum):
    Out = "Out"
    In = "In"
    def flip(self) -> Flow: ...
    def __call__(self, description: ShapeLike | Signature, *, init: Any = None) -> Member: ...

In = Flow.In
Out = Flow.Out

@final
class Member:
    def flip(self) -> Member: ...
    def array(self, *dimensions: int) -> Member: ...
    @property
    def flow(self) -> Flow: ...

class Signature:
    def __init__(self, members: Mapping[str, Member]) -> None: ...
    @property
    def members(self) -> Mapping[str, Member]: ...
    def flip(self) -> Any: ...
    def create(self, *, path: tuple[str | int, ...] | None = None) -> Any: ...

class Component(Elaboratable):
    """A design with a signature. The constructor makes an attribute of every member: `__getattr__` stands for them."""

    def __init__(self, signature: Signature | Mapping[str, Member] | None = None) -> None: ...
    @property
    def signature(self) -> Signature: ...
    def __getattr__(self, name: str) -> Any: ...

def flipped(interface: _Interface) -> _Interface:
    """The same members, seen from the other side (a `FlippedInterface` at run time)."""

def connect(m: Module, *args: Any, **kwargs: Any) -> None: ...
