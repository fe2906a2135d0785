# SPDX-License-Identifier: Apache-2.0
"""The theorem of a whole operation: proved, never where a bug is planted; and the checker of its log."""

import ast
import copy
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache, reduce
from itertools import islice, product
from math import prod
from operator import and_
from pathlib import Path

import pytest

from modwright.base.errors import UsageError
from modwright.bus import Ports
from modwright.checker import check as checker
from modwright.checker.netlist import RefusedError
from modwright.contract.request import Request
from modwright.deliver.theorem import CHECKER, LOG, theorem_files
from modwright.deliver.theorem import MODULES as CHECKER_MODULES
from modwright.deliver.theorem import checker as one_file_checker
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import NOT_PROVED, PROVED, REFUTED, Theorem, claim_of, proof_of, prove_verilog, theorem
from modwright.prove.theorem.decide import UndecidedError, decide
from modwright.prove.theorem.facts import Facts
from modwright.prove.theorem.handshake import find_interval
from modwright.prove.theorem.log import log_of
from modwright.prove.theorem.netlist import UnsupportedError, netlist_of, read
from modwright.prove.theorem.pieces import constant, number_of, width_of
from modwright.prove.theorem.poly import ONE, Poly, Ring, number
from modwright.prove.theorem.refute import find_failure
from modwright.prove.theorem.resting import resting_of, rests_of
from modwright.prove.theorem.theorem import find_storage, operation_of, probes_of, prove_claim
from modwright.prove.theorem.unroll import Unrolled, alone, around, known_bit, transfer
from modwright.prove.theorem.words import Words

from .planted_bugs import KINDS

SMALL = {
    "modadd/carry": ("0x3d", {}),
    "modmul/r64": ("0xe9d", {"limb": 4}),
    "modmul/limb-scan": ("0xe9d", {"limb": 4}),
    "modmul/limb-fold": ("0xe9d", {"limb": 4}),
    "modmul/limb-fold-karatsuba": ("0xe9d", {"limb": 4}),
    "modmul/radix2": ("0x1e9d1", {"limb": 16}),
    "modmul/blakley": ("0x3d", {}),
}
"""Cores whose theorem is proved, small."""


@cache
def small(name, target="generic"):
    modulus, options = SMALL[name]
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target=target, options=options))


@cache
def small_netlist(name):
    one = small(name)
    return read(core_verilog(one), one.top)


def claim(one):
    modulus = one.request.modulus
    return claim_of(one.core.function, one.parameters.i, one.parameters.o, modulus.value if modulus else None)


def operation(one, netlist):
    """The operation of a netlist, its claim not yet decided."""
    storage = find_storage(netlist)
    cycles = storage.ready + 2
    rows = alone(netlist, cycles + 3, cycles - 1)
    known = around(netlist, cycles, transfer(netlist, {}))
    resting = resting_of(netlist, rows, interval_of(netlist, known), storage.ready)
    unrolled = Unrolled(netlist, known, rows, resting=resting)
    return operation_of(unrolled, claim(one), storage)


def interval_of(netlist, rows):
    return find_interval([known_bit(netlist.outputs["i_ready"], row) for row in rows])


def attempt(one, netlist, monkeypatch, seconds=0.5):
    """The theorem of a netlist that was read, with a short search for failures."""
    monkeypatch.setattr(theorem, "find_failure", lambda n, c, cycles: find_failure(n, c, cycles, seconds))
    found = Theorem(NOT_PROVED, "")
    prove_claim(netlist, claim(one), one.schedule.latency, found)
    return found


# --- polynomials and words


def test_a_bit_is_its_own_square():
    ring = Ring()
    bit, word = ring.atom("b", 0, 1), ring.atom("w", 0, 15)
    assert ring.times(bit, bit) == bit
    assert ring.times(word, word) != word
    assert ring.interval(ring.times(bit, word) - word) == (-15, 15)


def test_polynomials_are_in_lowest_terms():
    ring = Ring()
    word = ring.atom("w", 0, 255)
    half = word.scaled(2, 2)
    assert (half.terms, half.shift) == ({(0,): 1}, 1)
    assert half + half == word
    assert word - word == Poly()
    assert (ONE + number(-1)).constant == 0


def test_slices_of_a_value_are_what_was_put_there():
    words = Words()
    x, y = (words.whole(words.node("input", 8, name=name)) for name in "xy")
    both = words.join([*x, *constant(5, 3), *y])
    assert words.slice(both, 0, 8) == x
    assert words.slice(both, 11, 8) == y
    assert number_of(words.slice(both, 8, 3)) == 5
    assert words.join([*words.slice(both, 0, 4), *words.slice(both, 4, 4)]) == x
    assert width_of(both) == 19


@pytest.mark.parametrize("table", range(0, 256, 7))
def test_a_function_of_words_is_a_sum_of_conjunctions(table):
    """Of every third word of four bits each, the polynomial has the value of the function."""
    words, facts = Words(), Facts({})
    leaves = [words.whole(words.node("input", 4, name=name)) for name in "abc"]
    value = words.bitwise(table, leaves, "f")
    poly = facts.reading(value).poly
    for given in product(range(0, 16, 3), repeat=3):
        values = {k: given["abc".index(atom.name)] for k, atom in enumerate(facts.ring.atoms) if atom.name in "abc"}
        for atom, parts in facts.conjunctions.items():
            values[atom] = reduce(and_, (evaluated(part, values) for part in parts))
        due = sum((table >> sum((x >> k & 1) << n for n, x in enumerate(given)) & 1) << k for k in range(4))
        assert evaluated(poly, values) == due


def evaluated(poly, values):
    """The value of a polynomial with integer coefficients."""
    return sum(value * prod(values[atom] for atom in monomial) for monomial, value in poly.items())


def test_functions_of_bits_are_found_equal():
    words = Words()
    x, y = (words.whole(words.node("input", 4, name=name)) for name in "xy")
    no = words.invert(words.bitwise(0x8, [x, y], ""), "")
    assert no == words.bitwise(0xE, [words.invert(x, ""), words.invert(y, "")], "")
    assert number_of(words.bitwise(0x6, [x, x], "")) == 0
    assert number_of(words.bitwise(0x8, [words.unknown("?", 4), constant(0, 4)], "")) == 0


# --- theorems


@pytest.mark.parametrize("name", SMALL)
def test_the_claim_of_an_operation_is_decided(name):
    one = small(name)
    found = operation(one, small_netlist(name))
    decide(claim(one), found)
    assert [case.code for case in found.cases].count(0) == 1


@pytest.mark.parametrize(
    "name", ["modadd/carry", *(pytest.param(n, marks=pytest.mark.campaign) for n in list(SMALL)[1:])]
)
def test_the_theorem_of_a_core_is_proved(name):
    one = small(name)
    found = prove_verilog(one, core_verilog(one))
    assert (found.status, found.detail, found.operands) == (PROVED, "", {})


@cache
def log(name):
    """The log of a core whose operation is decided; its streams are taken as proved here, which takes ABC seconds."""
    one, netlist = small(name), small_netlist(name)
    found = operation(one, netlist)
    decide(claim(one), found)
    storage = find_storage(netlist)
    proved = Theorem(PROVED, "", claim=claim(one), operation=found, storage=storage, netlist=netlist)
    proved.interval = interval_of(netlist, found.unrolled.around)
    proved.rests = rests_of(found.unrolled)
    proved.probes = probes_of(netlist, found.unrolled, {})
    return json.loads(json.dumps(log_of(proved, core_verilog(one), one.top)))


@pytest.fixture
def verilog_file(tmp_path):
    path = tmp_path / "core.v"

    def write(name):
        path.write_text(core_verilog(small(name)), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", SMALL)
def test_a_log_is_accepted(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10)


@pytest.mark.campaign
@pytest.mark.parametrize("name", SMALL)
def test_the_atoms_of_a_log_have_the_values_of_ten_thousand_operations(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10_000)


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
    """The first cut of a log, made a bit shorter."""
    cut = next(atom for atom in changed["atoms"] if atom[3] == "low" and atom[5] > 1)
    cut[5] -= 1
    return cut


@pytest.mark.parametrize("lie", LIES)
def test_a_log_that_lies_is_refused(lie, verilog_file):
    changed = copy.deepcopy(log("modmul/r64"))
    LIES[lie](changed)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file("modmul/r64"), operations=5)


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
    with pytest.raises(RefusedError, match="earlier than the log says"):
        checker.check(changed, verilog_file("modmul/limb-fold-karatsuba"), operations=1)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', "no JSON"])
def test_the_checker_refuses_what_is_no_log(text, tmp_path, capsys):
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    assert checker.main([str(path), str(path)]) == 1
    assert capsys.readouterr().out.startswith("refused: ")


def test_a_given_verilog_is_refuted_with_operands_that_fail(monkeypatch):
    one = small("modmul/limb-scan")
    verilog, count = re.subn(r"(\bx\b\[7:4\] \+ \\\$\d+ ) ?;", r"\1 + 1'h1;", core_verilog(one))
    assert count == 1
    found = prove_verilog(one, verilog)
    assert found.status == REFUTED
    assert set(found.operands) == {"x", "y", "m", "q"}


def test_an_accumulator_one_bit_short_is_refuted():
    """The bug of a published operand-scanning (FIOS) multiplier: the sum of a column loses its top carry."""
    one = small("modmul/r64")

    def short(p, schedule):
        return Ports(one.core.build(replace(p, accumulator=p.accumulator - 1), schedule), p.i, p.o)

    found = prove_verilog(one, one.emitted("ports with an accumulator one bit short", short, one.top))
    assert found.status == REFUTED
    assert set(found.operands) == {"x", "y", "m", "q"}


def test_a_claim_that_is_not_stated_is_not_proved():
    core = find("modmul/sor-lean")
    one = prepare(core, Request.make(core, modulus="0x3d", target="generic"))
    found = prove_verilog(one, "")
    assert found.status == NOT_PROVED
    assert "several words" in found.detail or "residues" in found.detail


def test_twenty_kinds_of_bugs():
    assert len(KINDS) >= 20


QUICK = ["lost carry", "lost top bit", "swapped limbs", "sum for difference", "one operand for both"]


@pytest.mark.parametrize("bug", QUICK)
def test_the_claim_of_a_netlist_with_a_bug_is_not_decided(bug):
    """The first that fails in simulation; those in control are left to the proof of the streams."""
    one = small("modmul/r64")
    for module in KINDS[bug](dict(small_netlist("modmul/r64").module)):
        netlist = netlist_of(module)
        if find_failure(netlist, claim(one), one.schedule.latency, 0.05)[0] and not decided(one, netlist):
            return
    pytest.fail("no bug of this kind shows")


def decided(one, netlist):
    """Whether the claim of an operation is decided."""
    try:
        decide(claim(one), operation(one, netlist))
    except (UndecidedError, UnsupportedError):
        return False
    return True


@pytest.mark.campaign
@pytest.mark.parametrize("bug", KINDS)
@pytest.mark.parametrize("name", SMALL)
def test_no_netlist_with_a_bug_is_proved(name, bug, monkeypatch):
    """A variant that is proved all the same is as good as the core: no operands make it fail."""
    one = small(name)
    for module in islice(KINDS[bug](dict(small_netlist(name).module)), 6):
        netlist = netlist_of(module)
        found = attempt(one, netlist, monkeypatch)
        if found.status == PROVED:
            assert find_failure(netlist, claim(one), one.schedule.latency, 2.0) == ({}, "")


# --- in the package and the report


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


def test_names_of_the_checker_s_modules_are_its_own():
    """So that they can stand in one file."""
    names = [
        node.name
        for module in CHECKER_MODULES
        for node in ast.parse((Path(checker.__file__).parent / f"{module}.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    assert len(names) == len(set(names))


def test_a_package_has_no_log_where_the_theorem_is_not_proved():
    core = find("modmul/sor-lean")
    with pytest.raises(UsageError, match="the theorem of modmul/sor-lean is not proved: "):
        theorem_files(prepare(core, Request.make(core, modulus="0x3d", target="generic")))


def test_the_theorem_is_a_row_of_the_proofs():
    one = small("modadd/carry")
    row = proof_of(one, core_verilog(one))
    assert (row.name, row.status, row.detail) == ("theorem", "proved", "")
    assert "x + y (mod m)" in row.statement
