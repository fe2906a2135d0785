# SPDX-License-Identifier: Apache-2.0
"""Packages as wide as they are used: on a Gowin part the makefile places them up to the bit stream by open tools."""

import json
import re
import subprocess

import pytest

from modwright.deliver import Delivery, package_files, write_folder
from modwright.synthesize.devices import FIRST, find_device

from ..tools import needs
from .devices import core
from .packages import WHOLE

SEEDS = {"modmul/orup-dsp": 2, "modinv/binary-divstep": 1}
"""Of placement, for a core with blocks and one without. With seed 1 the router of `modmul/orup-dsp` did not end in
15 minutes, with seed 2 in one of them. `ecpm/ladder` took 30 minutes with the same makefile, so it is none of them."""

HOUR = 3600  # s


@needs("make")
@pytest.mark.campaign
@pytest.mark.parametrize("name", SEEDS)
def test_placed_up_to_the_bit_stream(store, tmp_path, name):
    """On GW2A-18, with every site counted, a clock rate, and a bit stream."""
    prepared = core(name, store, **WHOLE[name])
    folder = tmp_path / "out"
    write_folder(folder, package_files(prepared, Delivery(gowin=True)), prepared.digest)
    done = subprocess.run(
        ["make", "-s", "-f", "gowin.mk", f"SEED={SEEDS[name]}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=HOUR,
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
