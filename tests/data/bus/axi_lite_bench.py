# SPDX-License-Identifier: Apache-2.0
"""Run by cocotb: the AXI4-Lite master of cocotbext-axi on a multiplier modulo 251 with registers x, y and result z."""

import itertools
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

X, Y, Z = (int(os.environ[name], 16) for name in ("MAP_X", "MAP_Y", "MAP_Z"))
ID, CONTROL, STATUS, INTERRUPT = 0x00, 0x20, 0x24, 0x28
END = int(os.environ["MAP_END"], 16)
MODULUS = 251


def pauses(seed):
    """A stall in about half of the cycles."""
    rng = random.Random(seed)
    while True:
        yield rng.randrange(2)


async def start(dut, stalls):
    """Clock, reset, master."""
    Clock(dut.clk, 10, unit="ns").start()
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    if stalls:
        channels = [master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel]
        channels += [master.read_if.ar_channel, master.read_if.r_channel]
        for seed, channel in enumerate(channels):
            channel.set_pause_generator(pauses(seed))
    await reset(dut)
    return master


async def reset(dut):
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)


async def word(master, address):
    """A word; every access is answered in 2000 cycles."""
    answer = await with_timeout(master.read(address, 4), 20, "us")
    assert answer.resp == AxiResp.OKAY
    return int.from_bytes(answer.data, "little")


async def write(master, address, data, response=AxiResp.OKAY):
    answer = await with_timeout(master.write(address, data), 20, "us")
    assert answer.resp == response, (hex(address), answer)


async def product(master, x, y):
    await write(master, X, x.to_bytes(4, "little"))
    await write(master, Y, y.to_bytes(4, "little"))
    await write(master, CONTROL, b"\x01\x00\x00\x00")
    for _ in range(100):
        if not await word(master, STATUS) & 1:
            return await word(master, Z)
    raise AssertionError("busy for ever")


@cocotb.test()
@cocotb.parametrize(stalls=[False, True])
async def products(dut, stalls):
    master = await start(dut, stalls)
    rng = random.Random(1)
    assert await word(master, ID) == 0x4D4F4457
    for _ in range(8):
        x, y = rng.randrange(MODULUS), rng.randrange(MODULUS)
        assert await product(master, x, y) == x * y % MODULUS


@cocotb.test()
async def back_to_back(dut):
    """Writes and reads that are all handed over at once, in both directions side by side."""
    master = await start(dut, False)
    writes = [master.init_write(address, bytes([n, 0, 0, 0])) for n, address in enumerate(itertools.chain((X, Y) * 8))]
    reads = [master.init_read(ID, 4) for _ in range(16)]
    for event in (*writes, *reads):
        await with_timeout(event.wait(), 100, "us")
    assert all(bytes(event.data.data) == b"WDOM" for event in reads)
    await write(master, CONTROL, b"\x01\x00\x00\x00")
    await ClockCycles(dut.clk, 100)
    assert await word(master, Z) == 14 * 15 % MODULUS


@cocotb.test()
async def narrow_and_unaligned(dut):
    """Accesses of 1 to 3 bytes, at every place in a word, and across the border of two words."""
    master = await start(dut, True)
    await write(master, X, b"\x07")
    await write(master, Y, b"\x09\x00")
    await write(master, X + 1, b"\x00")
    await write(master, X + 1, b"\x00\x00\x00")
    await write(master, X + 1, b"\x01", AxiResp.SLVERR)  # beyond the operand's bits
    await write(master, X + 3, b"\x00\x0b")  # the upper byte of X, the lower one of Y
    await write(master, CONTROL, b"\x01")
    await ClockCycles(dut.clk, 100)
    for offset, size in itertools.product(range(4), range(1, 4)):
        answer = await with_timeout(master.read(ID + offset, size), 20, "us")
        expected = (0x4D4F4457).to_bytes(4, "little") + bytes([0, 0, 0, 0])
        assert bytes(answer.data)[: 4 - offset] == expected[offset : offset + size][: 4 - offset]
    answer = await with_timeout(master.read(Z, 1), 20, "us")
    assert answer.data[0] == 7 * 11 % MODULUS


@cocotb.test()
async def unknown_addresses(dut):
    master = await start(dut, True)
    for address in (0x0C, 0x34, X + 8, Z + 8, END - 4):
        answer = await with_timeout(master.read(address, 4), 20, "us")
        assert (answer.resp, bytes(answer.data)) == (AxiResp.DECERR, bytes(4)), hex(address)
        await write(master, address, bytes(4), AxiResp.DECERR)
    await write(master, ID, bytes(4), AxiResp.SLVERR)


@cocotb.test()
async def a_reset_in_the_middle(dut):
    """After 1 to 12 cycles of an operation, with accesses in flight; the next product is right."""
    master = await start(dut, False)
    for clocks in range(1, 13):
        await write(master, X, b"\x05\x00\x00\x00")
        await write(master, CONTROL, b"\x01\x00\x00\x00")
        master.init_write(Y, bytes(4))
        master.init_read(STATUS, 4)
        await ClockCycles(dut.clk, clocks)
        await reset(dut)
        assert await word(master, STATUS) == 0
        assert await product(master, 100, 200) == 100 * 200 % MODULUS
