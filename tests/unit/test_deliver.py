# SPDX-License-Identifier: Apache-2.0
"""Folders that appear whole or not at all, and generated files that say what they are."""

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
import yaml

from modwright import deliver
from modwright.base.errors import UsageError
from modwright.base.store import Store, whole_file
from modwright.bus import ONE_CLOCK, RegisterBlock, Wiring
from modwright.contract.request import Request
from modwright.deliver.vectors import golden
from modwright.deliver.verilog import BUSES, wrapper_verilog
from modwright.driver import FOLDER, SOURCES, operations, parts
from modwright.prepared import prepare
from modwright.prepared.registry import find

from ..toy import TOY

FILES = {"a.v": "module a;\n", "b.json": "{}\n"}


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_a_new_folder(tmp_path):
    folder = tmp_path / "deep" / "out"
    deliver.write_folder(folder, FILES, "d")
    assert names(folder) == ["a.v", "b.json", "manifest.json"]
    assert (folder / "a.v").read_text() == FILES["a.v"]
    assert names(folder.parent) == ["out"]
    assert deliver.is_unchanged(folder, "d")
    assert not deliver.is_unchanged(folder, "e")


def test_what_modwright_made_is_replaced(tmp_path):
    folder = tmp_path / "out"
    deliver.write_folder(folder, FILES, "d")
    deliver.write_folder(folder, {"c.v": "module c;\n"}, "e")
    assert names(folder) == ["c.v", "manifest.json"]
    assert names(tmp_path) == ["out"]


def interrupted_at(number, action):
    """Whether the action came to the line of that number, of those of its file, and was interrupted before it."""
    left = number

    def trace(frame, event, argument):
        nonlocal left
        if event == "line" and frame.f_code.co_filename.endswith("deliver/folder.py"):
            left -= 1
            if not left:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def test_an_interrupt_at_any_line_leaves_the_former_files_or_the_new_ones(tmp_path):
    folder, ends = tmp_path / "out", []
    for number in count(1):
        deliver.write_folder(folder, FILES, "d")
        interrupted = interrupted_at(number, lambda: deliver.write_folder(folder, {"c.v": "module c;\n"}, "e"))
        assert names(tmp_path) == ["out"]
        ends.append((deliver.is_unchanged(folder, "d"), deliver.is_unchanged(folder, "e")))
        if not interrupted:
            break
    former = ends.count((True, False))
    assert former > 20 and ends == [(True, False)] * former + [(False, True)] * (len(ends) - former)


def test_an_empty_folder_is_used(tmp_path):
    deliver.write_folder(tmp_path, FILES, "d")
    assert names(tmp_path) == ["a.v", "b.json", "manifest.json"]


@pytest.mark.parametrize("spoil", ["foreign", "edited", "no manifest"])
def test_what_others_made_is_kept(tmp_path, spoil):
    folder = tmp_path / "out"
    deliver.write_folder(folder, FILES, "d")
    if spoil == "foreign":
        (folder / "notes.txt").write_text("mine")
    elif spoil == "edited":
        (folder / "a.v").write_text("module mine;\n")
    else:
        (folder / "manifest.json").unlink()
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(UsageError, match="did not write") as caught:
        deliver.write_folder(folder, {"c.v": ""}, "e")
    assert "--force" in caught.value.hint
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_force_keeps_foreign_files(tmp_path):
    folder = tmp_path / "out"
    deliver.write_folder(folder, FILES, "d")
    (folder / "notes.txt").write_text("mine")
    deliver.write_folder(folder, {"a.v": "module b;\n"}, "e", force=True)
    assert names(folder) == ["a.v", "manifest.json", "notes.txt"]
    assert (folder / "a.v").read_text() == "module b;\n"


def test_force_keeps_a_file_that_was_changed_and_is_no_longer_written(tmp_path):
    folder = tmp_path / "out"
    deliver.write_folder(folder, {**FILES, "b.v": "", "c.v": ""}, "d")
    (folder / "b.v").write_text("mine")
    deliver.write_folder(folder, FILES, "e", force=True)
    assert names(folder) == sorted([*FILES, "b.v", "manifest.json"])
    assert (folder / "b.v").read_text() == "mine"


def test_the_working_folder_stays_the_same_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    deliver.write_folder(tmp_path, FILES, "d")
    deliver.write_folder(tmp_path, {"c.v": ""}, "e")
    assert names(tmp_path) == ["c.v", "manifest.json"]
    assert tmp_path.stat().st_ino == before


def test_an_error_on_the_way_changes_nothing(tmp_path):
    folder = tmp_path / "out"
    deliver.write_folder(folder, FILES, "d")
    with pytest.raises(KeyboardInterrupt), deliver.filled_folder(folder, "e") as work:
        (work / "half.v").write_text("module")
        raise KeyboardInterrupt
    assert deliver.is_unchanged(folder, "d")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("closed", ["", "out"])
def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, closed):
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path / closed)
    with pytest.raises(UsageError, match="cannot write"):
        deliver.check_folder(tmp_path / "out")
    with pytest.raises(UsageError, match="cannot write"):
        deliver.check_folder(tmp_path / closed / "new")


@pytest.mark.parametrize("target", ["file", "file/out"])
def test_a_file_in_the_way(tmp_path, target):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        deliver.check_folder(tmp_path / target)


def test_a_manifest_cannot_name_files_outside(tmp_path):
    folder, outside = tmp_path / "out", tmp_path / "precious"
    deliver.write_folder(folder, FILES, "d")
    outside.write_text("mine")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["../precious"] = deliver.sha256(outside)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "notes.txt").write_text("mine")
    deliver.write_folder(folder, {"a.v": ""}, "e", force=True)
    assert outside.read_text() == "mine"


def test_the_verilog_says_what_it_is(run, toy_only):
    assert run("generate", TOY.name, "-m", 97, "-O", "latency=4", "-o", "out") == 0
    assert run.out == "out/modmul_toy.v\n"
    text = (toy_only / "out" / "modmul_toy.v").read_text()
    head = text.partition("\nmodule ")[0]
    for part in (
        "SPDX-License-Identifier",
        "Modulus: 0x61",
        "Latency: 4 cycles",
        "every 2 cycles",
        "z: 8 bits, < 0x61",
    ):
        assert part in head
    assert max(map(len, head.splitlines())) <= 120
    assert str(toy_only) not in text
    command = re.search(r"Made by: (.*)", head).group(1)
    assert run(*shlex.split(command)[1:], "-o", "again") == 0
    for path in (toy_only / "out").iterdir():
        assert path.read_bytes() == (toy_only / "again" / path.name).read_bytes()


def test_the_request_file_gives_the_same_again(run, toy_only):
    assert run("generate", TOY.name, "-m", 97, "-t", "xc7", "-o", "out") == 0
    assert yaml.safe_load((toy_only / "out" / "request.yaml").read_text())["target"] == "xc7"
    assert run("generate", toy_only / "out" / "request.yaml", "-o", "again") == 0
    first, second = ((toy_only / name / "modmul_toy.v").read_bytes() for name in ("out", "again"))
    assert first == second


def test_a_variable_time_core_says_so(tmp_path):
    prepared = prepare(TOY, Request.make(TOY, modulus=97), Store(tmp_path))
    step = replace(prepared.schedule.steps[0], depends_on_data=True)
    changed = replace(prepared, schedule=replace(prepared.schedule, steps=(step,)))
    assert "DEPENDS ON OPERAND VALUES" not in deliver.header(prepared)
    assert "DEPENDS ON OPERAND VALUES" in deliver.header(changed)


def test_a_curve_that_is_built_in_is_told(store):
    """With its coefficients and its base point, which the core has as constants; not where they are operands."""
    core = find("edmul/comb")
    head = deliver.header(prepare(core, Request.make(core, curve="ed25519", target="generic"), store))
    assert "// Curve: ed25519, edwards form\n" in head
    assert "//   d: 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3\n" in head
    assert f"//   base point, y: 0x{'6' * 62}58\n" in head
    for name, curve in (("ecpm/ladder", "P-256"), ("ecpm/rns-ladder", "P-256"), ("edmul/double-add", "ed25519")):
        core = find(name)
        assert "Curve:" not in deliver.header(prepare(core, Request.make(core, curve=curve, target="generic"), store))


@pytest.mark.parametrize(
    "name",
    ["modmul/csa", "modmul/orup-dsp", "modmul/limb-scan", "modexp/booth8-csa-window", "modinv/binary-divstep-rt"],
)
def test_vectors_of_a_core_for_any_modulus_of_a_width(name, tmp_path):
    """Only a width is asked for: the vectors have an odd modulus of that width, the same every time."""
    core = find(name)
    vectors = golden(prepare(core, Request.make(core, options={"bits": 13}), Store(tmp_path)))
    (modulus,) = {vector.case["modulus"] for vector in vectors}
    assert modulus.bit_length() == 13 and modulus % 2
    assert len(vectors) >= 2
    assert vectors == golden(prepare(core, Request.make(core, options={"bits": 13}), Store(tmp_path / "other")))


def test_a_file_takes_the_place_of_regular_files_only(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path, text in (
        (tmp_path / "fifo", "not a regular file"),
        (tmp_path, "not a regular file"),
        (Path(), "not a name"),
    ):
        with pytest.raises(UsageError, match=text), whole_file(path):
            pytest.fail("nothing is to be written")
    (tmp_path / "target").write_text("before")
    (tmp_path / "link").symlink_to("target")
    with whole_file(tmp_path / "link") as partial:
        partial.write_text("after")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "after"


def test_a_package_elaborates_core_and_registers_once(tmp_path, monkeypatch):
    """However many wrappers there are; a wrapper alone has the same text."""
    made = []
    core = replace(TOY, build=lambda p, s: made.append("core") or TOY.build(p, s))
    elaborate = RegisterBlock.elaborate
    monkeypatch.setattr(RegisterBlock, "elaborate", lambda self, _: made.append("registers") or elaborate(self, _))
    request = Request.make(TOY, modulus=61)
    files = deliver.package_files(prepare(core, request, Store(tmp_path / "all")))
    assert sorted(made) == ["core", "registers"]
    for bus in BUSES:
        alone = prepare(core, request, Store(tmp_path / bus))
        assert wrapper_verilog(alone, bus) == files[f"modmul_toy_{bus}.v"]


def test_files_for_gowin(store):
    """They come in addition to those of the target generic, and the heads name the command that makes them."""
    request = Request.make(find("modmul/radix2"), modulus="61", target="generic")
    prepared = prepare(find("modmul/radix2"), request, store)
    usual, files = deliver.package_files(prepared), deliver.package_files(prepared, deliver.Delivery(gowin=True))
    harness = f"{prepared.top}_gowin"
    assert usual.keys() < files.keys()
    more = {name: files[name] for name in files.keys() - usual.keys()}
    assert set(more) == {f"{harness}.v", f"{harness}.cst", f"{harness}.sdc", "gowin.tcl", "gowin.mk", "gowin.ys"}
    assert all(" -t gowin" in text.split("\nmodule")[0] for text in more.values())
    rows = dict(re.findall(r"^\| (\S+) \| (.+) \|$", files["README.md"], re.MULTILINE))
    assert all("driver" not in rows[name] for name in more)  # the words for what has none of its own
    assert ".i_valid(" in more[f"{harness}.v"] and "blackbox" not in more[f"{harness}.v"]


def test_streams_with_a_clock_of_the_core(store):
    """They have one clock, and their heads say so."""
    delivery = deliver.Delivery(Wiring(core_clock=True))
    request = Request.make(find("modmul/radix2"), modulus="61", target="generic")
    prepared = prepare(find("modmul/radix2"), request, store)
    for bus in BUSES:
        text = wrapper_verilog(prepared, bus, delivery)
        assert (ONE_CLOCK in text) == (bus in ("axis", "axis64")) == ("core_clk" not in text)


CALLED = ("modmul", "modadd", "modinv", "modexp", "ecpm", "xmul", "edmul", "ecdsa", "eddsa")
"""Functions that the driver has calls for."""


def test_the_parts_of_the_driver_that_a_function_needs(c_compiler, tmp_path):
    """Nothing is undefined when they are linked, and one less is too few."""
    for name in SOURCES:
        if name.endswith(".c"):
            subprocess.run([*c_compiler, "-fPIC", "-c", FOLDER / name, "-o", tmp_path / f"{name}.o"], check=True)
    for function in CALLED:
        calls = operations(function)
        assert calls and all(call.startswith(f"mw_{function}") for call in calls)
        user = tmp_path / "user.c"
        names = "".join(f"    (void (*)(void)){call},\n" for call in calls)
        user.write_text(f'#include "modwright.h"\nvoid (*calls[])(void) = {{\n{names}}};\n')
        link = [*c_compiler, "-fPIC", "-shared", "-Wl,-z,defs", f"-I{FOLDER}", user, "-o", tmp_path / "linked"]
        objects = [tmp_path / f"{name}.o" for name in parts(function)]
        assert subprocess.run([*link, *objects], capture_output=True, check=False).returncode == 0, function
        fewer = [path for path in objects if path.name != "modwright.c.o"]
        assert subprocess.run([*link, *fewer], capture_output=True, check=False).returncode, function
    assert operations("basext") == ()
