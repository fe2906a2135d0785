# SPDX-License-Identifier: Apache-2.0
from amaranth.hdl import Elaboratable, Module, Signal, Value

class FFSynchronizer(Elaboratable):
    def __init__(
        self,
        i: Value,
        o: Signal,
        *,
        o_domain: str = "sync",
        init: int | None = None,
        reset_less: bool = True,
        stages: int = 2,
        max_input_delay: float | None = None,
    ) -> None: ...
    def elaborate(self, platform: object) -> Module: ...

class ResetSynchronizer(Elaboratable):
    def __init__(self, arst: Value, *, domain: str, stages: int = 2, max_input_delay: float | None = None) -> None: ...
    def elaborate(self, platform: object) -> Module: ...
