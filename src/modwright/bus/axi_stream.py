# SPDX-License-Identifier: Apache-2.0
"""A core behind AXI4-Stream (ARM IHI 0051): a packet of operands in, a packet with the result out.

Both are words of 32 bits, two in a beat of 64, the first in its lower half; an odd last half is 0. A packet of operands
holds the words of `RegisterMap.operands`. A packet of a result holds a word of status, then the words of
`RegisterMap.results`: bits 7 to 0 of the status are the core's error code, and bit 8 says that the packet was bad:
`tlast` came too early or too late, or a value was wider than its field; then all other words are 0. Results come in the
order of the operands. The register that gathers operands is cleared as the core takes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .registers import WORD, RegisterMap, Window
from .shell import Shell

BEATS = (32, 64)
MALFORMED = 1 << 8
"""Bit of the status word."""
UNDER_WAY = 255
"""Most operations whose results are not yet sent."""


class AxiStream(wiring.Component):
    """The wrapper; ports `s_axis_...`, `m_axis_...` and `idle`.

    Parameters
    ----------
    registers : RegisterMap
    core : Shell
    beat : int
        Bits of a beat, 32 or 64.
    """

    def __init__(self, registers: RegisterMap, core: Shell, beat: int = 32) -> None:
        self.map, self.core, self.beat = registers, core, beat
        members: dict[str, wiring.Member] = {}
        for prefix, here, there in (("s_axis", In, Out), ("m_axis", Out, In)):
            members |= {
                f"{prefix}_tdata": here(beat),
                f"{prefix}_tlast": here(1),
                f"{prefix}_tvalid": here(1),
                f"{prefix}_tready": there(1),
            }
        super().__init__(members | {"idle": Out(1)})

    @property
    def beats_in(self) -> int:
        """Beats of a packet of operands."""
        return self._beats(sum(w.words for w in self.map.operands))

    @property
    def beats_out(self) -> int:
        """Beats of a packet with a result."""
        return self._beats(1 + sum(w.words for w in self.map.results))

    def _beats(self, words: int) -> int:
        return -(-words * WORD // self.beat)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.shell = self.core
        self.bad, self.answered = Signal(), Signal()  # a malformed packet waits for its answer; the answer is loaded
        taken, sent = Signal(), Signal()
        under_way = Signal(range(UNDER_WAY + 1))
        m.d.sync += under_way.eq(under_way + taken - sent)
        gathering = self._gather(m, taken, under_way != UNDER_WAY)
        sending = self._send(m, sent, under_way == 0)
        m.d.comb += self.idle.eq(~(self.s_axis_tvalid | gathering | sending) & (under_way == 0))
        return m

    def _gather(self, m: Module, taken: Signal, room: Value) -> Value:
        """Return whether a packet of operands is complete, or its result is due."""
        core, beats = self.core, self.beats_in
        gathered = Signal(beats * self.beat)  # the last beat in the most significant bits
        count = Signal(range(beats + 1))
        full, wrong = Signal(), Signal()  # wrong: the packet is too long, and its rest is thrown away
        words = gathered
        pieces, wide = [], []
        at = 0
        for window in self.map.operands:
            for _, _, bits in window.slices():
                pieces.append(words[at : at + bits])
                if bits < WORD:
                    wide.append(words[at + bits : at + WORD].any())
                at += WORD
        if at < len(gathered):
            wide.append(words[at:].any())
        malformed = Cat(wide).any() if wide else Const(0)
        transfer = self.s_axis_tvalid & self.s_axis_tready
        m.d.comb += [
            self.s_axis_tready.eq(~full & ~self.bad),
            core.i_payload.eq(Cat(pieces)),
            core.i_valid.eq(full & ~malformed & room),
            taken.eq(core.i_valid & core.i_ready),
        ]
        torn = wrong | (self.s_axis_tlast != (count == beats - 1))
        spent = Signal()
        m.d.comb += spent.eq((transfer & torn) | taken | (full & malformed))
        with m.If(transfer):
            m.d.sync += [gathered.eq(Cat(gathered[self.beat :], self.s_axis_tdata)), count.eq(count + 1)]
            with m.If(torn):
                m.d.sync += [wrong.eq(~self.s_axis_tlast), self.bad.eq(self.s_axis_tlast)]
            with m.Elif(self.s_axis_tlast):
                m.d.sync += full.eq(1)
        with m.If(taken | (full & malformed)):
            m.d.sync += [full.eq(0), self.bad.eq(~taken)]
        with m.If(spent):
            m.d.sync += [gathered.eq(0), count.eq(0)]
        with m.If(self.answered):
            m.d.sync += self.bad.eq(0)
        return full | self.bad

    def _send(self, m: Module, sent: Signal, idle: Value) -> Value:
        """Add the hardware, and return whether a packet of a result is on its way out."""
        core, beats = self.core, self.beats_out
        packet = Signal(beats * self.beat)
        left = Signal(range(beats + 1))  # beats to send
        result = self._packet(self.map.results)
        free = Signal()
        m.d.comb += [
            free.eq((left == 0) | ((left == 1) & self.m_axis_tready)),
            core.o_ready.eq(free),
            sent.eq(core.o_valid & core.o_ready),
            self.answered.eq(self.bad & idle & free),
            self.m_axis_tvalid.eq(left != 0),
            self.m_axis_tlast.eq(left == 1),
            self.m_axis_tdata.eq(packet[: self.beat]),
        ]
        with m.If(self.m_axis_tvalid & self.m_axis_tready):
            m.d.sync += [packet.eq(packet[self.beat :]), left.eq(left - 1)]
        with m.If(sent | self.answered):
            m.d.sync += [packet.eq(Mux(sent, result, MALFORMED)), left.eq(beats)]
        return left != 0

    def _packet(self, windows: Sequence[Window]) -> Value:
        """Status and words of the result that the core offers."""
        payload = self.core.o_payload
        low = self.map.o.offsets["error"]
        words: list[Value] = [Cat(payload[low : low + min(8, self.map.o["error"].width)], Const(0, WORD))[:WORD]]
        for window in windows:
            words += [Cat(payload[low : low + bits], Const(0, WORD))[:WORD] for _, low, bits in window.slices()]
        return Cat(words)
