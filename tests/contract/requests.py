# SPDX-License-Identifier: Apache-2.0
"""Requests of every core: on every run the first of each core that is not marked for the long run, and of each family
one at least."""

import pytest

from modwright.combine.exponentiation.parameters import METHODS
from modwright.prepared.registry import cores_of, packages

from ..toy import TOY

FAMILIES = [(TOY,), *(tuple(cores_of(package)) for package in packages())]
"""The cores of each family, the toy among them."""
AGREE = {
    *(f"modexp/booth8-csa-{method}" for method in METHODS),
    *("modexp/rns-hpr-l2r", "modexp/sor-lean-r2l"),
}
"""Exponentiators in which simulators are compared on every run: each method, in integers, in residues and between
both. Those over other multipliers have the same hardware around a multiplier that is compared by itself."""


def candidate(core, n, first):
    """A core and its n-th request, with an id, and with a mark if only the long run has it."""
    short = [k for k, trial in enumerate(core.trials) if trial.every_run]
    every_run = n in (short[:1] if core is first else [0] if 0 in short else [])
    marks = [] if every_run else [pytest.mark.campaign]
    return pytest.param((core, core.trials[n].document), id=f"{core.name}-{n}", marks=marks)


def candidates():
    return [candidate(core, n, row[0]) for row in FAMILIES for core in row for n in range(len(core.trials))]


def once_a_family():
    """The candidates, of which every run has the first of each family; of exponentiators, those of `AGREE`."""
    first = {family[0].name for family in FAMILIES if not family[0].name.startswith("modexp/")} | AGREE
    every_run = {f"{name}-0" for name in first}
    return [
        pytest.param(*row.values, id=row.id, marks=[] if row.id in every_run else [pytest.mark.campaign])
        for row in candidates()
    ]
