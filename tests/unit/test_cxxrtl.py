# SPDX-License-Identifier: Apache-2.0
"""The Verilog of cores in CXXRTL, the simulator of Yosys, with its assertions on: no access beyond a memory's end.

From reset on, with operands, handshakes and resets at random. Other simulators give such a read as unknown or as 0.
"""

import re
import subprocess
from pathlib import Path

import pyosys
import pytest

from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores
from modwright.rtl.verilog import run_yosys
from modwright.simulate.toolchain import find_compiler

from ..tools import needs

pytestmark = [pytest.mark.campaign, needs("compiled-simulator")]
RUNTIME = Path(pyosys.__file__).parent / "share/include/backends/cxxrtl/runtime"
CYCLES = 4000
WITH_MEMORY = (
    *("modadd/carry", "modmul/orup-interleaved", "modmul/rns-kbe", "modmul/rns-hbe", "modinv/rns-divstep"),
    *("modinv/rns-flt", "modexp/booth8-csa-window", "rns/processor", "unit/multiplier", "ecpm/r64-ladder"),
    *("ecdsa/joint", "eddsa/joint", "xmul/montgomery-ladder", "edmul/double-add", "ecpm/ladder", "ecpm/row-ladder"),
    *("ecpm/word-ladder", "xmul/pseudo-mersenne-ladder"),
)
"""Cores of small trials with a memory whose depth is no power of two, so that an address can be beyond its end."""
BENCH = """#include "core.cc"
#include <random>
int main() {{
  cxxrtl_design::{top} core;
  std::mt19937 random(1);
  for (int cycle = 0; cycle < {cycles}; ++cycle) {{
{inputs}
    core.p_rst.set<bool>(random() % 500 == 0);
    core.p_clk.set(false); core.step();
    core.p_clk.set(true); core.step();
  }}
}}
"""


def simulate(verilog, top, folder):
    """Simulate `CYCLES` cycles of a core; what CXXRTL says of it where it stops, else nothing."""
    (folder / "core.v").write_text(verilog)
    script = ["read_verilog core.v", f"hierarchy -top {top}", "proc", "flatten", "write_cxxrtl -g0 core.cc"]
    run_yosys("\n".join(script), folder=folder)
    ports = re.findall(r"/\*input\*/ value<(\d+)> (\w+);", (folder / "core.cc").read_text())
    inputs = "\n".join(drawn(name, int(bits)) for bits, name in ports if name not in ("p_clk", "p_rst"))
    bench = BENCH.format(top="p_" + top.replace("_", "__"), cycles=CYCLES, inputs=inputs)
    (folder / "bench.cc").write_text(bench)
    words = [*find_compiler().command, "-std=c++17", "-w", f"-I{RUNTIME}", "bench.cc", "-o", "bench"]
    subprocess.run(words, cwd=folder, check=True)
    done = subprocess.run([folder / "bench"], capture_output=True, text=True, timeout=600, check=False)
    return done.stderr if done.returncode else ""


def drawn(name, bits):
    """C++ that draws a value of a port; CXXRTL wants the bits above it 0."""
    words = -(-bits // 32)
    lines = [f"core.{name}.data[{word}] = random();" for word in range(words)]
    if bits % 32:
        lines.append(f"core.{name}.data[{words - 1}] &= {(1 << bits % 32) - 1}u;")
    return "\n".join(f"    {line}" for line in lines)


def verilog_of(name, store):
    core = all_cores()[name]
    prepared = prepare(core, Request.from_mapping(core, {"core": name, **core.trials[0].document}), store)
    return prepared.verilog(), prepared.top


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_no_access_is_beyond_a_memory(name, store, tmp_path):
    assert simulate(*verilog_of(name, store), tmp_path) == ""


def test_a_memory_that_is_a_word_short_is_seen(store, tmp_path):
    text, top = verilog_of("modadd/carry", store)
    short, count = re.subn(r"(reg \[\d+:0\] memory) \[2:0\];", r"\1 [1:0];", text)
    assert count == 1
    assert "out of bounds" in simulate(short, top, tmp_path)
