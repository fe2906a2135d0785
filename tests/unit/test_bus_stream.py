# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream around a core, and the wrappers as Verilog."""

import random
from pathlib import Path

import pytest

from modwright.bus import (
    MALFORMED,
    AxiStream,
)

from .bus_models import WAIT, built, simulate, toy


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
