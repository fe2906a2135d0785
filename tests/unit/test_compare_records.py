# SPDX-License-Identifier: Apache-2.0
"""Which cores a work compares, and which records of them."""

from fractions import Fraction

from modwright.base.errors import ParameterError, UsageError, unnamed
from modwright.compare import Work, compare
from modwright.measurement import keep, shipped_records, user_records
from modwright.prepared import Prepared, registry
from modwright.prepared.registry import find

FEW = ("modmul/binary", "modmul/limb-scan", "modmul/r64", "modmul/rns-kbe", "modmul/rns-kbe-runtime")


def test_a_core_whose_defaults_are_too_narrow_is_compared_with_wider_ones(own_store, monkeypatch):
    """Limb units take 34 limbs; of 3,000 bits they have 47 of their usual 64, and 24 of 128."""
    monkeypatch.setattr(registry, "all_cores", lambda: {name: find(name) for name in FEW})
    found = compare(Work.make("modmul", "ecp5", modulus=str((3 << 2998) + 1)), own_store)
    labels = {each.label for each in found.lines}
    assert {"limb-scan limb=128", "r64 limb=128", "rns-kbe width=20", "rns-kbe-runtime width=20"} <= labels
    assert dict(found.unable)["modmul/binary"] == (
        "modmul/binary modulo a number of 3000 bits (bits of p <= 1024, but 3000 against 1024)"
    )


def test_the_defaults_stay_where_they_make_a_core(own_store):
    work = Work.make("modmul", "ecp5", modulus=str((3 << 1022) + 1))
    prepared = work.prepared(find("modmul/limb-scan"), own_store)
    assert isinstance(prepared, Prepared) and prepared.request.options["limb"] == 64


def test_a_reason_is_one_line_in_which_long_numbers_are_short():
    error = ParameterError(f"p = {10**60} is odd", rule="a < b", left=5, right=Fraction(1, 3), hint="more")
    assert error.reason == "p = 1000000000000000…0000000 is odd (a < b, but 5 against 0.333333333)"
    assert ParameterError("it is odd", rule="a < b", left=10**60, right=1).reason == "it is odd (a < b)"
    assert unnamed("modmul/csa is odd", "modmul/csa") == unnamed("modmul/csa: odd", "modmul/csa") == "odd"
    assert UsageError("it is odd\nand long").reason == "it is odd"
    assert UsageError("xmul/pseudo-mersenne-ladder: odd").reason == "xmul/pseudo-mersenne-ladder: odd"


def test_a_record_with_an_option_that_this_version_has_not_is_left_out(own_store):
    known = next(record for record in shipped_records().values() if record["request"]["core"] == "modmul/csa")
    options = known["request"]["options"] | {"gone": 3}
    keep(own_store, known | {"request": known["request"] | {"options": options}})
    assert user_records(own_store) == {}


def test_of_two_measurements_of_one_design_that_by_the_protocol_counts(own_store):
    known = shipped_records()["w256-csa.json"]
    seed = [{"seed": 1, "fmax_mhz": 333.0, "reason": ""}]
    other = {"device": "LFE5UM5G-85F", "fmax_mhz": 333.0, "fmax_median": 333.0, "per_seed": seed}
    keep(own_store, known | {"timing": known["timing"] | other})
    lines = compare(Work.make("modmul", "ecp5", bits=256), own_store).lines
    (found,) = (each for each in lines if each.label == "csa")
    assert (found.device, found.fmax_median) == ("LFE5U-85F", known["timing"]["fmax_median"])


def test_a_modulus_below_the_least_width_of_a_core_takes_that_width(own_store):
    found = compare(Work.make("modmul", "ecp5", modulus="3"), own_store)
    (line,) = (each for each in found.lines if each.core == "modmul/csa")
    assert line.request["options"]["bits"] == 4
