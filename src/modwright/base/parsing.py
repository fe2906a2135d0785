# SPDX-License-Identifier: Apache-2.0
"""Files of YAML and JSON of bounded size; in YAML depth and values, with every alias written out, are counted first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, cast

import yaml

from .disk import read_bounded
from .errors import UsageError, quoted

MOST_BYTES = 1 << 20
"""A request takes a few hundred bytes; its largest value is a modulus of 16384 bits, of 5 kB."""
MOST_DEPTH = 20
"""A request is 3 deep, an input file of FuseSoC's generators 4."""
MOST_VALUES = 10_000
"""A request has some ten values; ten aliases to ten aliases and so on, ten lines long, stand for 10^10."""


_FORMS = (
    ("null", "null|Null|NULL|~|", ("n", "N", "~", "")),
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", "[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
    ("merge", "<<", "<"),
)
"""Plain scalars that mean another value than a text (YAML 1.2.2, section 10.3.2), and merges: tag, form, and first
characters."""


class _Loader(yaml.SafeLoader):
    """The plain values of YAML 1.2's core schema, in which `0373` is 373, and `1:30` and `no` are texts; in YAML 1.1
    they were 251, 90 and false. The keys of a mapping are different."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(f"tag:yaml.org,2002:{tag}", re.compile(f"^({form})$")) for tag, form, of in _FORMS if first in of]
        for first in {first for _, _, of in _FORMS for first in of}
    }

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """An integer: 0x and 0o give the base, a 0 in front does not."""
        digits = node.value
        return int(digits, {"0x": 16, "0o": 8}.get(digits[:2], 10))

    def compose_mapping_node(self, anchor: object) -> yaml.MappingNode:
        """A mapping without a key that stands twice, of which the last would count. What a merge adds comes later."""
        reader = cast(Any, super())  # PyYAML has no types
        node: yaml.MappingNode = reader.compose_mapping_node(anchor)
        seen: set[object] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == _MERGE:
                continue
            value: object = reader.construct_object(key)
            if value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {quoted(key.value)} stands twice", key.start_mark
                )
            seen.add(value)
        return node


_MERGE = "tag:yaml.org,2002:merge"
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def load_yaml(path: Path) -> Any:
    """The document of a file.

    Raises
    ------
    UsageError
        When the file cannot be read, is not YAML of plain values, or exceeds a limit: `MOST_BYTES`, `MOST_DEPTH`,
        `MOST_VALUES`.
    """
    data = read_bounded(path, MOST_BYTES)
    try:
        text = data.decode("utf-8")
        _check(path, text)
        return yaml.load(text, _Loader)  # of plain values, as a SafeLoader
    except (yaml.YAMLError, ValueError) as error:  # ValueError: no UTF-8, or a decimal of over 4300 digits
        raise UsageError(f"{path} is not YAML: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:  # of PyYAML, for a tag whose value has another form
        raise UsageError(f"{path} is not YAML: a value does not have the form of its tag") from error


def load_json(path: Path, most: int = MOST_BYTES) -> Any:
    """The document of a file of at most `most` bytes; UsageError when it cannot be read, or is not JSON."""
    try:
        text = read_bounded(path, most).decode("utf-8-sig")  # of bytes, json guesses UTF-16, too
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, no UTF-8, or a decimal of over 4300 digits
        raise UsageError(f"{path} is not JSON: {error}") from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object without a key that stands twice, of which the last would count."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {quoted(twice)} stands twice")
    return found


def _check(path: Path, text: str) -> None:
    """UsageError when the document is too deep or stands for too many values."""
    sizes = [0]  # values of each open collection, and of the whole document
    anchors: dict[str, int | None] = {}  # values of what an anchor names, None while it is open
    names: list[str | None] = []
    events = cast("Iterable[yaml.Event]", yaml.parse(text, yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            names.append(event.anchor)
            sizes.append(1)
            if event.anchor:
                anchors[event.anchor] = None
        elif isinstance(event, yaml.CollectionEndEvent):
            size, name = sizes.pop(), names.pop()
            sizes[-1] += size
            if name:
                anchors[name] = size
        elif isinstance(event, yaml.AliasEvent):
            sizes[-1] += _aliased(path, anchors, event.anchor)
        elif isinstance(event, yaml.ScalarEvent):
            sizes[-1] += 1
            if event.anchor:
                anchors[event.anchor] = 1
        if len(names) > MOST_DEPTH:
            raise UsageError(f"{path} is nested more than {MOST_DEPTH} deep")
        if sizes[-1] > MOST_VALUES:
            raise UsageError(f"{path} expands to more than {MOST_VALUES} values")


def _aliased(path: Path, anchors: dict[str, int | None], name: str) -> int:
    """Values that an alias stands for."""
    size = anchors.get(name, 0)  # one that was never named is refused by the reader, which says where
    if size is None:
        raise UsageError(f"{path}: the value {quoted(name)} contains itself")
    return size
