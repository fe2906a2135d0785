# SPDX-License-Identifier: Apache-2.0
"""A cox-rower whose microcode has several parts, of which an operation runs some in turn; by itself for products."""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Member

from .....engines.coxrower.hardware.machine import Coxrower
from .....engines.coxrower.steps import SCALED
from .....rtl.pipeline import delayed
from .....rtl.player import Player
from .....schedule import Schedule
from ..parameters import ProcessorParameters
from ..plan.passes import COMMON
from ..schedule import LEAVE, PRODUCT


class PartedCoxrower(Coxrower):
    """All rowers, the bus and the cox, controlled by parts of microcode.

    Attributes
    ----------
    start : in
        Strobe: an operation begins.
    """

    PARTS: tuple[str, ...] = (PRODUCT, LEAVE)
    """Parts in the order of their numbers."""

    def __init__(self, p: ProcessorParameters, schedule: Schedule, more: Mapping[str, Member] | None = None) -> None:
        self.p = p
        super().__init__(p.engine, schedule, more)

    def _issued(self, m: Module) -> Mapping[str, Value]:
        codes = [self.schedule.parts[name].microcode.ahead(self.engine.travel) for name in self.PARTS]
        m.submodules.sequencer = control = Player(*codes, overlap=False, fetch=self.engine.local)
        issued = {name: control.field(name) for name in control.widths}
        follows, following = self._following(m, issued)
        m.d.comb += control.start.eq(self.start | follows)
        m.d.comb += control.kind.eq(Mux(self.start, self._first_part(), following))
        loading = self.start & self._scaled_first()  # no word is active, and the operand is valid in this cycle alone
        b = Mux(loading, self._first_factor(), self._chosen(issued))
        return issued | {"a": Mux(loading, SCALED, issued["a"]), "b": b}

    def _following(self, m: Module, issued: Mapping[str, Value]) -> tuple[Value, Value]:
        """Strobe of the field `leave`, and number of the part that it starts."""
        del m
        return issued["leave"] != 0, Const(self.PARTS.index(LEAVE))

    def _first_part(self) -> Value:
        """Number of the first part of an operation."""
        return Const(self.PARTS.index(PRODUCT))

    def _scaled_first(self) -> Value:
        """Whether the first product of an operation is with a constant."""
        return Const(0)

    def _first_factor(self) -> int | Value:
        """Address of that constant."""
        return self.p.address("1")

    def _chosen(self, issued: Mapping[str, Value]) -> Value:
        """Address of the constant of a product."""
        return issued["b"]

    def _common(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> Value:
        """The common operand, 2 where the field `common` chooses none."""
        common, numbers = Signal(self.engine.width, name="common"), self._numbers(m, issued, limbs)
        m.d.sync += common.eq(COMMON)
        with m.Switch(delayed(m, issued["common"], self.engine.travel, "common_timely")):
            for code, value in numbers.items():
                with m.Case(code):
                    m.d.sync += common.eq(value)
        return common

    def _numbers(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> dict[int, Value]:
        """Numbers that the field `common` chooses."""
        del m, issued, limbs
        return {}
