# SPDX-License-Identifier: Apache-2.0
"""Multiples of a base point that is built in: every scalar of small curves, Ed25519, constant control and addresses."""

from dataclasses import replace

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.catalog import resolve_curve
from modwright.cli.common import select
from modwright.contract.request import Request
from modwright.cores.edmul.comb.hardware.core import CombCore
from modwright.cores.edmul.comb.model import CombModel
from modwright.cores.edmul.comb.parameters import CombParameters
from modwright.cores.edmul.comb.plan import microcode
from modwright.cores.edmul.comb.plan.table import FIELDS
from modwright.engines.ladder.control import unit_schedules
from modwright.functions import find_function
from modwright.functions.edmul import small_curve
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence
from modwright.simulate import verify

from ..tools import needs
from .control_words import seen_of_each
from .test_edmul import complete, keys, multiples, points_of

CORE, EDMUL = find("edmul/comb"), find_function("edmul")
compiled = needs("compiled-simulator", why="a multiple on Ed25519 has 18,600 cycles")


def make(store, modulus=None, curve=None, target="generic", **options):
    return prepare(CORE, Request.make(CORE, modulus=modulus, curve=curve, target=target, options=options), store)


# --- small curves


@pytest.mark.parametrize("teeth", [1, 2, 3])
def test_every_base_point_of_small_curves(teeth, store):
    """The model on every complete curve over 5 to 11 elements, with every base point, the neutral one too, and every
    scalar, by the affine law."""
    for p in (5, 7, 11):
        made = make(store, str(p), limb=2, teeth=teeth)
        for a, d in complete(p):
            for x, y in points_of(p, a, d):
                curve = replace(made.parameters.curve, a=a, b=d, gx=x, gy=y)
                model = CombModel(replace(made.parameters, curve=curve), made.schedule)
                for k, (rx, ry) in enumerate(multiples(p, a, d, (x, y), 1 << p.bit_length())):
                    found = model.run({"k": k}).payload
                    assert (found["x"], found["y"]) == (rx, ry)


def every_scalar(prepared):
    """Every scalar of n bits on the curve of a core, by the affine law."""
    c = prepared.parameters.curve
    for k, (rx, ry) in enumerate(multiples(c.p, c.a, c.b, (c.gx, c.gy), 1 << prepared.parameters.n)):
        yield {"modulus": c.p, "a": c.a, "d": c.b, "k": k, "x": c.gx, "y": c.gy, "rx": rx, "ry": ry}


@compiled
@pytest.mark.parametrize(
    ("modulus", "options"),
    [
        ("31", {"limb": 3, "teeth": 2, "target": "ecp5"}),
        *(pytest.param("127", {"limb": 4, "teeth": v}, marks=pytest.mark.campaign) for v in (1, 2, 3, 4)),
        pytest.param("127", {"limb": 4, "unit": "scan"}, marks=pytest.mark.campaign),
        pytest.param("113", {"limb": 4, "unit": "fold", "macs": 2}, marks=pytest.mark.campaign),
        *(pytest.param(str(p), {"limb": 3}, marks=pytest.mark.campaign) for p in (5, 7, 11, 17, 19, 23, 29, 37, 61)),
    ],
)
def test_every_scalar_in_the_rtl(modulus, options, store):
    """1 of 16 cores, with its table in block RAM; others of the contract have it in a memory of constants."""
    prepared = make(store, modulus, **options)
    cases = list(every_scalar(prepared))
    found = verify(prepared, cases)
    assert (found.failed, found.passed >= len(cases)) == ([], True)


# --- Ed25519 and Ed448


def test_public_keys_by_the_model(store):
    """Those of `cryptography`, and scalars around the order."""
    for name in ("ed25519", "ed448"):
        prepared, curve = make(store, curve=name, target="ecp5"), resolve_curve(name)
        model = CORE.model(prepared.parameters, prepared.schedule)
        edges = [{**case, **EDMUL.evaluate(case, curve)} for case in prepared.codec.edges().values()]
        for case in [*keys(name, 1), *edges]:
            found = model.run(prepared.codec.encode(case)).payload
            assert (found["x"], found["y"], found["error"]) == (case["rx"], case["ry"], 0)


@compiled
@pytest.mark.campaign
@pytest.mark.parametrize("macs", [1, 2])
def test_public_keys(store, macs):
    """A hundred of Ed25519, with block RAM; some of Ed448."""
    assert verify(make(store, curve="ed25519", target="ecp5", macs=macs), list(keys("ed25519", 100))).failed == []
    assert verify(make(store, curve="ed448", macs=macs), list(keys("ed448", 5))).failed == []


def test_cycles_next_to_those_of_any_point(store):
    """The table of the README: less than a quarter of the cycles of `edmul/double-add`."""
    other = find("edmul/double-add")
    expected = {("ed25519", 1): (6, 18_597), ("ed25519", 2): (5, 12_367), ("ed448", 1): (8, 62_324)}
    for (curve, macs), (teeth, cycles) in expected.items():
        prepared = make(store, curve=curve, target="ecp5", macs=macs)
        assert (prepared.parameters.teeth, prepared.schedule.latency) == (teeth, cycles)
        request = Request.make(other, curve=curve, options={"macs": macs})
        assert 4 * cycles < prepare(other, request, store).schedule.latency


# --- control, addresses, errors of requests


def test_control_and_addresses_are_the_same_for_all_scalars(store):
    """All but the address of the inverse or its negative, which is chosen by the sign of the inversion."""
    prepared = make(store, "13", limb=3, teeth=3)
    code = prepared.schedule.microcode
    core = CombCore(prepared.parameters, prepared.schedule)

    def see(ctx):
        return tuple(map(ctx.get, (core.machine.word.as_value(), core.address, core.machine.port.addr)))

    expected, *others = seen_of_each(core, [{"k": k} for k in (0, 1, 6, 15)], see)
    words = list(code.issued())
    assert [word for word, _, _ in expected] == [code.layout.pack(word) for word in words]
    assert {address for _, address, _ in expected} == set(range(len(prepared.parameters.table)))
    sign = [cycle for cycle, word in enumerate(words) if word.get("flip")]
    assert 0 < len(sign) <= 2
    for found in others:
        differ = [cycle for cycle, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1]]
        assert set(differ) <= set(sign)


def test_the_netlist_says_the_same_of_addresses(store):
    """The table's address depends on nothing, and that of the words on the scalar through the inversion; which words of
    the table are kept does, too."""
    found = dependence(make(store, "13", limb=3, teeth=3))
    assert {one.name for one in found.dependents if "address" in one.kind} == {"machine.words"}
    assert any("next_TX" in one.name for one in found.dependents)


def test_words_of_a_point(store):
    """Of each point of the table four words, in the Montgomery domain."""
    p = make(store, "31", limb=3, teeth=2).parameters
    assert (len(p.table), p.columns) == (len(FIELDS) << 2, 3)
    back = pow(p.one, -1, 31)
    x, y, total, product = (word * back % 31 for word in p.table[-4:])
    c = small_curve(31)
    assert (x, y) == multiples(31, c.a, c.b, (c.gx, c.gy), 1 + 1 + 8)[9]
    assert (total, product) == ((x + y) % 31, c.b * x * y % 31)


def test_a_step_that_reads_the_point_of_the_next_one_is_refused(monkeypatch, store):
    p = make(store, "13", limb=3, teeth=3).parameters
    place = microcode.place_loop
    monkeypatch.setattr(microcode, "place_loop", lambda *given: replace(place(*given), period=1))
    with pytest.raises(ValueError, match="reads the table in cycle"):
        microcode.make_plan(p, unit_schedules(p))


def test_refusals(store):
    with pytest.raises(UsageError, match="Edwards curves"):
        make(store, curve="P-256")
    with pytest.raises(UsageError, match="base point"):
        make(store, modulus="2^255-19")
    with pytest.raises(ParameterError, match="not a prime"):
        make(store, modulus="15")
    with pytest.raises(ParameterError, match="not read within a step"):
        make(store, curve="ed25519", teeth=7)
    prepared = make(store, "13", limb=3, teeth=3)
    with pytest.raises(ValueError, match="built in"):
        prepared.codec.encode({"k": 1, "x": 0, "y": 1})
    assert isinstance(prepared.parameters, CombParameters)


def test_a_core_over_a_curve_asks_for_no_field():
    with pytest.raises(UsageError, match="one modulus, and none is named") as error:
        select("edmul/comb", None, None, None, None, None)
    assert error.value.hint == "--modulus N or --curve NAME"
