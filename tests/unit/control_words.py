# SPDX-License-Identifier: Apache-2.0
"""Control words of one operation, read from a design while it works, and registers that are changed meanwhile."""

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


async def send(ctx, core, payload):
    """The values of a payload by field, until their transfer; in the cycle after it."""
    for name, value in payload.items():
        ctx.set(getattr(core.i.p, name), value)
    ctx.set(core.i.valid, 1)
    while not ctx.get(core.i.ready):
        await ctx.tick()
    await ctx.tick()
    ctx.set(core.i.valid, 0)


def seen_of_each(core, payloads, see):
    """What `see` reads of a core with streams in every cycle of several operations, one after the other in one
    simulation: from the cycle after the input transfer until the result is valid, which is then taken.

    `payloads` has values by field of the input; `see` takes the context of a test bench.
    """
    found = []

    async def drive(ctx):
        for payload in payloads:
            await send(ctx, core, payload)
            found.append([])
            while not ctx.get(core.o.valid):
                found[-1].append(see(ctx))
                await ctx.tick()
            ctx.set(core.o.ready, 1)
            await ctx.tick()
            ctx.set(core.o.ready, 0)

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return found


def words_of_each(core, payloads):
    """The control words of a core around a machine, for each of several operations."""
    return seen_of_each(core, payloads, lambda ctx: ctx.get(core.machine.word.as_value()))


def result_of(core, payload, names, act):
    """Fields of the result of one operation of a core with streams, by name. `act` is called in each cycle before the
    result, with the context of a test bench and the number of the cycle, from 1 on."""
    found = {}

    async def drive(ctx):
        for name, value in payload.items():
            ctx.set(getattr(core.i.p, name), value)
        ctx.set(core.i.valid, 1)
        await ctx.tick()
        ctx.set(core.i.valid, 0)
        cycle = 0
        while not ctx.get(core.o.valid):
            cycle += 1
            act(ctx, cycle)
            await ctx.tick()
        found.update({name: ctx.get(getattr(core.o.p, name)) for name in names})

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return found
