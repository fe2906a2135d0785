# SPDX-License-Identifier: Apache-2.0
"""Steps of `ecpm/rns-ladder` if its extensions were hierarchical, placed in time as the core's own steps are."""

import dataclasses

import pytest

from modwright.cores.ecpm.ladder.plan.residues import microcode
from modwright.cores.ecpm.ladder.plan.residues.formulas import GRAPHS
from modwright.engines.rowers import program
from modwright.engines.rowers.parameters import RowerField
from modwright.engines.rowers.program import Places

from .rns_montgomery_cases import derive
from .rns_montgomery_hardware import make

FOLDED = 2
"""Cycles from the bus to the multiplier in rows of two moduli of 17 bits (`basext/hbe`)."""


class Half(RowerField):
    """Rows of two hats, with one block in a rower."""

    @property
    def rows(self):
        return self.n // 2


class Folded(Places):
    """An operation whose rows are folded before they are multiplied."""

    @property
    def stored_b(self):
        return super().stored_b + (FOLDED if self.count else 0)

    @property
    def stored_a(self):
        return super().stored_a + (FOLDED if self.count else 0)

    @property
    def in_a(self):
        products, hats = super().in_a[: self.count], super().in_a[self.count :]
        return (*products, *(cycle + FOLDED for cycle in hats)) if self.count else hats

    @property
    def in_b(self):
        products, hats = super().in_b[: self.count], super().in_b[self.count :]
        return (*products, *(cycle + FOLDED for cycle in hats)) if self.count else hats


def step(field, more):
    """Cycles of the step that is placed in the order of `ORDER`."""
    least = max(sum(len(o.terms) + field.rows + 1 for o in GRAPHS["step"]), 3 * (field.latency + 2 * more))
    for period in range(least, 3 * least):
        found = program.place_loop(field, GRAPHS["step"], microcode.ORDER, period, period)
        if found is not None and microcode.decision(found, period) is not None:
            return period
    return None


def test_the_folds_are_those_of_rows_of_two():
    assert derive("basext/hbe", "2^256-2^224+2^192+2^96-1").engine.bus_cycles == FOLDED


@pytest.mark.campaign
def test_hierarchical_extensions_are_between_one_and_two_lanes(monkeypatch, store):
    one, two = (
        make("ecpm/rns-ladder", store, "2^256-2^224+2^192+2^96-1", "ecp5", width=17, lanes=lanes).parameters.rowers
        for lanes in (1, 2)
    )
    assert (step(one, 0), step(two, 0)) == (330, 198)
    monkeypatch.setattr(program, "Places", Folded)
    half = Half(**{field.name: getattr(one, field.name) for field in dataclasses.fields(one)})
    assert half.latency + 2 * FOLDED == 52
    assert step(half, FOLDED) == 240
