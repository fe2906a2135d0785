# SPDX-License-Identifier: Apache-2.0
"""Control bits in the checker: those that hold by themselves, those that the log names, and all others, unknown."""

import pytest

from modwright.checker.netlist import UNKNOWN, RefusedError, constant, load, node
from modwright.checker.words import Words

SOURCE = """
module top(input clk, input rst, input i_valid, input [7:0] i_x, output [7:0] o_z, output [7:0] o_w);
  reg first, second;
  always @(posedge clk) begin
    first <= ~rst & i_valid;
    second <= ~rst & first;
  end
  assign o_z = second ? i_x : 8'd0;
  assign o_w = second ? (first ? 8'd1 : i_x) : 8'd0;
endmodule
"""
"""The second cycle after a transfer: both words need `second`, `o_w` also `first`."""


@pytest.fixture(name="module", scope="module")
def fixture_module(tmp_path_factory):
    path = tmp_path_factory.mktemp("control") / "top.v"
    path.write_text(SOURCE, encoding="utf-8")
    return load(path, "top", [])


def words(module, *, lemmas):
    """Words of the cycles after a transfer, with some control bits given by lemmas."""
    x = node("input", 8, ((None, 0, 0),), "x")
    bits = {name: len(port["bits"]) for name, port in module["ports"].items()}

    def run(given, **more):
        return Words(module, {}, lambda name, cycle: given(name, cycle) or ((UNKNOWN, 0, bits[name]),), **more)

    numbers = {"rst": 0, "i_valid": 0}
    alone = run(lambda name, cycle: ((None, int((name, cycle) == ("i_valid", 0)), 1),) if name in numbers else None)
    around = run(lambda name, _: ((None, 0, 1),) if name == "rst" else None, like=alone)
    named = {(register(module, name), 0, cycle): value for name, cycle, value in lemmas}
    return run(lambda name, _: x if name == "i_x" else None, control=(around, alone), named=named, like=alone), x


def register(module, name):
    """The register of a bit with a name."""
    (bit,) = module["netnames"][name]["bits"]
    return next(key for key, cell in module["cells"].items() if cell["connections"].get("Q") == [bit])


def at(found, module, port):
    return found.at(module["ports"][port]["bits"], 2)


def test_a_bit_that_the_log_names_is_known(module):
    found, x = words(module, lemmas=[("second", 2, 1), ("first", 2, 0)])
    assert at(found, module, "o_z") == at(found, module, "o_w") == x


def test_a_word_for_which_a_lemma_is_missing_is_not_known_and_the_others_are(module):
    found, x = words(module, lemmas=[("second", 2, 1)])
    assert at(found, module, "o_z") == x
    assert at(found, module, "o_w") != x
    assert any(piece[0] is UNKNOWN for piece in at(found, module, "o_w"))


def test_without_lemmas_nothing_is_known_of_a_choice(module):
    found, _ = words(module, lemmas=[])
    assert constant(at(found, module, "o_z")) is None
    assert all(piece[0] is UNKNOWN for piece in at(found, module, "o_z"))


def test_a_lemma_that_does_not_hold_in_the_operation_alone_is_refused(module):
    found, _ = words(module, lemmas=[("second", 2, 0)])
    with pytest.raises(RefusedError, match="another value in cycle 2 than the log states"):
        at(found, module, "o_z")
