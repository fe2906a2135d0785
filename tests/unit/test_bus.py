# SPDX-License-Identifier: Apache-2.0
"""Registers, AXI4-Lite, Wishbone and AXI4-Stream around a core, by bus-functional models in Amaranth's simulator."""

import random
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from amaranth.hdl import Module, ResetInserter, Signal

from modwright.bus import (
    MALFORMED,
    AxiLite,
    AxiStream,
    RegisterBlock,
    Response,
    Wishbone,
    c_header,
    ip_xact,
    register_map,
    system_rdl,
    table,
)
from modwright.bus.registers import IDENTITY, RegisterMap
from modwright.contract import Field, Payload

from ..tools import require_module
from .bus_models import WAIT, AxiLiteMaster, Device, WishboneMaster, built, simulate, toy

OKAY, SLVERR, DECERR = Response.OKAY, Response.SLVERR, Response.DECERR
BUSES = {"axi": (AxiLite, AxiLiteMaster), "wishbone": (Wishbone, WishboneMaster)}

RSA = RegisterMap(
    "modexp_demo",
    "modexp",
    "ab" * 32,
    Payload((Field("base", 70, note="below M"), Field("exponent", 33), Field("m", 64), Field("pair", 40, 2))),
    Payload((Field("z", 70), Field("error", 2))),
    runtime_modulus=True,
)
"""Fields that end in the middle of a word, at its end, and an array."""


def attach(prepared, bus, rng=None):
    """A wrapper around the core, and its device."""
    wrapper, master = BUSES[bus]
    registers, shell = built(prepared)
    dut = wrapper(registers, RegisterBlock(registers, shell))
    return dut, Device(master(dut, rng), registers)


# --- the description


def test_words_of_a_map():
    assert [(w.name, w.offset, w.words) for w in RSA.operands] == [
        ("I_BASE", 0x40, 3),
        ("I_EXPONENT", 0x4C, 2),
        ("I_M", 0x54, 2),
        ("I_PAIR", 0x5C, 4),
    ]
    assert [bits for w in RSA.operands for _, _, bits in w.slices()] == [32, 32, 6, 32, 1, 32, 32, 32, 8, 32, 8]
    assert [low for _, low, _ in RSA.window("I_PAIR").slices()] == [167, 199, 207, 239]
    assert RSA.results[0].offset == 0x80
    assert RSA.address_bits == 8
    assert RSA.register("FUNCTION").value == 3 | 1 << 8 | 1 << 9
    assert [RSA.register(f"DIGEST{n}").value for n in range(4)] == [0xABABABAB] * 4


def test_a_large_operand_makes_the_regions_larger():
    operands, results = Payload((Field("x", 2048), Field("y", 32))), Payload((Field("error", 1),))
    large = RegisterMap("t", "modexp", "00" * 32, operands, results)
    assert large.region == 4 * 128
    assert large.address_bits == 11
    assert large.results[0].offset == 0x400


def test_bits_of_a_register_do_not_overlap():
    for register in RSA.registers:
        taken = 0
        for bits in register.bits:
            mask = ((1 << bits.width) - 1) << bits.low
            assert not taken & mask
            assert mask < 1 << 32
            taken |= mask
    offsets = [r.offset for r in RSA.registers]
    assert offsets == sorted(set(offsets))
    assert max(offsets) < RSA.region


def test_the_digest_is_of_the_parameters(tmp_path):
    one, same, other = (register_map(toy(tmp_path, interval=n)) for n in (2, 2, 3))
    assert one.digest == same.digest != other.digest


def test_system_rdl_compiles(tmp_path):
    systemrdl = require_module("systemrdl")
    path = tmp_path / "registers.rdl"
    path.write_text(system_rdl(RSA))
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate().top
    found = {}
    for node in top.descendants(unroll=True):
        if isinstance(node, systemrdl.node.RegNode):
            found[node.get_path_segment()] = node.absolute_address
    expected = {r.name: r.offset for r in RSA.registers}
    for window in (*RSA.operands, *RSA.results):
        expected |= {f"{window.name}[{n}]": window.offset + 4 * n for n in range(window.words)}
    assert found == expected
    function = top.get_child_by_name("FUNCTION").get_child_by_name("CODE")
    assert (function.lsb, function.msb, function.get_property("reset")) == (0, 7, 3)


def test_ip_xact_is_read_back():
    space = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    root = ET.fromstring(ip_xact(RSA))
    rows = {
        r.findtext("x:name", namespaces=space): int(r.findtext("x:addressOffset", namespaces=space))
        for r in root.iter(f"{{{space['x']}}}register")
    }
    assert rows == {r.name: r.offset for r in RSA.registers} | {w.name: w.offset for w in (*RSA.operands, *RSA.results)}
    block = root.find(".//x:addressBlock", space)
    assert int(block.findtext("x:range", namespaces=space)) == 4 * RSA.region == 1 << RSA.address_bits


def test_the_table_has_every_word():
    text = table(RSA)
    for register in RSA.registers:
        assert f"| {register.offset:#06x} | {register.name}" in text
    assert "| 0x0040 to 0x0048 | I_BASE | 3 words | w | 70 bits, below M |" in text


def test_the_header_says_the_same_to_c(tmp_path, c_compiler):
    """Every macro, evaluated by a compiler of C."""
    header = c_header(RSA)
    names = re.findall(r"^#define (\w+) ", header, flags=re.MULTILINE)
    (tmp_path / "registers.h").write_text(header)
    prints = "".join(f'printf("{name} %lu\\n", (unsigned long){name});' for name in names)
    source = tmp_path / "show.c"
    source.write_text(f'#include <stdio.h>\n#include "registers.h"\nint main(void) {{ {prints} return 0; }}\n')
    subprocess.run([*c_compiler, "-std=c99", "-Wall", "-Werror", source, "-o", tmp_path / "show"], check=True)
    shown = subprocess.run([tmp_path / "show"], capture_output=True, text=True, check=True).stdout
    values = {name: int(value) for name, value in (line.split() for line in shown.splitlines())}
    for register in RSA.registers:
        assert values[f"MODEXP_DEMO_{register.name}"] == register.offset
        for bits in register.bits:
            mask = ((1 << bits.width) - 1) << bits.low
            assert values[f"MODEXP_DEMO_{register.name}_{bits.name}_MASK"] == mask
    assert values["MODEXP_DEMO_ID_VALUE"] == IDENTITY
    assert values["MODEXP_DEMO_O_Z"] == 0x80
    assert values["MODEXP_DEMO_I_PAIR_WORDS"] == 4


# --- operations behind AXI4-Lite and Wishbone


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
    refused = 2 if bus == "wishbone" else None

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
    inputs = [dut.wb_cyc, dut.wb_stb] if bus == "wishbone" else [
        dut.s_axi_awvalid, dut.s_axi_wvalid, dut.s_axi_arvalid, dut.s_axi_bready, dut.s_axi_rready
    ]  # fmt: skip

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


# --- AXI4-Stream


def packets(values, prefix, beat):
    """Beats of 32-bit words."""
    per = beat // 32
    words = [*values, *[0] * (-len(values) % per)]
    beats = [sum(w << 32 * n for n, w in enumerate(words[at : at + per])) for at in range(0, len(words), per)]
    return [(b, n == len(beats) - 1) for n, b in enumerate(beats)]


@pytest.mark.parametrize("beat", [32, 64])
def test_stream(tmp_path, beat):
    """100 packets with stalls on both sides, a tenth of them malformed in one of three ways; results in order."""
    rng = random.Random(beat)
    prepared = toy(tmp_path)
    registers, shell = built(prepared)
    dut = AxiStream(registers, shell, beat)
    p = prepared.parameters
    sent, expected = [], []
    for number in range(100):
        operands = {"x": rng.randrange(128), "y": rng.randrange(128)}
        words = [operands["x"], operands["y"]]
        outcome = prepared.model.run(operands).payload
        answer = [outcome["error"], outcome["z"], outcome["error"]]
        if number % 10 == 9:
            answer = [MALFORMED, 0, 0]
            kind = number // 10 % 3
            if kind == 0:
                words[0] |= 0x100
            else:
                words = words[:1] if kind == 1 and beat == 32 else [*words, 1, 2, 3]
        sent.append(packets(words, "s", beat))
        expected.append(packets(answer, "m", beat))
    assert p.i.width == 16

    async def source(ctx):
        for packet in sent:
            for data, last in packet:
                while rng.randrange(4) == 0:
                    await ctx.tick()
                ctx.set(dut.s_axis_tdata, data)
                ctx.set(dut.s_axis_tlast, last)
                ctx.set(dut.s_axis_tvalid, 1)
                for _ in range(WAIT):
                    taken = ctx.get(dut.s_axis_tready)
                    await ctx.tick()
                    if taken:
                        break
                else:
                    raise AssertionError("not taken")
                ctx.set(dut.s_axis_tvalid, 0)

    async def sink(ctx):
        for packet in expected:
            for data, last in packet:
                for _ in range(WAIT):
                    ready = rng.randrange(3) > 0
                    ctx.set(dut.m_axis_tready, ready)
                    shown = ctx.get(dut.m_axis_tvalid)
                    seen = ctx.get(dut.m_axis_tdata), bool(ctx.get(dut.m_axis_tlast))
                    await ctx.tick()
                    if shown and ready:
                        break
                else:
                    raise AssertionError("nothing comes")
                assert seen == (data, last)

    simulate(dut, source, sink)


def test_the_wrappers_are_verilog(tmp_path, verilator_lint):
    """Each wrapper around a core that is named by its module: lint-clean together with the core's own file."""
    from modwright.deliver.verilog import core_verilog, wrapper_verilog

    prepared = toy(tmp_path)
    for bus in ("axil", "wb", "axis"):
        files = {"core.v": core_verilog(prepared), "wrapper.v": wrapper_verilog(prepared, bus)}
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        verilator_lint(f"{prepared.top}_{bus}", *(Path(tmp_path / name) for name in files))
