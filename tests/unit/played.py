# SPDX-License-Identifier: Apache-2.0
"""Devices whose registers Python plays, with the plain function in place of the core: for what is around cores."""

import time

from modwright.bus import Response, register_map
from modwright.catalog import resolve_modulus
from modwright.driver.binding import Form, bind, operand_names
from modwright.functions import find_function

START, WIPE, RESET = 1, 2, 4
ENABLE, PENDING = 1, 2
DONE = 2
PLAIN = (Form.OPERAND, Form.SCALAR, Form.MODULUS)


class Played:
    """The registers of a core with plain operands: an operation is done when it is started, or `seconds` later.

    Parameters
    ----------
    prepared : Prepared
    seconds : float
    """

    def __init__(self, prepared, seconds=0.0):
        self.map, self.prepared, self.seconds = register_map(prepared), prepared, seconds
        self.binding, self.function = bind(prepared), find_function(prepared.core.function)
        assert self.binding.power == 0
        self.at = {r.name: r.offset for r in self.map.registers}
        self.constants = {r.offset: r.value for r in self.map.registers}
        self.writable = {o for w in self.map.operands for o, _, _ in w.slices()}
        self.readable = {o for w in self.map.results for o, _, _ in w.slices()}
        self.operations = 0
        self.reset()

    def reset(self):
        self.operands, self.results, self.error, self.keep, self.interrupt = {}, {}, None, 0, 0

    @property
    def irq(self):
        return self.interrupt == ENABLE | PENDING

    def run(self, cycles=0):
        return self.irq

    def read(self, offset):
        if offset in self.readable:
            return self.results.get(offset, 0), Response.OKAY
        if offset in self.writable:
            return 0, Response.OKAY
        if offset == self.at["STATUS"]:
            return (0 if self.error is None else DONE | self.error << 8), Response.OKAY
        if offset == self.at["KEEP"]:
            return self.keep, Response.OKAY
        if offset in self.constants:
            return self.constants[offset], Response.OKAY
        return 0, Response.DECERR

    def write(self, offset, value, strobes=0xF):
        if offset in self.writable:
            self.operands[offset] = value
        elif offset == self.at["KEEP"]:
            self.keep = value
        elif offset == self.at["INTERRUPT"]:
            self.interrupt = value & ENABLE | self.interrupt & ~value & PENDING
        elif offset == self.at["CONTROL"]:
            self.command(value)
        else:
            return Response.SLVERR
        return Response.OKAY

    def command(self, value):
        if value == RESET:
            self.reset()
        elif value == WIPE:
            self.drop()
            self.results, self.error = {}, None
        elif value == START:
            time.sleep(self.seconds)
            self.operate()
            self.drop()
            self.interrupt |= PENDING

    def drop(self):
        """Clear the operands that are not kept."""
        for number, window in enumerate(self.map.operands):
            if not self.keep >> number & 1:
                for offset, _, _ in window.slices():
                    self.operands.pop(offset, None)

    def operate(self):
        self.operations += 1
        case = {}
        for bound in self.binding.fields:
            if bound.form in PLAIN:
                name = "modulus" if bound.form is Form.MODULUS else operand_names(self.prepared)[bound.operand]
                window = self.map.window(f"I_{bound.name.upper()}")
                words = [self.operands.get(offset, 0) for offset, _, _ in window.slices()]
                case[name] = sum(word << 32 * k for k, word in enumerate(words))
        fixed = self.prepared.parameters.modulus
        found = self.function.evaluate(case, resolve_modulus(hex(case["modulus"] if fixed is None else fixed)))
        values = {r.name: found.get(name) for name, r in zip(self.function.results, self.binding.results, strict=True)}
        self.error = int(None in values.values())
        for name, value in values.items():
            for offset, low, bits in self.map.window(f"O_{name.upper()}").slices():
                low -= self.map.window(f"O_{name.upper()}").low
                self.results[offset] = (value or 0) >> low & (1 << bits) - 1


class Standing(Played):
    """A played device that starts no operation while it is `on`."""

    on = False

    def command(self, value):
        if not (self.on and value == START):
            super().command(value)

    def run(self, cycles=0):
        return stand() if self.on else super().run(cycles)


def stand():
    """Nothing comes in the next millisecond."""
    time.sleep(1e-3)
    return False
