# SPDX-License-Identifier: Apache-2.0
"""Functions of a few bits as tables: their values, and that synthesis leaves each of them."""

from itertools import product

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from modwright.rtl.luts import MOST_INPUTS, chosen, lut
from modwright.rtl.verilog import emit
from modwright.synthesize.counts import resources


class Tables(wiring.Component):
    """A function of each number of inputs that all differ in their weight, and a choice of one of four bits."""

    bits: In(MOST_INPUTS)
    index: In(2)
    out: Out(MOST_INPUTS + 1)

    def __init__(self, target):
        self.target = target
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        for count in range(1, MOST_INPUTS + 1):
            result = lut(m, self.target, f"of_{count}", weighed, *self.bits[:count])
            m.d.comb += self.out[count - 1].eq(result)
        m.d.comb += self.out[-1].eq(chosen(m, self.target, "choice", [*self.bits], [*self.index]))
        return m


def weighed(*bits):
    """Bit 1 of the inputs' number times 3: no two inputs can be exchanged."""
    return sum(bit << place for place, bit in enumerate(bits)) * 3 >> 1


def test_values_of_tables():
    core = Tables("generic")

    async def bench(ctx):
        for bits, index in product(range(1 << MOST_INPUTS), range(4)):
            ctx.set(core.bits, bits)
            ctx.set(core.index, index)
            found = [ctx.get(core.out) >> place & 1 for place in range(MOST_INPUTS + 1)]
            expected = [(bits % (1 << count)) * 3 >> 1 & 1 for count in range(1, MOST_INPUTS + 1)]
            assert found == [*expected, bits >> index & 1]

    simulator = Simulator(core)
    simulator.add_testbench(bench)
    simulator.run()


def test_synthesis_leaves_tables_of_the_device(store):
    """Four functions and three tables of the choice, which Yosys joins or drops where it chooses."""
    counts = [resources(emit(Tables(of), "tables"), "tables", "ecp5", store=store).lut for of in ("ecp5", "generic")]
    assert counts[0] == MOST_INPUTS + 3 > counts[1]
