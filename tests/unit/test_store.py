# SPDX-License-Identifier: Apache-2.0
"""The store: made once, never half, safe for two at a time."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from modwright.errors import UsageError
from modwright.store import Store, default_store, digest_of, source_digest, temporary_beside, version_of, whole_file


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
    assert [p.name for p in folder.iterdir()] == ["whole"]


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


def test_a_failed_rename_is_told(tmp_path):
    store = Store(tmp_path)

    def make(folder):
        target = tmp_path / "kind" / "digest"
        target.write_text("a file in the way")

    with pytest.raises(OSError):
        store.folder("kind", "digest", make)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_without_permission_is_an_error_for_the_user(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot write"), temporary_beside(tmp_path / "deep" / "target"):
        pass


def test_a_file_where_a_folder_should_be_is_an_error_for_the_user(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"), temporary_beside(tmp_path / "file" / "target"):
        pass


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path):
    path = tmp_path / "folder" / "file"
    with whole_file(path) as beside:
        beside.write_text("first")
        assert not path.exists()
    with pytest.raises(RuntimeError), whole_file(path) as beside:
        beside.write_text("half")
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


def test_the_source_has_one_digest():
    assert source_digest() == source_digest()
    assert len(source_digest()) == 64


def test_versions_of_what_is_there_and_what_is_not():
    assert version_of("amaranth").startswith("0.5")
    assert version_of("no-such-distribution") == "absent"


def test_the_default_store_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "here"))
    assert default_store().root == tmp_path / "here"
    monkeypatch.delenv("MODWRIGHT_CACHE")
    assert default_store().root != Path()
    assert "modwright" in str(default_store().root)
