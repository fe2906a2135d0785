# SPDX-License-Identifier: Apache-2.0
"""bench/formulas.py: gate formulas of the paper on carry-save multipliers, built and timed."""

import re
from itertools import product

import pytest

import formulas
import gates
from modwright.rtl.verilog import run_yosys


@pytest.mark.parametrize(
    ("path", "elements"),
    [
        ("3 T_FA + T_XOR2", ("FA", "FA", "FA", "XOR2")),
        ("T_FA + T_AND + T_Mux3", ("FA", "AND2", "Mux3")),
        ("2 × 4 bit adder", None),
        ("T_FA + T_CSK", None),
    ],
)
def test_paths(path, elements):
    assert formulas.elements_of(path) == elements


def test_areas():
    assert formulas.counts_of("n A_FA + 7n A_Reg + n A_AND") == ({"FA": 1, "Reg": 7, "AND2": 1}, ())
    assert formulas.counts_of("4n A_FA + n A_qM + A_CONV") == ({"FA": 4}, ("qM", "CONV"))


def test_all_but_one_path_of_the_paper_can_be_built():
    assert [design for design, path, _ in formulas.designs() if formulas.elements_of(path) is None] == ["[14]"]


EXPECTED = {
    "FA": lambda s, c, r: s ^ c ^ r,
    "XOR2": lambda s, c, r: s ^ r,
    "AND2": lambda s, c, r: s & r,
    "Mux2": lambda s, c, a, low, high: a if low else s,
    "Mux3": lambda s, c, a, b, low, high: b if high else a if low else s,
    "Mux4": lambda s, c, a, b, d, low, high: (d if low else b) if high else a if low else s,
}


@pytest.mark.parametrize("element", EXPECTED)
def test_an_element_is_what_its_name_says(element, tmp_path):
    """All inputs at once: bit k of the words is row k of the truth table."""
    inputs = EXPECTED[element].__code__.co_argcount
    bits = list(product((0, 1), repeat=inputs))
    words = [_word(row[at] for row in bits) for at in range(inputs)]
    s, c = _evaluated(element, words, len(bits), tmp_path)
    assert s == _word(EXPECTED[element](*row) for row in bits)
    carries = [row[0] + row[1] + row[2] > 1 if element == "FA" else row[1] for row in bits]
    assert c == _word((carries[-1], *carries[:-1]) if element == "FA" else carries)


def _word(bits):
    return sum(int(bit) << at for at, bit in enumerate(bits))


def _evaluated(element, words, width, folder):
    """Words behind one element, by Yosys, without the registers."""
    text = formulas.circuit((element,)).replace("always @(posedge clk)", "always @*")
    (folder / "path.v").write_text(text, encoding="utf-8")
    names = ("s", "c", *(f"ir0_{k}" for k in range(len(words) - 2)))
    sets = " ".join(f"-set {name} {width}'d{word}" for name, word in zip(names, words, strict=True))
    script = f"read_verilog path.v\nchparam -set W {width} path\nproc\nopt\neval {sets} -show zs -show zc path\n"
    found = dict(re.findall(r"Eval result: \\(z[sc]) = \d+'([01]+)", run_yosys(script, folder=folder)))
    return int(found["zs"], 2), int(found["zc"], 2)


def test_the_page_is_of_the_record():
    assert formulas.main(["--check"]) == 0, "run python bench/formulas.py --render"


def test_the_record_has_every_path_and_library():
    record = formulas.load()
    paths = {" + ".join(elements) for _, path, _ in formulas.designs() if (elements := formulas.elements_of(path))}
    assert set(record) == set(gates.LIBRARIES)
    for found in record.values():
        assert set(found["paths"]) == paths and all(delay > 0 for delay in found["paths"].values())
        assert set(found["areas"]) == {*formulas.OPERANDS, "Reg"} and all(area > 0 for area in found["areas"].values())


def test_rows():
    """An area is of 256 bits; what has no circuit is marked; a library without a record is not run."""
    record = {
        "asap7": {"paths": {"FA + FA + FA + XOR2": 0.5}, "areas": dict.fromkeys([*formulas.OPERANDS, "Reg"], 2.0)}
    }
    for found in record.values():
        for _, path, _ in formulas.designs():
            if elements := formulas.elements_of(path):
                found["paths"].setdefault(" + ".join(elements), 1.0)
    rows = {row[0]: row[1:] for row in formulas.rows(record, {})}
    assert rows["This paper"] == ("3 T_FA + T_XOR2", "not run", "not run", "0.500", "not run", "not run", "> 6.1")
    assert rows["[14]"] == ("2 × 4 bit adder", *("–",) * 6)
    assert rows["`modmul/vlm3`, 256 bits"][1:] == ("not run",) * 6
