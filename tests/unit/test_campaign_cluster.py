# SPDX-License-Identifier: Apache-2.0
"""A campaign on a Dask cluster: a scheduler and two workers on loopback."""

import json

import pytest

from modwright.base.errors import UsageError
from modwright.base.store import Store
from modwright.cli import main
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.statistics import sampling
from modwright.statistics.sampling import sample

from ..tools import needs

pytestmark = needs("distributed")


@pytest.fixture(scope="module")
def scheduler():
    """Address of a scheduler with two worker processes."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, protocol="tcp"
    ) as cluster:
        yield cluster.scheduler_address


def btmi(folder):
    core = find("modinv/rns-btmi")
    prepared = prepare(core, Request.make(core, modulus=65521, options={"width": 12}), Store(folder))
    return prepared, 3 * prepared.statistic.batch // 2


def test_a_cluster_counts_what_one_process_counts(tmp_path, scheduler):
    prepared, size = btmi(tmp_path / "one")
    here = sample(prepared, size, 5, workers=1)
    other, _ = btmi(tmp_path / "two")
    there = sample(other, size, 5, scheduler=scheduler)
    assert (there.histogram, there.also) == (here.histogram, here.also)
    assert there.size == size


def test_what_was_counted_is_not_counted_again(tmp_path, scheduler, monkeypatch):
    prepared, size = btmi(tmp_path)
    first = sample(prepared, size, 6, scheduler=scheduler)
    monkeypatch.setattr(sampling, "count_for", lambda *words: pytest.fail("counted again"))
    again = sample(prepared, size, 6, scheduler=scheduler)
    assert again.histogram == first.histogram


def test_on_the_command_line(tmp_path, scheduler, monkeypatch, capsys):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path))
    words = ["campaign", "modinv/rns-btmi", "--modulus", "1009", "--option", "width=10", "--samples", "500", "--json"]
    assert main([*words, "--scheduler", scheduler]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == 500


def test_a_scheduler_that_is_not_there(tmp_path):
    prepared, _ = btmi(tmp_path)
    with pytest.raises(UsageError, match="no Dask scheduler"):
        sample(prepared, 10, 1, scheduler="tcp://127.0.0.1:9")
