# SPDX-License-Identifier: Apache-2.0
"""Moduli that cores on curves refuse, each by its rule, and small ones that they take."""

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.operands import PAYLOAD
from modwright.contract.request import Request
from modwright.functions.cases import edge_cases, encode_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find

ON_CURVES = sorted(
    name for name in all_cores() if name.partition("/")[0] in ("ecpm", "xmul", "edmul", "ecdsa", "eddsa")
)


def made(store, name, modulus, **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options=options), store)


@pytest.mark.parametrize("name", ON_CURVES)
def test_no_prime_or_a_characteristic_below_five(store, name):
    for modulus, rule in ((3, "P >= "), (49, "P is a prime")):
        with pytest.raises(ParameterError, match=rule):
            made(store, name, modulus)


def test_a_field_without_a_point_for_eddsa(store):
    prepared = made(store, "eddsa/joint", 5)
    for cases in (edge_cases, lambda prepared: random_cases(prepared, 1, 1)):
        with pytest.raises(UsageError, match="no complete curve over 5 elements"):
            cases(prepared)
    assert edge_cases(made(store, "eddsa/joint", 7))


def test_points_whose_order_has_few_bits(store):
    """Curves over 13 elements have up to 20 points: of 16 and more a multiple of the point is taken."""
    prepared = made(store, "ecpm/ladder", 13, order_bits=4)
    cases = edge_cases(prepared) + random_cases(prepared, 200, 1)
    payloads = encode_cases(prepared, cases)
    assert max(payload["order"] for payload in payloads) < 16
    assert {case["x"] for case in cases if PAYLOAD not in case} >= {None, *range(13)}
    for payload in payloads:
        assert prepared.codec.read(payload) is not None
