# SPDX-License-Identifier: Apache-2.0
"""The checker of a log about operations in turn, and bugs in the netlist: what it accepts, and what it refuses."""

import copy
from itertools import islice
from random import Random

import pytest

from modwright.checker import check as checker
from modwright.checker import netlist as words
from modwright.checker import operation as checked
from modwright.checker.carries import limb_of
from modwright.checker.netlist import RefusedError
from modwright.prove.theorem.netlist import netlist_of
from modwright.prove.theorem.refute import draw, judge, run

from .planted_bugs import KINDS, with_error_of_a_word
from .small_theorems import IN_TURN, SMALL, WITH_MEMORY, claim, log, small, small_netlist
from .small_theorems import read_once as read_once
from .small_theorems import verilog_file as verilog_file

SLOTS, PLACES = IN_TURN


@pytest.mark.parametrize("name", IN_TURN)
def test_a_log_is_accepted(name, verilog_file):
    checker.check(log(name), verilog_file(name), operations=10)


# --- lies


def low(changed):
    """The last atom that is the lowest bits of a word."""
    return next(atom for atom in reversed(changed["atoms"]) if atom[3] == "low")


def flipped(changed):
    """The number of a register in the last phase, with another lowest bit."""
    return hex(int(changed["phases"][-1][0][1], 16) ^ 1)


def queue(changed, taken):
    """A queue that the reader takes from, or one that the operation does."""
    return next(queue for queue in changed["queues"] if (queue[2] is None) != taken)


LIES = {
    "a changed step": lambda changed: low(changed).__setitem__(5, low(changed)[5] - 1),
    "a term of the quotient less": lambda changed: changed["quotient"][1].pop(),
    "a missing lemma on control": lambda changed: changed["held"].pop(),
    "another lemma on control": lambda changed: changed["held"][0].__setitem__(4, 1 - changed["held"][0][4]),
    "a lemma of another phase": lambda changed: changed["held"][0].__setitem__(3, changed["held"][0][3] + 1),
    "a missing phase": lambda changed: changed["phases"].pop(),
    "phases in another order": lambda changed: changed["phases"].reverse(),
    "another state of a phase": lambda changed: changed["phases"][-1][0].__setitem__(1, flipped(changed)),
    "no phases": lambda changed: changed["phases"].clear(),
    "phases of the other kind": lambda changed: changed.update(counted=not changed["counted"]),
    "a longer interval": lambda changed: changed.update(interval=changed["interval"] + 1),
    "an earlier result": lambda changed: changed.update(ready=changed["ready"] - 1),
    "a queue that is put to later": lambda changed: queue(changed, False).__setitem__(1, queue(changed, False)[1] + 1),
    "a queue that another bit puts to": lambda changed: queue(changed, False).__setitem__(3, queue(changed, False)[4]),
    "a queue less": lambda changed: changed["queues"].remove(queue(changed, False)),
}
"""Lies about either core."""
OF_SLOTS = {
    "a word that is taken earlier": lambda changed: queue(changed, True).__setitem__(2, queue(changed, True)[2] - 1),
    "a word that the reader takes": lambda changed: queue(changed, True).__setitem__(2, None),
}
OF_PLACES = {
    "a write that is not elsewhere": lambda changed: changed["elsewhere"].pop(),
    "a write elsewhere in another phase": lambda changed: changed["elsewhere"][0].__setitem__(4, 9),
}
QUICK = (
    "a changed step",
    "a missing lemma on control",
    "a missing phase",
    "a queue that another bit puts to",
    *OF_SLOTS,
)
EVERY = [(SLOTS, lie) for lie in (*LIES, *OF_SLOTS)] + [(PLACES, lie) for lie in (*LIES, *OF_PLACES)]


@pytest.mark.parametrize(
    ("name", "lie"),
    [
        pytest.param(name, lie, marks=[] if lie in (QUICK if name == SLOTS else OF_PLACES) else pytest.mark.campaign)
        for name, lie in EVERY
    ],
)
def test_a_log_that_lies_is_refused(name, lie, verilog_file):
    changed = copy.deepcopy(log(name))
    (LIES | OF_SLOTS | OF_PLACES)[lie](changed)
    with pytest.raises(RefusedError):
        checker.check(changed, verilog_file(name), operations=8)


def test_another_core_s_log_is_refused(verilog_file):
    with pytest.raises(RefusedError, match="another Verilog"):
        checker.check(log(SLOTS), verilog_file(PLACES))


# --- rules


def inputs(bits=4):
    return tuple(words.node("input", bits, ((None, 0, 0),), name) for name in "xy")


def flags(x, y, *, all_ones=True):
    """Whether x + y has a carry, and whether it has one or is all ones."""
    total = words.node("$add", 5, (*x, (None, 0, 1)), (*y, (None, 0, 1)))
    made, some_equal = words.cut(total, 4, 1), words.nonzero(words.invert(words.gate("$xor", x, y)))
    return made, words.gate("$or", made, words.invert(some_equal) if all_ones else some_equal)


def test_flags_of_a_limb_are_found_with_its_words():
    x, y = inputs()
    assert limb_of(*flags(x, y)) == ()
    assert limb_of(*flags(x, y, all_ones=False)) is None
    assert limb_of(flags(x, y)[0], flags(x, x)[1]) is None
    assert limb_of(*flags(x, y)[::-1]) is None


def test_a_bit_absorbs_what_holds_only_with_it():
    x, y = (words.cut(word, 0, 1) for word in inputs())
    assert words.gate("$and", x, words.gate("$or", x, y)) == x
    assert words.gate("$or", words.gate("$and", x, y), y) == y
    assert words.gate("$or", x, words.gate("$or", x, y)) != x


# --- bugs

ALL = (*SMALL, *WITH_MEMORY, *IN_TURN)
SHOWN = [("modmul/binary-serial", "lost top bit"), ("modmul/r64", "swapped limbs")]
TRIED = 3
"""Places of a bug of one kind that are tried."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=[] if (name, kind) in SHOWN else pytest.mark.campaign)
        for name in ALL
        for kind in KINDS
    ],
)
def test_a_netlist_with_a_bug_is_refused_with_the_log_of_the_right_one(name, kind, verilog_file, monkeypatch):
    """Bugs that show in the result of an operation; that there is one is of the streams, which the log has."""
    for module in islice(KINDS[kind](dict(small_netlist(name).module)), TRIED):
        if fails_alone(small(name), netlist_of(module)):
            monkeypatch.setattr(checked, "load", lambda *_, module=module: module)
            with pytest.raises(RefusedError):
                checker.check(log(name), verilog_file(name), operations=20)


def test_an_error_code_that_depends_on_a_word_is_refused(verilog_file, monkeypatch):
    module = with_error_of_a_word(small_netlist("modmul/r64").module)
    monkeypatch.setattr(checked, "load", lambda *_: module)
    with pytest.raises(RefusedError, match="the error code depends on a word and not on tests"):
        checker.check(log("modmul/r64"), verilog_file("modmul/r64"), operations=1)


def fails_alone(one, netlist):
    """Whether an operation after a reset has a result, and a wrong one."""
    widths = {name[2:]: netlist.widths[source] for name, source in netlist.inputs.items() if name[:2] == "i_"}
    tries = draw(claim(one), {name: width for name, width in widths.items() if name != "valid"}, Random(1))
    for operands in islice(tries, 12):
        (outcome,) = run(netlist, [operands], 2 * one.schedule.latency)
        if outcome is not None and judge(claim(one), operands, outcome):
            return True
    return False
