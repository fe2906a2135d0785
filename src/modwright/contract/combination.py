# SPDX-License-Identifier: Apache-2.0
"""Cores over any core of another function, which an option of the request names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .core import AnyCore
from .option import Option


@dataclass(frozen=True)
class Combination:
    """An architecture over a part that is chosen: with each part it is a `Core`.

    Parameters
    ----------
    name : str
        `function/architecture`. With a part, its core is called `function/PART-architecture`; in a request both that
        name and this one with the option `part` are accepted.
    summary, source : str
        Entries of a core.
    part : str
        Name of the option that names the part.
    of : str
        Function of the parts.
    options : tuple of Option
        Options of its own; those of the part come in addition.
    takes : callable
        Whether a core of that function can be the part.
    over : callable
        The core over a part.
    """

    name: str
    summary: str
    source: str
    part: str
    of: str
    options: tuple[Option, ...]
    takes: Callable[[AnyCore], bool]
    over: Callable[[AnyCore], AnyCore]

    @property
    def function(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    def name_over(self, part: str) -> str:
        """Name of the core over a part, from the part's name or an alias of it."""
        return name_over(self.name, part)


def name_over(combination: str, part: str) -> str:
    """Name of the core of a combination over a part, from the names of both."""
    function, _, architecture = combination.partition("/")
    return f"{function}/{part.partition('/')[2]}-{architecture}"
