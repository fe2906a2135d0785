# SPDX-License-Identifier: Apache-2.0
"""A search for parameters ends, whatever the certificate says; and nothing is prepared whose certificate fails."""

import pytest

from modwright.base.errors import ParameterError
from modwright.contract import Inequality
from modwright.contract.request import Request
from modwright.cores import families
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores

CHECKS = 100_000
"""Inequalities that a search may look at; the longest of those here looks at some thousands."""


def first_requests():
    """(core, request) of every core, exponentiators left out: they only derive their multiplier."""
    for package in families():
        yield from ((core.name, core.trials[0].document) for core in package.CORES)


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
