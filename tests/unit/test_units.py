# SPDX-License-Identifier: Apache-2.0
"""Units of a channel: every operand of small moduli, in the model and in the RTL, and what is refused."""

from itertools import product

import pytest

from modwright.base.errors import ParameterError
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.cores.unit import channel
from modwright.cores.unit.channel.model import UnitCodec, UnitModel
from modwright.functions import find_function
from modwright.prepared import prepare
from modwright.prepared.registry import cores_of, find
from modwright.simulate import verify

from ..certificates.directed import altered, derived

UNITS = ("adder", "mod3", "multiplier", "reduction", "rower-multiplier")
SMALL = [
    ("unit/multiplier", "13", {"latency": 2}),
    ("unit/multiplier", "29", {}),
    ("unit/rower-multiplier", "13", {"latency": 2}),
    ("unit/adder", "13", {}),
    ("unit/adder", "17", {}),
    ("unit/reduction", "13", {}),
    ("unit/reduction", "7", {"latency": 3}),
    ("unit/mod3", "3", {"width": 9}),
    ("unit/mod3", "9", {"width": 8}),
]
IDS = [f"{name}-{modulus}" for name, modulus, _ in SMALL]


def prepared_for(name, modulus, options, store=None):
    core = find(name)
    document = {"core": name, "modulus": modulus, "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def every_payload(p):
    """All operands in range."""
    names = [field.name for field in p.i.fields]
    return (dict(zip(names, values, strict=True)) for values in product(range(p.operand_limit), repeat=len(names)))


def wrong(prepared):
    """Operands whose result is another one than the function's, or out of its bound."""
    p, function = prepared.parameters, find_function("unit")
    for payload in every_payload(p):
        z = prepared.model.run(payload).payload["z"]
        expected = function.evaluate(payload, prepared.request.modulus)["z"]
        if z % p.modulus != expected or z >= p.o["z"].limit:
            yield payload


def test_every_unit_is_registered():
    assert sorted(core.name for core in cores_of(channel)) == [f"unit/{name}" for name in UNITS]


@pytest.mark.parametrize(("name", "modulus", "options"), SMALL, ids=IDS)
def test_all_operands_of_a_small_modulus_are_right_in_the_model(name, modulus, options):
    assert next(wrong(prepared_for(name, modulus, options)), None) is None


@pytest.mark.parametrize(("name", "modulus", "options"), SMALL[:1] + SMALL[3:4] + SMALL[5:6] + SMALL[7:8])
def test_all_operands_of_a_small_modulus_are_right_in_the_rtl(name, modulus, options, store):
    prepared = prepared_for(name, modulus, options, store)
    cases = [{PAYLOAD: payload} for payload in every_payload(prepared.parameters)]
    found = verify(prepared, cases)
    assert not found.failed
    assert found.passed == len(cases)


def test_a_planted_fault_is_seen():
    """A fold less than the product needs."""
    prepared = prepared_for("unit/multiplier", "13", {"latency": 2})
    broken = altered(prepared.parameters, bound=26)
    assert not broken.certificate.inequalities[0].holds
    model = UnitModel(broken, prepared.schedule)
    assert any(model.run(one).payload["z"] != one["x"] * one["y"] % 13 for one in every_payload(broken))


@pytest.mark.parametrize(("name", "modulus", "rule"), [
    ("unit/multiplier", "2^80-65", "<= w <= 72"),
    ("unit/mod3", "5", "m = 3 or m = 9"),
])  # fmt: skip
def test_other_moduli_are_refused(name, modulus, rule):
    with pytest.raises(ParameterError) as caught:
        prepared_for(name, modulus, {})
    assert rule in caught.value.rule


def test_a_case_has_neutral_elements_for_operands_that_a_unit_lacks():
    codec = UnitCodec(derived("unit/reduction", 13))
    assert codec.fit({"x": 5, "y": 4, "t": 3}) == {"x": 5, "y": 1, "t": 0}
    assert UnitCodec(derived("unit/adder", 13)).fit({"x": 5, "y": 4, "t": 3}) == {"x": 5, "y": 1, "t": 3}
