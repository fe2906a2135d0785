# SPDX-License-Identifier: Apache-2.0
"""The plan of an operation is made once: model and hardware make no schedule of their own."""

import pytest
from amaranth.hdl import Fragment

from modwright.contract.request import Request
from modwright.engines.ladder.placement import Placer
from modwright.prepared.registry import all_cores, find
from modwright.schedule import Schedule

SOR = {"modulus": "65521", "options": {"width": 10}}
PLANS = [
    ("ecpm/ladder", {"modulus": "13", "options": {"limb": 3}}),
    ("ecdsa/joint", {"modulus": "13", "options": {"limb": 3}}),
    ("eddsa/joint", {"modulus": "13", "options": {"limb": 3}}),
    ("edmul/double-add", {"modulus": "13", "options": {"limb": 3}}),
    ("xmul/montgomery-ladder", {"modulus": "13", "options": {"limb": 3}}),
    ("rns/processor", {"modulus": "1009", "options": {"width": 11}}),
    ("modexp/binary-ladder", {"modulus": "61", "options": {"exponent_bits": 6}}),
    ("modinv/rns-bmi", {"modulus": "61", "options": {"width": 10}}),
    ("modinv/rns-divstep", {"modulus": "61", "options": {"width": 10}}),
    ("modinv/rns-flt", {"modulus": "61", "options": {"width": 10}}),
    ("modmul/binary-serial", {"modulus": "61"}),
    ("modmul/limb-fold-karatsuba", {"modulus": "0xe9d", "options": {"limb": 4}}),
    ("modmul/r64", {"modulus": "0xe9d", "options": {"limb": 4}}),
    ("modmul/rns-kbe", {"modulus": "1009", "options": {"width": 9, "output": "exact"}}),
    ("modmul/sor-1m-p", SOR),
    ("modmul/sor-1m-p", {**SOR, "options": {"width": 10, "io": "binary"}}),
    ("modmul/sor-1m-p", {**SOR, "options": {"width": 10, "output": "exact"}}),
]


@pytest.mark.parametrize(("name", "request_"), PLANS, ids=[f"{name}-{at}" for at, (name, _) in enumerate(PLANS)])
def test_model_and_hardware_make_no_schedule(name, request_, monkeypatch):
    core = find(name)
    p = core.derive(Request.make(core, target="generic", **request_))
    plan = core.schedule(p)
    made = []
    check = Schedule.__post_init__
    monkeypatch.setattr(Schedule, "__post_init__", lambda self: made.append(self) or check(self))
    core.model(p, plan)
    Fragment.get(core.build(p, plan), None)
    assert made == []
    core.schedule(p)
    assert made, "the count sees schedules"


OVER_A_PART = ("modexp/", "modinv/rns-flt", "edmul/comb")
"""Cores whose program, or table, needs the latency of the core below: the schedule of that one is made with them, and
kept."""


def test_parameters_place_nothing(monkeypatch):
    """Over the smallest trial of every core: constants, conditions and payloads, as `params` shows them."""

    def fail(self, *_, **__):
        raise AssertionError("a program is placed")

    made = []
    check = Schedule.__post_init__
    monkeypatch.setattr(Placer, "__init__", fail)
    monkeypatch.setattr(Schedule, "__post_init__", lambda self: made.append(self) or check(self))
    placing = []
    for name, core in all_cores().items():
        made.clear()
        p = core.smallest()
        assert p.certificate.failing is None and p.describe() and p.i.fields and p.o.fields
        if made and not name.startswith(OVER_A_PART):
            placing.append(name)
    assert placing == []
    core = find("edmul/double-add")
    with pytest.raises(AssertionError, match="a program is placed"):
        core.schedule(core.smallest())
