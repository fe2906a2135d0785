# SPDX-License-Identifier: Apache-2.0
"""Fixtures that tests of several topics share."""

import fcntl
import gc
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from modwright.base.store import Store
from modwright.rtl.forked import end_servers
from modwright.simulate.toolchain import available, precompile

from .groups import (
    pytest_collection_modifyitems as pytest_collection_modifyitems,
)
from .groups import (
    pytest_xdist_make_scheduler as pytest_xdist_make_scheduler,
)
from .skips import (
    pytest_make_collect_report as pytest_make_collect_report,
)
from .skips import (
    pytest_runtest_makereport as pytest_runtest_makereport,
)
from .skips import (
    pytest_terminal_summary as pytest_terminal_summary,
)

NOBODY = 65534
"""The user without rights of every Linux."""
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")  # no test depends on how busy the machine is
XDIST = "PYTEST_XDIST_WORKER" in os.environ


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect in one worker after the other: what the first rewrites and compiles in a fresh clone, the others read.
    While they wait, one of them compiles Verilator's runtime."""
    with Path(__file__).open() as lock:
        if XDIST:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with pytest.MonkeyPatch.context() as patch:
                    precompiled(Path(session.config.option.basetemp).parent, patch)
                fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)


def precompiled(run_folder, patch):
    """Compile Verilator's runtime for this run unless another worker did; with a core for each worker, each has one
    compiler."""
    patch.setenv("MODWRIGHT_RUNTIME", str(run_folder / "runtime"))
    patch.setenv("ZIG_GLOBAL_CACHE_DIR", str(run_folder / "zig"))
    patch.setenv("ZIG_LOCAL_CACHE_DIR", str(run_folder / "zig"))
    if XDIST:
        patch.setenv("MODWRIGHT_COMPILERS", "1")
        if available():
            with (run_folder / "runtime.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # the other workers wait instead of compiling the same
                precompile(Store(run_folder / "store"))


def pytest_collection_finish():
    """Spare the garbage collector what stays to the end, tests and modules, and most of its rounds.

    A design in Amaranth is a hundred thousand small objects and more: at Python's threshold of 700 new ones, a sixth of
    the time that designs take is the collector's.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(500_000, 10, 10)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Collect once for the errors of what nobody refers to, and leave the rest: pytest collects five times at its end,
    each time everything that stays."""
    gc.collect()
    gc.freeze()


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
def one_store(run_folder):
    """The user's store is not touched. Verilator's runtime is compiled once a run, whatever stores tests have of their
    own, and so is the bytecode of every Python that tests start, and C for RISC-V. Nobody waits for the disk: what a
    run keeps goes with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        patch.setenv("MODWRIGHT_CACHE", str(run_folder / "store"))
        precompiled(run_folder, patch)
        if sys.dont_write_bytecode:
            patch.setenv("PYTHONPYCACHEPREFIX", str(run_folder / "bytecode"))
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # commands buffer their streams as for a user
        # Dask's workers are copies of one process that has read Dask, instead of a second of start-up each
        patch.setenv("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")
        yield
        end_servers()


@pytest.fixture
def own_folder():
    """A folder of a user whom permissions bind: of nobody where the tests run as root, who then becomes nobody."""
    with tempfile.TemporaryDirectory() as name:
        if root := os.geteuid() == 0:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)
            Path(name).chmod(0o700)
