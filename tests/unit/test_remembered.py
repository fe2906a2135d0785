# SPDX-License-Identifier: Apache-2.0
"""Results of the model are computed once for all patterns of a run, and bounded in number."""

from modwright.base.remembered import remembered
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.simulate.runs import Run, simulate_random

from ..toy import TOY


def test_the_first_results_are_computed_once():
    calls = []
    function = remembered(lambda payload: calls.append(payload["x"]) or payload["x"] ** 2, most=2)
    assert [function({"x": x}) for x in (3, 4, 5, 3, 4, 5, 5)] == [9, 16, 25, 9, 16, 25, 25]
    assert calls == [3, 4, 5, 5, 5]


def test_fields_are_told_apart():
    function = remembered(lambda payload: payload)
    payloads = [{"x": 1, "y": 2}, {"x": 2, "y": 1}, {"y": 1, "x": 2}, {"x": (1, 2), "y": 0}]
    assert [function(payload) for payload in payloads] == payloads


def test_one_run_of_the_model_serves_every_pattern(store, monkeypatch):
    prepared = prepare(TOY, Request.make(TOY, modulus=61), store)
    model, seen = prepared.model, []
    run = model.run
    monkeypatch.setattr(
        type(model), "run", lambda self, operands: seen.append(tuple(operands.items())) or run(operands)
    )
    summary = simulate_random(prepared, 20, Run("pure"))
    assert summary.failed == []
    assert len(summary.parts) == 3
    assert len(seen) == len(set(seen)) < sum(part.found.cases for part in summary.parts)
