# SPDX-License-Identifier: Apache-2.0
"""Rows of numbers inside operations, for tests."""

import dataclasses

from modwright.contract.quantities import Reached
from modwright.contract.request import Request
from modwright.functions.cases import encode_cases, extreme_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find


def prepared_for(name, modulus, store, **options):
    core = find(name)
    document = {"core": name, "modulus": modulus, "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def rows_of(prepared, payloads, *, every=False):
    """Records by name after payloads, and that none left its range."""
    extremes = dataclasses.replace(prepared.extremes, sample=None) if every else prepared.extremes
    reached = Reached(extremes)
    for payload in payloads:
        assert reached.observe(payload) == []
    return {row["name"]: row for row in reached.records()}


def rows_of_edges(prepared):
    return rows_of(prepared, encode_cases(prepared, list(extreme_cases(prepared).values())))
