# SPDX-License-Identifier: Apache-2.0
"""Requests: a core, a modulus or a curve, a target and options; the same in YAML, CLI and Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..base.errors import UsageError, quoted, shortened
from ..base.json import JsonObject, OptionValue
from ..base.parsing import load_yaml
from ..catalog import Curve, Modulus, resolve_curve, resolve_modulus
from .option import Options, Requestable, check_options

TARGETS = ("generic", "ecp5", "xc7", "asic")
"""Targets that multiplier units are written for: no device, ECP5's 18x18 blocks, series 7's 17x24, or gates."""

RTL_OF = {"ecp5": "ecp5", "xc7": "xc7", "xcup": "xc7", "gowin": "generic", "nexus": "ecp5", "asic": "asic"}
"""The target of a request whose multiplier units a family gets: those of series 7 also work in UltraScale+, those of
ECP5 in Nexus, and Yosys finds the blocks of Gowin in untiled products."""

_KEYS = {"core", "field", "modulus", "curve", "target", "options"}


def unknown_target(target: object, known: Iterable[str]) -> UsageError:
    """The refusal of a target that a command does not know, whatever a request file has there: for a family that gets
    the RTL of another, with that."""
    names = tuple(known)
    same = RTL_OF.get(target) if isinstance(target, str) else None
    hint = (
        f"{same}, whose RTL is that of {target}; synth takes {target}"
        if same in names
        else f"one of {', '.join(names)}"
    )
    return UsageError(f"unknown target {quoted(target)}", hint)


@dataclass(frozen=True)
class Request:
    """One request, complete and checked against its core.

    Parameters
    ----------
    core : str
        `function/architecture`.
    modulus : Modulus or None
        The fixed modulus; for a core with a runtime modulus, the one that sets its width.
    curve : Curve or None
        For point multiplication.
    target : str
        One of `TARGETS`.
    options : mapping
        Every option of the core, defaults filled in.
    """

    core: str
    modulus: Modulus | None = None
    curve: Curve | None = None
    target: str = "ecp5"
    options: Options = field(default_factory=dict[str, OptionValue])

    def fixed_modulus(self, hint: str = "--field or --modulus") -> int:
        """Value of the modulus; UsageError, with a hint, where the request has none."""
        if self.modulus is None:
            raise UsageError(f"{self.core} needs a modulus", hint)
        return self.modulus.value

    @classmethod
    def make(
        cls,
        core: Requestable,
        *,
        field: str | None = None,
        modulus: str | int | None = None,
        curve: str | None = None,
        target: str = "ecp5",
        options: Mapping[str, object] | None = None,
    ) -> Request:
        """Resolve names and check options; UsageError names what is wrong."""
        named = [t for t in (field, modulus, curve) if t is not None]
        if len(named) > 1:
            raise UsageError("a request names a field, a modulus or a curve, but only one of them")
        if target not in TARGETS:
            raise unknown_target(target, TARGETS)
        chosen = resolve_curve(_as_text(curve)) if curve is not None else None
        value = None
        if chosen is not None:
            value = chosen.field
        elif named:
            value = resolve_modulus(_as_text(named[0]))
        return cls(core.name, value, chosen, target, check_options(core, options or {}))

    @classmethod
    def from_mapping(cls, core: Requestable, document: Mapping[Any, Any]) -> Request:
        """Read the YAML form, whose keys may be anything."""
        _check_keys(document)
        options = document.get("options")
        if not (options is None or isinstance(options, Mapping)):
            raise UsageError("'options' of a request has to be a mapping of names to values")
        return cls.make(
            core,
            field=document.get("field"),
            modulus=document.get("modulus"),
            curve=document.get("curve"),
            target=document.get("target", "ecp5"),
            options=cast("Mapping[str, object] | None", options),
        )

    def to_mapping(self) -> JsonObject:
        """The YAML form, complete: reading it back gives the same request."""
        document: JsonObject = {"core": self.core}
        if self.curve is not None:
            document["curve"] = self.curve.name
        elif self.modulus is not None:
            document["modulus" if self.modulus.anonymous else "field"] = (
                hex(self.modulus.value) if self.modulus.anonymous else self.modulus.name
            )
        document["target"] = self.target
        document["options"] = dict(self.options)
        return document

    @property
    def digest(self) -> str:
        """SHA-256 of the complete request, in hex."""
        text = json.dumps(self.to_mapping(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def load_document(path: Path) -> JsonObject:
    """Read a request file; UsageError when it cannot be read, is not a mapping with a `core`, or has other keys."""
    found: object = load_yaml(path)
    document = cast("JsonObject", found) if isinstance(found, dict) else {}
    if not isinstance(document.get("core"), str):
        raise UsageError(f"{path}: a request has to be a mapping with a 'core'", "see examples/")
    _check_keys(document, f"{path}: ")
    return document


def _check_keys(keys: Iterable[object], where: str = "") -> None:
    unknown = set(keys) - _KEYS
    if unknown:
        names = shortened(", ".join(sorted(key if isinstance(key, str) else quoted(key) for key in unknown)))
        raise UsageError(f"{where}a request has no key {names}", f"one of {', '.join(sorted(_KEYS))}")


def _as_text(named: object) -> str:
    """A name or number as text; long integers in hexadecimal, since str() refuses more than 4300 digits."""
    if isinstance(named, bool) or not isinstance(named, str | int):
        raise UsageError(f"a field, a modulus and a curve are a name or an integer, not {quoted(named)}")
    return hex(named) if isinstance(named, int) and named.bit_length() > 64 else str(named)
