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
CORES = {
    "one multiplier": ("ecpm/ladder", SMALL),
    "two multipliers": ("ecpm/ladder", SMALL | {"macs": 2}),
    "scan": ("ecpm/ladder", SMALL | {"unit": "scan"}),
    "blinding": ("ecpm/ladder", SMALL | {"blinding": True}),
    "r64": ("ecpm/r64-ladder", SMALL),
    "more limbs": ("ecpm/ladder", {"bits": 16, "limb": 4}),
}


@cache
def small(name="one multiplier"):
    core, options = CORES[name]
    return prepare(find(core), Request.make(find(core), target="generic", options=options))


@cache
def parts():
    return parts_of(core_verilog(small()), small().top)
