# SPDX-License-Identifier: Apache-2.0
"""Requests that are drawn over all cores, moduli, options and targets: each is refused by a rule, or right.

Right: the model's results are those of the plain function, and within their bounds, for edges and random operands; and
the core is written as Verilog. A request is drawn from its number, so a failure names all that it takes.
"""

import random

import gmpy2
import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.simulate.oracle import Oracle

EVERY_RUN, CAMPAIGN, PART = 16, 1600, 50
"""Requests of every run, and of the campaign, which takes them in parts."""
BITS = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 18, 19, 24, 31, 32, 33, 48, 64, 65, 96, 127, 128, 192, 256, 384, 521)
FEW_BITS = (3, 4, 5, 7, 9, 12, 17, 24, 33)
"""Bits of moduli; of cores with many products in an operation."""
LONG = ("ecdsa", "eddsa", "edmul", "xmul", "ecpm", "modexp")
TARGETS = ("generic", "ecp5", "xc7", "asic")
MOST_CASES = 50


def drawn_option(rng, option):
    """A value of an option: any choice, or a number, mostly a small one."""
    if option.choices:
        return rng.choice(option.choices)
    if option.kind is bool:
        return rng.random() < 0.5
    least = option.minimum or 0
    most = option.maximum if option.maximum is not None else least + 10
    return rng.randint(least, min(most, least + rng.choice((1, 3, 8, 40))))


def drawn(number):
    """A core and a request for it."""
    rng = random.Random(f"request {number}")
    core = find(rng.choice(sorted(all_cores())))
    bits = rng.choice(FEW_BITS if core.name.startswith(LONG) else BITS)
    modulus = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    if rng.random() < 0.9:
        modulus = int(gmpy2.next_prime(modulus))
    options = {
        option.name: drawn_option(rng, option)
        for option in core.options
        if (option.choices or option.kind in (bool, int)) and option.sizes != "modulus" and rng.random() < 0.35
    }
    return core, {"core": core.name, "modulus": str(modulus), "target": rng.choice(TARGETS), "options": options}


def fault(number, store):
    """What is wrong with the answer to a request; empty where nothing is."""
    core, document = drawn(number)
    try:
        prepared = prepare(core, Request.from_mapping(core, document), store)
        cases = edge_cases(prepared) + random_cases(prepared, 10, number)
    except (ParameterError, UsageError) as refused:
        return "" if str(refused) else f"{document}: refused without a word"
    cases = random.Random(number).sample(cases, min(MOST_CASES, len(cases)))
    oracle, o = Oracle(prepared), prepared.parameters.o
    for case, operands in zip(cases, encode_cases(prepared, cases), strict=True):
        payload, answer = prepared.outcome(operands).payload, oracle.answer(operands)
        if answer is None:
            return f"{document}: nothing is promised for {case}"
        if outside := o.out_of_bounds(payload):
            return f"{document}: {', '.join(outside)} beyond the bound for {case}"
        if difference := oracle.difference(answer, payload, prepared.codec.decode(payload)):
            return f"{document}: {difference} for {case}"
    return "" if prepared.top in core_verilog(prepared) else f"{document}: no Verilog"


@pytest.mark.parametrize("number", range(EVERY_RUN))
def test_a_request_is_refused_or_right(store, number):
    assert fault(number, store) == ""


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(EVERY_RUN, EVERY_RUN + CAMPAIGN, PART))
def test_many_requests_are_refused_or_right(store, first):
    assert [found for number in range(first, first + PART) if (found := fault(number, store))] == []


@pytest.mark.parametrize(
    "core", ["ecpm/ladder", "xmul/montgomery-ladder", "ecdsa/joint", "eddsa/joint", "edmul/double-add"]
)
def test_a_small_width_alone_has_operands_on_curves(core, store):
    """9 bits without a curve, where the odd number that is drawn first is no prime: of every edge and of 4 drawn cases
    a result is promised, and the model has it."""
    prepared = prepare(find(core), Request.make(find(core), options={"bits": 9, "limb": 4}, target="generic"), store)
    cases, oracle = edge_cases(prepared, extremes=False) + random_cases(prepared, 4, seed=1), Oracle(prepared)
    for case, operands in zip(cases, encode_cases(prepared, cases), strict=True):
        payload, answer = prepared.outcome(operands).payload, oracle.answer(operands)
        assert answer is not None, case
        assert oracle.difference(answer, payload, prepared.codec.decode(payload)) is None
