# SPDX-License-Identifier: Apache-2.0
"""What is asked for: a core, a modulus or a curve, a target and options; the same in YAML, CLI and Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import UsageError, quoted, shortened
from ..base.parsing import load_yaml
from ..catalog import Curve, Modulus, resolve_curve, resolve_modulus
from . import Core, Option

TARGETS = ("generic", "ecp5", "xc7", "asic")
"""What the multiplier units are written for: no device, ECP5's 18x18 blocks, series 7's 17x24, or gates."""

_KEYS = {"core", "field", "modulus", "curve", "target", "options"}


@dataclass(frozen=True)
class Request:
    """One request, complete and checked against its core.

    Parameters
    ----------
    core : str
        `function/architecture`.
    modulus : Modulus or None
        The modulus built in; for a core with a run-time modulus, the one that sets its width.
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
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def make(
        cls,
        core: Core,
        *,
        field: str | None = None,
        modulus: str | int | None = None,
        curve: str | None = None,
        target: str = "ecp5",
        options: Mapping[str, Any] | None = None,
    ) -> Request:
        """Resolve names and check options; UsageError names what is wrong."""
        named = [t for t in (field, modulus, curve) if t is not None]
        if len(named) > 1:
            raise UsageError("a request names a field, a modulus or a curve, and only one of them")
        if target not in TARGETS:
            raise UsageError(f"unknown target {quoted(target)}", f"one of {', '.join(TARGETS)}")
        chosen = resolve_curve(_as_text(curve)) if curve is not None else None
        value = None
        if chosen is not None:
            value = chosen.field
        elif named:
            value = resolve_modulus(_as_text(named[0]))
        return cls(core.name, value, chosen, target, check_options(core, options or {}))

    @classmethod
    def from_mapping(cls, core: Core, document: Mapping[str, Any]) -> Request:
        """Read the YAML form."""
        unknown = set(document) - _KEYS
        if unknown:
            names = shortened(", ".join(sorted(key if isinstance(key, str) else quoted(key) for key in unknown)))
            raise UsageError(f"a request has no key {names}", f"keys: {', '.join(sorted(_KEYS))}")
        given = document.get("options")
        options = {} if given is None else given
        if not isinstance(options, Mapping):
            raise UsageError("'options' of a request is a mapping of names to values")
        return cls.make(
            core,
            field=document.get("field"),
            modulus=document.get("modulus"),
            curve=document.get("curve"),
            target=document.get("target", "ecp5"),
            options=options,
        )

    def to_mapping(self) -> dict[str, Any]:
        """The YAML form, complete: reading it back gives the same request."""
        document: dict[str, Any] = {"core": self.core}
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


def load_document(path: Path) -> dict[str, Any]:
    """Read a request file; UsageError when it cannot be read or is no mapping with a `core`."""
    document = load_yaml(path)
    if not isinstance(document, dict) or not isinstance(document.get("core"), str):
        raise UsageError(f"{path}: a request is a mapping with a 'core'", "see examples/")
    return document


def _as_text(named: Any) -> str:
    """A name or number as text; long integers in hexadecimal, since str() refuses more than 4300 digits."""
    if isinstance(named, bool) or not isinstance(named, str | int):
        raise UsageError(f"a field, a modulus and a curve are a name or an integer, not {quoted(named)}")
    return hex(named) if isinstance(named, int) and named.bit_length() > 64 else str(named)


def check_options(core: Core, given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in defaults and check names, kinds, choices and ranges."""
    known = {o.name: o for o in core.options}
    for name in given:
        if name not in known:
            raise UsageError(f"{core.name} has no option {quoted(name)}", f"its options: {', '.join(known) or 'none'}")
    return {o.name: _check_option(core, o, given[o.name]) if o.name in given else o.default for o in core.options}


def _check_option(core: Core, option: Option, value: Any) -> Any:
    if value is None and option.default is None:
        return None
    where = f"{core.name}: option {option.name}"
    if option.kind is bool and isinstance(value, str) and value.lower() in ("true", "false"):
        value = value.lower() == "true"
    if option.kind is int and isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            raise UsageError(f"{where} is an integer, not {quoted(value)}") from None
    if isinstance(value, str):
        value = dict(option.aliases).get(value, value)
    if type(value) is not option.kind:
        raise UsageError(f"{where} is {option.kind.__name__}, not {quoted(value)}")
    if option.choices and value not in option.choices:
        raise UsageError(f"{where} is one of {', '.join(map(str, option.choices))}, not {quoted(value)}")
    if isinstance(value, int):
        if option.minimum is not None and value < option.minimum:
            raise UsageError(f"{where} is at least {option.minimum}, not {quoted(value)}")
        if option.maximum is not None and value > option.maximum:
            raise UsageError(f"{where} is at most {option.maximum}, not {quoted(value)}")
    return value
