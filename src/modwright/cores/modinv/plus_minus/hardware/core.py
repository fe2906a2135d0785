# SPDX-License-Identifier: Apache-2.0
"""Plus-minus inversion in hardware: rowers, small residues by the cox, and the unit that decides on each pass.

Registers of a pass, counted from its start, which is the decision before; k products for V3, L cycles of a
multiply-accumulate, F of a reduction:

    cycle            step                    register that holds the value from this cycle on
    k + L            V3: product 3 added     `total` of a rower: the products of V3
    k + L + F        V3: reduction           `r`: hats of V3, w bits
    k + L + F + 1    V3: kept                register V3 of the rowers
    k + L + F + 3    V3 = 0, 1, -1           flags of V3
    k + L + F + 4    small residues of V3    V3 modulo the powers of 2 and 3: the next pass is decided on, and starts
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .....engines.inversion.hardware.decision import Decision
from .....engines.inversion.hardware.rower import Rower, equals
from .....engines.inversion.parameters import NOT_INVERTIBLE
from .....rtl.folding import canonical
from .....rtl.pipeline import delayed
from .....rtl.player import PlayerGroup
from .....rtl.streams import core_members
from .....schedule import Schedule
from ..parameters import PassParameters
from ..schedule import (
    BACK,
    BY_D,
    BY_SIGN_AND_D,
    FACTOR,
    FROM_HATS,
    ONE,
    P_BY_D,
    SHIFT,
)
from .residues import SmallResidues


class PassDatapath(wiring.Component):
    """Data path: takes a (and r) with `start`, gives z and error with `done`.

    Attributes
    ----------
    a : in, n residues of w bits
    r : in, n residues of w bits, where V1 starts from it
    z : out, n residues of w bits, canonical
    error : out
        The operand has no inverse.
    """

    def __init__(self, p: PassParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        residues = data.ArrayLayout(p.width, p.n)
        members = {"start": In(1), "a": In(residues), "done": Out(1), "z": Out(residues), "error": Out(1)}
        super().__init__(members | ({"r": In(residues)} if p.blind else {}))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.control = self.control = control = PlayerGroup(
            {name: part.microcode for name, part in self.schedule.parts.items()}
        )
        rowers = [Rower(p.engine, k) for k in range(p.n)]
        m.submodules += rowers
        self.keep, test, decide, take = (self._later(m, name) for name in ("keep", "test", "decide", "take"))
        zero, one, minus = self._flags(m, rowers, test)
        finished = zero | one | minus
        m.d.comb += [
            control.start("load").eq(self.start),
            control.start("turn").eq(decide & ~finished),
            control.start("finish").eq(decide & finished),
            self.done.eq(take),
            self.error.eq(Mux(zero, NOT_INVERTIBLE, 0)),
        ]
        decision = self._decision(m, rowers, decide)
        bus = self._bus(m, decision)
        address = self._address(m, decision, minus)
        read = self._register(control.field("read"), decision, False)
        into = self._register(control.field("into"), decision, True)
        operands = [delayed(m, operand, p.engine.travel, f"x_{k}") for k, operand in enumerate(self._operands(m))]
        for k, (rower, operand) in enumerate(zip(rowers, operands, strict=True)):
            m.d.comb += [getattr(rower, name).eq(control.field(name)) for name in ("a", "factor", "sum", "write")]
            m.d.comb += [
                rower.x.eq(operand),
                rower.bus.eq(bus),
                rower.b.eq(address),
            ]
            m.d.comb += [rower.read.eq(read), rower.into.eq(into)]
            value = canonical(m, p.width, p.base.u[k], rower.r, f"z_{k}")
            m.d.comb += self.z[k].eq(Mux(zero, 0, value))
        return m

    def _later(self, m: Module, name: str) -> Value:
        """A control field of a unit that reads results, delayed like those of the rowers."""
        return delayed(m, self.control.field(name), self.p.engine.travel, f"{name}_later")

    def _operands(self, m: Module) -> list[Value]:
        """Operands of the stream: a with the start, then r, which is stored."""
        if not self.p.blind:
            return [self.a[k] for k in range(self.p.n)]
        operands: list[Value] = []
        for k in range(self.p.n):
            held = Signal(self.p.width, name=f"r_{k}")
            with m.If(self.start):
                m.d.sync += held.eq(self.r[k])
            operands.append(Mux(self.start, self.a[k], held))
        return operands

    def _decision(self, m: Module, rowers: list[Rower], decide: Value) -> Decision:
        """The unit that decides, with small residues of the rowers' values as inputs."""
        m.submodules.decision = decision = Decision(self.p.rules)
        m.submodules.small = small = SmallResidues(self.p)
        m.d.comb += [small.hats[k].eq(rower.r) for k, rower in enumerate(rowers)]
        m.d.comb += [
            decision.start.eq(self.start),
            decision.decide.eq(decide),
            decision.keep.eq(self.keep),
            decision.twos.eq(small.twos),
            decision.threes.eq(small.threes),
        ]
        return decision

    def _bus(self, m: Module, decision: Decision) -> Signal:
        """The coefficient, in the cycle after it was chosen."""
        bus = Signal(signed(self.p.engine.coefficient.bit_length() + 1))
        coefficients = {ONE: Const(1, signed(2)), SHIFT: decision.shift, FACTOR: decision.coefficient}
        with m.Switch(self.control.field("bus")):
            for code, value in coefficients.items():
                with m.Case(code):
                    m.d.sync += bus.eq(value)
            with m.Default():
                m.d.sync += bus.eq(0)
        return bus

    def _register(self, logical: Value, decision: Decision, writes: bool) -> Value:
        """Physical register of V or U: a result replaces V, or the former U when that takes the place of V."""
        slot = logical[0] ^ decision.role if len(logical) else decision.role
        return Cat(slot ^ (decision.swap if writes else 0), logical[1:])

    def _address(self, m: Module, decision: Decision, minus: Value) -> Value:
        """Address of the constant, from the control word or from the decision."""
        addresses, kind = self.p.engine.addresses, self.p.kind
        first = kind.divisors[0]
        number = decision.divisor
        by_sign = Mux(decision.subtract, addresses[f"-1/{first}"], addresses[f"1/{first}"]) + number
        cases = {
            BY_D: addresses[f"1/{first}"] + number,
            BY_SIGN_AND_D: Mux(decision.divides, addresses["0"], by_sign),
            P_BY_D: addresses[f"P/{first}"] + number,
            FROM_HATS: Mux(minus, addresses["minus from hats"], addresses["from hats"]),
            BACK: Mux(minus, addresses["P + κP plain"], addresses["P - κP"]),
        }
        chosen = Signal(max(1, (len(addresses) - 1).bit_length()), name="address")
        m.d.comb += chosen.eq(self.control.field("b"))
        with m.Switch(self.control.field("choice")):
            for code, value in cases.items():
                with m.Case(code):
                    m.d.comb += chosen.eq(value)
        return chosen

    def _flags(self, m: Module, rowers: list[Rower], test: Value) -> list[Signal]:
        """Flags of V3 = 0, 1 and -1."""
        p, kept = self.p, []
        for name, value in (("zero", 0), ("one", 1), ("minus", -1)):
            flags = []
            hats = p.engine.hats(value + p.kappa * p.modulus)
            for k, (rower, hat) in enumerate(zip(rowers, hats, strict=True)):
                flag = Signal(name=f"{name}_{k}")
                m.d.sync += flag.eq(equals(rower.r, hat, p.base.moduli[k]))
                flags.append(flag)
            every, held = Signal(name=f"{name}_every"), Signal(name=name)
            m.d.sync += every.eq(Cat(*flags).all())
            with m.If(test):
                m.d.sync += held.eq(every)
            kept.append(held)
        return kept


class PassCore(wiring.Component):
    """The data path with its streams: an operation is accepted after the transfer of the previous result."""

    def __init__(self, p: PassParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.p
        m.submodules.datapath = path = PassDatapath(p, self.schedule)
        busy = Signal()  # from the transfer of an operand to that of its result
        m.d.comb += [self.i.ready.eq(~busy), path.start.eq(self.i.valid & ~busy)]
        for field in p.i.fields:
            m.d.comb += getattr(path, field.name).eq(getattr(self.i.p, field.name))
        with m.If(path.start):
            m.d.sync += busy.eq(1)
        with m.If(path.done):
            m.d.sync += [self.o.p.z.eq(path.z), self.o.p.error.eq(path.error), self.o.valid.eq(1)]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), busy.eq(0)]
        return m
