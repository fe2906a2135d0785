# SPDX-License-Identifier: Apache-2.0
"""Control words of one operation, read from a design while it works."""

from amaranth.sim import Simulator


def words_of(design, inputs, begin, done, word):
    """The control word of every cycle from the one after `begin` to `done`.

    `inputs` has values by signal; `word` gives the word once the design is elaborated.
    """
    found = []

    async def drive(ctx):
        for signal, value in inputs:
            ctx.set(signal, value)
        ctx.set(begin, 1)
        await ctx.tick()
        ctx.set(begin, 0)
        while not ctx.get(done):
            found.append(ctx.get(word()))
            await ctx.tick()

    simulator = Simulator(design)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return found
