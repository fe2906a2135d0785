# SPDX-License-Identifier: Apache-2.0
"""The toy and its operands for the tests of patterns."""

from typing import Any

import pytest

from modwright.contract.request import Request
from modwright.functions.cases import encode_cases, random_cases
from modwright.prepared import prepare

from ..tools import needs
from ..toy import TOY

needs_compiler = needs("compiled-simulator")
SIMULATORS = ["pure", pytest.param("compiled", marks=needs_compiler)]
DEEP: dict[str, Any] = {"latency": 7, "interval": 1}
"""Eight places for results, and an operation in every cycle."""


def toy(store, core=TOY, **options):
    document = {"core": core.name, "modulus": "61", "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def words(prepared, count, seed=1):
    return [prepared.parameters.i.pack(e) for e in encode_cases(prepared, random_cases(prepared, count, seed))]
