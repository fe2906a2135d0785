# SPDX-License-Identifier: Apache-2.0
"""Clocks of the wrappers: one for bus and core that may stand while nothing is to be done, or one for each."""

import random

import pytest
from amaranth.hdl import EnableInserter, Module, ResetInserter, Signal
from amaranth.sim import Simulator

from modwright.bus import AxiStream, Crossing, RegisterBlock
from modwright.bus.crossing import CORE
from modwright.bus.crossing_proof import RULES, TwoClocks
from modwright.bus.proofs import WITH_REGISTERS, Gated, idle_rules, stream_idle_rules
from modwright.bus.registers import IDENTITY
from modwright.prove.proof import PROVED

from .bus_models import Device, built, simulate, toy
from .test_bus import BUSES as MODELS
from .test_bus import attach
from .test_bus_rules import SMALL, Spoiled


@pytest.mark.parametrize("bus", WITH_REGISTERS)
def test_the_clock_may_stand_while_a_wrapper_is_idle(bus):
    """For all time: the outputs of a wrapper whose clock stands then are those of one whose clock runs."""
    assert idle_rules(SMALL, bus) == PROVED


def test_the_clock_may_stand_while_a_stream_wrapper_is_idle():
    assert stream_idle_rules(SMALL, 32) == PROVED


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m, idle, w: ~Signal.like(idle),  # always
        lambda m, idle, w: ~w.s_axis_tvalid & ~w.m_axis_tvalid,  # although operands are in the core
        lambda m, idle, w: idle | w.s_axis_tvalid,  # although somebody asks
    ],
)
def test_a_clock_that_stands_too_early_is_refuted(wrong):
    twin = Gated(lambda core: Spoiled(AxiStream(SMALL, core), {"idle": wrong}), SMALL)
    assert twin.decide().status == "refuted"


@pytest.mark.parametrize("bus", MODELS)
def test_products_with_a_clock_that_stands(tmp_path, bus):
    """Wrapper and core with their clock left out while idle: results and cycles are right, and it does stand."""
    prepared = toy(tmp_path)
    rng = random.Random(9)
    dut, device = attach(prepared, bus)
    p, stood = prepared.parameters, Signal(16)
    m = Module()
    m.submodules.dut = EnableInserter(~dut.idle)(dut)
    m.d.sync += stood.eq(stood + dut.idle)

    async def bench(ctx):
        for _ in range(8):
            operands = {"x": rng.randrange(97), "y": rng.randrange(97)}
            expected = prepared.model.run(operands)
            assert p.o.unpack(await device.run(ctx, p.i.pack(operands))) == expected.payload
            assert await device.get(ctx, "CYCLES") == expected.cycles
            before = ctx.get(stood)
            for _ in range(20):
                await ctx.tick()
            assert ctx.get(stood) >= before + 18

    simulate(m, bench)


# --- two clocks


@pytest.mark.parametrize("rule", RULES)
def test_the_crossing_keeps_its_rules(rule):
    """For all time, whatever the order of the edges, and with changes that hit a synchronizer taken early or late."""
    assert TwoClocks(SMALL).decide(rule) == PROVED


class Hasty(Crossing):
    """Begins the next access before the core side has lowered its grant."""

    def _bus_side(self, m, channel, down):
        flying = super()._bus_side(m, channel, down)
        again = Signal()
        m.d.sync += again.eq(channel.takes)
        with m.If(again):
            m.d.sync += channel.request.eq(1)
        return flying


class Forgetful(Crossing):
    """Clears what it holds when it asks, and not when it has the answer."""

    def _bus_side(self, m, channel, down):
        flying = super()._bus_side(m, channel, down)
        held = m.submodules[f"crossing_held_{channel.kind}"]
        held.clear = channel.request
        return flying


class Blind(Crossing):
    """Does not wait for the core side to come out of its reset."""

    def _bus_side(self, m, channel, down):
        return super()._bus_side(m, channel, Signal())


@pytest.mark.parametrize(
    ("faulty", "rule"), [(Hasty, "once"), (Forgetful, "stable"), (Blind, "asked"), (Blind, "answered")]
)
def test_faults_of_the_crossing_are_refuted(faulty, rule):
    assert TwoClocks(SMALL, faulty).decide(rule).status == "refuted"


@pytest.mark.parametrize(
    ("setting", "value", "rule"), [("crossing.SETTLED", 2, "settled"), ("crossing_proof.ROUNDS", 15, "ends")]
)
def test_its_numbers_are_the_least(setting, value, rule, monkeypatch):
    """Flip-flops of the signal that all is over, and the edges that an access takes."""
    monkeypatch.setattr(f"modwright.bus.{setting}", value)
    assert TwoClocks(SMALL).decide(rule).status == "refuted"


RATIOS = [1.0, 0.731, 1.37, 0.09, 11.3]
"""Periods of the core's clock where that of the bus is 1; none but the first is a ratio of small numbers."""


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("bus", MODELS)
def test_products_with_two_clocks(tmp_path, bus, ratio):
    """Registers, products, errors and cycles, the interrupt and a reset in the middle."""
    prepared = toy(tmp_path)
    rng = random.Random(f"{bus} {ratio}")
    wrapper, master = MODELS[bus]
    registers, shell = built(prepared)
    dut = wrapper(registers, Crossing(registers, RegisterBlock(registers, shell)))
    device, p = Device(master(dut, rng), registers), prepared.parameters
    m, reset = Module(), Signal()
    m.submodules.dut = ResetInserter(reset)(dut)

    async def bench(ctx):
        assert await device.get(ctx, "ID") == IDENTITY
        assert await device.put(ctx, "INTERRUPT", 1) == 0
        for number in range(5):
            operands = {"x": rng.randrange(128), "y": rng.randrange(128)}
            expected = prepared.model.run(operands)
            assert p.o.unpack(await device.run(ctx, p.i.pack(operands))) == expected.payload
            assert await device.get(ctx, "CYCLES") == expected.cycles
            assert await device.get(ctx, "INTERRUPT") == 3
            assert ctx.get(dut.irq)
            if number == 2:
                ctx.set(reset, 1)
                await ctx.tick()
                ctx.set(reset, 0)
                assert not ctx.get(dut.irq)
                assert await device.put(ctx, "INTERRUPT", 1) == 0
        assert await device.put(ctx, "STATUS", 1) == 2
        for name in set(dut.signature.members) & {"wb_cyc", "wb_stb", "s_apb_psel"}:
            ctx.set(getattr(dut, name), 0)  # a master may go on asking after its last answer
        for _ in range(40):
            await ctx.tick()
        assert ctx.get(dut.idle)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_clock(ratio * 1e-6, domain=CORE, phase=0.3e-6)
    simulator.add_testbench(bench)
    simulator.run()
