# SPDX-License-Identifier: Apache-2.0
"""Cells of a core's control, whose words change seldom, by the player that issues them: `python bench/control.py`.

Synthesised alone for ECP5: a counter of cycles with a register for each field (`rtl.counting`), a ROM with a word for
each cycle, and a memory in which equal words are a loop. docs/architecture.md has the figures.
"""

from __future__ import annotations

from itertools import groupby

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modwright.base.store import default_store
from modwright.base.table import Table, as_text
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rtl.counting import CountedPlayer
from modwright.rtl.player import END, Player
from modwright.rtl.verilog import emit
from modwright.schedule import Loop, Microcode
from modwright.synthesize import resources

CASES = (("modmul/orup-dsp", 256), ("modmul/orup-dsp", 1024), ("modinv/binary-divstep-rt", 256))
"""Cores that count, and bits of their modulus."""


class Counted(wiring.Component):
    """Control words by a counter of cycles."""

    def __init__(self, code: Microcode) -> None:
        self.code = code
        super().__init__({"start": In(1), "fields": Out(len(code.layout.widths))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        cycle = Signal(range(self.code.cycles + 1))  # 0 without an operation
        with m.If(self.start):
            m.d.sync += cycle.eq(1)
        with m.Elif(cycle == self.code.cycles):
            m.d.sync += cycle.eq(0)
        with m.Elif(cycle.any()):
            m.d.sync += cycle.eq(cycle + 1)
        player = CountedPlayer(self.code, cycle, self.start)
        for bit, name in enumerate(self.code.layout.widths):
            issue = player.strobe if len(self.code.run(name)) == 1 else player.level
            m.d.comb += self.fields[bit].eq(issue(m, name, f"field_{bit}"))
        return m


class Stored(wiring.Component):
    """Control words by a player that has them all."""

    def __init__(self, code: Microcode) -> None:
        self.code = code
        super().__init__({"start": In(1), "fields": Out(len(code.layout.widths))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.player = player = Player(self.code, overlap=False)
        m.d.comb += [player.start.eq(self.start), self.fields.eq(player.word.as_value())]
        return m


def numbered(code: Microcode) -> Microcode:
    """The same words with fields that have numbers for names, as those of steps are not identifiers."""
    names = {name: f"field_{number}" for number, name in enumerate(code.layout.widths)}
    words = tuple({names[name]: value for name, value in word.items()} for word in code.words)
    return Microcode(words, code.interval, code.loops)


def looped(code: Microcode) -> Microcode:
    """The same words with a loop for each run of equal ones, and the field that ends a code with loops."""
    runs = [(dict(word), len(list(run))) for word, run in groupby(code.words)]
    words: list[dict[str, int]] = []
    loops: list[Loop] = []
    for number, (word, count) in enumerate(runs):
        # the first word and the last one are in no loop
        single = (number == 0) + (number == len(runs) - 1)
        if count - single > 1:
            loops.append(Loop(len(words) + (number == 0), 1, count - single))
            count = 1 + single
        words += [dict(word) for _ in range(count)]
    words[-1][END] = 1
    found = Microcode(tuple(words), code.interval, tuple(loops))
    assert [{**word, END: 0} for word in found.issued()] == [{**word, END: 0} for word in code.words]
    return found


def main() -> None:
    """Print the table."""
    rows: list[tuple[str, ...]] = []
    for name, bits in CASES:
        core = find(name)
        prepared = prepare(
            core, Request.from_mapping(core, {"core": name, "target": "ecp5", "options": {"bits": bits}})
        )
        code = numbered(prepared.schedule.microcode)
        for words, component in (
            ("counted", Counted(code)),
            ("in a ROM", Stored(code)),
            ("in a memory, with loops", Stored(looped(code))),
        ):
            found = resources(emit(component, "control"), "control", target="ecp5", store=default_store())
            rows.append((name, str(bits), str(code.cycles), words, str(found.lut), str(found.ff), str(found.bram)))
    print(as_text(Table(("core", "bits", "cycles", "words", "LUT", "FF", "BRAM"), tuple(rows), ("core", "words"))))


if __name__ == "__main__":
    main()
