# SPDX-License-Identifier: Apache-2.0
"""A package as wide as it is used, on a Gowin part: its makefile places the core up to the bit stream by open tools."""

import json
import re
import subprocess

import pytest

from modwright.deliver import Delivery, package_files, write_folder
from modwright.synthesize.devices import FIRST, find_device

from ..tools import needs
from .devices import core
from .packages import WHOLE

NAME = "modinv/binary-divstep"


@needs("make")
@pytest.mark.campaign
def test_an_inverter_of_p256_is_placed(store, tmp_path):
    """On GW2A-18, with every site counted, a clock rate, and a bit stream."""
    prepared = core(NAME, store, **WHOLE[NAME])
    folder = tmp_path / "out"
    write_folder(folder, package_files(prepared, Delivery(gowin=True)), prepared.digest)
    done = subprocess.run(
        ["make", "-s", "-f", "gowin.mk"], cwd=folder, capture_output=True, text=True, check=False, timeout=1800
    )
    log = done.stdout + done.stderr
    assert done.returncode == 0, log[-2000:]
    sites = {kind: (int(used), int(all_)) for kind, used, all_ in re.findall(r"(\w+): +(\d+)/ +(\d+) ", log)}
    device = find_device(FIRST["gowin"], "gowin")
    assert sites["LUT4"][1] == device.lut and sites["DFF"][1] == device.ff
    assert 2 * 256 < sites["DFF"][0] <= device.ff
    (clock,) = json.loads((folder / f"{prepared.top}_report.json").read_text())["fmax"].values()
    assert clock["achieved"] > 0
    assert (folder / f"{prepared.top}.fs").stat().st_size > 1_000_000
