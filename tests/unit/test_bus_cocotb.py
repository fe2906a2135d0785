# SPDX-License-Identifier: Apache-2.0
"""The AXI4-Lite wrapper under the master of cocotbext-axi, in Icarus and in Verilator."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modwright.bus import register_map
from modwright.deliver.verilog import core_verilog, wrapper_verilog

from ..tools import require
from .devices import core

BENCH = Path(__file__).parents[1] / "data" / "bus" / "axi_lite_bench.py"
PROGRAM = """
import sys
from cocotb_tools.runner import get_runner
from cocotb_tools.check_results import get_results
simulator, top, bench, *sources = sys.argv[1:]
runner = get_runner(simulator)
arguments = ["-g2005"] if simulator == "icarus" else ["-Wno-fatal"]
runner.build(sources=sources, hdl_toplevel=top, build_args=arguments, timescale=("1ns", "1ps"), always=True)
tests, failed = get_results(runner.test(hdl_toplevel=top, test_module=bench))
sys.exit(failed or not tests)
"""


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.campaign)])
def test_axi_lite(simulator, store, tmp_path, request):
    """Six tests: stalls, back to back, narrow and unaligned accesses, unknown addresses, resets in the middle."""
    require("cocotb_tools", "cocotbext.axi")
    request.getfixturevalue(simulator)
    environment = request.getfixturevalue("verilator_make") if simulator == "verilator" else dict(os.environ)
    prepared = core("modmul/binary", store, modulus="251")
    registers = register_map(prepared)
    places = {"X": registers.window("I_X"), "Y": registers.window("I_Y"), "Z": registers.window("O_Z")}
    environment |= {f"MAP_{name}": hex(window.offset) for name, window in places.items()}
    environment |= {
        "MAP_END": hex(4 * registers.region),
        "PYTHONPATH": f"{BENCH.parent}:{os.environ.get('PYTHONPATH', '')}",
    }
    (tmp_path / "core.v").write_text(core_verilog(prepared))
    (tmp_path / "wrapper.v").write_text(wrapper_verilog(prepared, "axil"))
    words = [simulator, f"{prepared.top}_axil", BENCH.stem, tmp_path / "core.v", tmp_path / "wrapper.v"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    log = done.stdout + done.stderr
    assert done.returncode == 0, log
    assert "TESTS=6 PASS=6" in log
