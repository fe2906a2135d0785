# SPDX-License-Identifier: Apache-2.0
"""Waves: the dump holds the decoded integers at the right times, and the viewers' files name what is there."""

import re

import pytest

from modwright.base.errors import UsageError
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.simulate import Stalls, Stimulus, run, wave

from ..toy import TOY

CASES = [{"x": 3, "y": 5}, {"x": 60, "y": 60}, {"x": 61, "y": 1}]


@pytest.fixture
def prepared(store):
    document = {"core": TOY.name, "modulus": "61", "target": "generic"}
    return prepare(TOY, Request.from_mapping(TOY, document), store)


def read_dump(text):
    """Full names by code, and (time in ns, name, value) of every string."""
    names, scope = {}, []
    for word, rest in re.findall(r"^\$(scope module|upscope|var) ?(.*?) ?\$end$", text, flags=re.MULTILINE):
        if word == "scope module":
            scope.append(rest)
        elif word == "upscope":
            scope.pop()
        else:
            _, _, code, name = rest.split()
            names.setdefault(code, []).append(".".join([*scope, name]))
    changes, time = [], 0
    for line in text.partition("$enddefinitions")[2].splitlines():
        if line.startswith("#"):
            assert int(line[1:]) >= time
            time = int(line[1:])
        elif line.startswith("s"):
            value, code = line[1:].split()
            changes.append((time // 1_000_000, names[code][0], value))
    return names, changes


def test_decoded_integers_are_at_their_cycles(prepared, tmp_path):
    files = wave(prepared, CASES, tmp_path / "out", stalls=Stalls(3))
    assert [f.name for f in files] == ["modmul_toy.vcd", "modmul_toy.gtkw", "modmul_toy.sucl"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(f.name for f in files)
    _, changes = read_dump(files[0].read_text())
    i = prepared.parameters.i
    trace = run(prepared, Stimulus([i.pack(case) for case in CASES], Stalls(3)), "pure")
    for k, (case, z) in enumerate(zip(CASES, (15, 60 * 60 % 61, 0), strict=True)):
        accepted, valid = (max(0, cycle * 10 - 5) for cycle in (trace.accepted[k], trace.valid[k]))
        assert (accepted, "plain.i_operation", str(k)) in changes
        assert (accepted, "plain.i_x", hex(case["x"])) in changes
        assert (accepted, "plain.i_y", hex(case["y"])) in changes
        assert (valid, "plain.o_operation", str(k)) in changes
        assert (valid, "plain.o_z", hex(z)) in changes
    assert (max(0, trace.valid[2] * 10 - 5), "plain.o_error", "not_reduced") in changes


def test_viewers_show_signals_that_exist(prepared, tmp_path):
    dump, gtkwave, surfer = wave(prepared, CASES, tmp_path)
    names = {name for group in read_dump(dump.read_text())[0].values() for name in group}
    shown = re.findall(r"^variable_add (.*)$", surfer.read_text(), flags=re.MULTILINE)
    assert set(shown) <= names
    assert {"bench.top.i__valid", "bench.top.o__payload", "plain.i_x", "plain.o_z"} <= set(shown)
    assert [line for line in gtkwave.read_text().splitlines() if line in names] == shown
    assert surfer.read_text().startswith("load_file modmul_toy.vcd\n")
    assert '[dumpfile] "modmul_toy.vcd"' in gtkwave.read_text()


def test_same_cases_same_bytes(prepared, tmp_path):
    first, second = (wave(prepared, CASES, tmp_path / name) for name in "ab")
    assert [f.read_bytes() for f in first] == [f.read_bytes() for f in second]
    assert not any(str(tmp_path) in f.read_text() or "$date" in f.read_text() for f in first)


def test_no_case(prepared, tmp_path):
    with pytest.raises(UsageError, match="at least one case"):
        wave(prepared, [], tmp_path / "out")
    assert not (tmp_path / "out").exists()
