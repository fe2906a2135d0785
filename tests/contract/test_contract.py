# SPDX-License-Identifier: Apache-2.0
"""What every registered core must keep, at small width; and the toy core, so that the checks are checked.

Each core has small requests, its `trials`. Every run takes some of them (`requests`), `make test-all` every one.
"""

import dataclasses
import random
from dataclasses import replace

import pytest

from modwright.base.errors import UsageError
from modwright.combine.exponentiation.parameters import METHODS
from modwright.contract import Composite, CoxEstimate, Field, ModularSum, NothingOwed, Obligation, Reduction
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.contract.roles import Errors, Operand, Residues, Result, Table
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.measurement.rows import operands_of
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, cores_of, packages
from modwright.prove.arithmetic import statement_of
from modwright.simulate import Stalls, available_simulator, verify
from modwright.simulate.oracle import Oracle
from modwright.simulate.patterns import patterns
from modwright.simulate.runs import in_chain
from modwright.simulate.simulator import open_session
from modwright.simulate.stimulus import bursts

from ..tools import needs
from ..toy import TOY
from .requests import AGREE, candidates, once_a_family

COMPILED = available_simulator() == "compiled"
CYCLES = 60_000 if COMPILED else 4_000
"""Budget of a run in cycles: some tenths of a second."""
PURE_CYCLES = 700
NEVER = {
    "modinv/binary-divstep": {Errors.BAD_MODULUS},
    **{
        f"modexp/{name}-{method}": {Errors.NOT_REDUCED}
        for name in ("orup-dsp", "orup-interleaved")
        for method in METHODS
    },
}
"""Errors that a core has a code for and no operand: its modulus is built in; its base has as many bits as M, and the
operands of this multiplier have more."""
SEED = random.Random(9).getrandbits(63)
MODERATE = Stalls(seed=11, i=40, o=40)
SHARES = {"free": 0, "stalled": 40, "bursts": 95}
"""Per cent of cycles that stall in each pattern. In bursts a full core then gives its results one at a time."""


@pytest.fixture(scope="module", params=candidates())
def prepared(request, store):
    core, document = request.param
    return prepare(core, Request.from_mapping(core, {"core": core.name, **document}), store)


@pytest.fixture(scope="module")
def edges(prepared):
    """The edge cases of a core: some are searched for, which takes longer than simulating them."""
    return edge_cases(prepared)


def cases_of(prepared, edges, cycles):
    """Edges, then random operands: as many as the cycles allow, at least 2, and half of them random if need be."""
    count = max(2, cycles // (prepared.schedule.latency + prepared.schedule.interval))
    drawn = random_cases(prepared, min(200, max(count - len(edges), count // 2)), seed=5)
    return edges[: count - len(drawn)] + drawn


def packed(prepared, cases):
    return [prepared.parameters.i.pack(payload) for payload in encode_cases(prepared, cases)]


def error_names(prepared):
    """Names of the codes of the result's error field."""
    o = prepared.parameters.o
    nothing = {f.name: 0 if f.count == 1 else (0,) * f.count for f in o.fields}
    codes = range(1, o["error"].limit)
    return {prepared.codec.decode({**nothing, "error": code})["error"] for code in codes}


def reported(prepared, payloads):
    """Those of the payloads that are an error by the contract, as cases, and the names of the errors."""
    readings = [(payload, prepared.codec.read(payload)) for payload in payloads]
    errors = [(payload, found.error) for payload, found in readings if found is not None and found.error]
    return [{PAYLOAD: payload} for payload, _ in errors], {name for _, name in errors}


def drawn(prepared, count):
    """Payloads over the whole contract."""
    return [case[PAYLOAD] for case in random_cases(prepared, 2 * count, seed=6)[1::2]]


def ends_of_fields(prepared):
    """A regular payload, some where operations differ, with one field at 0, at its bound, and all ones; where residues
    out of range are reported, the largest integer that they hold."""
    i = prepared.parameters.i
    count = 4 if any(field.name == "op" for field in i.fields) else 1
    for regular in encode_cases(prepared, random_cases(prepared, count, seed=7)):
        for field in i.fields:
            for value in {0, min(field.limit, (1 << field.width) - 1), (1 << field.width) - 1}:
                single = isinstance(regular[field.name], int)
                yield regular | {field.name: value if single else (value,) * field.count}
            domain = getattr(field.role, "domain", None)
            if isinstance(domain, Residues) and Errors.NOT_REDUCED in error_names(prepared):
                yield regular | {field.name: tuple(m - 1 for m in domain.base.moduli)}


def test_residues_are_named_as_such(prepared):
    """Tables say of the operands how the streams are laid out: a residue for each channel, or one number."""
    options, fields = prepared.request.options, prepared.parameters.i.fields
    known = prepared.core.name in all_cores()
    operands = operands_of({"core": prepared.core.name, "options": options}) if known else "binary"
    if operands.startswith("RNS"):
        assert fields[0].width <= options["width"]
    else:
        assert all(field.count == 1 for field in fields if not isinstance(field.role, Table))


def test_every_core_has_trials():
    assert [name for name, core in all_cores().items() if not core.trials] == []


def test_every_family_has_trials_on_every_run():
    for package in packages():
        assert any(trial.every_run for core in cores_of(package) for trial in core.trials)


def test_the_obligations_of_a_whole_contain_those_of_its_parts(prepared):
    """And a core that owes nothing says so; nothing is owed twice."""
    owed = prepared.parameters.obligations()
    assert owed
    assert len(set(owed)) == len(owed)
    assert all(isinstance(one, Obligation) for one in owed)
    if isinstance(prepared.parameters, Composite):
        assert lost(prepared.parameters) == []
    nothing = [one for one in owed if isinstance(one, NothingOwed)]
    assert not nothing or (len(owed) == 1 and nothing[0].reason)


def lost(whole):
    """Obligations of the parts of a whole that it does not have, wherever it puts them."""
    own = {replace(one, part="") for one in whole.obligations()}
    due = [one for _, part in whole.parts for one in part.obligations() if not isinstance(one, NothingOwed)]
    return [one for one in due if replace(one, part="") not in own]


def test_no_core_drops_an_obligation_of_a_part_at_any_trial():
    """At those of campaigns, too; and every core owes something, or says why not."""
    kept = 0
    for core in all_cores().values():
        for one in core.trials:
            p = core.derive(Request.from_mapping(core, {"core": core.name, **one.document}))
            assert p.obligations(), core.name
            assert all(statement_of(owed) for owed in p.obligations())
            if isinstance(p, Composite):
                assert lost(p) == [], core.name
                kept += sum(not isinstance(owed, NothingOwed) for _, part in p.parts for owed in part.obligations())
    assert kept > 500


class Forgetful(Composite):
    """A whole that forwards one kind of lemma by hand."""

    def __init__(self, inner):
        self.parts = (("product", inner),)

    parts = ()

    def obligations(self):
        return tuple(one for one in super().obligations() if isinstance(one, Reduction))


def test_a_whole_that_drops_an_obligation_is_found():
    core = all_cores()["modmul/sor-1m-p"]
    inner = core.derive(Request.from_mapping(core, {"core": core.name, **core.trials[0].document}))
    dropped = lost(Forgetful(inner))
    assert {type(one) for one in dropped} == {ModularSum, CoxEstimate}


def test_parts_are_named_by_their_whole():
    core = all_cores()["modexp/sor-lean-r2l"]
    whole = core.derive(Request.from_mapping(core, {"core": core.name, **core.trials[0].document}))
    assert {one.part for one in whole.obligations()} == {"product"}
    options = {"width": 12, "io": "binary", "exponent_bits": 6, "output": "exact"}
    whole = core.derive(Request.make(core, modulus=1009, target="generic", options=options))
    assert {one.part for one in whole.obligations()} == {"product", "product: converters"}


def test_certificate_holds(prepared):
    assert prepared.parameters.certificate.inequalities
    assert prepared.parameters.certificate.failing is None


def test_result_has_an_error_field(prepared):
    assert "error" in prepared.parameters.o.offsets


def test_every_field_has_words_that_follow_from_its_role():
    """Nobody types the words of a field: they begin with those of its role, over the smallest trial of every core."""
    silent = []
    for core in all_cores().values():
        p = core.smallest()
        for field in (*p.i.fields, *p.o.fields):
            assert field.role is not None
            if not field.note or not field.note.startswith(field.role.note):
                silent.append(f"{core.name} {field.name}")
    assert silent == []
    assert {one.name for one in dataclasses.fields(Field)} == {"name", "width", "count", "bound", "role", "more"}


@pytest.mark.parametrize("name", SHARES)
def test_levels(prepared, edges, name):
    """From a random state, with resets in the middle of operations."""
    cases = cases_of(prepared, edges, CYCLES)
    [pattern] = patterns(prepared.schedule, len(cases), which=name, seed=11, share=SHARES[name])
    ordered = [cases[k] for k in pattern.indices]
    found = verify(prepared, ordered, stalls=pattern.stalls, resets=pattern.resets, initial=pattern.initial)
    assert found.failed == []
    assert found.passed == found.cases > 1
    assert found.resets == pattern.resets > 0
    assert found.lost > 0
    if prepared.schedule.constant_time:
        assert set(found.cycles.values()) == {prepared.schedule.latency}
        assert found.interval >= prepared.schedule.interval
        if name == "free":
            assert found.interval == prepared.schedule.interval
    else:
        assert found.cycles["max"] <= prepared.schedule.latency


@pytest.mark.parametrize("stalls", [None, MODERATE], ids=["free", "stalled"])
def test_levels_chained(prepared, edges, stalls):
    if not prepared.codec.feedback():
        with pytest.raises(UsageError, match="no feedback"):
            verify(prepared, random_cases(prepared, 2, seed=8), chained=True)
        return
    cases = in_chain(prepared, cases_of(prepared, edges, CYCLES // 2))
    found = verify(prepared, cases, stalls=stalls, chained=True, resets=2)
    assert found.failed == []
    assert found.passed == found.cases > 1


def test_malformed_operands_are_reported(prepared):
    """Every error that the core has, of payloads drawn over its contract; of a core without errors, none."""
    cases, names = reported(prepared, drawn(prepared, 160))
    assert names == error_names(prepared) - NEVER.get(prepared.core.name, set())
    found = verify(prepared, cases[:40])
    assert found.failed == []
    assert found.passed == min(len(cases), 40)


def test_operands_out_of_range_are_reported(prepared):
    """Each field at its ends, where the contract has an error for it."""
    cases, names = reported(prepared, ends_of_fields(prepared))
    assert names <= error_names(prepared)
    assert bool(names) == bool(error_names(prepared))
    found = verify(prepared, cases)
    assert found.failed == []
    assert found.passed == len(cases)


def test_the_model_keeps_the_contract(prepared):
    """Named edges, extremes and 100 drawn payloads, none of them one without a promise; without simulation."""
    oracle, codec = Oracle(prepared), prepared.codec
    edges = encode_cases(prepared, edge_cases(prepared, products=False)[:200])
    for operands in [*edges, *drawn(prepared, 100)]:
        answer, payload = oracle.answer(operands), prepared.model.run(operands).payload
        assert answer is not None, operands
        assert oracle.difference(answer, payload, codec.decode(payload)) is None, operands


def test_a_result_is_read_as_it_is_decoded(prepared):
    """Where results are operands again, both ways to read one agree."""
    codec, p = prepared.codec, prepared.parameters
    results = {field.name: role.name for field, role in p.o.having(Result)}
    operands = {field.name: role.name for field, role in p.i.having(Operand)}
    for payload in drawn(prepared, 12) if codec.feedback() else []:
        result = prepared.model.run(payload).payload
        decoded = codec.decode(result)
        again = codec.read(payload | {into: result[out] for out, into in codec.feedback()})
        if decoded["error"] is None and again is not None and again.error is None:
            (out, into), *_ = codec.feedback()
            m = again.case.get("modulus") or prepared.request.modulus.value
            assert (again.case[operands[into]] - decoded[results[out]]) % m == 0


def test_simulators_are_compared_in_every_method():
    named = {row.values[0][0].name for row in once_a_family() if not row.marks}
    assert {name for name in named if name.startswith("modexp/")} == AGREE


@needs("compiled-simulator", why="to compare with")
@pytest.mark.parametrize("prepared", once_a_family(), indirect=True)
def test_simulators_agree(prepared, edges):
    """In bursts whose flows stall at both streams, and in a free chain where results are operands again; with a reset
    on the way, of a chain where more than two operations are within the budget."""
    assert_simulators_agree(prepared, edges, Stalls(SEED, 30, 60, quiet=bursts(prepared.schedule, SEED).quiet))
    if prepared.codec.feedback():
        assert_simulators_agree(prepared, edges, None, chained=True)


@needs("compiled-simulator", why="to compare with")
@pytest.mark.campaign
@pytest.mark.parametrize("stalls", [None, Stalls(SEED, 30, 60)], ids=["free", "stalled"])
def test_simulators_agree_without_bursts(prepared, edges, stalls):
    """The flows of bursts have these in them; Amaranth's simulator is slow, so one by one only under `campaign`."""
    assert_simulators_agree(prepared, edges, stalls)


def assert_simulators_agree(prepared, edges, stalls, *, chained=False):
    words = packed(prepared, cases_of(prepared, edges, PURE_CYCLES)[-40:])
    compiled, pure = (
        interrupted_run(prepared, simulator, words, stalls, chained) for simulator in ("compiled", "pure")
    )
    assert compiled == pure


def interrupted_run(prepared, simulator, words, stalls, chained):
    """Most of the operations, a reset when results wait or are in flight, and the rest."""
    rest = -(-len(words) // 4)
    with open_session(prepared, simulator, stalls=stalls, chained=chained, initial=9) as session:
        if chained and len(words) == 2:  # a reset between the two would leave no chain
            return session.feed(words)
        before = session.feed(words[rest:])
        window = session.interrupt(words, prepared.schedule.latency + 2, 2)
        after = session.feed(words[:rest])
        session.idle(prepared.schedule.latency + prepared.schedule.interval)
    return before, window, after


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
    found = verify(prepared, random_cases(right, 20, seed=1), simulator="pure", stalls=MODERATE)
    assert {f.level for f in found.failed} == {"cycle"}
    first = found.failed[0]
    assert int(first.expected["valid"]) == int(first.got["valid"]) + wrong
    assert found.passed < found.cases
