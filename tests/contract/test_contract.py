# SPDX-License-Identifier: Apache-2.0
"""What every registered core must keep, at small width; and the toy core, so that the checks are checked.

A family's package lists small requests for each of its cores in `CONTRACT_REQUESTS`, in the YAML form. For a core that
it names in `CONTRACT_QUICK`, the requests at those places run always, and the others in `make test-all` only.
"""

import dataclasses
import importlib
import pkgutil
import random

import pytest

from modwright import cores
from modwright.campaign import edge_cases, random_cases
from modwright.errors import UsageError
from modwright.measurement.rows import operands_of
from modwright.prepared import prepare
from modwright.registry import all_cores
from modwright.request import Request
from modwright.simulate import Stalls, Stimulus, available_engine, run, verify
from modwright.simulate.functions import NO_INVERSE, NOT_ON_CURVE, NOT_REDUCED, find_function
from modwright.simulate.verification import encode_cases

from ..toy import TOY

COMPILED = available_engine() == "compiled"
CLOCKS = 400_000 if COMPILED else 4_000
"""Budget of a run in clocks: a second or two."""
PURE_CLOCKS = 1_500
MODERATE, PRESSED = Stalls(seed=11, i=40, o=40), Stalls(seed=12, i=5, o=95)

TOY_REQUESTS = [
    {"modulus": "61", "target": "generic", "options": {"latency": latency, "interval": interval}}
    for latency, interval in ((1, 1), (3, 2), (4, 9))
]


def families():
    """The package of every family."""
    return [
        importlib.import_module(f"{cores.__name__}.{family.name}") for family in pkgutil.iter_modules(cores.__path__)
    ]


def family_requests():
    """Small requests by core name, from every family."""
    return {name: rows for package in families() for name, rows in getattr(package, "CONTRACT_REQUESTS", {}).items()}


def quick_places():
    """Places of the requests that every run has, by core name, where they are not all of them."""
    return {name: places for package in families() for name, places in getattr(package, "CONTRACT_QUICK", {}).items()}


def candidates():
    """(core, request) with an id each, and the mark of those that only the long run has."""
    known, quick = all_cores(), quick_places()
    rows = [(TOY, document, True) for document in TOY_REQUESTS]
    for name, documents in family_requests().items():
        places = quick.get(name, range(len(documents)))
        rows += [(known[name], document, n in places) for n, document in enumerate(documents)]
    return [
        pytest.param((core, document), id=f"{core.name}-{n}", marks=[] if always else [pytest.mark.campaign])
        for n, (core, document, always) in enumerate(rows)
    ]


@pytest.fixture(scope="module", params=candidates())
def prepared(request, store):
    core, document = request.param
    return prepare(core, Request.from_mapping(core, {"core": core.name, **document}), store)


def cases_of(prepared, clocks):
    """Edges, then random operands: as many as the clocks allow, at least 2, and half of them random if need be."""
    count = max(2, clocks // (prepared.schedule.latency + prepared.schedule.interval))
    edges = edge_cases(prepared)
    drawn = random_cases(prepared, min(200, max(count - len(edges), count // 2)), seed=5)
    return edges[: count - len(drawn)] + drawn


def packed(prepared, cases):
    return [prepared.parameters.i.pack(payload) for payload in encode_cases(prepared, cases)]


def malformed(prepared):
    """Plain cases without a result that the codec can encode."""
    function = find_function(prepared.core.function)
    modulus, curve = prepared.request.modulus, prepared.request.curve
    regular = random_cases(prepared, 4, seed=6)
    changes = [{name: value} for name in function.operands for value in (0, modulus.value, modulus.value + 1)]
    for case in (regular[n % 4] | change for n, change in enumerate(changes)):
        expected = function.evaluate(case, curve or modulus)
        if expected.get("error") in (NOT_REDUCED, NO_INVERSE, NOT_ON_CURVE):
            try:
                encode_cases(prepared, [case])
            except UsageError:
                continue  # the codec has no form for it, so nobody can offer it to the core
            yield case


def out_of_range(prepared):
    """Payload words with one element at or above its declared bound."""
    i = prepared.parameters.i
    regular = encode_cases(prepared, random_cases(prepared, 1, seed=7))[0]
    for field in i.fields:
        if field.limit == 1 << field.width:
            continue
        for value in (field.limit, (1 << field.width) - 1):
            worst = value if field.count == 1 else (value,) * field.count
            yield i.pack(regular | {field.name: worst})


def test_residues_are_said_to_be_residues(prepared):
    """What tables say of the operands is how the streams are laid out: a residue for each channel, or one number."""
    options, fields = prepared.request.options, prepared.parameters.i.fields
    known = prepared.core.name in all_cores()
    said = operands_of({"core": prepared.core.name, "options": options}) if known else "binary"
    if said.startswith("RNS"):
        assert fields[0].width <= options["width"]
    else:
        assert all(field.count == 1 for field in fields)


def test_every_core_has_requests():
    missing = set(all_cores()) - {name for name, documents in family_requests().items() if documents}
    assert not missing, "no entry in CONTRACT_REQUESTS"


def test_every_family_has_requests_on_every_run():
    """And what is named in CONTRACT_QUICK is there."""
    requests, quick = family_requests(), quick_places()
    assert {(name, n) for name, places in quick.items() for n in places} <= {
        (name, n) for name, documents in requests.items() for n in range(len(documents))
    }
    for package in families():
        own = [name for name, documents in getattr(package, "CONTRACT_REQUESTS", {}).items() if documents]
        assert not own or any(quick.get(name, True) for name in own)


def test_certificate_holds(prepared):
    assert prepared.parameters.certificate.inequalities
    assert prepared.parameters.certificate.failing is None


def test_result_has_an_error_field(prepared):
    assert "error" in prepared.parameters.o.offsets


@pytest.mark.parametrize("stalls", [None, MODERATE, PRESSED], ids=["free", "stalled", "pressed"])
def test_levels(prepared, stalls):
    found = verify(prepared, cases_of(prepared, CLOCKS), stalls=stalls)
    assert found.failed == []
    assert found.passed == found.cases > 1
    if prepared.schedule.constant_time:
        assert set(found.cycles.values()) == {prepared.schedule.latency}
        assert found.interval >= prepared.schedule.interval
        if stalls is None:
            assert found.interval == prepared.schedule.interval
    else:
        assert found.cycles["max"] <= prepared.schedule.latency


@pytest.mark.parametrize("stalls", [None, MODERATE], ids=["free", "stalled"])
def test_levels_chained(prepared, stalls):
    if not prepared.codec.feedback():
        with pytest.raises(UsageError, match="no feedback"):
            verify(prepared, random_cases(prepared, 2, seed=8), chained=True)
        return
    found = verify(prepared, cases_of(prepared, CLOCKS // 2), stalls=stalls, chained=True)
    assert found.failed == []
    assert found.passed == found.cases > 1


def test_malformed_operands_are_reported(prepared):
    cases = list(malformed(prepared))
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == len(cases)


def test_operands_out_of_range_are_reported(prepared):
    words = list(out_of_range(prepared))
    if not words:
        return
    i, o = prepared.parameters.i, prepared.parameters.o
    trace = run(prepared, Stimulus(words))
    for word, result in zip(words, trace.words, strict=True):
        assert o.unpack(result) == prepared.model.run(i.unpack(word)).payload
        assert o.unpack(result)["error"] != 0


@pytest.mark.skipif(not COMPILED, reason="there is no C++ compiler to compare with")
def test_engines_agree(prepared):
    """Free, and chained where results are operands again."""
    words = packed(prepared, cases_of(prepared, PURE_CLOCKS)[-40:])
    for chained in [False, True] if prepared.codec.feedback() else [False]:
        for stalls in (None, Stalls(random.Random(9).getrandbits(63), 30, 60)):
            stimulus = Stimulus(words, stalls, chained)
            assert run(prepared, stimulus, "compiled") == run(prepared, stimulus, "pure")


# --- the checks themselves, on faults planted in the toy


def toy(store, **options):
    document = {"core": TOY.name, "modulus": "61", "target": "generic", "options": options}
    return prepare(TOY, Request.from_mapping(TOY, document), store)


def test_a_wrong_product_is_found_in_value_and_bits(store):
    cases = [{"x": 3, "y": 4}, {"x": 3, "y": 5}, {"x": 5, "y": 3}]
    found = verify(toy(store, faulty=True), cases)
    assert [(f.index, f.level) for f in found.failed] == [(1, "value"), (1, "bits")]
    assert (found.cases, found.passed) == (3, 2)
    assert found.failed[0].case == {"x": "0x3", "y": "0x5"}
    assert found.failed[0].got == {"z": "0x10"}
    assert found.failed[0].expected == {"z": "0xf"}


@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_wrong_latency_is_found_in_every_operation(store, wrong):
    right = toy(store, latency=3)
    steps = tuple(dataclasses.replace(step, latency=2) for step in right.schedule.steps)
    schedule = dataclasses.replace(right.schedule, steps=steps, latency=3 + wrong)
    built = dataclasses.replace(TOY, build=lambda p, s: TOY.build(p, right.schedule))
    prepared = dataclasses.replace(right, core=built, schedule=schedule)
    found = verify(prepared, random_cases(right, 20, seed=1), engine="pure", stalls=MODERATE)
    assert {f.level for f in found.failed} == {"cycle"}
    first = found.failed[0]
    assert int(first.expected["valid"]) == int(first.got["valid"]) + wrong
    assert found.passed < found.cases
