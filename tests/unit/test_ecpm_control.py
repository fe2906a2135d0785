# SPDX-License-Identifier: Apache-2.0
"""Errors of the point multiplication, and its control, which is the same for every scalar and point."""

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from modwright.catalog.points import small_curve_points
from modwright.cores.ecpm.ladder.hardware.core import EcpmCore
from modwright.cores.ecpm.ladder.parameters.operands import OFF_CURVE
from modwright.engines.ladder.curve import BAD_MODULUS, OUT_OF_RANGE
from modwright.functions.cases import encode_cases
from modwright.prove import dependence
from modwright.simulate import Stalls, Stimulus, run

from .ecpm_hardware import LADDER, PAPER, make

# --- errors


def payload_of(prepared, **changes):
    """A payload of a curve over 13; constants of the modulus as they are for 13, whatever is changed."""
    points = small_curve_points(13, 2, 3)
    x, y = points[0]
    case = {"modulus": 13, "a": 2, "b": 3, "order": len(points) + 1, "k": 5, "x": x, "y": y}
    return encode_cases(prepared, [case])[0] | changes


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, 0),
        ({"m": 12}, BAD_MODULUS),
        ({"m": 0}, BAD_MODULUS),
        ({"m": 1}, BAD_MODULUS),
        ({"m": 3}, BAD_MODULUS),
        ({"order": 0}, BAD_MODULUS),
        ({"x": 13}, OUT_OF_RANGE),
        ({"x": 15}, OUT_OF_RANGE),
        ({"y": 13}, OUT_OF_RANGE),
        ({"a": 15}, OUT_OF_RANGE),
        ({"b": 13}, OUT_OF_RANGE),
        ({"b": 4}, OFF_CURVE),
        ({"y": 0, "x": 0}, OFF_CURVE),
        ({"x": 15, "b": 4}, OUT_OF_RANGE),
        ({"infinity": 1, "x": 15, "y": 13}, 0),
        ({"infinity": 1, "a": 15}, OUT_OF_RANGE),
        ({"infinity": 1, "m": 2}, BAD_MODULUS),
        ({"blind": 0}, OUT_OF_RANGE),
        ({"blind": 13}, OUT_OF_RANGE),
        ({"blind": 12}, 0),
    ],
)
@pytest.mark.parametrize("core", [LADDER, PAPER], ids=["ladder", "r64"])
def test_errors(store, core, changes, error):
    """A code and no result, as the model says; a good operation follows with its own result."""
    prepared = make(store, core, bits=4, limb=2, order_bits=5, blinding=True)
    i, o, model = prepared.parameters.i, prepared.parameters.o, prepared.model
    payloads = [payload_of(prepared, **changes), payload_of(prepared)]
    found = [o.unpack(word) for word in run(prepared, Stimulus([i.pack(one) for one in payloads])).words]
    assert found == [model.run(one).payload for one in payloads]
    assert found[0]["error"] == error
    if error:
        assert found[0] == {"x": 0, "y": 0, "infinity": 0, "error": error}
    assert found[1]["error"] == 0


def test_stalls_change_nothing(store):
    prepared = make(store, bits=4, limb=2, order_bits=5)
    words = [prepared.parameters.i.pack(payload_of(prepared, k=k)) for k in range(6)]
    free = run(prepared, Stimulus(words))
    held = run(prepared, Stimulus(words, Stalls(5, 40, 90)))
    assert free.words == held.words
    assert [v - a for v, a in zip(held.valid, held.accepted, strict=True)] == [prepared.schedule.latency] * 6


# --- control

STEERED = ("load_a", "clear_a", "first", "second", "one", "inverse")
"""Inputs of the adder that choose what it does and which of its registers it loads."""


def watched(core):
    """Signals that steer the data path, by name: enables, addresses and choices."""
    return {
        "word": core.word.as_value(),
        "adder": Cat(getattr(core.arithmetic, name) for name in STEERED),
        "write enable": core.into.en,
        "first": core.first,
        "read address": core.port.addr,
        "write address": core.into.addr,
        "nothing": core.nothing,
    }


ALIKE = ("word", "adder", "write enable", "first")
"""The same in every cycle, whatever the scalar and the point."""
BY_SCALAR = ("read address", "write address")
BY_POINT = ("nothing",)


def control_traces(core, payloads, i):
    """Whatever is `watched`, cycle by cycle, of one operation after the other: a list for each name and operation."""
    m = Module()
    m.submodules.core = core
    traces = []

    async def bench(ctx):
        signals = watched(core)
        ctx.set(core.o.ready, 1)
        for payload in payloads:
            trace: dict[str, list[int]] = {name: [] for name in signals}
            ctx.set(core.i.payload.as_value(), i.pack(payload))
            ctx.set(core.i.valid, 1)
            while not ctx.get(core.i.ready):
                await ctx.tick()
            await ctx.tick()
            ctx.set(core.i.valid, 0)
            while not ctx.get(core.o.valid):
                for name, signal in signals.items():
                    trace[name].append(ctx.get(signal))
                await ctx.tick()
            await ctx.tick()
            traces.append(trace)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return traces


@pytest.mark.parametrize("core", [LADDER, PAPER], ids=["ladder", "r64"])
def test_control_is_the_same_for_every_scalar_and_point(store, core):
    """Control words, what they steer and write enables, cycle by cycle, over edge scalars and points of one curve, and
    at infinity; they are those of the program. Addresses are not the same, and the test says which differ by what."""
    prepared = make(store, core, bits=4, limb=2, order_bits=5)
    p, points = prepared.parameters, small_curve_points(13, 2, 3)
    order = len(points) + 1

    def payload(k, point, infinity=0):
        return payload_of(prepared, k=k, x=point[0], y=point[1], infinity=infinity)

    edges = [payload(k, points[1]) for k in (0, 1, 2, order - 1, order, 31)]
    on_curve = [payload(5, point) for point in (points[0], points[-1], (0, 0))] + [payload(5, points[0], infinity=1)]
    traces = control_traces(EcpmCore(p, prepared.schedule), edges + on_curve, p.i)
    scalars, others = traces[: len(edges)], traces[len(edges) :]
    assert len(others) == len(on_curve)
    for name in ALIKE:
        assert all(one[name] == scalars[0][name] for one in scalars + others), name
    for names, traces in ((BY_SCALAR, scalars), (BY_POINT, others)):
        for name in names:
            assert any(one[name] != traces[0][name] for one in traces), f"{name}: the docs say that it differs"
    code = prepared.schedule.microcode
    assert scalars[0]["word"] == [packed(code, word) for word in code.issued()]


@pytest.mark.parametrize("core", [LADDER, PAPER], ids=["ladder", "r64"])
def test_the_netlist_says_the_same_of_addresses(store, core):
    found = dependence(make(store, core, bits=4, limb=2, order_bits=5))
    words = {one.kind: one.fields for one in found.dependents if one.name == "words"}
    assert set(words) == {"read address", "write address"}, "and no write enable"
    assert all({"k", "x", "y"} <= set(fields) for fields in words.values())
    assert {"fresh", "nothing", "mirror", "arithmetic.s"} <= {
        one.name for one in found.dependents if one.kind == "register enable"
    }


def packed(code, word):
    value = low = 0
    for name, width in code.layout.widths.items():
        value |= word.get(name, 0) << low
        low += width
    return value


def test_the_core_is_a_component(store):
    """Streams as the parameters say."""
    prepared = make(store, bits=4, limb=2)
    core = EcpmCore(prepared.parameters, prepared.schedule)
    assert isinstance(core, wiring.Component)
    assert len(core.i.payload.as_value()) == prepared.parameters.i.width
