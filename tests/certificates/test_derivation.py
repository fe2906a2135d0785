# SPDX-License-Identifier: Apache-2.0
"""A search for parameters ends, whatever the certificate says; and nothing is prepared whose certificate fails."""

import importlib
import pkgutil

import pytest

from modwright import cores
from modwright.contract import Inequality
from modwright.errors import ParameterError
from modwright.prepared import prepare
from modwright.registry import all_cores
from modwright.request import Request

CHECKS = 100_000
"""Inequalities that a search may look at; the longest of those here looks at some thousands."""


def first_requests():
    """(core, request) of every core, exponentiators left out: they only derive their multiplier."""
    for family in pkgutil.iter_modules(cores.__path__):
        package = importlib.import_module(f"{cores.__name__}.{family.name}")
        if family.name != "modexp":
            yield from (
                ((name, rows[0]) for name, rows in package.CONTRACT_REQUESTS.items() if rows)
                if hasattr(package, "CONTRACT_REQUESTS")
                else ()
            )


@pytest.mark.parametrize(("name", "document"), [pytest.param(*one, id=one[0]) for one in first_requests()])
def test_a_search_ends_when_nothing_satisfies_the_certificate(name, document, monkeypatch):
    """With a certificate that no parameters can satisfy; the error names the inequality."""
    looked = 0

    def never(_):
        nonlocal looked
        looked += 1
        assert looked < CHECKS, "the search has no end"
        return False

    core = all_cores()[name]
    request = Request.from_mapping(core, {"core": name, **document})
    monkeypatch.setattr(Inequality, "holds", property(never))
    with pytest.raises(ParameterError) as caught:
        prepare(core, request)
    assert caught.value.rule
    assert caught.value.exit_code == 4
