# SPDX-License-Identifier: Apache-2.0
"""The registers of a core in hardware, behind one port for writes and one for reads."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from .registers import BYTES, WORD, RegisterMap, Window
from .shell import Shell


class Response(IntEnum):
    """Responses to an access, in the codes of AXI (IHI 0022, A3.4.4)."""

    OKAY = 0
    SLVERR = 2
    """Refused: a read-only word, a value wider than its field, or not in this state."""
    DECERR = 3
    """Empty region: no address has a register."""


class State(IntEnum):
    """States of the register block: no operation, operands offered, result awaited."""

    IDLE = 0
    ISSUE = 1
    """The operands are offered to the core."""
    WAIT = 2
    """The core has taken them."""


def members_of(registers: RegisterMap) -> dict[str, Member]:
    """Ports of the registers for a wrapper."""
    address = registers.address_bits - 2  # of words
    return {
        "write": In(1),
        "write_address": In(address),
        "write_data": In(WORD),
        "write_strobes": In(BYTES),
        "write_done": Out(1),
        "write_response": Out(2),
        "read": In(1),
        "read_address": In(address),
        "read_done": Out(1),
        "read_data": Out(WORD),
        "read_response": Out(2),
        "irq": Out(1),
        "busy": Out(1),
    }


class RegisterBlock(wiring.Component):
    """A core with its registers.

    A write or read of cycle t is answered in cycle t + 2, with `done` high for one cycle. Both ports work side by side;
    where a write of the same cycle changes what a read sees, the read sees what was before.

    Operands are cleared in the cycle in which the core takes them and by WIPE, but for those that KEEP names; RESET
    clears these, too, and KEEP. Results are cleared by START, WIPE and RESET.

    Parameters
    ----------
    registers : RegisterMap
    core : Shell

    Attributes
    ----------
    write, write_address, write_data, write_strobes : in
        A write; the address is in words.
    write_done, write_response : out
    read, read_address : in
    read_done, read_data, read_response : out
        Data is 0 unless the response is OKAY.
    irq : out
        High while PENDING and ENABLE are.
    busy : out
        An access or an operation is in flight.
    """

    def __init__(self, registers: RegisterMap, core: Shell) -> None:
        self.map, self.core = registers, core
        super().__init__(members_of(registers))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.shell = self.core
        self.state = Signal(State)
        self.operands = Signal(self.map.i.width, name="operand_windows")  # constraints name it
        self.result = Signal(self.map.o.width)
        self.drop = Signal()  # the result of the operation in flight is not stored
        self.ended = Signal()  # the result register holds a result
        self.enable, self.pending = Signal(), Signal()
        self.keep = Signal(len(self.map.register("KEEP").bits))
        self.cycles = Signal(WORD)
        self.start, self.wipe, self.reset = Signal(), Signal(), Signal()  # commands of this cycle
        writing = self._write(m)
        self._operate(m)
        reading = self._read(m)
        m.d.comb += [
            self.irq.eq(self.enable & self.pending),
            self.busy.eq((self.state != State.IDLE) | writing | reading),
        ]
        return m

    # --- writes

    def _write(self, m: Module) -> Value:
        """Add the port, and return whether a write is in flight."""
        active = Signal()
        address, data, strobes = (Signal.like(s) for s in (self.write_address, self.write_data, self.write_strobes))
        response = Signal(Response, init=Response.DECERR)
        m.d.sync += [active.eq(self.write), self.write_done.eq(active)]
        with m.If(self.write):  # nothing moves without an access: the clock may be stopped between two of them
            m.d.sync += [
                address.eq(self.write_address),
                data.eq(self.write_data),
                strobes.eq(self.write_strobes),
            ]
        with m.If(active):
            m.d.sync += self.write_response.eq(response)
        kept, masked = Signal(WORD), Signal(WORD)
        m.d.comb += [kept.eq(~Cat(strobe.replicate(8) for strobe in strobes)), masked.eq(data & ~kept)]
        with m.Switch(address):
            for register in self.map.registers:
                with m.Case(register.offset // BYTES):
                    m.d.comb += response.eq(Response.OKAY if register.writable else Response.SLVERR)
                    if register.name == "CONTROL":
                        self._command(m, active, masked, response)
                    elif register.name == "INTERRUPT":
                        self._interrupt(m, active, data, strobes[0])
                    elif register.name == "KEEP":
                        with m.If(active):
                            m.d.sync += self.keep.eq(_written(self.keep, kept, masked))
            for window in self.map.operands:
                self._operand(m, window, active, kept, masked, response)
            with m.Case(*_addresses(self.map.results)):
                m.d.comb += response.eq(Response.SLVERR)
        return self.write | active | self.write_done

    def _command(self, m: Module, active: Value, data: Value, response: Signal) -> None:
        start, wipe, reset = data[0], data[1], data[2]
        refused = start & (wipe | reset | (self.state != State.IDLE))
        m.d.comb += [
            self.start.eq(active & start & ~refused),
            self.wipe.eq(active & wipe & ~refused),
            self.reset.eq(active & reset & ~refused),
        ]
        with m.If(refused):
            m.d.comb += response.eq(Response.SLVERR)

    def _interrupt(self, m: Module, active: Value, data: Value, strobe: Value) -> None:
        with m.If(active & strobe):
            m.d.sync += self.enable.eq(data[0])
            with m.If(data[1]):
                m.d.sync += self.pending.eq(0)

    def _operand(self, m: Module, window: Window, active: Value, kept: Value, masked: Value, response: Signal) -> None:
        offered = self.state == State.ISSUE  # a payload does not change before it is taken
        for offset, low, bits in window.slices():
            with m.Case(offset // BYTES):
                word = self.operands[low : low + bits]
                refused = offered | masked[bits:].any() if bits < WORD else offered
                m.d.comb += response.eq(Mux(refused, Response.SLVERR, Response.OKAY))
                with m.If(active & ~refused):
                    m.d.sync += word.eq(_written(word, kept, masked))

    # --- operation

    def _operate(self, m: Module) -> None:
        core = self.core
        forgotten = self.wipe | self.reset
        m.d.comb += [
            core.clear.eq(self.reset),
            core.i_valid.eq(self.state == State.ISSUE),
            core.i_payload.eq(self.operands),
            core.o_ready.eq(self.state == State.WAIT),
        ]
        with m.Switch(self.state):
            with m.Case(State.IDLE), m.If(self.start):
                m.d.sync += [self.state.eq(State.ISSUE), self.drop.eq(0), self.ended.eq(0), self.pending.eq(0)]
            with m.Case(State.ISSUE), m.If(core.i_ready):
                m.d.sync += [self.state.eq(State.WAIT), self.cycles.eq(1)]
            with m.Case(State.WAIT):
                with m.If(core.o_valid):
                    m.d.sync += [self.state.eq(State.IDLE), self.pending.eq(1)]
                    with m.If(~self.drop):
                        m.d.sync += [self.result.eq(core.o_payload), self.ended.eq(1)]
                with m.Else():
                    m.d.sync += self.cycles.eq(self.cycles + 1)
        with m.If(forgotten):
            m.d.sync += [self.ended.eq(0), self.drop.eq(1)]
        with m.If(self.reset):
            m.d.sync += [self.state.eq(State.IDLE), self.pending.eq(0), self.keep.eq(0)]
        self._clear(m, forgotten)

    def _clear(self, m: Module, forgotten: Value) -> None:
        """Clear results of the past, and operands that are taken or forgotten, field by field as KEEP has it."""
        with m.If(self.start | forgotten):
            m.d.sync += self.result.eq(0)
        issuing = self.state == State.ISSUE  # operands that are offered are cleared as they are taken
        clear = Signal()
        m.d.comb += clear.eq(Mux(issuing, self.core.i_ready | self.reset, forgotten))
        fields = self.map.i.fields
        for number, field in enumerate(fields[: len(self.keep)]):
            low = self.map.i.offsets[field.name]
            with m.If(clear & (self.reset | ~self.keep[number])):
                m.d.sync += self.operands[low : low + field.bits].eq(0)
        rest = fields[len(self.keep) :]  # KEEP has no bit for these
        if rest:
            with m.If(clear):
                m.d.sync += self.operands[self.map.i.offsets[rest[0].name] :].eq(0)

    # --- reads

    def _read(self, m: Module) -> Value:
        """Add the port, and return whether a read is in flight."""
        active, address = Signal(), Signal.like(self.read_address)
        response = Signal(Response, init=Response.DECERR)
        data = Signal(WORD)
        m.d.sync += [
            active.eq(self.read),
            self.read_done.eq(active),
            self.read_data.eq(Mux(active, data, 0)),
        ]
        with m.If(self.read):
            m.d.sync += address.eq(self.read_address)
        with m.If(active):
            m.d.sync += self.read_response.eq(response)
        with m.Switch(address):
            for register in self.map.registers:
                with m.Case(register.offset // BYTES):
                    m.d.comb += [response.eq(Response.OKAY), data.eq(self._value(register.name, register.value))]
            with m.Case(*_addresses(self.map.operands)):
                m.d.comb += response.eq(Response.OKAY)
            for window in self.map.results:
                for offset, low, bits in window.slices():
                    with m.Case(offset // BYTES):
                        m.d.comb += [response.eq(Response.OKAY), data.eq(self.result[low : low + bits])]
        return self.read | active | self.read_done

    def _value(self, name: str, constant: int) -> Value:
        """Value that a register reads as."""
        low = self.map.o.offsets["error"]
        error = self.result[low : low + min(8, self.map.o["error"].width)]
        return {
            "STATUS": Cat(self.state != State.IDLE, self.ended, Const(0, 6), error),
            "INTERRUPT": Cat(self.enable, self.pending),
            "CYCLES": self.cycles,
            "KEEP": self.keep,
        }.get(name, Const(constant, WORD))


def _addresses(windows: Iterable[Window]) -> list[int]:
    """Addresses of windows, in words."""
    return [offset // BYTES for window in windows for offset, _, _ in window.slices()]


def _written(word: Value, kept: Value, masked: Value) -> Value:
    """A word after a write; `kept` is 1 where it is not written, and there `masked`, the data, is 0."""
    return (word & kept[: len(word)]) | masked[: len(word)]


class NamedBlock(wiring.Component):
    """A register block by the name of its Verilog module, for a wrapper: one elaboration serves several wrappers.

    Parameters
    ----------
    registers : RegisterMap
    module : str
    """

    def __init__(self, registers: RegisterMap, module: str) -> None:
        self.map, self.module = registers, module
        super().__init__(members_of(registers))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        members = self.signature.members
        ports: dict[str, object] = {
            f"{'i' if member.flow == In else 'o'}_{name}": getattr(self, name) for name, member in members.items()
        }
        m.submodules.registers = Instance(self.module, i_clk=ClockSignal(), i_rst=ResetSignal(), **ports)
        return m
