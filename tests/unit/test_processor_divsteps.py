# SPDX-License-Identifier: Apache-2.0
"""Inversion by divsteps on the machine that multiplies: every number, cycles, what depends on operands, and faults."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import In

from modwright.cores.rns.processor.hardware import rounds
from modwright.cores.rns.processor.hardware.rounds import Matrices
from modwright.cores.rns.processor.plan.divsteps import Rounds
from modwright.cores.rns.processor.schedule import parts_in
from modwright.functions.rns import INVERSION
from modwright.prove import dependence
from modwright.simulate import verify
from modwright.simulate.simulator import available_simulator, open_session

from ..tools import needs
from .rns_montgomery_hardware import check_in_every_pattern, make

NAME, MODULUS = "rns/processor", 25
SMALL = {"width": 9, "channels": 2, "inversion": "divstep"}


def small(store, **options):
    return make(NAME, store, str(MODULUS), **{**SMALL, **options})


def test_every_stored_number_is_inverted(store):
    """All numbers below λP: x·A to x^-1·A, or the error, and 0 with it."""
    one = small(store)
    p = one.parameters
    words = [p.i.pack({"op": INVERSION, "x": one.codec.store(x), "y": (0,) * (2 * p.n)}) for x in range(p.bound)]
    with open_session(one, available_simulator(), initial=5) as session:
        trace = session.feed(words)
    factor = p.A.product**2
    for x, word in enumerate(trace.words):
        result = p.o.unpack(word)
        assert result["error"] == int(x % 5 == 0)
        z = one.codec.restore(result["z"])
        assert z < p.bound
        assert z * x % MODULUS == (factor % MODULUS if x % 5 else 0)
        assert x % 5 or not any(result["z"])
    cycles = {valid - accepted for accepted, valid in zip(trace.accepted, trace.valid, strict=True)}
    assert cycles == {parts_in(one.schedule).inversion(p.divsteps.rounds)}


@pytest.mark.parametrize(("target", "cycles"), [("generic", 2_880), ("ecp5", 2_902)])
def test_cycles_at_256_bits_are_those_of_the_page(target, cycles, store):
    one = make(NAME, store, "2^256-2^224+2^192+2^96-1", target=target, inversion="divstep")
    assert one.parameters.divsteps.rounds == 38
    assert parts_in(one.schedule).inversion(38) == cycles


@pytest.mark.parametrize("bits", [8, 64, 256])
def test_rounds_stay_within_their_bounds(bits, store):
    """|f|, |g| < 2P and |d|, |e| < κP in every round, and the inverse in the end."""
    rng = random.Random(bits)
    modulus = next(m for m in iter(lambda: rng.getrandbits(bits) | 1 << (bits - 1) | 1, 0) if m % 3 and m % 5)
    plan = make(NAME, store, hex(modulus), inversion="divstep").parameters.divsteps
    for x in (1, 2, modulus - 1, 2 * modulus - 1, *(rng.randrange(2 * modulus) for _ in range(20))):
        state = Rounds(plan, x)
        for _ in range(plan.rounds):
            assert max(map(abs, state.step()[:4])) <= 1 << plan.k
            assert max(abs(state.f), abs(state.g)) < 2 * modulus
            assert max(abs(state.d), abs(state.e)) < plan.offset * modulus
        assert state.g == 0
        assert state.sign == 0 or (state.sign * state.d * x - plan.start) % modulus == 0


def test_only_constants_by_the_sign_depend_on_operands(store):
    """The last product of an inversion has 2^k, -2^k or 0 as a factor; a divstep exchanges two numbers, or does not."""
    found = {(row.kind, row.name) for row in dependence(small(store)).dependents if {"x", "y"} & set(row.fields)}
    assert found == {
        ("table index", "a word of engine.rower_0"),
        ("table index", "a word of engine.rower_1"),
        ("select", "a word of engine.matrices"),
    }


# --- faults of the unit next to the bus are found


class Faulty(Matrices):
    """The unit with one of its ports at 0."""

    PORT = ""

    def elaborate(self, platform):
        m = Module()
        m.submodules.inner = inner = Matrices(self.p, self.plan, len(self.code), len(self.quotient))
        for name, member in self.signature.members.items():
            outside, inside = getattr(self, name), getattr(inner, name)
            driven, value = (inside, outside) if member.flow is In else (outside, inside)
            m.d.comb += driven.eq(0 if name == self.PORT else value)
        return m


@pytest.mark.parametrize("port", ["quotient", "step", "combine", "c_e", "minus"])
def test_a_fault_of_the_unit_is_found(port, store, monkeypatch):
    one = small(store)
    cases = [{"op": INVERSION, "x": x, "y": 0} for x in range(1, MODULUS, 2)]
    monkeypatch.setattr(rounds, "Matrices", type("Broken", (Faulty,), {"PORT": port}))
    assert verify(one, cases, simulator="pure").failed


@needs("compiled-simulator", why="thousands of operations in hardware")
@pytest.mark.campaign
@pytest.mark.parametrize("options", [{"target": "generic"}, {"target": "ecp5", "registers": 16, "kappa": 2}])
def test_random_operations_at_full_width(options, store):
    """Every pattern of stalls modulo the prime of P-256; the same rules hold on every run at 25."""
    one = make(NAME, store, "2^256-2^224+2^192+2^96-1", inversion="divstep", **options)
    check_in_every_pattern(one, 600)
