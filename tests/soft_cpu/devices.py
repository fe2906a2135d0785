# SPDX-License-Identifier: Apache-2.0
"""Devices on the bus of the soft CPU: the registers as a model, and the delivered wrapper with its core, simulated."""

from modwright.bus import register_map
from modwright.bus.registers import WORD
from modwright.emulate import Device

WRITE_WAIT, READ_WAIT = 4, 3
"""Cycles that a CPU waits for the AXI4-Lite wrapper beyond a memory's one: address and data are taken in cycle 0 and
given to the registers in 1, which answer 2 later; BVALID is a cycle after that. A read goes to the registers in 0."""
_BYTES = WORD // 8


class Modelled:
    """The registers in Python, and results and cycles of the core's model.

    Parameters
    ----------
    prepared : Prepared
    swap : bool
        Whether the bus swaps the bytes of every word.
    """

    def __init__(self, prepared, *, swap=False):
        self.prepared, self.map, self.swap = prepared, register_map(prepared), swap
        self.accesses = 0
        self.names = {r.offset: r.name for r in self.map.registers}
        self.windows = {offset: (w, low, bits) for w in self.map.operands for offset, low, bits in w.slices()}
        self.values = {offset: (low, bits) for w in self.map.results for offset, low, bits in w.slices()}
        self.reset()

    def reset(self):
        self.operands = self.result = self.keep = self.cycles = 0
        self.ends = self.pending = None
        self.done = False

    def _settle(self, cycle):
        if self.ends is not None and cycle >= self.ends:
            self.result, self.cycles = self.pending
            self.ends, self.done = None, True

    def _wipe(self):
        """What KEEP does not name."""
        at, kept = 0, 0
        for number, field in enumerate(self.map.i.fields):
            if self.keep >> number & 1:
                kept |= ((1 << field.bits) - 1) << at
            at += field.bits
        self.operands &= kept

    def _start(self, cycle):
        outcome = self.prepared.model.run(self.map.i.unpack(self.operands))
        self.pending = self.map.o.pack(outcome.payload), outcome.cycles
        self.ends, self.done, self.result = cycle + outcome.cycles + 1, False, 0
        self._wipe()

    def store(self, offset, value, cycle):
        self.accesses += 1
        if self.swap:
            value = int.from_bytes(value.to_bytes(4, "little"), "big")
        self._settle(cycle)
        name = self.names.get(offset)
        if offset in self.windows:
            _, low, bits = self.windows[offset]
            assert value >> bits == 0, (hex(offset), hex(value))
            self.operands = self.operands & ~(((1 << bits) - 1) << low) | value << low
        elif name == "KEEP":
            self.keep = value
        elif name == "CONTROL":
            assert value in (1, 2, 4)
            if value == 4:
                self.reset()
            elif value == 2:
                self._wipe()
                self.result, self.done, self.ends = 0, False, None
            else:
                assert self.ends is None
                self._start(cycle)
        else:
            assert name == "INTERRUPT", hex(offset)
        return WRITE_WAIT

    def load(self, offset, cycle):
        self.accesses += 1
        self._settle(cycle)
        value = self._value(offset)
        return int.from_bytes(value.to_bytes(4, "little"), "big") if self.swap else value, READ_WAIT

    def _value(self, offset):
        if offset in self.values:
            low, bits = self.values[offset]
            return self.result >> low & ((1 << bits) - 1)
        name = self.names[offset]
        error = self.map.o.unpack(self.result)["error"] if self.done else 0
        return {
            "STATUS": (self.ends is not None) | self.done << 1 | error << 8,
            "CYCLES": self.cycles,
            "KEEP": self.keep,
        }.get(name, self.map.register(name).value)

    def fence(self):
        """Nothing waits."""


class Posted(Modelled):
    """The same behind a bus that posts writes: a read overtakes them, and only a fence lets them arrive."""

    def __init__(self, prepared):
        super().__init__(prepared)
        self.posted = []

    def store(self, offset, value, cycle):
        self.posted.append((offset, value, cycle))
        return 0

    def fence(self):
        for write in self.posted:
            super().store(*write)
        self.posted = []


class Simulated:
    """The delivered wrapper with its core in Verilator, whose clock keeps pace with the CPU's."""

    def __init__(self, device: Device):
        self.device = device
        self.start = device.cycle

    def _catch_up(self, cycle):
        behind = cycle - (self.device.cycle - self.start)
        if behind > 0:
            self.device.run(behind)  # no interrupt is enabled

    def load(self, offset, cycle):
        self._catch_up(cycle)
        before = self.device.cycle
        value, response = self.device.read(offset)
        assert response == 0, hex(offset)
        return value, self.device.cycle - before - 1

    def store(self, offset, value, cycle):
        self._catch_up(cycle)
        before = self.device.cycle
        assert self.device.write(offset, value) == 0, hex(offset)
        return self.device.cycle - before - 1

    def fence(self):
        """Nothing waits."""
