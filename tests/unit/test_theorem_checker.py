# SPDX-License-Identifier: Apache-2.0
"""The checker of a log: what it accepts, and the lies that it refuses."""

import ast
import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import theorems
from modwright.checker import check as checker
from modwright.checker.netlist import NODES, RefusedError
from modwright.contract.request import Request
from modwright.deliver.theorem import CHECKER, LOG
from modwright.deliver.theorem import MODULES as CHECKER_MODULES
from modwright.deliver.theorem import checker as one_file_checker
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import PROVED, WITHOUT_LOG, logged, stated

from .small_theorems import SMALL, WITH_MEMORY, log
from .small_theorems import read_once as read_once
from .small_theorems import verilog_file as verilog_file


@pytest.mark.parametrize("name", [*SMALL, *WITH_MEMORY])
def test_a_log_is_accepted(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10)


@pytest.mark.campaign
@pytest.mark.parametrize("name", [*SMALL, *WITH_MEMORY])
def test_the_atoms_of_a_log_have_the_values_of_ten_thousand_operations(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10_000)


PROVED_ROWS = [
    subject
    for subject, row in theorems.rows_of(theorems.PAGE.read_text(encoding="utf-8")).items()
    if "| proved |" in row
]


@pytest.mark.campaign
@pytest.mark.parametrize("subject", PROVED_ROWS, ids=str)
def test_the_log_of_every_theorem_of_the_table_is_accepted(subject, tmp_path):
    """As `prove` makes it, at full size; a core that the checker has no rule for has none."""
    one = theorems.prepared_of(subject)
    path = tmp_path / "core.v"
    path.write_text(core_verilog(one), encoding="utf-8")
    found, text = logged(one, core_verilog(one), search=False)
    assert (found["status"], found["detail"]) == (PROVED, "")
    if isinstance(stated(one), WITHOUT_LOG):
        assert text == ""
        return
    checker.check(json.loads(text), path)


def test_a_last_sum_whose_constants_leave_segments_alone_is_proved_and_accepted(tmp_path):
    """A segment plus 0 has no carry, and none of both constants is in it: both results have one number there."""
    core = find("modmul/binary")
    options = {"segment": 8, "karatsuba": 0}
    one = prepare(core, Request.make(core, modulus="2^48-2^42+2^36+2^18-1", options=options))
    path = tmp_path / "core.v"
    path.write_text(core_verilog(one), encoding="utf-8")
    found, text = logged(one, core_verilog(one), search=False)
    assert (found["status"], found["detail"]) == (PROVED, "")
    checker.check(json.loads(text), path, operations=5)


def test_an_answer_depends_on_nothing_that_was_checked_before(verilog_file):
    """Words of two cores may have the same names; where nodes stayed, sums of one would be met in the other."""
    made = []
    for name in ("modmul/r64", "modmul/limb-scan", "modmul/r64"):
        checker.check(log(name), verilog_file(name), operations=1)
        made.append(list(map(str, NODES)))
    assert made[0] != made[1]
    assert len(made[0]) == len(made[2])


def test_another_core_s_log_is_refused(verilog_file):
    with pytest.raises(RefusedError, match="another Verilog"):
        checker.check(log("modmul/limb-scan"), verilog_file("modmul/r64"))


LIES = {
    "a changed step": lambda changed: changed_cut(changed)[5:6] == [0],
    "a missing atom": lambda changed: changed["atoms"].pop(-2),
    "a missing lemma on control": lambda changed: changed["probes"].clear(),
    "a term of the quotient less": lambda changed: changed["quotient"][1].pop(),
    "a larger result": lambda changed: changed["z"][1].append(["0x1", []]),
    "no atoms": lambda changed: changed.pop("atoms"),
    "a limit that does not hold": lambda changed: changed["claim"].update(limit=["0x1", "m"]),
    "another power of two": lambda changed: changed["claim"].update(exponent=changed["claim"]["exponent"] - 1),
    "no relation of q": lambda changed: changed["claim"].update(relations=[]),
    "another cycle": lambda changed: changed.update(ready=changed["ready"] - 1),
    "larger operands": lambda changed: changed["claim"]["operands"].update(x=["0x2", "m"]),
    "another product": lambda changed: changed["claim"].update(terms=[["x", "x"]]),
    "another error code": lambda changed: changed["claim"].update(codes={"1": "operand", "2": "modulus"}),
}


def changed_cut(changed):
    """The first cut of an operand, made a bit shorter. Of the modulus, a few of the lowest bits are used."""
    cut = next(atom for atom in changed["atoms"] if atom[3] == "low" and atom[0].startswith("i_x"))
    cut[5] -= 1
    return cut


@pytest.mark.parametrize("lie", LIES)
def test_a_log_that_lies_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/r64"))
    LIES[lie](changed)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/r64"), operations=5)


CHOICES = {
    "another word in a choice": lambda choice, test: choice[4][1].pop(),
    "a number more in a choice": lambda choice, test: choice[4][1].append(["0x1", []]),
    "another limit of the test": lambda choice, test: test[4][1].append([hex(1 << 45 + test[4][0]), []]),
    "another kind of test": lambda choice, test: test.__setitem__(3, "value"),
}
"""Lies about the last subtraction of `binary`: the choice of its result, and the sign that chooses."""


@pytest.mark.parametrize("lie", CHOICES)
def test_a_lie_about_a_choice_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/binary"))
    atoms = changed["atoms"]
    choice = [atom for atom in atoms if atom[3] == "value"][-1]
    (test,) = {n for _, monomial in choice[4][1] for n in monomial if atoms[n][3] == "negative"}
    CHOICES[lie](choice, atoms[test])
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/binary"), operations=20)


CARRIES = {
    "a carry in another place": lambda low: low.__setitem__(5, low[5] - 1),
    "a sum without its carry": lambda low: low[4][1].pop(),
    "the next sum": lambda low: low[4][1].append([hex(1 << low[4][0]), []]),
}
"""Lies about the lowest bits of a carry-select sum in `binary`, whose carry is what is above them."""


@pytest.mark.parametrize("lie", CARRIES)
def test_a_lie_about_a_selected_sum_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/binary"))
    used = {atom for _, monomial in changed["z"][1] for atom in monomial}
    low = next(
        atom
        for n, atom in enumerate(changed["atoms"])
        if atom[3] == "low" and atom[4][0] and n in reached(changed, used)
    )
    CARRIES[lie](low)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/binary"), operations=20)


def reached(log_of_core, atoms):
    """Atoms that some are made of, and these."""
    found, queue = set(atoms), list(atoms)
    while queue:
        _, _, _, _, *rest = log_of_core["atoms"][queue.pop()]
        inner = {
            atom for poly in rest if isinstance(poly, list) for _, monomial in poly[1] for atom in monomial
        } - found
        found |= inner
        queue += inner
    return found


def test_another_modulus_than_the_one_in_the_hardware_is_refused(verilog_file):
    changed = copy.deepcopy(log("modmul/binary"))
    changed["claim"]["modulus"] = hex(int(changed["claim"]["modulus"], 16) - 2)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/binary"), operations=1)


IN_MEMORY = {
    "a limb of fewer bits": lambda changed: last(changed, "low").__setitem__(5, last(changed, "low")[5] - 1),
    "another number": lambda changed: last(changed, "low")[4][1].append(["0x1", []]),
    "a term of the quotient less": lambda changed: changed["quotient"][1].pop(),
    "a missing lemma on control": lambda changed: changed["probes"].pop(),
    "another lemma on control": lambda changed: changed["probes"][0].__setitem__(3, 1 - changed["probes"][0][3]),
    "an earlier result": lambda changed: changed.update(ready=changed["ready"] - 1),
}
"""Lies about an operation whose limbs wait in a memory."""


def last(changed, kind):
    """The last atom of a kind of which the result is made."""
    used = reached(changed, {atom for _, monomial in changed["z"][1] for atom in monomial})
    return changed["atoms"][max(n for n in used if changed["atoms"][n][3] == kind)]


@pytest.mark.parametrize("lie", IN_MEMORY)
def test_a_lie_about_limbs_in_a_memory_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/binary-serial"))
    IN_MEMORY[lie](changed)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/binary-serial"), operations=8)


RESTS = {
    "a longer rest": lambda rest: rest.__setitem__(3, rest[3] - 1),
    "a later rest": lambda rest: rest.__setitem__(2, rest[2] + 1),
    "another number": lambda rest: rest.__setitem__(1, "0x1"),
    "a missing bit of control": lambda rest: rest[4].pop(),
    "another bit of control": lambda rest: rest[4][0].__setitem__(2, 1 - rest[4][0][2]),
    "a register that does not rest": lambda rest: rest.__setitem__(0, rest[4][0][0]),
}
"""Lies about the register of limb-fold-karatsuba that is 0 between operations."""


@pytest.mark.parametrize("lie", RESTS)
def test_a_lie_about_a_register_between_operations_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/limb-fold-karatsuba"))
    (rest,) = changed["rests"]
    RESTS[lie](rest)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/limb-fold-karatsuba"), operations=1)


def test_a_longer_interval_than_there_is_is_refused(verilog_file):
    changed = copy.deepcopy(log("modmul/limb-fold-karatsuba"))
    changed["interval"] += 1
    with pytest.raises(RefusedError, match="earlier than the log states"):
        checker.check(changed, verilog_file("modmul/limb-fold-karatsuba"), operations=1)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', "no JSON"])
def test_the_checker_refuses_what_is_no_log(text, tmp_path, capsys):
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    assert checker.main([str(path), str(path)]) == 1
    assert capsys.readouterr().out.startswith("refused: ")


@pytest.mark.parametrize("name", ["missing", "folder", "/dev/zero", "pipe"])
@pytest.mark.parametrize("place", [0, 1])
def test_the_checker_refuses_what_is_no_file(name, place, tmp_path, capsys):
    """A device without an end was read until memory was full, a pipe without a writer for ever."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "log.json").write_text("{}", encoding="utf-8")
    words = [str(tmp_path / "log.json"), str(tmp_path / "log.json")]
    words[place] = str(tmp_path / name)
    assert checker.main(words) == 1
    said = "does not exist" if name == "missing" else "is not a regular file"
    assert capsys.readouterr().out == f"refused: {words[place]} {said}\n"


def test_the_checker_names_a_log_that_is_no_json(tmp_path, capsys):
    path = tmp_path / "log.json"
    path.write_text('{"format": ', encoding="utf-8")
    assert checker.main([str(path), str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"refused: {path} is not JSON: ")


# --- in the package


@pytest.mark.parametrize(("lie", "word"), [(None, "accepted"), ("a larger result", "refused: ")])
def test_the_checker_of_a_package_is_one_file(lie, word, verilog_file, tmp_path):
    core = verilog_file("modmul/blakley")
    kept = copy.deepcopy(log("modmul/blakley"))
    if lie:
        LIES[lie](kept)
    (tmp_path / LOG).write_text(json.dumps(kept), encoding="utf-8")
    (tmp_path / CHECKER).write_text(one_file_checker(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, CHECKER, LOG, core.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (int(bool(lie)), "")
    assert done.stdout.startswith(word)


@pytest.mark.parametrize(
    ("more", "code", "shown"),
    [(["50"], 0, "accepted"), (["0"], 2, ""), (["many"], 2, ""), (["1", "2"], 2, "")],
    ids=["a number", "none", "a word", "too many"],
)
def test_the_number_of_operations_on_the_command_line(more, code, shown, verilog_file, tmp_path, capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(checker, "replay", lambda check, operands: seen.append(operands))
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log("modmul/blakley")), encoding="utf-8")
    assert checker.main([str(path), str(verilog_file("modmul/blakley")), *more]) == code
    out, err = capsys.readouterr()
    assert out.strip() == shown and err.startswith("usage: ") == (code == 2)
    assert len(seen) == (50 if code == 0 else 0)


def test_names_of_the_checker_s_modules_are_its_own():
    """So that they can stand in one file."""
    names = [
        node.name
        for module in CHECKER_MODULES
        for node in ast.parse((Path(checker.__file__).parent / f"{module}.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("count", ["0", "-1", "x", "1000001", "9" * 5000])
def test_operations_out_of_range_are_refused_with_the_usage(count, tmp_path, capsys):
    assert checker.main([str(tmp_path), str(tmp_path), count]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m modwright.checker LOG CORE.v")


def test_the_checker_answers_a_request_for_help(capsys):
    assert checker.main(["--help"]) == 0
    assert "1,000,000 at most" in capsys.readouterr().out
