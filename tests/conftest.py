# SPDX-License-Identifier: Apache-2.0
"""Fixtures that tests of several topics share."""

import os

import pytest

from modwright.store import Store

XDIST = "PYTEST_XDIST_WORKER" in os.environ


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    """A folder of this test run, shared by all workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if XDIST else base


@pytest.fixture(scope="session")
def store(run_folder):
    """A store of this test run, shared by all workers, so that what is compiled is compiled once."""
    return Store(run_folder / "store")


@pytest.fixture(scope="session", autouse=True)
def one_runtime(run_folder):
    """Verilator's runtime is compiled once a run, whatever stores the tests make; workers have a core each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODWRIGHT_RUNTIME", str(run_folder / "runtime"))
        if XDIST:
            patch.setenv("MODWRIGHT_COMPILERS", "1")
        yield
