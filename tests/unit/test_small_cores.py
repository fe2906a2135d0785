# SPDX-License-Identifier: Apache-2.0
"""Interleaved multiplication and modular addition: every operand of every small modulus, even ones too."""

from itertools import product

import pytest
from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.cores.modadd.carry import CARRY
from modwright.cores.modadd.carry.hardware import AdderDatapath
from modwright.cores.modadd.carry.parameters import AdderParameters
from modwright.cores.modmul.blakley import BLAKLEY
from modwright.cores.modmul.blakley.hardware import BlakleyDatapath
from modwright.cores.modmul.blakley.parameters import BlakleyParameters
from modwright.prepared import prepare
from modwright.simulate import verify

from ..certificates.directed import altered

CORES = {"blakley": (BLAKLEY, BlakleyParameters, BlakleyDatapath), "carry": (CARRY, AdderParameters, AdderDatapath)}
LONG = [pytest.param(p, marks=pytest.mark.campaign) for p in range(16, 64)]


def expected(name, p, x, y):
    """z and error by the definition."""
    if max(x, y) >= p:
        return 0, 1
    return (x * y if name == "blakley" else x + y) % p, 0


def every_pair(p):
    """All values of the fields of both operands, those not below p too."""
    return list(product(range(1 << p.bit_length()), repeat=2))


def computed(name, parameters, pairs):
    """z and error of each pair, from the data path, one pair every interval."""
    core, _, datapath = CORES[name]
    schedule = core.schedule(parameters)
    path, found = datapath(parameters, schedule), []

    async def drive(ctx):
        for x, y in pairs:
            ctx.set(path.x, x)
            ctx.set(path.y, y)
            ctx.set(path.start, 1)
            await ctx.tick()
            ctx.set(path.start, 0)
            ctx.set(path.x, 0)
            ctx.set(path.y, 0)
            for _ in range(schedule.latency - 2):
                assert not ctx.get(path.done)
                await ctx.tick()
            assert ctx.get(path.done)
            found.append((ctx.get(path.z), ctx.get(path.error)))

    simulator = Simulator(path)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return found


@pytest.mark.parametrize("p", range(2, 64))
@pytest.mark.parametrize("name", CORES)
def test_models_exhaustively(name, p):
    """Odd and even moduli up to 6 bits."""
    core, kind, _ = CORES[name]
    model = core.model(kind(p), core.schedule(kind(p)))
    for x, y in every_pair(p):
        payload = model.run({"x": x, "y": y}).payload
        assert (payload["z"], payload["error"]) == expected(name, p, x, y)


@pytest.mark.parametrize("p", [*range(2, 16), *LONG])
@pytest.mark.parametrize("name", CORES)
def test_data_paths_exhaustively(name, p):
    """Odd and even moduli; requests have odd ones only."""
    pairs = every_pair(p)
    assert computed(name, CORES[name][1](p), pairs) == [expected(name, p, x, y) for x, y in pairs]


@pytest.mark.parametrize("name", CORES)
def test_a_sum_of_a_bit_less_is_seen(name):
    """A planted fault: the hardware loses the carry."""
    good, pairs = CORES[name][1](13), every_pair(13)
    wrong = [expected(name, 13, x, y) for x, y in pairs]
    assert computed(name, altered(good, sum_width=good.sum_width - 1), pairs) != wrong


def test_a_subtraction_less_is_seen():
    """A planted fault: 2s + x_i·y less p at most."""
    good, pairs = BlakleyParameters(13), every_pair(13)
    wrong = [expected("blakley", 13, x, y) for x, y in pairs]
    assert computed("blakley", altered(good, subtractions=1), pairs) != wrong


@pytest.mark.parametrize("p", [3, 5, 7, *(pytest.param(p, marks=pytest.mark.campaign) for p in range(9, 64, 2))])
@pytest.mark.parametrize("name", CORES)
def test_streams_exhaustively(name, p, store):
    """The core with its streams, as requests have it."""
    prepared = made(name, str(p), store)
    result = verify(prepared, [{"x": x, "y": y} for x, y in every_pair(p)], simulator="pure")
    assert result.failed == []
    assert result.passed == len(every_pair(p))


def made(name, modulus, store):
    core = CORES[name][0]
    document = {"core": core.name, "target": "generic"} | ({} if modulus is None else {"modulus": modulus})
    return prepare(core, Request.from_mapping(core, document), store)


@given(st.integers(2, 1 << 200), st.data())
def test_models_at_any_width(p, data):
    x, y = (data.draw(st.integers(0, (1 << p.bit_length()) - 1)) for _ in "xy")
    for name, (core, kind, _) in CORES.items():
        assert kind(p).certificate.failing is None
        payload = core.model(kind(p), core.schedule(kind(p))).run({"x": x, "y": y}).payload
        assert (payload["z"], payload["error"]) == expected(name, p, x, y)


@pytest.mark.parametrize("name", CORES)
def test_what_is_refused(name, store):
    with pytest.raises(UsageError, match="needs a modulus"):
        made(name, None, store)
    with pytest.raises(ParameterError, match="1025 bits") as caught:
        made(name, "2^1024+1", store)
    assert (caught.value.rule, caught.value.left, caught.value.right) == ("bits of p <= 1024", 1025, 1024)


def test_cycles(store):
    """The formulas of the READMEs."""
    product_of, sum_of = (made(name, "2^255-19", store).schedule for name in CORES)
    assert (product_of.latency, product_of.interval) == (257, 256)
    assert (sum_of.latency, sum_of.interval) == (2, 1)
    assert product_of.constant_time
    assert sum_of.constant_time
