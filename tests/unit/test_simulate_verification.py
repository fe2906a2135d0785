# SPDX-License-Identifier: Apache-2.0
"""Each level of check finds what it is for, and nothing else."""

import dataclasses
import itertools

import pytest

from modwright.base.errors import UsageError, VerificationError
from modwright.contract import Outcome
from modwright.contract.codec import FieldCodec
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.functions import find_function
from modwright.prepared import prepare
from modwright.simulate import Stalls, verification, verify
from modwright.simulate.oracle import Oracle, same_results
from modwright.simulate.progress import Progress

from ..toy import TOY, Model, ToyParameters

ALL_OF_13 = [{"x": x, "y": y} for x, y in itertools.product(range(13), repeat=2)]


def toy(store, core=TOY, **options):
    document = {"core": TOY.name, "modulus": "13", "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def check(prepared, cases, **how):
    return verify(prepared, cases, simulator="pure", **how)


def levels(found):
    return [(f.index, f.level) for f in found.failed]


# --- nothing is wrong


@pytest.mark.parametrize("stalls", [None, Stalls(1)])
@pytest.mark.parametrize("chained", [False, True])
def test_every_product_modulo_13(store, stalls, chained):
    """169 cases of 169 possible."""
    found = check(toy(store), ALL_OF_13, stalls=stalls, chained=chained)
    assert found.failed == []
    assert found.passed == found.cases == 169
    assert found.simulator == "pure"
    assert found.cycles == {"min": 3, "median": 3, "max": 3}
    if not chained:
        assert found.interval == 2


def test_many_batches_are_one_run(store, monkeypatch):
    whole = check(toy(store), ALL_OF_13, stalls=Stalls(2), chained=True)
    monkeypatch.setattr(verification, "_BATCH", 10)
    parts = check(toy(store), iter(ALL_OF_13), stalls=Stalls(2), chained=True)
    assert (parts.failed, parts.passed, parts.cycles) == ([], whole.passed, whole.cycles)


def test_no_case(store):
    found = check(toy(store), [])
    assert (found.cases, found.passed, found.failed, found.cycles, found.interval) == (0, 0, [], {}, None)


# --- level value


def test_wrong_expectation_of_a_case(store):
    found = check(toy(store), [{"x": 2, "y": 3, "z": 6}, {"x": 2, "y": 3, "z": 7}])
    assert levels(found) == [(1, "value")]
    assert found.failed[0].expected == {"z": "0x7"}
    assert found.failed[0].got == {"z": "0x6"}


def test_wrong_expectation_without_the_plain_function(store):
    """What a case states is compared all the same, a result and an error."""
    cases = [{"x": 2, "y": 3, "z": 6}, {"x": 2, "y": 3, "z": 7}, {"x": 2, "y": 3, "error": "none"}, {"x": 2, "y": 3}]
    found = check(toy(store), cases, oracle=False)
    assert levels(found) == [(1, "value"), (2, "value")]
    assert found.failed[0].expected == {"z": "0x7"}


def test_operand_that_is_not_reduced(store):
    found = check(toy(store), [{"x": 13, "y": 1}, {"x": 2, "y": 3, "error": "not reduced"}])
    assert levels(found) == [(1, "value")]


def test_model_and_core_wrong_in_the_same_way(store):
    """Only the plain function can tell."""

    class Wrong(Model):
        def run(self, operands):
            outcome = super().run(operands)
            is_fault = operands == {"x": 3, "y": 5}
            return Outcome(outcome.payload | {"z": 16 % 13}, outcome.cycles) if is_fault else outcome

    core = dataclasses.replace(TOY, model=Wrong)
    cases = [{"x": 3, "y": 4}, {"x": 3, "y": 5}]
    assert levels(check(toy(store, core, faulty=True), cases)) == [(1, "value")]
    assert levels(check(toy(store, core, faulty=True), cases, oracle=False)) == []


def test_fault_inside_a_chain(store):
    """1·3 = 3, then 3·5: the second operation's x is the first one's result, whatever its case says."""
    cases = [{"x": 1, "y": 3}, {"x": 9, "y": 5}, {"x": 9, "y": 2}]
    found = check(toy(store, faulty=True), cases, chained=True)
    assert levels(found) == [(1, "value"), (1, "bits")]
    assert found.failed[0].case == {"x": "0x3", "y": "0x5"}


def test_after_an_error_a_chain_goes_on_with_0(store):
    """Its value is checked like any other: a decoder that calls 0 a 1 is found there."""

    class Off(FieldCodec):
        def decode(self, payload):
            decoded = super().decode(payload)
            return decoded | {"z": 1} if payload == {"z": 0, "error": 0} else decoded

    cases = [{"x": 1, "y": 13}, {"x": 5, "y": 5}, {"x": 5, "y": 13}]
    assert check(toy(store), cases, chained=True).passed == 3
    found = check(toy(store, dataclasses.replace(TOY, codec=Off)), cases, chained=True)
    assert levels(found) == [(1, "value")]
    assert found.failed[0].case == {"x": "0x0", "y": "0x5"}


def test_payloads_as_cases(store):
    """Any payload of the input, and what it stands for; one without a promise is refused."""
    cases = [{PAYLOAD: {"x": 3, "y": 5}}, {PAYLOAD: {"x": 255, "y": 0}}, {PAYLOAD: {"x": 3, "y": 4}}]
    found = check(toy(store, faulty=True), cases)
    assert levels(found) == [(0, "value"), (0, "bits")]
    assert found.failed[0].case == {"x": "0x3", "y": "0x5"}

    class Narrow(FieldCodec):
        def read(self, payload):
            return None if payload["x"] == 255 else super().read(payload)

    with pytest.raises(UsageError, match="case 1: modmul/toy promises no result for it"):
        check(toy(store, dataclasses.replace(TOY, codec=Narrow)), cases)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda p: {"z": 1, "error": 1},
        lambda p: {"z": 0, "error": 0},
        lambda p: {"z": p["x"] * p["y"] % 13, "error": 0},
    ],
    ids=["a result next to the error", "no error", "the product and no error"],
)
def test_an_error_is_reported_with_a_result_of_0(store, wrong):
    """Core and model are wrong in the same way, so only the contract can tell; 169 of 256 products are in range."""

    class Wrong(Model):
        def run(self, operands):
            outcome = super().run(operands)
            return Outcome(wrong(operands), outcome.cycles) if outcome.payload["error"] else outcome

    prepared = toy(store, dataclasses.replace(TOY, model=Wrong))
    answers, codec = Oracle(prepared), prepared.codec
    for x, y in itertools.product(range(16), repeat=2):
        operands = {"x": x, "y": y}
        payload = prepared.model.run(operands).payload
        differs = answers.difference(answers.answer(operands), payload, codec.decode(payload)) is not None
        assert differs == (max(x, y) >= 13)


def test_operands_that_are_encoded_as_others(store):
    """Core, model and reading agree on the payload; the plain case does not."""

    class Swapped(FieldCodec):
        def encode(self, case):
            return {"x": case["x"], "y": case["x"]}

    found = check(toy(store, dataclasses.replace(TOY, codec=Swapped)), [{"x": 2, "y": 2}, {"x": 2, "y": 3}])
    assert levels(found) == [(1, "value")]
    assert (found.failed[0].got, found.failed[0].expected) == ({"z": "0x4"}, {"z": "0x6"})


# --- level bits


def test_result_out_of_its_bound(store):
    """Core, model and decoder agree on a representative that the payload's bound does not allow."""

    @dataclasses.dataclass(frozen=True)
    class Bounded(ToyParameters):
        @property
        def o(self):
            z, error = super().o.fields
            return dataclasses.replace(super().o, fields=(dataclasses.replace(z, bound=12), error))

    def derive(request):
        return Bounded(**vars(TOY.derive(request)))

    found = check(toy(store, dataclasses.replace(TOY, derive=derive)), [{"x": 1, "y": 11}, {"x": 1, "y": 12}])
    assert levels(found) == [(1, "bits")]
    assert found.failed[0].got == {"z": "0xc"}
    assert found.failed[0].expected == {"z": "below 0xc"}


def test_model_with_other_bits(store):
    class Lazy(Model):
        def run(self, operands):
            outcome = super().run(operands)
            return Outcome(outcome.payload | {"z": outcome.payload["z"] + 13}, outcome.cycles)

    class Reducing(FieldCodec):
        def decode(self, payload):
            return super().decode(payload) | {"z": payload["z"] % 13}

    core = dataclasses.replace(TOY, model=Lazy, codec=Reducing)
    found = check(toy(store, core), [{"x": 1, "y": 1}])
    assert levels(found) == [(0, "bits")]
    assert (found.failed[0].got, found.failed[0].expected) == ({"z": "0x1"}, {"z": "0xe"})


def test_model_whose_output_is_no_payload(store):
    class Wide(Model):
        def run(self, operands):
            return Outcome({"z": 256, "error": 0}, 3)

    with pytest.raises(VerificationError, match="the model's output of operation 0 is not a payload"):
        check(toy(store, dataclasses.replace(TOY, model=Wide)), [{"x": 1, "y": 1}])


# --- level cycle


def late(store, schedule_latency, busy=None, **options):
    """The toy as its options say, with a schedule of another latency or interval next to it."""
    right = toy(store, **options)
    step = dataclasses.replace(right.schedule.steps[0], latency=1, busy=busy or right.schedule.interval)
    wrong = dataclasses.replace(right.schedule, steps=(step,), latency=schedule_latency)
    core = dataclasses.replace(TOY, build=lambda p, s: TOY.build(p, right.schedule))
    return dataclasses.replace(right, core=core, schedule=wrong)


@pytest.mark.parametrize(("stated", "expected"), [(2, "2"), (4, "4")])
def test_schedule_with_a_wrong_latency(store, stated, expected):
    found = check(late(store, stated, latency=3, interval=3), [{"x": 1, "y": 1}, {"x": 2, "y": 2}])
    assert levels(found) == [(0, "cycle"), (1, "cycle")]
    assert (found.failed[0].got, found.failed[0].expected) == ({"valid": "3"}, {"valid": expected})
    assert found.cycles == {"min": 3, "median": 3, "max": 3}


def test_core_slower_than_its_interval(store):
    found = check(late(store, 3, 1, latency=3, interval=2), [{"x": 1, "y": 1}, {"x": 2, "y": 2}])
    assert levels(found) == [(1, "cycle")]
    assert (found.failed[0].got, found.failed[0].expected) == ({"interval": "2"}, {"interval": "1"})


def test_core_faster_than_its_interval(store):
    found = check(late(store, 3, 2, latency=3, interval=1), [{"x": 1, "y": 1}, {"x": 2, "y": 2}])
    assert levels(found) == [(1, "cycle")]
    assert (found.failed[0].got, found.failed[0].expected) == ({"interval": "1"}, {"interval": "at least 2"})


def test_model_and_schedule_of_a_constant_time_core_agree(store):
    class Quick(Model):
        def run(self, operands):
            return Outcome(super().run(operands).payload, 2)

    found = check(toy(store, dataclasses.replace(TOY, model=Quick)), [{"x": 1, "y": 1}])
    assert found.failed[0].got == {"valid": "3", "model's cycles": "2"}
    assert found.failed[0].expected == {"valid": "2", "model's cycles": "3"}


# --- what cannot be run


def test_case_that_cannot_be_encoded(store):
    class Strict(FieldCodec):
        def encode(self, case):
            if case["x"] >= self.modulus_of({}):
                raise ValueError("x is not below the modulus")
            return super().encode(case)

    core = dataclasses.replace(TOY, codec=Strict)
    with pytest.raises(UsageError, match=r"case 1 cannot be given to modmul/toy: x is not below"):
        check(toy(store, core), [{"x": 1, "y": 1}, {"x": 13, "y": 1}])
    with pytest.raises(UsageError, match=r"case 0 has no y, which modmul/toy needs"):
        check(toy(store), [{"x": 1}])


def test_chain_of_a_core_without_feedback(store):
    class Open(FieldCodec):
        def feedback(self):
            return []

    with pytest.raises(UsageError, match="no feedback"):
        check(toy(store, dataclasses.replace(TOY, codec=Open)), [{"x": 1, "y": 1}], chained=True)


@pytest.mark.parametrize(
    ("decoded", "expected", "same"),
    [
        ({"z": 3, "error": None}, {"z": 3}, True),
        ({"z": 3, "error": None}, {"z": 4}, False),
        ({"z": 3, "error": "bound"}, {"z": 3}, False),
        ({"z": 0, "error": "zero"}, {"error": "no inverse"}, False),
        ({"z": 0, "error": "no inverse"}, {"error": "no inverse"}, True),
        ({"z": 0, "error": None}, {"error": "no inverse"}, False),
        ({"z": 3, "error": None}, {"z": 3, "error": "not reduced"}, False),
        ({"z": 123, "representative": 10**50, "error": "bound"}, {"error": "not reduced"}, False),
        ({"z": 123, "representative": 10**50, "error": "bound"}, {"z": 5, "error": "not reduced"}, False),
        ({"z": 123, "representative": 10**50, "error": "bound"}, {"z": 123}, False),
    ],
)
def test_same_results(decoded, expected, same):
    assert same_results(find_function("modmul"), decoded, expected) == same


@pytest.mark.parametrize(
    ("decoded", "expected", "same"),
    [
        ({"rx": 0, "ry": 0, "infinity": True}, {"infinity": True}, True),
        ({"rx": 0, "ry": 0, "infinity": False}, {"infinity": True}, False),
        ({"rx": 1, "ry": 2, "infinity": True}, {"rx": 1, "ry": 2}, False),
        ({"rx": 1, "ry": 2}, {"rx": 1, "ry": 2}, True),
        ({"rx": 1, "ry": 3}, {"rx": 1, "ry": 2}, False),
    ],
)
def test_same_points(decoded, expected, same):
    assert same_results(find_function("ecpm"), decoded, expected) == same


# --- progress


def test_plain_progress_on_stderr(store, capsys, monkeypatch):
    monkeypatch.setattr("modwright.simulate.progress._SECONDS", 0.0)
    monkeypatch.setattr(verification, "_BATCH", 100)
    check(toy(store), ALL_OF_13)
    out, err = capsys.readouterr()
    assert out == ""
    assert "modmul/toy: 100 simulated, 100 checked of 169" in err.splitlines()
    assert err.splitlines()[-1] == "modmul/toy: 169 simulated, 169 checked of 169"


def test_short_runs_say_nothing(store, capsys):
    check(toy(store), ALL_OF_13[:3])
    assert capsys.readouterr() == ("", "")


def test_the_time_that_is_left_is_told(capsys, monkeypatch):
    clock = iter((0.0, 10.0, 10.0))
    monkeypatch.setattr("modwright.simulate.progress.time.monotonic", lambda: next(clock))
    progress = Progress("core", 100)
    progress.simulated(20)
    assert capsys.readouterr().err == "core: 20 simulated, 0 checked of 100, about 90 s left\n"
