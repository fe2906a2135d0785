# SPDX-License-Identifier: Apache-2.0
"""The rules of the buses as hardware: conditions that a wrapper must never violate, whatever the other side does.

Each function adds registers to a module, looks at the ports of a wrapper, and returns a signal for each rule, which is
1 in a cycle in which the rule is broken. Nothing is assumed of the other side: a wrapper that keeps the rules keeps
them next to one that does not, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from .block import Response
from .registers import WORD
from .tilelink import Opcode

Broken = Mapping[str, Value]
"""By the name of a rule: whether it is broken in this cycle."""
Rules = Callable[[Module, wiring.Component], Broken]
"""One of the functions of this module."""
TIMEOUT = 6
"""Cycles in which a wrapper has to answer an access, or be ready for the next one after its answer was taken."""


def _held(m: Module, name: str, valid: Value, ready: Value, payload: Value) -> Value:
    """Broken where an offer that was not taken goes away or changes."""
    waited, before = Signal(name=f"{name}_waited"), Signal(len(payload), name=f"{name}_before")
    m.d.sync += [waited.eq(valid & ~ready), before.eq(payload)]
    return waited & (~valid | (payload != before))


def _late(m: Module, name: str, due: Value, timeout: int = TIMEOUT) -> Value:
    """Broken where something has been due for too long."""
    count = Signal(range(timeout + 2), name=f"{name}_waits")
    m.d.sync += count.eq(Mux(due, Mux(count > timeout, count, count + 1), 0))
    return due & (count > timeout)


def _after_reset(m: Module, name: str, valid: Value) -> Value:
    """Broken where something is valid in the first cycle, or in the one after a reset."""
    first = Signal(init=1, name=f"{name}_first")
    m.d.sync += first.eq(0)
    return first & valid


def axi_lite(m: Module, bus: wiring.Component) -> Broken:
    """Subordinate of AXI4-Lite, IHI 0022, A3.2.1 (offers are kept), A3.3.1 (answers follow requests), B1.1 (codes)."""
    took_address, took_data = bus.s_axi_awvalid & bus.s_axi_awready, bus.s_axi_wvalid & bus.s_axi_wready
    answered, took_read = bus.s_axi_bvalid & bus.s_axi_bready, bus.s_axi_arvalid & bus.s_axi_arready
    shown = bus.s_axi_rvalid & bus.s_axi_rready
    addressed, written, asked = Signal(2), Signal(2), Signal(2)  # accepted, and not answered
    m.d.sync += [
        addressed.eq(addressed + took_address - answered),
        written.eq(written + took_data - answered),
        asked.eq(asked + took_read - shown),
    ]
    write_idle, read_idle = (addressed == 0) & (written == 0), asked == 0
    return {
        "b_held": _held(m, "b", bus.s_axi_bvalid, bus.s_axi_bready, bus.s_axi_bresp),
        "r_held": _held(m, "r", bus.s_axi_rvalid, bus.s_axi_rready, Cat(bus.s_axi_rdata, bus.s_axi_rresp)),
        "b_after_request": bus.s_axi_bvalid & ((addressed == 0) | (written == 0)),
        "r_after_request": bus.s_axi_rvalid & (asked == 0),
        "two_at_most": (addressed == 3) | (written == 3) | (asked == 3),  # nor does a count wrap
        "codes": (bus.s_axi_bvalid & (bus.s_axi_bresp == 1)) | (bus.s_axi_rvalid & (bus.s_axi_rresp == 1)),
        "b_in_time": _late(m, "b", (addressed != 0) & (written != 0) & ~bus.s_axi_bvalid),
        "r_in_time": _late(m, "r", (asked != 0) & ~bus.s_axi_rvalid),
        "ready_in_time": _late(m, "aw", write_idle & ~(bus.s_axi_awready & bus.s_axi_wready))
        | _late(m, "ar", read_idle & ~bus.s_axi_arready),
        "after_reset": _after_reset(m, "axi", bus.s_axi_bvalid | bus.s_axi_rvalid),
    }


def wishbone(m: Module, bus: wiring.Component) -> Broken:
    """Subordinate of Wishbone B4, classic cycles: 3.1.3 (rule 3.35: answers to strobes only), 3.1.4, 3.2."""
    asked, answer = bus.wb_cyc & bus.wb_stb, bus.wb_ack | bus.wb_err
    lasting, begun = Signal(), Signal()  # the access of the cycle before continues; the registers have seen it
    goes_on = lasting & asked
    m.d.sync += lasting.eq(asked & ~answer)
    m.d.sync += begun.eq((bus.block.write | bus.block.read) | (begun & goes_on & ~answer))
    twice = (bus.block.write | bus.block.read) & begun & goes_on
    return {
        "answer_to_strobe": answer & ~asked,
        "one_answer": bus.wb_ack & bus.wb_err,
        "answer_of_this_access": answer & ~(begun & lasting),
        "access_once": twice,
        "in_time": _late(m, "wb", asked & ~answer, 2 * TIMEOUT),
        "after_reset": _after_reset(m, "wb", answer),
    }


def apb(m: Module, bus: wiring.Component) -> Broken:
    """Completer of APB4, IHI 0024: 2.1 (error with the last cycle only), 3.1 to 3.4; an access is done once."""
    access = bus.s_apb_psel & bus.s_apb_penable
    done = access & bus.s_apb_pready
    begun, lasting = Signal(), Signal()
    begins = bus.block.write | bus.block.read
    m.d.sync += [lasting.eq(access & ~done), begun.eq(begins | (begun & lasting & access & ~done))]
    return {
        "ready_in_access": bus.s_apb_pready & ~access,
        "error_with_ready": bus.s_apb_pslverr & ~done,
        "answer_of_this_access": done & ~(begun & lasting),
        "access_once": begins & begun & lasting,
        "in_access_only": begins & ~access,
        "in_time": _late(m, "apb", access & ~done, 2 * TIMEOUT),
        "after_reset": _after_reset(m, "apb", bus.s_apb_pready),
    }


def tilelink(m: Module, bus: wiring.Component) -> Broken:
    """Device of TileLink-UL, specification 1.8.1: 4.1 (handshakes), 5.2 (denied and corrupt), 6.2 (answers)."""
    taken, shown = bus.tl_a_valid & bus.tl_a_ready, bus.tl_d_valid & bus.tl_d_ready
    asked = Signal()
    reads, size, source = Signal(), Signal.like(bus.tl_a_size), Signal.like(bus.tl_a_source)
    m.d.sync += asked.eq(taken | (asked & ~shown))
    with m.If(taken):
        m.d.sync += [reads.eq(bus.tl_a_opcode == Opcode.GET), size.eq(bus.tl_a_size), source.eq(bus.tl_a_source)]
    answer = Cat(bus.tl_d_opcode, bus.tl_d_size, bus.tl_d_source, bus.tl_d_denied, bus.tl_d_data, bus.tl_d_corrupt)
    return {
        "d_held": _held(m, "d", bus.tl_d_valid, bus.tl_d_ready, answer),
        "d_after_request": bus.tl_d_valid & ~asked,
        "one_at_a_time": taken & asked & ~shown,
        "answer_of_the_request": bus.tl_d_valid
        & ((bus.tl_d_opcode != reads) | (bus.tl_d_size != size) | (bus.tl_d_source != source)),
        "corrupt_where_denied": bus.tl_d_valid & (bus.tl_d_corrupt != (bus.tl_d_denied & reads)),
        "in_time": _late(m, "d", asked & ~bus.tl_d_valid),
        "ready_in_time": _late(m, "a", ~asked & ~bus.tl_a_ready),
        "after_reset": _after_reset(m, "tl", bus.tl_d_valid),
    }


def axi_stream(m: Module, bus: wiring.Component) -> Broken:
    """Transmitter of AXI4-Stream, IHI 0051, 2.2.1; packets have their length, and offered operands stay. Payloads come
    a bit of the beats at a time, which depends on the same bit of the beats before or behind it."""
    beats = Signal(range(bus.beats_out + 1))
    sent, last = bus.m_axis_tvalid & bus.m_axis_tready, beats == bus.beats_out - 1
    with m.If(sent):
        m.d.sync += beats.eq(Mux(bus.m_axis_tlast, 0, beats + 1))
    broken: dict[str, Value] = {
        "length": bus.m_axis_tvalid & (bus.m_axis_tlast != last),
        "after_reset": _after_reset(m, "m", bus.m_axis_tvalid),
    }
    width, operands = len(bus.m_axis_tdata), bus.core.i_payload
    for bit in range(width):
        offered = Cat(bus.m_axis_tdata[bit], bus.m_axis_tlast)
        broken[f"m_{bit}_held"] = _held(m, f"m_{bit}", bus.m_axis_tvalid, bus.m_axis_tready, offered)
    for bit in range(min(width, len(operands))):
        broken[f"i_{bit}_held"] = _held(m, f"i_{bit}", bus.core.i_valid, bus.core.i_ready, operands[bit::width])
    return broken


def block(m: Module, made: wiring.Component) -> Broken:
    """Registers behind a wrapper: answers two cycles after an access, and in no other, of a code that there is. They
    become busy with an access only, the interrupt changes while they are, and operands are offered as they were in the
    cycle before. Rules about data come a word or a bit at a time, each of which depends on few registers."""
    busy, irq, operands = Signal(), Signal(), Signal.like(made.core.i_payload)
    m.d.sync += [busy.eq(made.busy), irq.eq(made.irq), operands.eq(made.core.i_payload)]
    broken: dict[str, Value] = {
        "busy_by_access": made.busy & ~busy & ~(made.write | made.read),
        "interrupt_while_busy": (made.irq != irq) & ~busy,
    }
    for low in range(0, len(operands), WORD):
        word, before = (signal[low : low + WORD] for signal in (made.core.i_payload, operands))
        broken[f"operands_{low}_two_cycles"] = made.core.i_valid & (word != before)
    for port, data in (("write", None), ("read", made.read_data)):
        one, two = Signal(name=f"{port}_1"), Signal(name=f"{port}_2")
        done, response = getattr(made, f"{port}_done"), getattr(made, f"{port}_response")
        m.d.sync += [one.eq(getattr(made, port)), two.eq(one)]
        broken[f"{port}_answered"] = done != two
        broken[f"{port}_codes"] = response == 1
        if data is not None:
            good = done & (response == Response.OKAY)
            broken |= {f"data_{number}_when_good": bit & ~good for number, bit in enumerate(data)}
    return broken


def gating(m: Module, twin: wiring.Component) -> Broken:
    """Outputs of two wrappers, of which the clock of one stands while it is idle: the same in every cycle."""
    members = twin.plain.signature.members.items()
    return {
        name: getattr(twin.plain, name) != getattr(twin.gated, name) for name, member in members if member.flow != In
    }
