# SPDX-License-Identifier: Apache-2.0
"""The plan of an operation is made once: model and hardware make no schedule of their own."""

import pytest
from amaranth.hdl import Fragment

from modwright.contract.request import Request
from modwright.prepared.registry import find
from modwright.schedule import Schedule

SOR = {"modulus": "65521", "options": {"width": 10}}
PLANS = [
    ("ecpm/ladder", {"modulus": "13", "options": {"limb": 3}}),
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
