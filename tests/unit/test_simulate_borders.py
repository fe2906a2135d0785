# SPDX-License-Identifier: Apache-2.0
"""Payloads at the borders of what curve engines report, which `simulate` and `build` run, and faults that only these
find in every run."""

import pytest

from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.contract.roles import ErrorCode, Modulus
from modwright.cores.ecdsa.joint.plan import formulas as ecdsa
from modwright.cores.edmul.double_add.plan import formulas as edmul
from modwright.engines.ladder.codec import CurveCodec
from modwright.functions import find_function
from modwright.functions.cases import border_payloads, edge_cases
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.simulate.oracle import same_results

ENGINES = ("ecpm/ladder", "edmul/double-add", "xmul/montgomery-ladder", "eddsa/joint", "ecdsa/joint")
FAULTS = {
    "ecdsa: s = 0 passes": ("ecdsa/joint", ecdsa, "EXIT_ORDER", "zero ss as", "zero rr as"),
    "ecdsa: r = 0 passes": ("ecdsa/joint", ecdsa, "EXIT_ORDER", "zero rr as", "zero ss as"),
    "ecdsa: a key off the curve passes": ("ecdsa/joint", ecdsa, "SETUP_FIELD", "off  = yy - xc", "off  = yy - yy"),
    "edmul: every point is on the curve": ("edmul/double-add", edmul, "SETUP", "zero off", "zero NX0"),
}
"""By name: the core, the module of its formulas, which text, and what stands there in the place of what. Hardware and
model are made of these texts, so the plain function alone can see such a fault."""


RUNTIME = [name for name, core in sorted(all_cores().items())
           if core.runtime_modulus and name.startswith(("modmul/", "modinv/", "modexp/csa-"))]  # fmt: skip
"""Cores with one modulus as an operand, exponentiators over one multiplier."""


def small(core, **options):
    found = find(core)
    document = found.trials[0].document
    document = document | {"options": {**document.get("options", {}), **options}}
    return prepare(found, Request.from_mapping(found, {"core": core, **document}))


def wrong(prepared):
    """Names of the border cases of which the model's result is not that of the plain function."""
    function, codec, model = find_function(prepared.core.function), prepared.codec, prepared.model
    found = []
    for name, payload in border_payloads(prepared).items():
        reading = codec.read(payload)
        assert reading is not None, "something is promised of each"
        expected = {"error": reading.error} if reading.error else function.evaluate(dict(reading.case), None)
        decoded = codec.decode(model.run(payload).payload)
        if not same_results(function, decoded, expected):
            found.append(name)
    return found


@pytest.mark.parametrize("core", ENGINES)
def test_each_error_of_a_core_is_an_edge(core):
    prepared = small(core)
    payloads = border_payloads(prepared).values()
    ((_, role),) = prepared.parameters.o.having(ErrorCode)
    readings = [prepared.codec.read(one) for one in payloads]
    assert {one.error for one in readings if one is not None} - {None} == set(role.codes.values())
    listed = edge_cases(prepared)
    assert all({PAYLOAD: one} in listed for one in payloads)


@pytest.mark.parametrize("core", ENGINES)
def test_each_comparison_is_an_edge(core):
    """Changed in one operand from a case without error, so no other comparison reports it."""
    prepared = small(core)
    names = {name.partition(", ")[2] or name for name in border_payloads(prepared)}
    assert isinstance(prepared.codec, CurveCodec)
    assert {f"{name} = m" for name in prepared.codec.compared} <= names


@pytest.mark.parametrize("core", ENGINES)
def test_the_cores_agree_with_the_plain_functions(core):
    assert wrong(small(core)) == []


@pytest.mark.parametrize("core", RUNTIME)
def test_each_kind_of_bad_modulus_is_an_edge(core):
    """An even one that is not small, too: of 60 random operations one in three seeds has none."""
    prepared = small(core)
    payloads = list(border_payloads(prepared).values())
    ((field, _),) = prepared.parameters.i.having(Modulus)
    given = {one[field.name] for one in payloads}
    assert {0, 1, 2, (1 << field.width) - 2} <= given
    listed = edge_cases(prepared)
    assert all({PAYLOAD: one} in listed for one in payloads)
    assert wrong(prepared) == []


def test_a_check_after_signing_agrees_too():
    assert wrong(small("ecdsa/joint", check=True)) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_planted(fault, monkeypatch):
    core, module, name, there, planted = FAULTS[fault]
    text = getattr(module, name)
    assert text.count(there) == 1, "the fault has to change something"
    monkeypatch.setattr(module, name, text.replace(there, planted))
    assert wrong(small(core))
