# SPDX-License-Identifier: Apache-2.0
"""Constants of cores have one name in every family, and each name has its meaning in `contract.constants`."""

from modwright.contract.constants import CONSTANTS
from modwright.contract.request import Request
from modwright.prepared.registry import all_cores, find


def bare(name):
    """Name of a constant without the parts in front of it."""
    return name.rpartition(": ")[2]


def parameters(core):
    """Parameters of the small requests of a core."""
    return [core.derive(Request.from_mapping(core, {**trial.document, "core": core.name})) for trial in core.trials]


def test_every_constant_has_its_meaning_and_every_meaning_a_constant():
    given = {bare(name) for core in map(find, all_cores()) for p in parameters(core) for name in p.describe()}
    assert sorted(given - set(CONSTANTS)) == []
    assert sorted(set(CONSTANTS) - given) == []


def test_a_fixed_modulus_is_described_as_such():
    """But for base extensions, whose modulus only says how wide the bases are."""
    for core in (core for core in map(find, all_cores()) if core.function != "basext"):
        for p in parameters(core):
            told = {value for name, value in p.describe().items() if bare(name) == "modulus"}
            assert told - {None} == ({p.modulus} if p.modulus else set()), core.name


def test_parts_are_left_out_of_a_name():
    assert bare("product: limb_bits") == bare("limb_bits") == "limb_bits"
