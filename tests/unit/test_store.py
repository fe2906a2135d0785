# SPDX-License-Identifier: Apache-2.0
"""The store: made once, never half, safe for two at a time."""

import errno
import json
import os
import shutil
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier

import pytest

from modwright.base import disk, seal
from modwright.base import store as store_module
from modwright.base.errors import UsageError
from modwright.base.seal import SEAL
from modwright.base.signals import Terminated, ended_by_sigterm
from modwright.base.store import (
    Store,
    default_store,
    digest_of,
    remove_unfinished,
    source_digest,
    temporary_folder_for,
    version_of,
    whole_file,
)


def test_a_result_is_made_once(tmp_path):
    store = Store(tmp_path / "store")
    calls = []

    def make():
        calls.append(1)
        return {"b": 2, "a": [1, 2]}

    assert store.peek("kind", "digest") is None
    assert store.json("kind", "digest", make) == store.json("kind", "digest", make) == {"b": 2, "a": [1, 2]}
    assert store.peek("kind", "digest") == {"b": 2, "a": [1, 2]}
    assert calls == [1]
    store.json("kind", "other", make)
    store.json("other", "digest", make)
    assert calls == [1, 1, 1]


def test_what_fails_leaves_nothing(tmp_path):
    store = Store(tmp_path)

    def fail(folder):
        (folder / "half").write_text("written")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        store.folder("kind", "digest", fail)
    assert list((tmp_path / "kind").iterdir()) == []
    folder = store.folder("kind", "digest", lambda f: (f / "whole").write_text("yes"))
    assert sorted(p.name for p in folder.iterdir()) == [SEAL, "whole"]


def test_a_result_is_not_seen_before_it_is_whole(tmp_path):
    store = Store(tmp_path)

    def make(folder):
        (folder / "result.json").write_text("{}")
        assert store.peek("kind", "digest") is None

    store.folder("kind", "digest", make)
    assert store.peek("kind", "digest") == {}


def test_two_at_a_time_give_one_result(tmp_path):
    store = Store(tmp_path)
    both = Barrier(2)

    def make():
        both.wait(timeout=10)  # neither has written yet
        return {"value": 1}

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(store.json, "kind", "digest", make) for _ in range(2)]
        assert [future.result() for future in futures] == [{"value": 1}] * 2
    assert len(list((tmp_path / "kind").iterdir())) == 1


def test_what_stands_in_the_way_is_replaced(tmp_path, capsys):
    def make(folder):
        (tmp_path / "kind" / "digest").write_text("a file in the way")
        (folder / "whole").write_text("yes")

    assert (Store(tmp_path).folder("kind", "digest", make) / "whole").read_text() == "yes"
    assert [p.name for p in (tmp_path / "kind").iterdir()] == ["digest"]


def test_a_failed_rename_is_told(tmp_path, monkeypatch):
    def refuse(path, target):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(UsageError, match="Input/output error"):
        Store(tmp_path).folder("kind", "digest", lambda folder: None)


# --- damage


def remove_seal(folder):
    (folder / SEAL).unlink()


def remove_result(folder):
    (folder / "result.json").unlink()


def empty(folder):
    (folder / "result.json").write_bytes(b"")


def cut(folder):
    (folder / "result.json").write_bytes((folder / "result.json").read_bytes()[:-3])


def change(folder):
    path = folder / "result.json"
    path.write_bytes(path.read_bytes().replace(b"17", b"71"))


def garble(folder):
    (folder / "result.json").write_bytes(bytes(range(256)))


def add(folder):
    (folder / "refused.txt").write_text("another file")


def spoil_seal(folder):
    (folder / SEAL).write_bytes(b"\xff{")


def unlist(folder):
    seal = json.loads((folder / SEAL).read_text())
    seal["files"] = {}
    (folder / SEAL).write_text(json.dumps(seal))


def empty_folder(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def a_file(folder):
    shutil.rmtree(folder)
    folder.write_text("a file")


def a_link(folder):
    shutil.rmtree(folder)
    folder.symlink_to("nowhere")


def a_folder_for_the_file(folder):
    (folder / "result.json").unlink()
    (folder / "result.json").mkdir()


def of_another(folder):
    other = folder.with_name("other")
    shutil.rmtree(folder)
    shutil.copytree(other, folder)


DAMAGE = [
    remove_seal, remove_result, empty, cut, change, garble, add, spoil_seal, unlist, empty_folder, a_file, a_link,
    a_folder_for_the_file, of_another,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_made_anew_with_one_line(tmp_path, capsys, damage):
    calls = []

    def make():
        calls.append(1)
        return {"value": 17}

    Store(tmp_path).json("kind", "digest", make)
    Store(tmp_path).json("kind", "other", lambda: {"value": 18})
    damage(tmp_path / "kind" / "digest")
    store = Store(tmp_path)
    assert store.peek("kind", "digest") is None
    assert store.json("kind", "digest", make) == {"value": 17}
    assert len(calls) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "kind in the store is damaged" in line
    assert str(tmp_path / "kind" / "digest") in line
    assert Store(tmp_path).json("kind", "digest", make) == store.peek("kind", "digest") == {"value": 17}
    assert len(calls) == 2
    assert sorted(p.name for p in (tmp_path / "kind").iterdir()) == ["digest", "other"]


def test_what_cannot_be_read_is_made_anew(own_folder, capsys):
    store = Store(own_folder)
    store.json("kind", "digest", lambda: 1)
    (own_folder / "kind" / "digest").chmod(0)
    assert store.json("kind", "digest", lambda: 2) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert [p.name for p in (own_folder / "kind").iterdir()] == ["digest"]


def test_what_is_damaged_is_left_out_of_a_kind(tmp_path, capsys):
    store = Store(tmp_path)
    for name in ("one", "two", "three"):
        store.json("kind", name, lambda name=name: name)
    garble(tmp_path / "kind" / "two")
    assert [value for _, value in Store(tmp_path).every("kind")] == ["one", "three"]
    assert "left out" in capsys.readouterr().err


def test_what_is_whole_is_read_for_its_digest_once(tmp_path, monkeypatch):
    Store(tmp_path).json("kind", "digest", lambda: 1)
    monkeypatch.setattr(seal, "_whole", {})
    digests, read = [], seal.file_digest
    monkeypatch.setattr(seal, "file_digest", lambda path: (digests.append(path.name), read(path))[1])
    assert [Store(tmp_path).peek("kind", "digest") for _ in range(3)] == [1, 1, 1]
    assert digests == ["result.json"]


def test_everything_is_on_the_disk_before_a_result_is_seen(tmp_path, monkeypatch):
    events, flush, rename = [], seal.flush, Path.rename
    for module in (seal, store_module):
        monkeypatch.setattr(module, "flush", lambda path: (events.append(path.name), flush(path)))
    monkeypatch.setattr(Path, "rename", lambda path, target: (events.append("rename"), rename(path, target)))
    Store(tmp_path).folder("kind", "digest", lambda folder: (folder / "whole").write_text("yes"))
    assert events[:2] == ["whole", SEAL]
    assert events[2].startswith(".making-")
    assert events[3:] == ["rename", "kind"]


def test_a_file_and_the_names_in_a_folder_are_given_to_the_disk(tmp_path, monkeypatch):
    given, file = [], tmp_path / "file"
    file.write_text("kept")
    monkeypatch.setattr(os, "fsync", lambda handle: given.append(os.fstat(handle).st_ino))
    for path in (file, tmp_path):
        disk.flush(path)
    assert given == [file.stat().st_ino, tmp_path.stat().st_ino]


def _use(root, rounds):
    """In a process of its own: every value that a store gave while another process damages and mends it, too."""
    store, found = Store(Path(root)), []
    for number in range(rounds):
        found.append(store.json("kind", "digest", lambda: {"value": 17}))
        if number % 20 == 10:  # fewer times than a store tries, so that each process comes to its reading
            with suppress(OSError):
                change(Path(root) / "kind" / "digest")
    return found


def test_two_processes_that_mend_one_result_never_see_a_wrong_one(tmp_path):
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        futures = [pool.submit(_use, str(tmp_path), 60) for _ in range(2)]
        for future in futures:
            assert future.result() == [{"value": 17}] * 60
    assert [p.name for p in (tmp_path / "kind").iterdir()] == ["digest"]


def test_a_folder_without_permission_is_an_error_for_the_user(own_folder):
    target = own_folder / "deep" / "target"
    own_folder.chmod(0o500)
    with pytest.raises(UsageError, match=r"cannot write.*: Permission denied"), temporary_folder_for(target):
        pass
    own_folder.chmod(0o700)
    with temporary_folder_for(target) as work:
        assert work.is_dir()


def test_a_file_where_a_folder_should_be_is_an_error_for_the_user(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"), temporary_folder_for(tmp_path / "file" / "target"):
        pass


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path):
    path = tmp_path / "folder" / "file"
    with whole_file(path) as partial:
        partial.write_text("first")
        assert not path.exists()
    with pytest.raises(RuntimeError), whole_file(path) as partial:
        partial.write_text("half")
        raise RuntimeError("stopped")
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(UsageError, match="cannot write"), whole_file(path / "below"):
        pytest.fail("there can be no such file")


def test_digests_depend_on_every_part_and_on_no_order_of_keys():
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    found = {digest_of("a", 1), digest_of("a", 2), digest_of("a1"), digest_of(["a", 1]), digest_of()}
    assert len(found) == 5
    assert all(len(digest) == 64 for digest in found)


def test_the_digest_of_the_source_follows_every_file(monkeypatch, tmp_path):
    def digest():
        source_digest.cache_clear()
        return source_digest()

    try:
        monkeypatch.setattr("modwright.base.store.__file__", str(tmp_path / "base" / "store.py"))
        (tmp_path / "base").mkdir()
        (tmp_path / "base" / "store.py").write_text("a = 1\n")
        seen = [digest(), digest()]
        changes = {"map.v": "wire\n", "base/store.py": "a = 2\n", "bench/record.json": "{}\n", "x.pyc": ""}
        for name, text in changes.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
            seen.append(digest())
    finally:
        source_digest.cache_clear()
    assert seen[0] == seen[1] and seen[3] == seen[4] == seen[5], "bytecode and measured records are no source"
    assert len({seen[1], seen[2], seen[3]}) == 3 and len(seen[0]) == 64


def test_versions_of_what_is_there_and_what_is_not():
    assert version_of("amaranth").startswith("0.5")
    assert version_of("no-such-distribution") == "absent"


def test_the_default_store_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "here"))
    assert default_store().root == tmp_path / "here"
    monkeypatch.delenv("MODWRIGHT_CACHE")
    assert default_store().root != Path()
    assert "modwright" in str(default_store().root)


def test_what_a_killed_process_was_making_is_removed(tmp_path):
    """That of others stays."""
    store = Store(tmp_path)
    for name in (".making-12-a", ".making-123-b", "whole"):
        (tmp_path / "kind" / name).mkdir(parents=True)
    with temporary_folder_for(tmp_path / "kind" / "x") as own:
        assert own.name.startswith(f".making-{os.getpid()}-")
        remove_unfinished(store, 12)
        assert own.is_dir()
    assert {path.name for path in (tmp_path / "kind").iterdir()} == {".making-123-b", "whole"}


def test_a_signal_that_comes_twice_at_once_is_one(tmp_path):
    """SIGTERM, the signal of `timeout`: a half made file is still removed."""
    with pytest.raises(Terminated), ended_by_sigterm(), temporary_folder_for(tmp_path / "x"):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
    assert not list(tmp_path.iterdir())
