# SPDX-License-Identifier: Apache-2.0
"""A machine that runs a program of field operations: words, multipliers, modular adder, inversion and player.

Registers by cycle, for a product that starts in cycle t; M is its latency:

    cycle        step                 register that holds the value from this cycle on
    t + M + 1    set-up: U0 = u·r2    a word: the product, below m or 2m; operand registers `x_k`, `y_k` before

The control word of cycle t is word t - 1 of the microcode. It is in a register, too.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ....rtl.player import Player
from ....schedule import Schedule
from ...limb.hardware.multiplier import LimbMultiplier
from ..control import Names
from ..parameters import FieldParameters
from ..words import WORDS
from .alone import arithmetic_of


class FieldMachine(wiring.Component):
    """Parameters
    ----------
    p : FieldParameters
    names : Names
        Numbers in the control words.
    schedule : Schedule
        With the microcode, and the schedules of the multipliers' kinds as its parts.
    words : int
        Words of the memory, a power of two; operands have addresses from there on.

    Attributes
    ----------
    start : in
        The program starts.
    ready : out
        `start` may be set.
    m, q, mu : in
        Modulus and its constants, unchanged from the cycle after `start` on.
    given_<name> : in, n bits
        An operand that is read where it came in, unchanged while it is read.
    exchange : in
        Bit f: source f of `names.flips` exchanges bit 0 of an address. Those of "" and of `inv_sign` do not count.
    exchange_high : in
        Bit f: source f exchanges bit 1 of an address; where `names.quads`.
    word : out, a register
        The control word.
    found : out, n + 1 bits
        The read port, below 2m.
    negative : out
        The first sum of the cycle before is negative.
    flag_<name> : out
        Flags of `names.zeros`: a value that was read is 0.
    """

    def __init__(self, p: FieldParameters, names: Names, schedule: Schedule, words: int = WORDS) -> None:
        self.p, self.names, self.schedule, self.words = p, names, schedule, words
        self.player = Player(schedule.microcode, overlap=False)
        n = p.n
        super().__init__(
            {"start": In(1), "ready": Out(1), "m": In(n), "q": In(p.unit.w)}
            | ({"mu": In(n)} if p.unit.unit.folds else {})
            | {f"given_{name}": In(n) for name in names.external}
            | {"exchange": In(len(names.flips)), "word": Out(self.player.layout), "found": Out(n + 1)}
            | ({"exchange_high": In(len(names.flips))} if names.quads else {})
            | {"negative": Out(1)}
            | {f"flag_{name}": Out(1) for name in names.zeros[1:]}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sequencer = sequencer = self.player
        m.submodules.arithmetic = self.arithmetic = arithmetic_of(self.p)
        m.d.comb += [
            sequencer.start.eq(self.start),
            self.ready.eq(sequencer.ready),
            self.word.as_value().eq(sequencer.word.as_value()),
            self.negative.eq(self.arithmetic.negative),
        ]
        self._read(m)
        self._write(m)
        self._multipliers(m)
        self._flags(m)
        return m

    def _field(self, name: str) -> Value:
        """A field of the control word, 0 where no word has it."""
        return self.player.field(name)

    def _flipped(self, flip: Value) -> Value:
        """Whether the source that a field names exchanges bit 0 of an address."""
        sources = {"": 0, "inv_sign": self.arithmetic.inv_sign}
        bits = Cat(*(sources.get(name, self.exchange[k]) for k, name in enumerate(self.names.flips)))
        return bits.bit_select(flip, 1)

    def _read(self, m: Module) -> None:
        """The read port: a word, or an operand where it was held."""
        n, names = self.p.n, self.names
        m.submodules.words = words = memory.Memory(shape=n + 1, depth=self.words, init=[])
        self.port, self.into = words.read_port(domain="comb"), words.write_port()
        address, flip = Signal(range(2 * self.words)), self._field("flip")
        low = self._flipped(flip)
        m.d.comb += [
            address.eq(
                self._field("read") ^ (Cat(low, self.exchange_high.bit_select(flip, 1)) if names.quads else low)
            ),
            self.port.addr.eq(address),
            self.found.eq(self.port.data),
        ]
        with m.If(address[-1]), m.Switch(address[:-1]):
            for name, number in names.external.items():
                with m.Case(number - self.words):
                    m.d.comb += self.found.eq(getattr(self, f"given_{name}"))
        self.filled = Signal(n + 1)
        m.d.comb += self.filled.eq(Mux(self._field("forward"), self.arithmetic.w, self.found))

    def _write(self, m: Module) -> None:
        """A word is written, but for those that belong to a step before the first one."""
        first = Signal()
        with m.If(self._field("begin")):
            m.d.sync += first.eq(self._field("first_step"))
        m.d.comb += [
            self.into.en.eq(self._field("write") & ~(self._field("tail") & first)),
            self.into.addr.eq(self._field("into") ^ self._flipped(self._field("into_flip"))),
            self.into.data.eq(self.arithmetic.w),
        ]

    def _multipliers(self, m: Module) -> None:
        p, adder = self.p, self.arithmetic
        m.d.comb += [adder.read.eq(self.found), adder.filled.eq(self.filled), adder.m.eq(self.m)]
        for name in ("load_a", "clear_a", "first", "second", "one", "inverse"):
            m.d.comb += getattr(adder, name).eq(self._field(name))
        for k in range(p.macs):
            m.submodules[f"multiplier_{k}"] = unit = LimbMultiplier(p.unit, self.schedule.parts)
            m.d.comb += [
                unit.start.eq(self._field(f"start_{k}")),
                unit.kind.eq(self._field(f"kind_{k}")),
                unit.q.eq(self.q),
                getattr(adder, f"z_{k}").eq(unit.z),
            ]
            for name in [name for name in ("m", "mu") if name in unit.operands]:
                m.d.comb += getattr(unit, name).eq(getattr(self, name))
            for name in [name for name in ("x", "y", "x2", "y2") if name in unit.operands]:
                register = Signal(p.n, name=f"{name}_{k}")
                with m.If(self._field(f"load_{name}_{k}")):
                    m.d.sync += register.eq(self.filled)
                m.d.comb += getattr(unit, name).eq(register)

    def _flags(self, m: Module) -> None:
        """A flag is set from the read port in the cycle that names it."""
        with m.Switch(self._field("zero")):
            for number, name in enumerate(self.names.zeros[1:], 1):
                with m.Case(number):
                    m.d.sync += getattr(self, f"flag_{name}").eq(~self.found.any())
