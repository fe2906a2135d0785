# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of a core is tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..base.json import JsonObject, OptionValue


@dataclass(frozen=True)
class Trial:
    """One small request.

    Parameters
    ----------
    modulus : str or None
    target : str
    options : mapping
    every_run : bool
        Whether `make test` has it, and not only `make test-all`.
    """

    modulus: str | None
    target: str = "generic"
    options: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    every_run: bool = True

    @property
    def document(self) -> JsonObject:
        """The request in the YAML form, but for the core's name."""
        named = {} if self.modulus is None else {"modulus": self.modulus}
        return {**named, "target": self.target, "options": dict(self.options)}


def trial(modulus: str | None = None, /, *, target: str = "generic", **options: OptionValue) -> Trial:
    """A trial of every run, its options as keywords."""
    return Trial(modulus, target, options)


def long_trial(modulus: str | None = None, /, *, target: str = "generic", **options: OptionValue) -> Trial:
    """A trial of `make test-all` alone, its options as keywords."""
    return Trial(modulus, target, options, every_run=False)
