# SPDX-License-Identifier: Apache-2.0
"""Curves over a prime of a given width, and the cases of cores of which only the width is requested."""

import pytest

from modwright.catalog.points import multiply_edwards, multiply_point
from modwright.contract.request import Request
from modwright.deliver.vectors import golden
from modwright.functions import eddsa, find_function
from modwright.functions.drawn import complete_curve, prime_order_curve
from modwright.functions.ecdsa import has_order
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find

WIDTHS = (*range(9, 33), 64, 160, 255, 256)
RUNTIME = sorted(
    core.name
    for core in all_cores().values()
    if find_function(core.function).curve_form and (width := core.sizing("modulus")) and width.name == "bits"
)
"""Cores on curves that are made for any modulus of a width."""


@pytest.mark.parametrize("bits", WIDTHS)
def test_curve_of_prime_order(bits):
    curve = prime_order_curve(bits)
    base = (curve.gx, curve.gy)
    assert curve.p.bit_length() == curve.order.bit_length() == bits
    assert curve.p != curve.order
    assert curve.a and curve.b and curve.contains(*base)
    assert has_order(curve.p, curve.a, curve.b, curve.order, *base)
    assert multiply_point(curve.order - 1, base, curve.p, curve.a) == (curve.gx, curve.p - curve.gy)


@pytest.mark.parametrize("bits", (*range(5, 9), *WIDTHS))
def test_complete_curve(bits):
    curve = complete_curve(bits)
    base = (curve.gx, curve.gy)
    assert curve.p.bit_length() == bits and curve.p + 1 == curve.cofactor * curve.order
    assert curve.contains(*base)
    assert eddsa.has_order(curve.p, curve.a, curve.b, curve.order, *base)
    assert multiply_edwards(curve.order + 1, base, curve.p, curve.a, curve.b) == base


@pytest.mark.parametrize("name", RUNTIME)
def test_vectors_of_a_core_of_which_only_the_width_is_requested(store, name):
    core = find(name)
    prepared = prepare(core, Request.make(core, target="generic", options={"bits": 20}), store)
    evaluate = find_function(core.function).evaluate
    vectors = golden(prepared)
    assert {vector.case["modulus"].bit_length() for vector in vectors} == {20}
    for vector in vectors:
        result = prepared.codec.decode(vector.result)
        assert evaluate(vector.case, None).items() <= result.items()
