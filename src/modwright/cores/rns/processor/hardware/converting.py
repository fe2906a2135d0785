# SPDX-License-Identifier: Apache-2.0
"""A cox-rower that inverts and converts, and the processor with a register file around it.

A conversion to binary gives its digits one after the other: the part `digit` starts itself until `Digits` has the last
one. Registers, counted from the cycle of its `done`:

    cycle    register that holds the value from this cycle on
    1        `z` of the output: zeros, and the words in place of residues in B; `binary`, `valid`
"""

from __future__ import annotations

from collections.abc import Mapping

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from .....engines.coxrower.hardware.machine import Coxrower
from .....functions.rns import CONVERSIONS, FROM_BINARY, TO_BINARY
from .....rtl.pipeline import delayed
from .....schedule import Schedule
from ..parameters import ProcessorParameters
from ..plan.conversions import OVER_A
from ..plan.registers import SOURCES, STREAM
from ..schedule.converting import CONVERTING, DIGIT, OF_DIGIT, OF_OPERATION, TO_DIGIT
from .core import Residues
from .digits import Digits
from .machine import InvertingCoxrower
from .parts import PartedCoxrower
from .reading import ReadingAgain
from .register_core import RegisterCore
from .rounds import SteppedCoxrower


class Converting(PartedCoxrower):
    """A machine that converts as well, in front of one that multiplies, or inverts, too.

    Attributes
    ----------
    op : in
        Operation that begins.
    words : out, n elements of w bits
        Words of a binary result.
    converted : out
        Strobe: they are complete.
    """

    def __init__(self, p: ProcessorParameters, schedule: Schedule) -> None:
        words = Out(data.ArrayLayout(p.width, p.n))
        super().__init__(p, schedule, {"op": In(range(p.i["op"].limit)), "words": words, "converted": Out(1)})

    def _following(self, m: Module, issued: Mapping[str, Value]) -> tuple[Value, Value]:
        """`leave`, or the next digit, if it is not the last one that was found."""
        self._ended = Signal(name="ended")
        digit, (_, following) = issued["leave"] == TO_DIGIT, super()._following(m, issued)
        return (issued["leave"] != 0) & ~(digit & self._ended), Mux(digit, self.PARTS.index(DIGIT), following)

    def _first_part(self) -> Value:
        """Number of the first part of an operation."""
        first = {op: self.PARTS.index(name) for op, name in OF_OPERATION.items()}
        numbers = [Const(first.get(op, 0), range(len(self.PARTS))) for op in range(TO_BINARY + 1)]
        return Mux(self.op >= CONVERSIONS[0], Array(numbers)[self.op], super()._first_part())

    def _scaled_first(self) -> Value:
        """Inversions and conversions begin with a product with a constant."""
        return super()._scaled_first() | (self.op >= CONVERSIONS[0])

    def _first_factor(self) -> Value:
        """1, and 1/A for the conversion that leaves the domain."""
        of_conversion = Mux(self.op == TO_BINARY, self.p.address(OVER_A), self.p.address("1"))
        return Mux(self.op >= CONVERSIONS[0], of_conversion, super()._first_factor())

    def _numbers(self, m: Module, issued: Mapping[str, Value], limbs: list[Signal]) -> dict[int, Value]:
        """Numbers that the field `common` chooses, with the digit."""
        travel = self.engine.travel
        counted = self._counted[self.engine.cox.f :]
        code = delayed(m, issued["cox"], travel, "cox_code_for_digits")
        m.submodules.digits = unit = Digits(self.p, len(code), len(counted))
        m.d.comb += [
            unit.start.eq(self.start),
            unit.hat.eq(limbs[0]),
            unit.code.eq(code),
            unit.quotient.eq(counted),
            unit.capture.eq(delayed(m, issued["digit"], travel, "capture")),
            self._ended.eq(unit.ended),
            self.words.eq(unit.words),
            self.converted.eq(unit.done),
        ]
        return {**super()._numbers(m, issued, limbs), OF_DIGIT: unit.digit}


class ConvertingAlone(Converting):
    """Products and conversions."""

    PARTS = (*PartedCoxrower.PARTS, *CONVERTING)


class ConvertingByPasses(Converting, InvertingCoxrower):
    """Products, passes and conversions."""

    PARTS = (*InvertingCoxrower.PARTS, *CONVERTING)


class ConvertingByDivsteps(Converting, SteppedCoxrower):
    """Products, divsteps and conversions."""

    PARTS = (*SteppedCoxrower.PARTS, *CONVERTING)


class ConvertingCore(ReadingAgain, RegisterCore):
    """Streams, registers and rowers, with operands in other representations."""

    def elaborate(self, platform: object) -> Module:
        m, p = super().elaborate(platform), self.p
        engine = self._engine_of_core
        with m.If(engine.converted):
            m.d.sync += [self.o.valid.eq(1), self.o.p.error.eq(0), self.o.p.binary.eq(1)]
            m.d.sync += [self.o.p.z[k].eq(0) for k in range(p.n)]
            m.d.sync += [self.o.p.z[p.n + k].eq(engine.words[k]) for k in range(p.n)]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += self.o.p.binary.eq(0)
        return m

    def _cox_rower(self) -> Converting:
        """The cox-rower that converts."""
        kind = ConvertingByDivsteps if self.p.stepped else ConvertingByPasses if self.p.kind else ConvertingAlone
        self._engine_of_core = kind(self.p, self.schedule)
        return self._engine_of_core

    def _source(self, name: str) -> Value:
        """Number of the register that an operand comes from; a binary number is on the stream."""
        return (
            Mux(self.i.p.op == FROM_BINARY, STREAM, super()._source(name))
            if name == SOURCES["x"]
            else super()._source(name)
        )

    def _destination(self) -> Value:
        """Number of the register that the result goes into; a binary number stays on the stream."""
        return Mux(self.i.p.op == TO_BINARY, STREAM, super()._destination())

    def _operands(self, m: Module, engine: Coxrower, start: Value, x: Residues, y: Residues) -> list[Value]:
        """Operands of the rowers, next to the operation."""
        m.d.comb += self._engine_of_core.op.eq(self.i.p.op)
        return super()._operands(m, engine, start, x, y)
