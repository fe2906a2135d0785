# SPDX-License-Identifier: Apache-2.0
"""Anybody's Verilog: ordinary modules of many kinds keep their function and can be placed; endless ones are refused."""

import ctypes
import re
from pathlib import Path

import pytest

from modwright.base.errors import LimitReachedError, NoPathError, UsageError
from modwright.rtl.verilog import Limits, run_yosys
from modwright.simulate.compiled import library
from modwright.synthesize import Timing, elaborate, foreign, resources, timing, timing_of_foreign

from ..tools import needs

ZOO = Path(__file__).parents[1] / "data" / "verilog"
LEAVES = {"two_files_top": "two_files_leaf"}
CLOCKS = {"clk_name": "ck"}
RENAMED = {"clk_name": {"clk": "ck", "clk_0": "clk"}}
"""Ports of the sources by the names that they get, where these differ."""
MODULES = sorted(path.stem for path in ZOO.glob("*.v") if path.stem not in LEAVES.values())
STEPS = 2000


def files_of(name):
    return [ZOO / f"{part}.v" for part in (name, LEAVES.get(name)) if part]


def elaborated(name, **words):
    text, top = elaborate(files_of(name), name, CLOCKS.get(name, "clk"), **words)
    assert top == name
    return text


def ports_of(text, name):
    """(direction, width, port) of a module of one clock that Yosys wrote, without the clock."""
    body = text[re.search(rf"^module {name}\(", text, re.MULTILINE).start() :]
    body = body[: body.index("endmodule")]
    found = re.findall(r"^  (input|output) (?:signed )?(?:\[(\d+):0\] )?(\w+);", body, re.MULTILINE)
    return [(way, int(high or 0) + 1, port) for way, high, port in found if port != "clk"]


def instance(name, ports, bits, *, module, prefix, renamed):
    """An instance whose inputs are bits of `noise`; returns its text and the names of its outputs."""
    wires, connections, at = [], [f".{renamed.get('clk', 'clk')}(clk)"], bits
    for way, width, port in ports:
        wire = f"noise[{at} +: {width}]" if way == "input" else f"{prefix}_{name}_{port}"
        if way == "output":
            wires.append(f"  wire [{width - 1}:0] {wire};")
        else:
            at += width
        connections.append(f".{renamed.get(port, port)}({wire})")
    outputs = [f"{prefix}_{name}_{port}" for way, _, port in ports if way == "output"]
    return [*wires, f"  {module} {prefix}_{name}({', '.join(connections)});"], outputs


def comparison():
    """A top with every module of the sources next to what `elaborate` makes of it, on the same random inputs."""
    lines, modules, pairs = [], [], []
    for name in MODULES:
        text = elaborated(name)
        ports = ports_of(text, name)
        theirs, expected = instance(name, ports, 0, module=name, prefix="a", renamed=RENAMED.get(name, {}))
        ours, got = instance(name, ports, 0, module=f"{name}_again", prefix="b", renamed={})
        lines += theirs + ours
        pairs += zip(expected, got, strict=True)
        modules.append(re.sub(rf"^module {name}\b", f"module {name}_again", text, flags=re.MULTILINE))
    same = " & ".join(f"({a} === {b})" for a, b in pairs)
    sources = {path.name: path.read_text() for name in MODULES for path in files_of(name)}
    head = ["module both(input clk, output same, output planted);", "  reg [63:0] noise = 64'h9E3779B97F4A7C15;"]
    step = "  always @(posedge clk) noise <= {noise[62:0], noise[63] ^ noise[62] ^ noise[60] ^ noise[59]};"
    verdicts = [f"  assign same = {same};", "  assign planted = a_case_hold_z === b_case_full_z;"]
    top = "\n".join([*head, step, *lines, *verdicts, "endmodule", ""])
    return "\n".join([*sources.values(), *modules, top])


def test_there_are_many_kinds():
    assert len(MODULES) >= 20
    texts = "".join(path.read_text() for path in ZOO.glob("*.v"))
    for word in ("if (", "case (", "casez (", "always @*", "posedge arst", "negedge rst_n", "initial", "parameter"):
        assert word in texts
    for word in ("generate", "function", "task", "signed", "`include", "$readmemh", "negedge clk"):
        assert word in texts


@needs("compiled-simulator")
def test_elaboration_keeps_the_function(store, monkeypatch):
    """Every module next to its elaboration, 2,000 cycles of random inputs; and a module that differs is seen."""
    monkeypatch.chdir(ZOO)  # where $readmemh finds its file
    headers = {path.name: path.read_text() for path in ZOO.glob("*.vh")}
    shared = ctypes.CDLL(str(library(store, "both", comparison(), ZOO / "same.cpp", headers)))
    differing, planted = ctypes.c_ulong(), ctypes.c_ulong()
    shared.compare(ctypes.c_ulong(STEPS), ctypes.byref(differing), ctypes.byref(planted))
    assert differing.value == 0
    assert planted.value > STEPS // 2


def test_all_of_them_placed_in_one_design(store, tmp_path):
    """Several files with one top go through the whole flow."""
    tops, at = [], 0
    for name in MODULES:
        ports = ports_of(elaborated(name), name)
        lines, outputs = instance(name, ports, at, module=name, prefix="a", renamed=RENAMED.get(name, {}))
        tops += [*lines, f"  wire {name}_all = ^{{{', '.join(outputs)}}};"]
        at += sum(width for way, width, _ in ports if way == "input")
    names = ", ".join(f"{name}_all" for name in MODULES)
    text = [f"module zoo(input clk, input [{at - 1}:0] noise, output [{len(MODULES) - 1}:0] z);", *tops]
    (tmp_path / "zoo.v").write_text("\n".join([*text, f"  assign z = {{{names}}};", "endmodule", ""]))
    files = [tmp_path / "zoo.v", *(path for name in MODULES for path in files_of(name))]
    verilog, top = elaborate(files, "zoo", "clk", timed=True)
    found = timing(verilog, top, store=store)
    assert isinstance(found, Timing) and found.fmax_mhz > 20
    assert resources(verilog, top, "ecp5", store=store).ff > 200


@pytest.mark.campaign
@pytest.mark.parametrize("name", MODULES)
def test_each_of_them_placed(store, name):
    verilog = elaborated(name, timed=True)
    found = timing_of_foreign(verilog, name, store)
    assert isinstance(found, Timing) and found.fmax_mhz > 20


def test_a_design_of_one_register_gets_registers_at_its_ports(store):
    verilog = elaborated("enable", timed=True)
    with pytest.raises(NoPathError):
        timing(verilog, "enable", store=store)
    found = timing_of_foreign(verilog, "enable", store)
    assert isinstance(found, Timing) and found.harness == "shift" and found.fmax_mhz > 20


def written(tmp_path, **sources):
    paths = []
    for name, text in sources.items():
        paths.append(tmp_path / name.replace("__", "."))
        paths[-1].write_text(text)
    return paths


REGISTER = "module m(input clk, input a, output reg z); always @(posedge clk) z <= a; endmodule\n"


def test_a_file_that_includes_itself(tmp_path):
    (path,) = written(tmp_path, m__v=f'`include "m.v"\n{REGISTER}')
    with pytest.raises(UsageError, match=r"^m.v includes m.v, without an end\n  try: an include guard"):
        elaborate([path], "m", "clk")


def test_files_that_include_each_other(tmp_path):
    path, _, _ = written(
        tmp_path, m__v=f'`include "a.vh"\n{REGISTER}', a__vh='`include "b.vh"', b__vh='`include "a.vh"'
    )
    with pytest.raises(UsageError, match=r"^a.vh includes b.vh includes a.vh"):
        elaborate([path], "m", "clk")


def test_a_comment_includes_nothing(tmp_path):
    (path,) = written(tmp_path, m__v=f'// `include "m.v"\n/*\n`include "m.v"\n*/\n{REGISTER}')
    assert elaborate([path], "m", "clk")[1] == "m"


def test_a_guard_ends_a_circle(tmp_path):
    circle = '`ifndef {0}\n`define {0}\n`include "{1}.vh"\n`define {0}_W 4\n`endif\n'
    path, _, _ = written(
        tmp_path,
        m__v=f'`include "a.vh"\n{REGISTER}',
        a__vh=circle.format("A", "b"),
        b__vh=circle.format("B", "a"),
    )
    assert elaborate([path], "m", "clk")[1] == "m"


ENDLESS = {
    "macro": "`define A `A\nmodule m(input clk, output reg z); always @(posedge clk) z <= `A; endmodule",
    "module": "module m #(parameter N = 1)(input clk, output z); m #(N + 1) inner(clk, z); endmodule",
    "loop": "module m(input clk, input a, output reg z); integer k;"
    " always @(posedge clk) for (k = 0; k < 10; k = k) z <= a; endmodule",
}


@pytest.mark.parametrize("kind", sorted(ENDLESS))
def test_sources_without_an_end(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(foreign, "LIMITS", Limits(seconds=1, memory=1 << 30, output=1 << 24))
    (path,) = written(tmp_path, m__v=ENDLESS[kind])
    with pytest.raises(UsageError, match=r"^m.v: Yosys reached .* and was stopped\n  try: look for an include"):
        elaborate([path], "m", "clk")


def test_a_limit_has_an_error_of_its_own():
    with pytest.raises(LimitReachedError, match="reached 5 s of CPU, 1024 MiB of memory or 0 MiB of output"):
        run_yosys("log " + "x" * 4096, limits=Limits(5, 1 << 30, 1 << 10))


UNTIMED = {
    "a latch": ("reg q; always @* if (en) q = a; always @(posedge clk) z <= q;", "has 1 latches"),
    "a second clock": ("reg q; always @(posedge en) q <= a; always @(posedge clk) z <= q;", "another clock .*: en"),
    "a gated clock": ("wire g = clk & en; always @(posedge g) z <= a;", "another clock than clk: g"),
    "a memory's clock": (
        "reg [7:0] w [0:3]; always @(posedge en) w[{a, a}] <= {8{a}}; always @(posedge clk) z <= ^w[{a, z}];",
        "another clock than clk: en",
    ),
}


@pytest.mark.parametrize("kind", sorted(UNTIMED))
def test_no_clock_rate_of_what_has_other_clocks(tmp_path, kind):
    """Its area is measured all the same."""
    body, says = UNTIMED[kind]
    (path,) = written(tmp_path, m__v=f"module m(input clk, input en, input a, output reg z); {body} endmodule")
    assert elaborate([path], "m", "clk")[1] == "m"
    with pytest.raises(UsageError, match=says):
        elaborate([path], "m", "clk", timed=True)


def test_what_is_wrong_is_named(tmp_path):
    twice = "always @(posedge clk) z <= a; always @(posedge clk) z <= ~a;"
    (path,) = written(tmp_path, m__v=f"module m(input clk, input a, output reg z); {twice} endmodule")
    with pytest.raises(UsageError, match=r"conflicting drivers for m\.\\z"):
        elaborate([path], "m", "clk")
    (path,) = written(tmp_path, m__v="module m(input clk, output logic z); always_ff @(posedge clk) z <= ~z; endmodule")
    with pytest.raises(UsageError, match=r"m.v:1: ERROR: syntax error(.|\n)*SystemVerilog is read from .* \.sv"):
        elaborate([path], "m", "clk")


def test_a_word_with_one_write_enable_stays_a_word(tmp_path, store):
    """A memory of 16 words of 32 bits is eight LUT memories of four bits, not 32 of one."""
    source = tmp_path / "memory.v"
    source.write_text(
        "module m(input clk, input we, input [3:0] a, b, input [31:0] d, output reg [31:0] q);\n"
        "reg [31:0] words [15:0];\n"
        "always @(posedge clk) begin q <= words[b]; if (we) words[a] <= d; end\nendmodule\n"
    )
    verilog, top = elaborate([source], "m", "clk")
    area = resources(verilog, top, "ecp5", store=store)
    assert (area.lutram, area.ff) == (8, 32)
