# SPDX-License-Identifier: Apache-2.0
"""Fixtures that tests of several topics share."""

import os

import pytest

from modwright.store import Store


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A store of this test run, shared by all workers, so that what is compiled is compiled once."""
    base = tmp_path_factory.getbasetemp()
    return Store((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "store")
