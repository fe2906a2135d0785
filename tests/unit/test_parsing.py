# SPDX-License-Identifier: Apache-2.0
"""Request files are YAML 1.2 of plain values, and in YAML and JSON no key stands twice."""

import json
import math

import pytest

from modwright.base.errors import UsageError
from modwright.base.parsing import load_json, load_yaml

VALUES = {
    "0373": 373,
    "010": 10,
    "-017": -17,
    "+5": 5,
    "0": 0,
    "0x1f": 31,
    "0o17": 15,
    "1_000": "1_000",
    "0b11": "0b11",
    "1:30:01": "1:30:01",
    "2026-01-02": "2026-01-02",
    "yes": "yes",
    "no": "no",
    "off": "off",
    "true": True,
    "False": False,
    "~": None,
    "": None,
    "null": None,
    "1.5": 1.5,
    ".5": 0.5,
    "1e3": 1000.0,
    ".inf": math.inf,
    "2^255-19": "2^255-19",
    "'0373'": "0373",
    "{<<: {a: 1, b: 2}, a: 3}": {"a": 3, "b": 2},
}


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "file"
        path.write_text(text)
        return (load_json if text.startswith(("{", "[")) else load_yaml)(path)

    return read


@pytest.mark.parametrize("text", VALUES)
def test_a_value(read, text):
    assert repr(read(f"key: {text}\n")["key"]) == repr(VALUES[text])


def test_a_key_may_replace_what_a_merge_adds(read):
    text = "base: &base {x: 1}\nouter:\n  inner: &inner {<<: *base, x: 2}\nother: {<<: *inner}\n'1': a\n1: b\n"
    assert read(text) == {"base": {"x": 1}, "outer": {"inner": {"x": 2}}, "other": {"x": 2}, "1": "a", 1: "b"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("core: a\nmodulus: 5\nmodulus: 7\n", "the key 'modulus' stands twice\n  in \"<unicode string>\", line 3"),
        ("core: a\noptions: {bits: 5, bits: 5}\n", "the key 'bits' stands twice"),
        ("0x1: a\n1: b\n", "the key '1' stands twice"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' stands twice"),
        ("a: !!int 1:30\n", "is not YAML: invalid literal"),
        *((f"a: !!{tag}\n", "is not YAML: ") for tag in
          ("map [a, b]", "set [a]", "bool maybe", "bool []", 'int ""', "timestamp abc", "omap 5", "pairs x")),
    ],
)  # fmt: skip
def test_what_is_refused(read, text, says):
    with pytest.raises(UsageError) as told:
        read(text)
    assert says in str(told.value)


def test_many_keys_of_which_one_stands_twice(read):
    """In time that grows with their number: by pairs, this would be 10^9 comparisons."""
    keys = [f"k{number}" for number in range(50_000)]
    text = "{" + ", ".join(f"{json.dumps(key)}: 1" for key in [*keys, keys[-1]]) + "}"
    with pytest.raises(UsageError, match="the key 'k49999' stands twice"):
        read(text)
