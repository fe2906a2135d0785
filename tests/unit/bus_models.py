# SPDX-License-Identifier: Apache-2.0
"""Bus-functional models for Amaranth's simulator, and the toy core behind a bus."""

from amaranth.sim import Simulator

from modwright.base.store import Store
from modwright.bus import Built, register_map
from modwright.contract.request import Request
from modwright.prepared import prepare

from ..toy import TOY

WAIT = 400
"""Cycles in which an access has to be answered."""
PERIOD = 1e-6
"""Seconds of a cycle."""


def toy(tmp_path, **options):
    """The toy core modulo 97, prepared."""
    request = Request.make(TOY, modulus=97, target="generic", options={"latency": 5, **options})
    return prepare(TOY, request, Store(tmp_path))


def built(prepared):
    """Registers and shell of a core that is elaborated with its wrapper."""
    p = prepared.parameters
    registers = register_map(prepared)
    return registers, Built(prepared.core.build(p, prepared.schedule), p.i, p.o)


def simulate(component, *benches, cycles=20_000):
    """Run test benches side by side to their end."""

    async def limit(ctx):
        await ctx.delay(cycles * PERIOD)
        raise AssertionError(f"not done after {cycles} cycles")

    simulator = Simulator(component)
    simulator.add_clock(PERIOD)
    for bench in benches:
        simulator.add_testbench(bench)
    simulator.add_testbench(limit, background=True)
    simulator.run()


class AxiLiteMaster:
    """Drives AXI4-Lite with pauses between its channels, and checks that what is valid stays as it is.

    Parameters
    ----------
    dut : AxiLite
    rng : Random or None
        Draws the pauses; None: there are none.
    """

    def __init__(self, dut, rng=None):
        self.dut, self.rng = dut, rng

    async def _pause(self, ctx):
        if self.rng is not None:
            for _ in range(self.rng.choice((0, 0, 1, 3))):
                await ctx.tick()

    async def _offer(self, ctx, valid, ready):
        ctx.set(valid, 1)
        for _ in range(WAIT):
            taken = ctx.get(ready)
            await ctx.tick()
            if taken:
                ctx.set(valid, 0)
                return
        raise AssertionError("not taken")

    async def _answer(self, ctx, valid, ready, *values):
        for _ in range(WAIT):
            if ctx.get(valid):
                break
            await ctx.tick()
        else:
            raise AssertionError("no answer")
        before = [ctx.get(v) for v in values]
        await self._pause(ctx)
        assert ctx.get(valid)
        assert [ctx.get(v) for v in values] == before
        ctx.set(ready, 1)
        await ctx.tick()
        ctx.set(ready, 0)
        return before

    async def write(self, ctx, address, data, strobes=0xF):
        """Write; returns the response."""
        d = self.dut

        async def address_first():
            ctx.set(d.s_axi_awaddr, address)
            await self._offer(ctx, d.s_axi_awvalid, d.s_axi_awready)

        async def data_first():
            ctx.set(d.s_axi_wdata, data)
            ctx.set(d.s_axi_wstrb, strobes)
            await self._offer(ctx, d.s_axi_wvalid, d.s_axi_wready)

        halves = [address_first, data_first]
        if self.rng is not None:
            self.rng.shuffle(halves)
        for half in halves:
            await self._pause(ctx)
            await half()
        return (await self._answer(ctx, d.s_axi_bvalid, d.s_axi_bready, d.s_axi_bresp))[0]

    async def read(self, ctx, address):
        """Read; returns (data, response)."""
        d = self.dut
        await self._pause(ctx)
        ctx.set(d.s_axi_araddr, address)
        await self._offer(ctx, d.s_axi_arvalid, d.s_axi_arready)
        return tuple(await self._answer(ctx, d.s_axi_rvalid, d.s_axi_rready, d.s_axi_rdata, d.s_axi_rresp))


class WishboneMaster:
    """Drives Wishbone classic cycles."""

    def __init__(self, dut, rng=None):
        self.dut, self.rng = dut, rng

    async def _access(self, ctx, address, write):
        d = self.dut
        for signal, value in ((d.wb_adr, address >> 2), (d.wb_we, write), (d.wb_cyc, 1), (d.wb_stb, 1)):
            ctx.set(signal, value)
        for _ in range(WAIT):
            await ctx.tick()
            if ctx.get(d.wb_ack) or ctx.get(d.wb_err):
                break
        else:
            raise AssertionError("no answer")
        assert not (ctx.get(d.wb_ack) and ctx.get(d.wb_err))
        answer = ctx.get(d.wb_dat_r), 0 if ctx.get(d.wb_ack) else 2
        if self.rng is None or self.rng.randrange(2):  # else back to back
            ctx.set(d.wb_cyc, 0)
            ctx.set(d.wb_stb, 0)
        await ctx.tick()
        return answer

    async def write(self, ctx, address, data, strobes=0xF):
        """Write; 0, or 2 for an error."""
        ctx.set(self.dut.wb_dat_w, data)
        ctx.set(self.dut.wb_sel, strobes)
        return (await self._access(ctx, address, 1))[1]

    async def read(self, ctx, address):
        """Read; (data, response)."""
        return await self._access(ctx, address, 0)


class ApbMaster:
    """Requester of APB4: a setup cycle, then PENABLE until PREADY, with everything held."""

    def __init__(self, dut, rng=None):
        self.dut, self.rng = dut, rng

    async def _access(self, ctx, address, write, data=0, strobes=0):
        d = self.dut
        wires = ((d.s_apb_paddr, address), (d.s_apb_pwrite, write), (d.s_apb_pwdata, data), (d.s_apb_pstrb, strobes))
        for signal, value in wires:
            ctx.set(signal, value)
        ctx.set(d.s_apb_psel, 1)
        assert not ctx.get(d.s_apb_pready) and not ctx.get(d.s_apb_pslverr)
        await ctx.tick()
        ctx.set(d.s_apb_penable, 1)
        for _ in range(WAIT):
            if ctx.get(d.s_apb_pready):
                break
            assert not ctx.get(d.s_apb_pslverr)
            await ctx.tick()
        else:
            raise AssertionError("no answer")
        answer = ctx.get(d.s_apb_prdata), 2 * ctx.get(d.s_apb_pslverr)
        await ctx.tick()
        ctx.set(d.s_apb_penable, 0)
        if self.rng is None or self.rng.randrange(2):  # else back to back
            ctx.set(d.s_apb_psel, 0)
            await ctx.tick()
        return answer

    async def write(self, ctx, address, data, strobes=0xF):
        """Write; 0, or 2 for an error."""
        return (await self._access(ctx, address, 1, data, strobes))[1]

    async def read(self, ctx, address):
        """Read; (data, response)."""
        return await self._access(ctx, address, 0)


class TileLinkMaster:
    """Host of TileLink-UL, with pauses before an answer is taken; it checks that the answer is that of its request."""

    def __init__(self, dut, rng=None):
        self.dut, self.rng, self.number = dut, rng, 0

    async def request(self, ctx, opcode, address, data=0, mask=0xF, size=2, corrupt=0):
        """Any request; (opcode of the answer, data, denied, corrupt)."""
        d = self.dut
        self.number = (self.number + 1) % 256
        wires = {"opcode": opcode, "address": address, "data": data, "mask": mask, "size": size, "corrupt": corrupt}
        for name, value in {**wires, "source": self.number, "valid": 1}.items():
            ctx.set(getattr(d, f"tl_a_{name}"), value)
        for _ in range(WAIT):
            taken = ctx.get(d.tl_a_ready)
            await ctx.tick()
            if taken:
                break
        else:
            raise AssertionError("not taken")
        ctx.set(d.tl_a_valid, 0)
        for _ in range(WAIT):
            if ctx.get(d.tl_d_valid) and (self.rng is None or self.rng.randrange(2)):
                break
            await ctx.tick()
        else:
            raise AssertionError("no answer")
        assert (ctx.get(d.tl_d_source), ctx.get(d.tl_d_size)) == (self.number, size)
        assert (ctx.get(d.tl_d_param), ctx.get(d.tl_d_sink)) == (0, 0)
        answer = tuple(ctx.get(getattr(d, f"tl_d_{name}")) for name in ("opcode", "data", "denied", "corrupt"))
        ctx.set(d.tl_d_ready, 1)
        await ctx.tick()
        ctx.set(d.tl_d_ready, 0)
        return answer

    async def write(self, ctx, address, data, strobes=0xF):
        """Write; 0, or 2 where it is denied."""
        opcode, _, denied, corrupt = await self.request(ctx, 0 if strobes == 0xF else 1, address & ~3, data, strobes)
        assert (opcode, corrupt) == (0, 0)
        return 2 * denied

    async def read(self, ctx, address):
        """Read; (data, response)."""
        opcode, data, denied, corrupt = await self.request(ctx, 4, address & ~3)
        assert (opcode, corrupt) == (1, denied)
        return data, 2 * denied


class Device:
    """Operations on a core through a master.

    Parameters
    ----------
    master : AxiLiteMaster or WishboneMaster
    registers : RegisterMap
    """

    def __init__(self, master, registers):
        self.master, self.map = master, registers

    async def load(self, ctx, payload):
        """Write a packed payload into the operand windows."""
        for window in self.map.operands:
            for offset, low, bits in window.slices():
                assert await self.master.write(ctx, offset, payload >> low & ((1 << bits) - 1)) == 0

    async def result(self, ctx):
        """The packed result."""
        word = 0
        for window in self.map.results:
            for offset, low, _ in window.slices():
                data, response = await self.master.read(ctx, offset)
                assert response == 0
                word |= data << low
        return word

    async def get(self, ctx, name):
        """A register."""
        data, response = await self.master.read(ctx, self.map.register(name).offset)
        assert response == 0
        return data

    async def put(self, ctx, name, value):
        """Write a register; the response."""
        return await self.master.write(ctx, self.map.register(name).offset, value)

    async def done(self, ctx):
        """Wait for the end of an operation; STATUS."""
        for _ in range(WAIT):
            status = await self.get(ctx, "STATUS")
            if not status & 1:
                return status
        raise AssertionError("busy for ever")

    async def run(self, ctx, payload):
        """One operation; the packed result."""
        await self.load(ctx, payload)
        assert await self.put(ctx, "CONTROL", 1) == 0
        assert await self.done(ctx) & 2
        return await self.result(ctx)
