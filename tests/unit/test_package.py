# SPDX-License-Identifier: Apache-2.0
"""Packages: every file of every family, by the tools that engineers have."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from modwright.deliver import is_unchanged
from modwright.deliver.rendering import in_ascii
from modwright.deliver.verilog import BUSES
from modwright.driver import SOURCES
from modwright.prepared.registry import all_cores
from modwright.rtl.verilog import run_yosys

from ..tools import require, require_module
from .litex_sample import litex_soc
from .packages import check, chosen, generate, prepared_and_folder, run_cocotb, sources, tcl_of, verilog_ports, whole

APACHE = {*SOURCES, "LICENSE.driver"}
"""Files that are ours; all others are CC0."""


@pytest.fixture(scope="module", params=[*chosen(), *whole()])
def package(request, store, tmp_path_factory):
    """(prepared, folder) of each core, and of four as wide as they are used."""
    name, document = request.param
    return prepared_and_folder(name, document, store, tmp_path_factory)


@pytest.fixture(scope="module")
def one(store, tmp_path_factory):
    """A small package for tests of single files."""
    return prepared_and_folder("modmul/orup-dsp", {"modulus": "61", "options": {"digit": 3}}, store, tmp_path_factory)


def buses_of(name):
    """Two of the buses, others for the next core: Icarus reads all wrappers of every core."""
    number, buses = list(all_cores()).index(name), list(BUSES)
    return [buses[(2 * number + k) % len(buses)] for k in range(2)]


def test_every_bus_has_cores_on_every_run():
    names = [row.id for row in chosen() if not row.marks]
    assert {bus for name in names for bus in buses_of(name)} == set(BUSES)


def lint(verilator_lint, package, *parts):
    """Verilator -Wall on further files of a package, each with the core."""
    prepared, folder = package
    for part in parts:
        verilator_lint(f"{prepared.top}_{part}", *sources(prepared, folder, f"{prepared.top}_{part}.v"))


def test_lint(package, verilator_lint):
    """The core, the wrappers of two buses around it, and the bench."""
    prepared, folder = package
    verilator_lint(prepared.top, *sources(prepared, folder))
    lint(verilator_lint, package, *buses_of(prepared.core.name), "tb")


@pytest.mark.campaign
def test_lint_of_every_wrapper(package, verilator_lint):
    lint(verilator_lint, package, *BUSES)


def test_yosys(package):
    """Every wrapper is read and checked without a warning."""
    prepared, folder = package
    names = " ".join(str(p) for p in sources(prepared, folder, f"{prepared.top}_axil.v", f"{prepared.top}_wb.v"))
    log = run_yosys(f"read_verilog {names}\nhierarchy -check -top {prepared.top}_axil\nproc\ncheck -assert\n")
    assert "Warning" not in log


def test_icarus(package, icarus, tmp_path):
    """Icarus -g2005 with all warnings but that of missing time scales; then the bench passes."""
    prepared, folder = package
    bench = tmp_path / "bench"
    for top in (*(f"{prepared.top}_{bus}" for bus in BUSES), f"{prepared.top}_tb"):
        command = ["iverilog", "-g2005", "-Wall", "-s", top, "-o", bench, *sources(prepared, folder, f"{top}.v")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    shown = subprocess.run(["vvp", bench], cwd=folder, capture_output=True, text=True, check=True, timeout=1800).stdout
    assert shown.startswith(f"PASS {prepared.top}")


def test_every_file_says_what_it_is(package):
    prepared, folder = package
    for path in folder.iterdir():
        text = path.read_text()
        if path.name == "LICENSE.driver":
            continue
        assert "SPDX-License-Identifier" in text, path.name
        licence = "Apache-2.0" if path.name in APACHE else "CC0-1.0"
        assert licence in "".join(text.splitlines(keepends=True)[:3]), path.name
        if path.name not in (*APACHE, "manifest.json", "request.yaml", "schedule.json"):
            assert prepared.digest in text, path.name
            assert f"modwright generate {prepared.core.name}" in text, path.name
            assert "Latency" in text, path.name
    everything = "".join(p.read_text() for p in folder.iterdir())
    assert str(folder.parent) not in everything
    assert not re.search(rf"\b{re.escape(os.uname().nodename)}\b", everything)
    assert is_unchanged(folder, prepared.digest)


def test_readme_names_every_file(package):
    _, folder = package
    rows = re.findall(r"^\| (\S+) \| (.+) \|$", (folder / "README.md").read_text(), flags=re.MULTILINE)
    assert {name for name, _ in rows} - {"file", "---|---"} == {p.name for p in folder.iterdir()} - {"manifest.json"}


def test_ports(package):
    """Clean names, one for each field; VHDL and LiteX name the same."""
    prepared, folder = package
    p, top = prepared.parameters, prepared.top
    expected = {"clk": ("input", 1), "rst": ("input", 1), "i_valid": ("input", 1), "i_ready": ("output", 1)}
    expected |= {"o_valid": ("output", 1), "o_ready": ("input", 1)}
    expected |= {f"i_{f.name}": ("input", f.bits) for f in p.i.fields}
    expected |= {f"o_{f.name}": ("output", f.bits) for f in p.o.fields}
    assert verilog_ports(folder, top) == expected
    vhdl = (folder / f"{top}.vhd").read_text()
    declared = re.search(r"component.*?end component", vhdl, flags=re.DOTALL).group()
    seen = {
        name: ("input" if way == "in" else "output", int(high or 0) + 1)
        for name, way, high in re.findall(r"(\w+) : (in|out) std_logic(?:_vector\((\d+) downto 0\))?", declared)
    }
    assert seen == expected
    named = dict(re.findall(r"\b([io])_(\w+)=", (folder / f"{top}_litex.py").read_text().partition("Instance(")[2]))
    ways = {name: way for way, name in re.findall(r"\b([io])_(\w+)=", (folder / f"{top}_litex.py").read_text())}
    assert named
    assert ways == {name: way[0] for name, (way, _) in verilog_ports(folder, f"{top}_wb").items()}


def test_forms(package):
    """YAML, JSON, XML and Python are such; the request gives the same package again."""
    prepared, folder = package
    for path in folder.iterdir():
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix in (".yaml", ".core"):
            yaml.safe_load(path.read_text())
        elif path.suffix == ".xml":
            ET.fromstring(path.read_text())
        elif path.suffix == ".py":
            compile(path.read_text(), path.name, "exec")
    assert yaml.safe_load((folder / "request.yaml").read_text()) == prepared.request.to_mapping()
    core_file = yaml.safe_load((folder / f"{prepared.top}.core").read_text())
    listed = {next(iter(f)) if isinstance(f, dict) else f for s in core_file["filesets"].values() for f in s["files"]}
    assert all((folder / name).is_file() for name in listed)


@pytest.fixture(scope="module")
def without_cells(store, tmp_path_factory):
    """The package of a core without device cells."""
    return prepared_and_folder("modmul/radix2", {"modulus": "61", "target": "generic"}, store, tmp_path_factory)


WITH_CELLS = [
    ("modmul/orup-dsp", {"modulus": "61", "target": "ecp5"}),  # the register of an operand has an enable
    ("modmul/binary", {"modulus": "2^40-87", "target": "ecp5"}),  # no register has one
]


@pytest.fixture(scope="module", params=WITH_CELLS, ids=[name for name, _ in WITH_CELLS])
def with_cells(request, store, tmp_path_factory):
    """The package of a core with multiplier blocks of ECP5."""
    return prepared_and_folder(*request.param, store, tmp_path_factory)


def test_the_script_of_vivado(without_cells):
    prepared, folder = without_cells
    calls = tcl_of(folder / "vivado.tcl", "xc7k70t", f"{prepared.top}_axil")
    named = dict(call[:2] for call in calls if len(call) > 1)
    files = named["read_verilog"].split()
    assert {Path(name).name for name in files} == {
        f"{prepared.top}{end}.v" for end in ("", "_axil", "_wb", "_apb", "_tlul", "_axis", "_axis64")
    }
    assert all(Path(name).is_file() for name in (*files, named["read_xdc"]))
    synthesis = next(call for call in calls if call[0] == "synth_design")
    assert synthesis == ("synth_design", "-top", f"{prepared.top}_axil", "-part", "xc7k70t", "-mode", "out_of_context")
    assert [call[0] for call in calls][-3:] == ["report_utilization", "report_timing_summary", "write_checkpoint"]


def test_the_script_of_quartus(without_cells):
    prepared, folder = without_cells
    calls = tcl_of(folder / "quartus.tcl")
    set_to = [(call[2], call[3]) for call in calls if call[0] == "set_global_assignment"]
    assert ("TOP_LEVEL_ENTITY", prepared.top) in set_to
    files = [value for key, value in set_to if key.endswith("_FILE")]
    assert len(files) == 8 and all(Path(name).is_file() for name in files)
    assert [call[0] for call in calls][-2:] == ["execute_flow", "project_close"]


@pytest.mark.parametrize(("script", "target"), [("vivado.tcl", "xc7"), ("quartus.tcl", "generic")])
def test_scripts_refuse_the_cells_of_another_vendor(with_cells, script, target):
    tkinter = require_module("tkinter")
    prepared, folder = with_cells
    says = rf"{prepared.top}.v holds cells of ecp5 \(MULT18X18D\): .* --target {target}"
    with pytest.raises(tkinter.TclError, match=says):
        tcl_of(folder / script)
    assert "vivado" not in yaml.safe_load((folder / f"{prepared.top}.core").read_text())["targets"]


def test_constraints_are_whole_tcl(one):
    tkinter = require_module("tkinter")
    prepared, folder = one
    for name in (f"{prepared.top}.xdc", f"{prepared.top}.sdc"):
        tcl = tkinter.Tcl()
        tcl.setvar("text", (folder / name).read_text())
        assert tcl.eval("info complete $text") == "1"


def test_vhdl_is_ascii(package):
    """VHDL-93 takes no other signs, even in comments; each has words of its own."""
    prepared, folder = package
    assert (folder / f"{prepared.top}.vhd").read_text().isascii()
    assert in_ascii("x·y ≡ κ² (mod p), ŝ ≤ 3 ∓ 1 of Koç") == "x*y = kappa^2 (mod p), s <= 3 -+ 1 of Koc"


@pytest.mark.parametrize("standard", ["93", "08"])
def test_vhdl_in_ghdl(package, standard, tmp_path):
    require("ghdl")
    prepared, folder = package
    command = ["ghdl", "-a", f"--std={standard}", f"--workdir={tmp_path}", folder / f"{prepared.top}.vhd"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_soc_of_litex(one, monkeypatch):
    """The module in a SoC: its Verilog has the wrapper, at an address of the bus."""
    require("litex")
    prepared, folder = one
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module(f"{prepared.top}_litex")
    text, sources = litex_soc(module.Modwright)
    assert f"{prepared.top}_wb {prepared.top}_wb(" in text
    assert {Path(name).name for name in sources} >= {f"{prepared.top}.v", f"{prepared.top}_wb.v"}


def test_registers_in_system_rdl(package):
    systemrdl = require_module("systemrdl")
    prepared, folder = package
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(folder / f"{prepared.top}.rdl"))
    assert compiler.elaborate().top.inst_name == f"{prepared.top}_registers"


def test_c_compiles(package, c_compiler, tmp_path):
    prepared, folder = package
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{folder}"]
    header = tmp_path / "use.c"
    header.write_text(f'#include "{prepared.top}_registers.h"\nint {prepared.top}_id = {prepared.top.upper()}_ID;\n')
    files = [header, *folder.glob(f"{prepared.top}_core.c")]
    for path in files:
        subprocess.run([*c_compiler, *flags, "-c", path, "-o", tmp_path / "object.o"], check=True)


def test_the_certificate_is_checked_alone(package):
    _, folder = package
    assert check(folder, folder / "certificate.json") == 0


@pytest.mark.parametrize("key", ["left", "right", "relation", "slack", "holds"])
def test_a_wrong_certificate_is_seen(one, tmp_path, key):
    """Each inequality in turn, each part of it."""
    _, folder = one
    document = json.loads((folder / "certificate.json").read_text())
    for number in range(len(document["certificate"])):
        spoiled = json.loads(json.dumps(document))
        row = spoiled["certificate"][number]
        row[key] = {
            "left": str(int(row["left"]) + 1) if "/" not in row["left"] else "0",
            "right": str(int(row["right"]) - 1) if "/" not in row["right"] else "0",
            "relation": ">" if row["relation"] in ("<", "<=", "=") else "<",
            "slack": "-1",
            "holds": "no",
        }[key]
        (tmp_path / "c.json").write_text(json.dumps(spoiled))
        assert check(folder, tmp_path / "c.json") == 1, row["name"]


@pytest.mark.parametrize("spoil", ["result", "cycles"])
def test_the_bench_sees_a_fault(one, icarus, tmp_path, spoil):
    """The last golden vector with one bit, or one cycle, changed: the bench, not the core, is what is checked."""
    prepared, folder = one
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    path = copy / f"{prepared.top}_{'o' if spoil == 'result' else 'cycles'}.hex"
    *before, last = path.read_text().splitlines()
    changed = int(last, 16) ^ 1
    path.write_text("\n".join([*before, f"{changed:0{len(last)}x}", ""]))
    bench = tmp_path / "bench"
    files = sources(prepared, copy, f"{prepared.top}_tb.v")
    subprocess.run(["iverilog", "-g2005", "-s", f"{prepared.top}_tb", "-o", bench, *files], check=True)
    shown = subprocess.run(["vvp", bench], cwd=copy, capture_output=True, text=True, check=True, timeout=600).stdout
    assert "FAIL" in shown
    assert "PASS" not in shown


@pytest.mark.campaign
def test_verilator_bench(package, verilator, verilator_make, tmp_path):
    """The Verilog bench as a program of Verilator; and it fails when a vector is changed."""
    prepared, folder = package
    top = f"{prepared.top}_tb"
    command = [verilator / "bin" / "verilator_bin", "--binary", "--timing", "-Wall", "--top-module", top]
    command += ["-Mdir", tmp_path / "obj", "-CFLAGS", "-std=c++20 -fcoroutines -O0", *sources(prepared, folder)]
    subprocess.run([*command, folder / f"{top}.v"], env=verilator_make, check=True, capture_output=True)
    program = tmp_path / "obj" / f"V{top}"
    shown = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert shown.startswith(f"PASS {prepared.top}")


def test_cocotb_in_icarus(one, icarus, tmp_path):
    require("cocotb_tools")
    prepared, folder = one
    code, log = run_cocotb(prepared, folder, "icarus", tmp_path)
    assert code == 0, log
    assert "TESTS=2 PASS=2" in log


@pytest.mark.campaign
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_cocotb(package, simulator, tmp_path, request):
    require("cocotb_tools")
    request.getfixturevalue("icarus" if simulator == "icarus" else "verilator")
    environment = request.getfixturevalue("verilator_make") if simulator == "verilator" else None
    prepared, folder = package
    code, log = run_cocotb(prepared, folder, simulator, tmp_path, environment)
    assert code == 0, log
    assert "TESTS=2 PASS=2" in log


@pytest.mark.campaign
def test_fusesoc(package, icarus, tmp_path):
    """The target `sim`."""
    require("fusesoc")
    prepared, folder = package
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", folder, "run", "--target", "sim"]
    done = subprocess.run(
        [*command, f"modwright::{prepared.top}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"PASS {prepared.top}" in done.stdout + done.stderr


def test_a_core_with_device_cells(with_cells, verilator_lint, icarus, tmp_path):
    """The model of the cell is in the package, as clean as the rest."""
    assert (with_cells[1] / "MULT18X18D.v").is_file()
    test_lint(with_cells, verilator_lint)
    test_yosys(with_cells)
    test_icarus(with_cells, icarus, tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ("modmul/sor-lean", "-m", "61", "-O", "width=8"),
        pytest.param(("modexp/booth8-csa-window", "-m", "0xfffffffb"), marks=pytest.mark.campaign),
        pytest.param(("modmul/rns-hbe", "-f", "secp256k1"), marks=pytest.mark.campaign),
    ],
    ids=lambda words: words[0],
)
def test_the_same_bytes_twice(tmp_path, words):
    """Another process, another store, another hash seed."""
    for seed in ("1", "2"):
        generate(tmp_path / seed, tmp_path / f"cache{seed}", seed, *words)
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / seed).iterdir()} for seed in ("1", "2"))
    assert first == second


FULL = [
    ("modmul/sor-2m", {"field": "secp256k1", "target": "ecp5"}),
    ("modmul/binary", {"field": "P-256", "target": "xc7"}),
    ("modmul/orup-dsp", {"modulus": "2^512-569"}),
    ("modexp/booth8-csa-window", {"modulus": "2^512-569"}),
    ("modmul/limb-fold-karatsuba", {"field": "secp256k1"}),
]


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "document"), FULL, ids=[name for name, _ in FULL])
def test_full_widths(name, document, store, tmp_path_factory, icarus, verilator_lint):
    """5 full-size packages: lint, Yosys, and the bench in Icarus."""
    made = prepared_and_folder(name, document, store, tmp_path_factory)
    test_lint(made, verilator_lint)
    test_yosys(made)
    test_icarus(made, icarus, made[1].parent)
