# SPDX-License-Identifier: Apache-2.0
"""Files of YAML and JSON of bounded size; in YAML depth and values, with every alias written out, are counted first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import yaml

from .disk import read_bounded
from .errors import UsageError, quoted

MOST_BYTES = 1 << 20
"""A request takes a few hundred bytes; its largest value is a modulus of 16384 bits, of 5 kB."""
MOST_DEPTH = 20
"""A request is 3 deep, an input file of FuseSoC's generators 4."""
MOST_VALUES = 10_000
"""A request has some ten values; ten aliases to ten aliases and so on, ten lines long, stand for 10^10."""


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
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: no UTF-8, or a decimal of over 4300 digits
        raise UsageError(f"{path} is not YAML: {error}") from error


def load_json(path: Path, most: int = MOST_BYTES) -> Any:
    """The document of a file of at most `most` bytes; UsageError when it cannot be read, or is not JSON."""
    try:
        return json.loads(read_bounded(path, most).decode("utf-8-sig"))  # of bytes, json guesses UTF-16, too
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, no UTF-8, or a decimal of over 4300 digits
        raise UsageError(f"{path} is not JSON: {error}") from error


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
