# SPDX-License-Identifier: Apache-2.0
"""Point multipliers whose theorem is proved, small."""

from functools import cache

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem.points.cut import parts_of

SMALL = {"bits": 4, "limb": 2}
"""Options of the smallest core."""
LIMBS = {"bits": 8, "limb": 4}
"""Options of the smallest core whose products are proved; those of limbs of 2 bits are not decided."""
CORES = {
    "one multiplier": ("ecpm/ladder", SMALL),
    "longer limbs": ("ecpm/ladder", LIMBS),
    "two multipliers": ("ecpm/ladder", LIMBS | {"macs": 2}),
    "scan": ("ecpm/ladder", LIMBS | {"unit": "scan"}),
    "fold": ("ecpm/ladder", LIMBS | {"unit": "fold"}),
    "blinding": ("ecpm/ladder", LIMBS | {"blinding": True}),
    "r64": ("ecpm/r64-ladder", SMALL),
    "more limbs": ("ecpm/ladder", {"bits": 16, "limb": 4}),
}


@cache
def small(name="one multiplier"):
    core, options = CORES[name]
    return prepare(find(core), Request.make(find(core), target="generic", options=options))


@cache
def parts(name="one multiplier"):
    return parts_of(core_verilog(small(name)), small(name).top)
