# SPDX-License-Identifier: Apache-2.0
"""The search for addresses and enables that depend on operands: each kind planted, and what must not be found."""

import json
from dataclasses import replace

import pytest

from modwright.base.store import Store
from modwright.contract import Field, Payload
from modwright.contract.request import Request
from modwright.pages import datasheet
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove import dependence, prove, stored_dependence
from modwright.prove.dependence import KINDS, Dependence, Dependent, search, search_verilog
from modwright.report import build_report

from ..toy import TOY
from .test_report_datasheet import parse, section

OPERANDS = Payload((Field("k", 4), Field("x", 8)))

FRAME = """
module top(input clk, input rst, input i__valid, input [11:0] i__payload, output reg [7:0] o__payload);
  reg [3:0] k, kk, at;
  reg [7:0] x, z, w;
  reg [7:0] words [0:15];
  always @(posedge clk) begin
    at <= at + 1;
    kk <= k;
    if (i__valid) begin k <= i__payload[3:0]; x <= i__payload[11:4]; end
  end
  {body}
endmodule
"""

PLANTED = [
    (
        "always @(posedge clk) begin if (i__valid) words[at] <= x; o__payload <= words[kk]; end",
        [("read address", "words", ("k",))],
    ),
    (
        "always @(posedge clk) begin if (i__valid) words[kk ^ at] <= x; o__payload <= words[at]; end",
        [("write address", "words", ("k",))],
    ),
    (
        "always @(posedge clk) begin if (x[0] & kk[1]) words[at] <= 1; o__payload <= words[at]; end",
        [("write enable", "words", ("k", "x"))],
    ),
    (
        "always @(posedge clk) begin if (kk[3]) z <= at; o__payload <= z; end",
        [("register enable", "z", ("k",))],
    ),
    (
        "always @(posedge clk) begin z <= kk[3] ? 0 : x; o__payload <= z; end",
        [("register clear", "z", ("k",))],
    ),
    (
        "always @(posedge clk) begin z <= x; w <= x + 5; o__payload <= kk[0] ? z : w; end",
        [("select", "a word of the core", ("k",))],
    ),
    (
        """always @(posedge clk) case (kk) 0: z <= 17; 1: z <= 201; 2: z <= 38; 3: z <= 99; 4: z <= 5; 5: z <= 77;
          6: z <= 140; 7: z <= 251; 8: z <= 12; 9: z <= 60; 10: z <= 33; default: z <= 8; endcase
        always @(posedge clk) o__payload <= z;""",
        [("table index", "a word of the core", ("k",))],
    ),
    (  # through a memory: what is written comes out of it as an address
        "always @(posedge clk) begin if (i__valid) words[at] <= x; z <= words[at]; o__payload <= words[z[3:0]]; end",
        [("read address", "words", ("x",))],
    ),
]

INNOCENT = [
    # data alone: stored, added and multiplied, with every address and enable from a counter
    "always @(posedge clk) begin if (i__valid) words[at] <= x; z <= words[at] * kk + x; o__payload <= z; end",
    # a word whose upper half is a counter and whose lower half is an operand
    """reg [7:0] both;
    always @(posedge clk) begin
      both <= {{both[7:4] + 4'd1, kk}}; words[both[7:4]] <= x; o__payload <= words[at];
    end""",
    # a sum's low bits do not know its high ones; nor does a column of a memory know the others
    """wire [7:0] sum = {{kk, at}} + 8'd3;
    always @(posedge clk) begin words[sum[3:0]] <= {{kk, at}}; z <= words[at]; o__payload <= words[z[3:0]]; end""",
    # a signed operand that is made longer, in bitwise cells
    """wire signed [3:0] a = at; wire signed [7:0] long = a & $signed({{kk, at}});
    always @(posedge clk) begin words[long[3:0]] <= x; o__payload <= words[at]; end""",
]


@pytest.mark.parametrize(("body", "expected"), PLANTED)
def test_each_kind_is_found(body, expected):
    found = search_verilog(FRAME.format(body=body), "top", OPERANDS)
    assert [(one.kind, one.name, one.fields) for one in found.dependents] == expected
    for kind, name, fields in expected:
        assert f"{kind} of {name} on {', '.join(fields)}" in found.statement


@pytest.mark.parametrize("body", INNOCENT)
def test_what_does_not_depend_is_not_found(body):
    body = body.replace("{{", "{").replace("}}", "}")
    found = search_verilog(FRAME.format(body=body), "top", OPERANDS)
    assert found.dependents == () and found.brief == "none"
    assert found.searched["write address"] and found.searched["register enable"]
    assert "but for" not in found.statement


def test_a_sign_is_followed_upwards():
    """Bits above a signed operand are its sign: a search that cuts the operand off would miss this address."""
    body = """wire signed [1:0] a = kk[1:0]; wire signed [7:0] long = a & $signed({4'd0, at});
    always @(posedge clk) begin words[long[5:2]] <= x; o__payload <= words[at]; end"""
    (one,) = search_verilog(FRAME.replace("{body}", body), "top", OPERANDS).dependents
    assert (one.kind, one.fields) == ("write address", ("k",))


def test_every_kind_is_planted():
    assert {kind for _, expected in PLANTED for kind, _, _ in expected} == set(KINDS) - {"read enable"}


def test_a_read_enable_is_found():
    """Yosys keeps it only where the port has a register of its own."""
    body = "always @(posedge clk) begin if (i__valid) words[at] <= x; if (kk[0]) o__payload <= words[at]; end"
    kinds = {one.kind for one in search_verilog(FRAME.replace("{body}", body), "top", OPERANDS).dependents}
    assert kinds <= {"read enable", "register enable"} and kinds


CORES = [
    ("modmul/csa", {"options": {"bits": 8}}, "none"),
    ("modmul/booth8-csa", {"options": {"bits": 8}}, "no memory address; 1 table index; 2 selects"),
    ("modmul/r64", {"options": {"bits": 64}}, "no memory address; 1 register clear"),
    ("modmul/orup-dsp", {"options": {"bits": 64}}, "no memory address; 2 register clears"),
    ("modmul/rns-kbe", {"modulus": "2^61-1", "options": {"width": 12}}, "no memory address; 6 table indexes"),
    ("modexp/csa-window", {"options": {"bits": 8}}, "no memory address; 1 register enable; 1 register clear; 1 select"),
    ("modinv/binary-divstep", {"modulus": "61"}, "no memory address; 5 register enables; 2 register clears; 2 selects"),
]


@pytest.mark.parametrize(("name", "selection", "brief"), CORES)
def test_cores(name, selection, brief, store):
    """None reads or writes a word by an operand, the window of an exponentiation among them."""
    prepared = prepare(find(name), Request.make(find(name), **selection), store)
    assert dependence(prepared).brief == brief


def test_variable_time_shows(store):
    core = find("modmul/vlm3")
    found = dependence(prepare(core, Request.make(core, options={"bits": 8}), store))
    enables = [one for one in found.dependents if one.kind == "register enable"]
    assert len(enables) > 10 and {one.fields for one in enables} == {("x",)}, "only the digits of x decide"


# --- where it is shown


@pytest.fixture
def searched(tmp_path):
    prepared = prepare(TOY, Request.make(TOY, modulus="97"), Store(tmp_path))
    return prepared, Dependence(dict.fromkeys(KINDS, 3), (Dependent("read address", "words", ("x", "y")),))


def test_it_is_kept_and_read_back(searched):
    prepared, found = searched
    assert stored_dependence(prepared) is None
    assert dependence(prepared) == stored_dependence(prepared) == search(prepared)
    assert Dependence.of_json(json.loads(json.dumps(found.to_json()))) == found
    assert prove(prepared)[-1].statement == dependence(prepared).statement


def test_the_datasheet_lists_it(searched):
    prepared, found = searched
    text = section(parse(datasheet(build_report(prepared, dependence=found))), "constant-latency")
    assert "read address words x, y" in text and "read address 3" in text
    assert "not run" in section(parse(datasheet(build_report(prepared))), "constant-latency")
    none = replace(found, dependents=())
    assert "No operand bit can change any of them" in datasheet(build_report(prepared, dependence=none))


def test_the_commands_list_it(run):
    words = ("modmul/toy", "-m", 97)
    assert run("params", *words) == 0
    assert "not searched yet (modwright prove)" in run.out
    assert run("prove", *words, "--json") == 0
    assert [one["kind"] for one in run.json["dependence"]["found"]] == ["register clear"], "what is out of range is 0"
    assert run("params", *words) == 0
    assert "data-dependent    no memory address; 1 register clear" in run.out
