# SPDX-License-Identifier: Apache-2.0
"""Exponentiators for tests."""

from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores

MULTIPLIERS = {name.partition("/")[2]: core for name, core in all_cores().items() if core.function == "modmul"}
RUNTIME = [name for name, core in MULTIPLIERS.items() if core.runtime_modulus]


def make(name, store=None, modulus=None, target="generic", **options):
    core = all_cores()[f"modexp/{name}"]
    return prepare(core, Request.make(core, modulus=modulus, target=target, options=options), store)
