# SPDX-License-Identifier: Apache-2.0
"""The theorem of exponentiations over a multiplier: proved, and never where a bug is planted."""

import re
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from modwright.base.errors import UsageError
from modwright.contract.request import Request
from modwright.deliver.theorem import theorem_files
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, prove_verilog, stated
from modwright.prove.theorem.contract import Limit
from modwright.prove.theorem.decide import UndecidedError
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of
from modwright.prove.theorem.powers.cut import DONE, OFFERED, PAYLOAD, READY, RESULT, halves_of, port
from modwright.prove.theorem.powers.cycle import cycles_of
from modwright.prove.theorem.powers.prove import prove_power
from modwright.prove.theorem.ternary import Simulation, after_reset, gather, ones

from .planted_bugs import KINDS

LADDERS = ("csa", "csa-high-radix", "booth4-csa", "booth8-csa", "radix2")
EVERY_RUN = [name if name == LADDERS[0] else pytest.param(name, marks=pytest.mark.campaign) for name in LADDERS]
MODULUS, BITS = "0x1d", 3


@cache
def small(name="csa", method="ladder", modulus=MODULUS, **options):
    core = find(f"modexp/{name}-{method}")
    given = {"constants": "stream", "exponent_bits": BITS} | options
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options=given))


@cache
def halves():
    claim = stated(small())
    return halves_of(core_verilog(small()), small().top, claim.i, claim.o)


@pytest.mark.parametrize("name", EVERY_RUN)
def test_a_ladder_is_proved(name):
    one = small(name, modulus="0x7f" if name == "csa-high-radix" else MODULUS)  # 5 bits are not decided there
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail) == (PROVED, "")
    assert "z ≡ base^exponent (mod m), z < m" in found.statement
    assert "proved of the same Verilog for each of its products" in found.statement


@pytest.mark.campaign
def test_a_ladder_whose_words_are_in_limbs_is_proved():
    one = small(modulus="P-256", exponent_bits=5)
    assert prove_verilog(one, core_verilog(one)).status == PROVED


def test_products_are_those_of_the_ladder():
    """The ways in, two a bit, and the way out."""
    run = prove_power(halves(), stated(small()), small().schedule.latency)
    assert len(run.operands) == 2 + 2 * BITS + 1
    assert run.latency == small().schedule.latency


def with_product(claim, **changes):
    return replace(claim, product=replace(claim.product, **changes))


def with_whole(claim, **changes):
    return replace(claim, claim=replace(claim.claim, **changes))


WRONG = {
    "another product": (lambda c: with_product(c, exponent=c.product.exponent + 1), "multiples"),
    "a product below m": (lambda c: with_product(c, limit=Limit(1, "m")), "does not follow"),
    "a wider base": (lambda c: with_whole(c, operands={"base": Limit(3, "m")}), "reach its limit|another limit"),
    "a smaller result": (lambda c: with_whole(c, limit=Limit(2, "m")), "not claimed below"),
    "another constant": (
        lambda c: with_whole(c, relations=(replace(c.claim.relations[0], bits=3),)),
        "another power|different domains",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_another_claim_is_not_decided(wrong):
    change, reason = WRONG[wrong]
    with pytest.raises(UndecidedError, match=reason):
        prove_power(halves(), change(stated(small())), small().schedule.latency)


def test_another_latency_is_not_decided():
    with pytest.raises(UndecidedError, match="no power within"):
        prove_power(halves(), stated(small()), small().schedule.latency - 1)


def test_swapped_operands_are_refuted():
    text = core_verilog(small())
    changed = text.replace("i_exponent, i_base }", "i_base, i_exponent }")
    assert text != changed
    found = prove_verilog(small(), changed)
    assert found.status == REFUTED
    assert found.operands.keys() == {"base", "exponent", "m", "square"}


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (("csa", "l2r"), "the latency depends on operand values"),
        (("csa", "window"), "the multiplier has no port"),
        (("orup-dsp", "ladder"), "a multiple of a constant that is not an operand"),
    ],
)
def test_other_exponentiations_are_not_proved(one, reason):
    found = prove_verilog(small(*one), core_verilog(small(*one)), search=False)
    assert found.status == NOT_PROVED
    assert reason in found.detail


@pytest.mark.parametrize("port", ["o_valid", "o_error"])
def test_verilog_with_another_port_is_not_proved(port):
    text, of_top = core_verilog(small()), f"module {small().top}("
    before, head, top = text.partition(of_top)
    assert head
    found = prove_verilog(small(), before + head + re.sub(rf"\b{port}\b", f"{port}_other", top), search=False)
    assert (found.status, found.detail) == (NOT_PROVED, f"the ports are not those of the core: {port}")


def test_a_package_has_no_log_of_it():
    with pytest.raises(UsageError, match="the checker has no rule"):
        theorem_files(small())


# --- bugs


def any_state(netlist, rng):
    """A state after reset, with numbers in the registers that reset leaves unknown: sums of what is not known would
    stay unknown for ever."""
    state = after_reset(netlist, "rst")
    return {
        source: (value | rng.getrandbits(netlist.widths[source]) & ~known, ones(netlist.widths[source]))
        for source, (value, known) in state.items()
    }


def powers_of(rest, cycle, rng):
    """Operands and results of a netlist whose products are computed here."""
    claim, payload = stated(small()), small().parameters.multiplier.parameters.i
    modulus = rng.choice((0x1D, 0x1F, 3, 0x11))
    operands = {"base": rng.randrange(2 * modulus), "exponent": rng.getrandbits(BITS), "m": modulus}
    operands["square"] = pow(2, claim.claim.relations[0].bits, modulus)
    operands["base"] = min(operands["base"], (1 << 5) - 1)
    simulation, flight, result = Simulation(rest, any_state(rest, rng)), None, 0
    for k in range(4 * small().schedule.latency):
        accepts, done = cycle.bits(halves().multiplier, 0 if flight is None else flight)
        inputs = {"i_valid": (int(k == 0), 1), "o_ready": (1, 1), "rst": (0, 1)}
        inputs |= {port(READY): (accepts, 1), port(DONE): (done, 1), port(RESULT): (result, (1 << 64) - 1)}
        inputs |= {f"i_{name}": (value, (1 << 16) - 1) for name, value in operands.items()}
        values = simulation.settle(inputs, {})
        flight = None if flight is None or flight + 1 == len(cycle.rows) else flight + 1
        if gather(rest.outputs[port(OFFERED)], values)[0] and accepts:
            given, _ = gather(rest.outputs[port(PAYLOAD)], values)
            x, y, m = (given >> payload.offsets[f] & (1 << payload[f].bits) - 1 for f in ("x", "y", "m"))
            result = x * y * pow(1 << claim.product.exponent, -1, m) % m if m % 2 and m > 1 else 0
            flight = 1
        if gather(rest.outputs["o_valid"], values) == (1, 1):
            z, known = gather(rest.outputs["o_z"], values)
            assert known == ones(small().parameters.o["z"].bits)
            return operands, z
        simulation.clock()
    return operands, None


OF_A_PRODUCT = "one operand for both"
"""A kind of bug that is planted in the operands of a product."""


@pytest.mark.campaign
@pytest.mark.parametrize("bug", [bug for bug in KINDS if bug != OF_A_PRODUCT])
def test_no_exponentiation_with_a_bug_is_proved(bug):
    """A bug in the exponentiation: what is proved computes powers, with products that are computed here."""
    claim, cycle = stated(small()), cycles_of(halves().multiplier, 200)[0]
    for module in islice(KINDS[bug](dict(halves().rest.module)), 12):
        rest = netlist_of(module)
        try:
            prove_power(replace(halves(), rest=rest), claim, small().schedule.latency)
        except (UndecidedError, UnsupportedError):
            continue
        for seed in range(6):
            operands, z = powers_of(rest, cycle, Random(seed))
            assert z == pow(operands["base"], operands["exponent"], operands["m"])


@pytest.mark.campaign
@pytest.mark.parametrize("bug", KINDS)
def test_no_multiplier_with_a_bug_is_proved(bug):
    """A bug in the multiplier: what is proved has products that are right."""
    claim = stated(small())
    for module in islice(KINDS[bug](dict(halves().multiplier.module)), 6):
        multiplier = netlist_of(module)
        try:
            prove_power(replace(halves(), multiplier=multiplier), claim, small().schedule.latency)
        except (UndecidedError, UnsupportedError):
            continue
        for seed in range(20):
            x, y, m, z = product_of(multiplier, claim, Random(seed))
            assert (z * pow(2, claim.product.exponent) - x * y) % m == 0


def product_of(multiplier, claim, rng):
    """Operands and result of one product."""
    m = rng.randrange(3, 32) | 1
    x, y = rng.randrange(2 * m), rng.randrange(2 * m)
    simulation = Simulation(multiplier, any_state(multiplier, rng))
    for k in range(200):
        inputs = {"i_valid": (int(k == 0), 1), "o_ready": (1, 1), "rst": (0, 1)}
        values = simulation.settle(inputs | {f"i_{n}": (v, 63) for n, v in (("x", x), ("y", y), ("m", m))}, {})
        if gather(multiplier.outputs["o_valid"], values) == (1, 1):
            return x, y, m, gather(multiplier.outputs["o_z"], values)[0]
        simulation.clock()
    raise AssertionError("no product")
