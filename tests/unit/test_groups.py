# SPDX-License-Identifier: Apache-2.0
"""Groups of tests that share what is costly: each on one worker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..groups import group_of, turn_of
from ..long_run import FOLDER, left, unknown


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("contract/test_contract.py::test_levels[modmul/toy-0-free]", "contract/test_contract.py modmul/toy"),
        ("contract/test_contract.py::test_levels[modexp/booth8-csa-r2l-0-bursts]", "modexp/booth8-csa-r2l"),
        ("contract/test_contract.py::test_levels[modmul/sor-2m-3-free]", "modmul/sor-2m"),
        ("contract/test_contract.py::test_certificate_holds[modmul/limb-scan-0]", "modmul/limb-scan"),
        ("unit/test_package.py::test_lint[modinv/rns-flt]", "unit/test_package.py modinv/rns-flt"),
        ("unit/test_package.py::test_years[modmul/orup-dsp-08]", "modmul/orup-dsp"),
        ("unit/test_package.py::test_scripts[modmul/orup-dsp-vivado.tcl-xc7]", "modmul/orup-dsp"),
        ("unit/test_provider.py::test_a_failed_handshake[small-x]", "unit/test_provider.py"),
        ("unit/test_layers.py::test_imports_go_down", "rules of the source"),
        ("unit/test_house.py::test_pages_are_plain_english", "rules of the source"),
        ("unit/test_sor.py::test_vectors[modmul/sor-2m]", "unit/test_sor.py::test_vectors[modmul/sor-2m]"),
    ],
)
def test_the_group_of_a_test(name, group):
    assert group_of(f"tests/{name}").endswith(group)


def test_what_takes_longest_starts_first():
    names = ["unit/test_alone.py::test", "contract/test_contract.py::test[a]", "unit/test_provider.py::test"]
    assert sorted(names, key=turn_of) == names[::-1]


def test_a_group_runs_on_one_worker_and_a_test_that_hangs_is_a_failure(tmp_path):
    """Two cores with eight tests each: both workers have work, and no core is on both. One test never ends: its worker
    does, with a stack, and another takes the rest."""
    folder = tmp_path / "contract"
    folder.mkdir()
    (tmp_path / "conftest.py").write_text("from tests.groups import pytest_xdist_make_scheduler\n")
    (folder / "test_contract.py").write_text(
        "import os, pytest, time\n"
        "@pytest.mark.parametrize('n', range(8))\n"
        "@pytest.mark.parametrize('core', ['modmul/a-0', 'modmul/b-0'])\n"
        "def test(core, n):\n"
        "    open(core.replace('/', '-') + os.environ['PYTEST_XDIST_WORKER'], 'w').close()\n"
        "def test_without_an_end():\n"
        "    while True:\n"
        "        time.sleep(60)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "xdist",
        "-n",
        "2",
        "--dist",
        "loadgroup",
    ]
    command += ["-o", "faulthandler_timeout=2", "-o", "faulthandler_exit_on_timeout=true"]
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "crashed while running 'contract/test_contract.py::test_without_an_end'" in done.stdout
    assert "1 failed, 16 passed" in done.stdout
    assert "in test_without_an_end" in done.stderr
    assert len({name.name[:-3] for name in tmp_path.glob("modmul-*")}) == len(list(tmp_path.glob("modmul-*"))) == 2


def test_the_list_of_the_long_run_names_files_that_there_are():
    assert [path for path in left() if not (FOLDER / path).is_file()] == []


def test_what_the_list_of_the_long_run_names_wrongly_is_found():
    [(path, rows)] = [(path, rows) for path, rows in left().items() if path == "unit/test_sor.py"]
    whole = {(test, "") for test, cases in rows.items() if cases == "all"}
    named = {(test, case) for test, cases in rows.items() if cases != "all" for case in cases}
    assert whole and unknown(path, whole | named) == []
    test, case = min(named | whole)
    assert unknown(path, (whole | named) - {(test, case)}) != []
