# SPDX-License-Identifier: Apache-2.0
"""Moduli that cores on curves refuse, each by its rule, and small ones that they take."""

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.functions.cases import edge_cases, random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find

ON_CURVES = sorted(
    name for name in all_cores() if name.partition("/")[0] in ("ecpm", "xmul", "edmul", "ecdsa", "eddsa")
)


def made(store, name, modulus):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target="generic"), store)


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
