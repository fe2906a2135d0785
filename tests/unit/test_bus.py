# SPDX-License-Identifier: Apache-2.0
"""Registers, AXI4-Lite, Wishbone and AXI4-Stream around a core, by bus-functional models in Amaranth's simulator."""

import random

import pytest
from amaranth.hdl import Module, ResetInserter, Signal

from modwright.bus import (
    Apb,
    AxiLite,
    RegisterBlock,
    Response,
    TileLink,
    Wishbone,
)
from modwright.bus.registers import IDENTITY

from .bus_models import WAIT, ApbMaster, AxiLiteMaster, Device, TileLinkMaster, WishboneMaster, built, simulate, toy

OKAY, SLVERR, DECERR = Response.OKAY, Response.SLVERR, Response.DECERR
BUSES = {
    "axi": (AxiLite, AxiLiteMaster),
    "wishbone": (Wishbone, WishboneMaster),
    "apb": (Apb, ApbMaster),
    "tilelink": (TileLink, TileLinkMaster),
}
OFFERS = {
    "axi": ("s_axi_awvalid", "s_axi_wvalid", "s_axi_arvalid", "s_axi_bready", "s_axi_rready"),
    "wishbone": ("wb_cyc", "wb_stb"),
    "apb": ("s_apb_psel", "s_apb_penable"),
    "tilelink": ("tl_a_valid", "tl_d_ready"),
}
"""What a master in flight holds high."""


def attach(prepared, bus, rng=None):
    """A wrapper around the core, and its device."""
    wrapper, master = BUSES[bus]
    registers, shell = built(prepared)
    dut = wrapper(registers, RegisterBlock(registers, shell))
    return dut, Device(master(dut, rng), registers)


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("stalls", [False, True], ids=["prompt", "stalls"])
def test_products(tmp_path, bus, stalls):
    """60 of 65,536 pairs of operands, some not reduced; result, error, cycles."""
    rng = random.Random(7)
    prepared = toy(tmp_path)
    dut, device = attach(prepared, bus, rng if stalls else None)
    p = prepared.parameters

    async def bench(ctx):
        assert await device.get(ctx, "ID") == IDENTITY
        for register in device.map.registers:
            if not register.writable and register.name not in ("STATUS", "CYCLES"):
                assert await device.get(ctx, register.name) == register.value
        for _ in range(60):
            operands = {"x": rng.randrange(128), "y": rng.randrange(128)}
            word = await device.run(ctx, p.i.pack(operands))
            expected = prepared.model.run(operands)
            assert p.o.unpack(word) == expected.payload
            assert await device.get(ctx, "CYCLES") == expected.cycles
            assert (await device.get(ctx, "STATUS")) >> 8 == expected.payload["error"]

    simulate(dut, bench, cycles=60_000)


@pytest.mark.parametrize("bus", BUSES)
def test_every_address_answers(tmp_path, bus):
    """All 256 of 256 byte addresses are read, and all are written with CONTROL's commands left out."""
    dut, device = attach(toy(tmp_path), bus, random.Random(3))
    m = device.map
    writable = {r.offset for r in m.registers if r.writable} | {o for w in m.operands for o, _, _ in w.slices()}
    known = {r.offset for r in m.registers} | {o for w in (*m.operands, *m.results) for o, _, _ in w.slices()}
    refused = None if bus == "axi" else 2

    async def bench(ctx):
        for address in range(1 << m.address_bits):
            word = address & ~3
            data, response = await device.master.read(ctx, address)
            assert response == (OKAY if word in known else refused or DECERR), hex(address)
            assert word in known or data == 0
            response = await device.master.write(ctx, address, 0)
            good = OKAY if word in writable else refused or (SLVERR if word in known else DECERR)
            assert response == good, hex(address)

    simulate(dut, bench, cycles=60_000)


@pytest.mark.parametrize("bus", BUSES)
def test_operands_cannot_be_read(tmp_path, bus):
    dut, device = attach(toy(tmp_path), bus)

    async def bench(ctx):
        await device.load(ctx, 0x6060)
        for window in device.map.operands:
            for offset, _, _ in window.slices():
                assert await device.master.read(ctx, offset) == (0, OKAY)

    simulate(dut, bench)


def test_operands_are_wiped_after_use(tmp_path):
    """The register itself, in every cycle after the core took the operands; and a second operation sees zeros."""
    dut, device = attach(toy(tmp_path), "axi")

    async def bench(ctx):
        block = device.master.dut.block
        await device.load(ctx, 0x0503)
        assert ctx.get(block.operands) == 0x0503
        await device.put(ctx, "CONTROL", 1)
        assert ctx.get(block.operands) == 0
        assert await device.done(ctx) & 2
        assert await device.result(ctx) == 15
        await device.put(ctx, "CONTROL", 1)
        assert await device.done(ctx) & 2
        assert await device.result(ctx) == 0

    simulate(with_block(dut), bench)


@pytest.mark.parametrize("bus", BUSES)
def test_operands_that_are_kept(tmp_path, bus):
    """KEEP holds y over operations and WIPE; without it, and by RESET, it goes as the others do."""
    dut, device = attach(toy(tmp_path, latency=20), bus)

    async def again(ctx, x):
        assert await device.master.write(ctx, device.map.window("I_X").offset, x) == OKAY
        assert await device.put(ctx, "CONTROL", 1) == OKAY
        assert await device.done(ctx) & 2
        return await device.result(ctx)

    async def bench(ctx):
        block = device.master.dut.block
        assert [bits.name for bits in device.map.register("KEEP").bits] == ["X", "Y"]
        assert await device.get(ctx, "KEEP") == 0
        assert await device.put(ctx, "KEEP", 2) == OKAY
        assert await device.get(ctx, "KEEP") == 2
        assert await device.run(ctx, 0x0503) == 15
        assert ctx.get(block.operands) == 0x0500
        assert await again(ctx, 4) == 20
        assert await device.put(ctx, "CONTROL", 2) == OKAY
        assert (ctx.get(block.operands), await device.result(ctx)) == (0x0500, 0)
        assert await device.master.read(ctx, device.map.window("I_Y").offset) == (0, OKAY)
        # WIPE in the middle of an operation leaves what is kept, and drops the result
        assert await again(ctx, 7) == 35
        await device.put(ctx, "CONTROL", 1)
        assert await device.put(ctx, "CONTROL", 2) == OKAY
        assert await device.done(ctx) == 0
        assert ctx.get(block.operands) == 0x0500
        assert await device.put(ctx, "KEEP", 0) == OKAY
        assert await again(ctx, 6) == 30
        assert ctx.get(block.operands) == 0
        assert await again(ctx, 6) == 0
        assert await device.put(ctx, "KEEP", 3) == OKAY
        await device.load(ctx, 0x0203)
        assert await device.put(ctx, "CONTROL", 4) == OKAY
        assert (ctx.get(block.operands), await device.get(ctx, "KEEP")) == (0, 0)

    simulate(with_block(dut), bench)


def with_block(dut):
    """The wrapper with its block as an attribute, for a look inside."""
    elaborate = dut.elaborate

    def kept(platform):
        m = elaborate(platform)
        dut.block = m.submodules.block
        return m

    dut.elaborate = kept
    return dut


@pytest.mark.parametrize("command", [2, 4], ids=["WIPE", "RESET"])
def test_wipe_and_reset_on_command(tmp_path, command):
    dut, device = attach(toy(tmp_path, latency=20), "axi")

    async def bench(ctx):
        block = device.master.dut.block
        await device.load(ctx, 0x0503)
        assert await device.put(ctx, "CONTROL", command) == OKAY
        assert ctx.get(block.operands) == 0
        assert await device.run(ctx, 0x0503) == 15  # the core still works
        assert await device.put(ctx, "CONTROL", command) == OKAY
        assert await device.result(ctx) == 0
        assert await device.get(ctx, "STATUS") == 0
        # in the middle of an operation
        await device.load(ctx, 0x0707)
        assert await device.put(ctx, "CONTROL", 1) == OKAY
        assert await device.put(ctx, "CONTROL", command) == OKAY
        assert await device.done(ctx) == 0
        await ctx.tick().repeat(40)
        assert await device.result(ctx) == 0
        assert await device.get(ctx, "STATUS") == 0
        assert await device.run(ctx, 0x0303) == 9

    simulate(with_block(dut), bench)


def test_start_is_refused_while_busy_or_with_another_command(tmp_path):
    dut, device = attach(toy(tmp_path, latency=20), "axi")

    async def bench(ctx):
        await device.load(ctx, 0x0503)
        assert await device.put(ctx, "CONTROL", 1) == OKAY
        assert await device.put(ctx, "CONTROL", 1) == SLVERR
        assert await device.done(ctx) & 2
        assert await device.result(ctx) == 15
        for both in (3, 5, 7):
            assert await device.put(ctx, "CONTROL", both) == SLVERR
            assert await device.get(ctx, "STATUS") == 2

    simulate(dut, bench)


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("command", [3, 5, 7], ids=["WIPE", "RESET", "both"])
def test_a_refused_command_changes_nothing(tmp_path, bus, command):
    """START with WIPE, RESET or both: operands stay, an operation in flight goes on, and its result stays."""
    dut, device = attach(toy(tmp_path, latency=20), bus)

    async def bench(ctx):
        block = device.master.dut.block
        await device.load(ctx, 0x0503)
        assert await device.put(ctx, "CONTROL", command) == SLVERR
        assert ctx.get(block.operands) == 0x0503
        assert await device.put(ctx, "CONTROL", 1) == OKAY
        assert await device.put(ctx, "CONTROL", command) == SLVERR
        assert await device.get(ctx, "STATUS") == 1
        assert await device.done(ctx) == 2
        assert await device.get(ctx, "INTERRUPT") == 2
        assert await device.put(ctx, "CONTROL", command) == SLVERR
        assert await device.get(ctx, "STATUS") == 2
        assert await device.get(ctx, "INTERRUPT") == 2
        assert await device.result(ctx) == 15

    simulate(with_block(dut), bench)


def test_a_value_wider_than_its_field_is_refused(tmp_path):
    dut, device = attach(toy(tmp_path), "axi")

    async def bench(ctx):
        at = device.map.window("I_X").offset
        assert await device.master.write(ctx, at, 0x05) == OKAY
        assert await device.master.write(ctx, at, 0x105) == SLVERR
        assert await device.master.write(ctx, at, 0x10000, strobes=0xC) == SLVERR
        # only the byte that is written counts
        assert await device.master.write(ctx, at, 0xFFFFFF07, strobes=0x1) == OKAY
        assert await device.master.write(ctx, device.map.window("I_Y").offset, 0x09) == OKAY
        await device.put(ctx, "CONTROL", 1)
        assert await device.done(ctx) & 2
        assert await device.result(ctx) == 63

    simulate(dut, bench)


def test_byte_strobes(tmp_path):
    """A word of 0x40302010 by all 16 of 16 patterns of strobes, over INTERRUPT and CONTROL too."""
    dut, device = attach(toy(tmp_path), "axi")

    async def bench(ctx):
        for strobes in range(16):
            assert await device.put(ctx, "INTERRUPT", 0) == OKAY
            assert await device.master.write(ctx, device.map.register("INTERRUPT").offset, 1, strobes) == OKAY
            assert await device.get(ctx, "INTERRUPT") & 1 == strobes & 1
            assert await device.master.write(ctx, device.map.register("CONTROL").offset, 1, strobes) == OKAY
            assert await device.done(ctx) == (2 if strobes & 1 else 0)
            await device.put(ctx, "CONTROL", 2)

    simulate(dut, bench)


def test_the_interrupt(tmp_path):
    dut, device = attach(toy(tmp_path), "axi")

    async def bench(ctx):
        assert await device.run(ctx, 0x0503) == 15
        assert await device.get(ctx, "INTERRUPT") == 2
        assert ctx.get(dut.irq) == 0
        await device.put(ctx, "INTERRUPT", 1)
        assert ctx.get(dut.irq) == 1
        await device.put(ctx, "INTERRUPT", 3)
        assert ctx.get(dut.irq) == 0
        assert await device.get(ctx, "INTERRUPT") == 1
        await device.load(ctx, 0x0202)
        await device.put(ctx, "CONTROL", 1)
        for _ in range(WAIT):
            if ctx.get(dut.irq):
                break
            await ctx.tick()
        assert ctx.get(dut.irq) == 1

    simulate(dut, bench)


@pytest.mark.parametrize("bus", BUSES)
def test_a_reset_at_any_time_leaves_no_hang(tmp_path, bus):
    """A reset of the whole wrapper after each of 1 to 60 cycles of an operation with stalls."""
    wrapper, master = BUSES[bus]
    prepared = toy(tmp_path)
    registers, shell = built(prepared)
    dut = wrapper(registers, RegisterBlock(registers, shell))
    reset = Signal()
    m = Module()
    m.submodules.dut = ResetInserter(reset)(dut)
    device = Device(master(dut, random.Random(5)), registers)
    inputs = [getattr(dut, name) for name in OFFERS[bus]]

    async def bench(ctx):
        for cycles in range(1, 61):
            # the accesses of an operation by hand: what a master has in flight when the reset comes
            ctx.set(reset, 0)
            for signal in inputs:
                ctx.set(signal, 1)
            await ctx.tick().repeat(cycles)
            ctx.set(reset, 1)
            for signal in inputs:
                ctx.set(signal, 0)
            await ctx.tick()
            ctx.set(reset, 0)
            assert await device.get(ctx, "STATUS") == 0
            assert await device.run(ctx, 0x0503) == 15

    simulate(m, bench, cycles=60_000)


def test_what_tilelink_denies(tmp_path):
    """Other operations, larger sizes and corrupt data: denied, and nothing is written; smaller sizes by their mask."""
    dut, device = attach(toy(tmp_path), "tilelink", random.Random(2))
    x = device.map.window("I_X").offset

    async def bench(ctx):
        master, block = device.master, device.master.dut.block
        for opcode in (2, 3, 5, 6, 7):
            assert await master.request(ctx, opcode, x, 1) == (0, 0, 1, 0)
        assert await master.request(ctx, 0, x, 1, size=3) == (0, 0, 1, 0)
        assert await master.request(ctx, 4, x, size=3) == (1, 0, 1, 1)
        assert await master.request(ctx, 0, x, 1, corrupt=1) == (0, 0, 1, 0)
        assert ctx.get(block.operands) == 0
        assert await master.request(ctx, 0, x, 0x11, mask=1, size=0) == (0, 0, 0, 0)
        assert await master.request(ctx, 0, x, 0x2200, mask=2, size=0) == (0, 0, 1, 0)  # wider than the field
        assert ctx.get(block.operands) == 0x11
        assert await master.request(ctx, 4, 1, mask=2, size=0) == (1, IDENTITY, 0, 0)
        assert await device.run(ctx, 0x0503) == 15

    simulate(with_block(dut), bench)


def test_an_apb_access_that_is_given_up_is_nobodys(tmp_path):
    """PSEL falls while the registers are asked; the answer does not end the access that follows."""
    dut, device = attach(toy(tmp_path), "apb")

    async def bench(ctx):
        for cycles in range(1, 5):
            ctx.set(dut.s_apb_paddr, 0)
            for name in OFFERS["apb"]:
                ctx.set(getattr(dut, name), 1)
            await ctx.tick().repeat(cycles)
            for name in OFFERS["apb"]:
                ctx.set(getattr(dut, name), 0)
            assert await device.get(ctx, "VERSION") >> 24 == 2

    simulate(dut, bench)
