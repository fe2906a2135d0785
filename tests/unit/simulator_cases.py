# SPDX-License-Identifier: Apache-2.0
"""The toy, its operands and both simulators."""

import random

from modwright.contract.request import Request
from modwright.prepared import prepare

from ..tools import needs
from ..toy import TOY

needs_compiler = needs("compiled-simulator")


def toy(store, core=TOY, **options):
    document = {"core": core.name, "modulus": "61", "target": "generic", "options": options}
    return prepare(core, Request.from_mapping(core, document), store)


def words(count, seed=1):
    rng = random.Random(seed)
    return [rng.getrandbits(16) for _ in range(count)]
