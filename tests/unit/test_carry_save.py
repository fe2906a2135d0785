# SPDX-License-Identifier: Apache-2.0
"""The multipliers with a runtime modulus: constants, model, hardware.

What every core must keep is tested in tests/contract.
"""

import json
import random
from fractions import Fraction

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.contract.request import Request
from modwright.simulate import Stimulus, run

from ..tools import needs
from .carry_save_cases import ALL, CORES, DATA, make, moduli, multipliers, of_paper, word

# --- constants


@pytest.mark.parametrize(
    ("name", "domain", "T", "W", "J"),
    [
        ("radix2", 1, 1024, 1026, 1024),
        ("radix2", 2, 1026, 1027, 1026),
        ("csa", 2, 1026, 1027, 1026),
        ("vlm3", 1, 1025, 1029, 513),
        ("vlm3", 2, 1026, 1030, 514),
        ("booth4-csa", 2, 1028, 1029, 514),
        ("booth8-csa", 2, 1026, 1030, 342),
    ],
)
def test_constants_at_1024_bits(name, domain, T, W, J):
    p, schedule = of_paper(name, 1024, domain)
    assert (p.T, p.width, p.most_digits) == (T, W, J)
    assert schedule.latency == J + p.limbs + (3 if domain == 2 else 4)
    assert schedule.constant_time == (name != "vlm3")


def test_booth8_at_1024_bits_takes_10_cycles_beside_its_digits():
    assert of_paper("booth8-csa", 1024, 2)[1].latency == 342 + 10


@pytest.mark.parametrize(
    ("domain", "low", "high"), [(1, Fraction(-2, 3), Fraction(5, 3)), (2, Fraction(-4, 3), Fraction(7, 3))]
)
def test_bounds_of_vlm3(domain, low, high):
    p, _ = of_paper("vlm3", 512, domain)
    assert p.sum_bounds == (low, high)
    tight = {i.name for i in p.certificate.inequalities if i.slack == 0}
    assert {"step-high-1", "step-low-1"} <= tight, "±1 in every second place reaches the bounds"


@pytest.mark.parametrize(("name", "domain"), ALL)
@pytest.mark.parametrize("n", [6, 64, 521, 4096])
def test_certificates_hold_and_less_does_not(name, domain, n):
    p, _ = of_paper(name, n, domain)
    assert p.certificate.failing is None
    shorter = type(p)(p.cell, n, domain, p.T - p.cell.shift, p.limb)
    assert shorter.certificate.failing is not None
    low, high = p.before_shift
    guard = Fraction(1, 1 << (p.width - n))
    if p.cell.signed:
        assert high * guard > Fraction(1, 4) or -low * guard > Fraction(1, 8), "a bit less would not do"
    else:
        assert high * guard > Fraction(1, 2), "a bit less would not do"


def test_requests_that_cannot_be_met():
    core = CORES["vlm3"]
    for arguments, error in (
        ({"modulus": "0xffff1", "options": {"bits": 16}}, ParameterError),
        ({}, UsageError),
    ):
        request = Request.make(core, **arguments)
        with pytest.raises(error):
            core.derive(request)


def test_codec_refuses_what_has_no_montgomery_form(store):
    codec = make("csa", 8, store).codec
    for m in (0, 1, 2, 100, 257):
        with pytest.raises(ValueError, match="modulus"):
            codec.encode({"x": 1, "y": 1, "modulus": m})
    with pytest.raises(ValueError, match="negative"):
        codec.encode({"x": -1, "y": 1, "modulus": 101})


# --- the model


@pytest.mark.parametrize(("name", "domain"), ALL)
def test_every_state_is_the_sum_that_the_digits_say(name, domain, store):
    """S after each digit against plain integers, its bounds and its registers; 16 moduli, 12 x 3 operands each."""
    prepared = make(name, 64, store, domain=domain)
    p, model, rng = prepared.parameters, prepared.model, random.Random(2)
    low, high = p.sum_bounds
    for m in [*moduli(64, rng, 15), 3]:
        for x in multipliers(m, domain * m, rng):
            for y in (domain * m - 1, 1, rng.randrange(domain * m)):
                digits = model.digits(x)
                places, value = 0, 0
                for digit, state in zip(digits, model.states(digits, y, m), strict=True):
                    if p.cell.variable:
                        value += digit.nz * (-1) ** digit.neg << (places + digit.a)
                        places += digit.a + 1
                    else:
                        value += digit << places
                        places += p.cell.bits
                    s = model.value(state)
                    assert (s * 2**places - value * y) % m == 0
                    assert low * m <= s <= high * m
                    assert state.total >> p.sum_width == state.carry >> max(0, p.carry_width) == 0 <= state.carry
                assert (value, places) == (x, p.T)
                last = s + p.offset * m
                z = model.run({"x": x, "y": y, "m": m}).payload["z"]
                assert z == last if domain == 2 else z == last % m
                assert 0 <= z < domain * m
                assert (z * 2**p.T - x * y) % m == 0


# --- the independent model's figures


def products():
    return json.loads((DATA / "vlm3-digits.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("domain", [1, 2])
def test_digits_and_results_of_an_independent_model(domain, store):
    """7 products of 512 and 1024 bits: digit counts, first and last digits, result."""
    for case in products()["products"]:
        prepared = make("vlm3", case["n"], store, domain=domain)
        expected = case[f"T=n+{domain}"]
        x, y, m = (int(case[name], 16) for name in "XYM")
        digits = prepared.model.digits(x)
        shown = ["".join(map(str, digit)) for digit in digits]
        assert len(digits) == expected["J"]
        assert shown[:12] == expected["digits_first12_nz_neg_a"]
        assert shown[-4:] == expected["digits_last4_nz_neg_a"]
        *_, state = prepared.model.states(digits, y, m)
        assert prepared.model.value(state) == int(expected["S_unreduced"], 16)
        z = prepared.model.run({"x": x, "y": y, "m": m}).payload["z"]
        assert z == int(expected["result_mod_M"] if domain == 1 else expected["S_unreduced"], 16)


@needs("compiled-simulator", why="512 bits")
def test_operands_up_to_2m_in_hardware(store):
    """R = 2^(n+2) and 0 <= Q < R leave one result, whatever the digits are; 2 products of 512 bits."""
    cases = products()["products_2M"]
    prepared = make("vlm3", 512, store, modulus=hex((1 << 512) - 3))
    p = prepared.parameters
    trace = run(prepared, Stimulus([word(p, *(int(case[key], 16) for key in "XYM")) for case in cases]))
    for case, result, start, end in zip(cases, trace.words, trace.accepted, trace.valid, strict=True):
        assert p.o.unpack(result) == {"z": int(case["S_unreduced"], 16), "m": int(case["M"], 16), "error": 0}
        assert end - start == case["J"] + p.limbs + 3
