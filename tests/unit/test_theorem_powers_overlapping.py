# SPDX-License-Identifier: Apache-2.0
"""The theorem of exponentiations with several products in flight: proved, and never where a bug is planted."""

from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import PROVED, prove_verilog, stated
from modwright.prove.theorem.contract import Limit
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.powers.cut import DONE, OFFERED, PAYLOAD, READY, RESULT, halves_of, port
from modwright.prove.theorem.powers.cycle import cycles_of
from modwright.prove.theorem.powers.flights import OneAtATime, OverlapError
from modwright.prove.theorem.powers.overlapping import Overlapping, stretches_of
from modwright.prove.theorem.powers.product import limits_by_one, prove_stretches
from modwright.prove.theorem.powers.prove import prove_power
from modwright.prove.theorem.powers.run import runs_of
from modwright.prove.theorem.ternary import Simulation, after_reset, gather, ones

from .planted_bugs import KINDS

MODULUS, LIMB, BITS = "0xfff1", 8, 3


@cache
def small(name="limb-scan", modulus=MODULUS, limb=LIMB):
    core = find(f"modexp/{name}-ladder")
    given = {"constants": "stream", "exponent_bits": BITS, "limb": limb}
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options=given))


@cache
def halves():
    claim = stated(small())
    return halves_of(core_verilog(small()), small().top, claim.i, claim.o)


@pytest.mark.parametrize(
    ("name", "modulus", "limb"),
    [("limb-scan", MODULUS, LIMB), pytest.param("r64", "2^100-15", 64, marks=pytest.mark.campaign)],
)
def test_a_ladder_is_proved(name, modulus, limb):
    one = small(name, modulus, limb)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail) == (PROVED, "")
    assert "z ≡ base^exponent (mod m), z < m" in found.statement


@pytest.mark.campaign
def test_a_product_by_one_has_a_lower_limit():
    """Products of `limb-fold` are below 4m, and the last one, by 1, is below 2m: m is subtracted twice at most."""
    one = small("limb-fold", "2^127-1", 32)
    claim = stated(one)
    cut = halves_of(core_verilog(one), one.top, claim.i, claim.o)
    found = prove_power(cut, claim, one.schedule.latency)
    (stretch, *_) = found.flights.trace.stretches()
    rows = [found.flights.control.words(row) for row in stretch]
    products = prove_stretches(cut.multiplier, claim.product, [rows])
    assert limits_by_one(claim.product, products) == {"x": Limit(2, "m"), "y": Limit(2, "m")}


@cache
def run():
    """One exponentiation that is proved."""
    return prove_power(halves(), stated(small()), small().schedule.latency)


def test_products_are_in_flight_two_at_a_time():
    trace = run().flights.trace
    assert len(trace.starts) == len(trace.ends) == 2 + 2 * BITS + 1
    assert max(sum(end > start for end in trace.ends[:k]) for k, start in enumerate(trace.starts)) == 1


def test_a_product_that_starts_early_is_told():
    """Where one at a time is assumed: operands are accepted again before the result."""
    cycle = cycles_of(halves().multiplier, small().schedule.latency)[0]
    flights = OneAtATime(halves().multiplier, cycle)
    flights.step(1)
    while not flights.bits[0]:
        flights.step(0)
    with pytest.raises(OverlapError):
        flights.step(1)


def test_stretches_are_those_of_every_product_from_every_idle_state():
    flights = run().flights
    stretches = stretches_of(flights.control, [flights.trace])
    assert set(flights.trace.stretches()) <= set(stretches)
    assert {len(stretch) for stretch in stretches} == {
        end - start + 1 for start, end in zip(flights.trace.starts, flights.trace.ends, strict=True)
    }


def test_other_handshakes_in_another_idle_state_are_not_decided():
    flights = run().flights
    trace = flights.trace.copy()
    trace.bits[trace.ends[-1]] = 1, 0
    with pytest.raises(UndecidedError, match="depend on the exponentiation before it"):
        stretches_of(flights.control, [trace])


def test_a_product_in_flight_at_the_end_is_not_decided():
    flights = run().flights
    trace = flights.trace.copy()
    trace.ends.pop()
    with pytest.raises(UndecidedError, match="in flight"):
        stretches_of(flights.control, [trace])


class Pipeline:
    """Control of a multiplier that accepts operands in every cycle; the bits of a state are the products in flight.

    Parameters
    ----------
    latency : int
        From operands to their result.
    valid : int
        Whether a result is valid in every cycle, with or without operands.
    """

    def __init__(self, latency, valid=0):
        self.span, self.valid = latency, valid

    def handshakes(self, state):
        return 1, self.valid | state >> self.span - 1 & 1

    def after(self, state, offered):
        return (), (state << 1 | offered) & (1 << self.span) - 1


def test_a_second_result_in_turn_is_not_passed_over():
    flights = Overlapping(Pipeline(2), 0)
    for offered in (1, 1, 0):
        flights.step(offered)
    assert (flights.trace.bits[-1], flights.bits, flights.result) == ((1, 1), (1, 1), 1)
    assert flights.skip() == 0
    assert flights.result == 1


def test_a_result_of_no_product_is_not_decided():
    flights = Overlapping(Pipeline(2, valid=1), 0)
    with pytest.raises(UndecidedError, match="a result of no product"):
        runs_of(halves().rest, flights, [lambda words, number, operands: operands], small().schedule.latency)


# --- bugs


def number_state(netlist, rng):
    """A state after reset, with numbers in the registers that reset leaves unknown."""
    state = after_reset(netlist, "rst")
    return {
        source: (value | rng.getrandbits(netlist.widths[source]) & ~known, ones(netlist.widths[source]))
        for source, (value, known) in state.items()
    }


def power_of(rest, multiplier, rng):
    """Operands of one exponentiation, and its result, simulated with its multiplier; None where there is none."""
    one = small()
    relations = {relation.field: relation for relation in stated(one).claim.relations}
    m = rng.choice((0xFFF1, 0xFFFF, 0x8001))
    operands = {"base": rng.randrange(m), "exponent": rng.getrandbits(BITS), "m": m}
    for field, relation in relations.items():
        unit = 1 << relation.bits
        operands[field] = unit % m if relation.kind == "power" else -pow(m, -1, unit) % unit
    a, b = (Simulation(netlist, number_state(netlist, rng)) for netlist in (rest, multiplier))
    given, made = one.parameters.multiplier.parameters.i, one.parameters.multiplier.parameters.o
    for k in range(2 * one.schedule.latency):
        handshakes = {"rst": (0, 1), "o_ready": (1, 1)}
        values = b.settle(handshakes | {"i_valid": (0, 1)}, {})
        accepts, done = (gather(multiplier.outputs[name], values) for name in ("i_ready", "o_valid"))
        words = {f.name: gather(multiplier.outputs[f"o_{f.name}"], values)[0] for f in made.fields}
        result = sum(word << made.offsets[name] for name, word in words.items())
        width = rest.widths[rest.inputs[port(RESULT)]]
        ports = {port(READY): accepts, port(DONE): done, port(RESULT): (result, ones(width))}
        ports |= {f"i_{name}": (value, ones(64)) for name, value in operands.items()}
        values = a.settle(handshakes | ports | {"i_valid": (int(k == 0), 1)}, {})
        if gather(rest.outputs["o_valid"], values) == (1, 1):
            return operands, gather(rest.outputs["o_z"], values)[0]
        offered = gather(rest.outputs[port(OFFERED)], values)
        word, _ = gather(rest.outputs[port(PAYLOAD)], values)
        inputs = {f"i_{f.name}": (word >> given.offsets[f.name] & ones(f.bits), ones(f.bits)) for f in given.fields}
        b.settle(handshakes | inputs | {"i_valid": offered}, {})
        a.clock()
        b.clock()
    return operands, None


def test_the_simulation_with_its_multiplier_computes_powers():
    for seed in range(2):
        operands, z = power_of(halves().rest, halves().multiplier, Random(seed))
        assert z == pow(operands["base"], operands["exponent"], operands["m"])


def check_bugs(of, bugs):
    """A bug in one half: what is proved computes powers; how many are proved, and how many are not."""
    claim, found = stated(small()), [0, 0]
    for module in bugs:
        changed = replace(halves(), **{of: netlist_of(module)})
        try:
            prove_power(changed, claim, small().schedule.latency)
        except (UndecidedError, UnsupportedError):
            found[1] += 1
            continue
        found[0] += 1
        for seed in range(6):
            operands, z = power_of(changed.rest, changed.multiplier, Random(seed))
            assert z == pow(operands["base"], operands["exponent"], operands["m"])
    return found


@pytest.mark.parametrize(("of", "bug"), [("multiplier", "wrong bit of microcode"), ("rest", "choice the wrong way")])
def test_an_exponentiation_with_a_bug_is_not_proved(of, bug):
    assert check_bugs(of, islice(KINDS[bug](dict(getattr(halves(), of).module)), 1)) == [0, 1]


@pytest.mark.campaign
@pytest.mark.parametrize("of", ["rest", "multiplier"])
@pytest.mark.parametrize("bug", KINDS)
def test_no_exponentiation_with_a_bug_is_proved(bug, of):
    check_bugs(of, islice(KINDS[bug](dict(getattr(halves(), of).module)), 8))
