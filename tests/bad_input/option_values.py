# SPDX-License-Identifier: Apache-2.0
"""Options of every core: just out of their range, of another kind, of any length; and those of other cores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from modwright.contract.option import Option
from modwright.prepared.registry import all_cores

from .case import Case

SECONDS = 15.0
"""A value that is not refused at once may search for parameters for minutes."""

NO_INTEGERS = ("", "1.5", "0x", "many", "9" * 5000)
NO_BOOLEANS = ("", "2", "yes please", "9" * 5000)
NO_CHOICES = ("", "zzz", "z" * 5000, "\udcff")


def bad_values(option: Option) -> Iterator[str]:
    """Values that an option cannot have, those next to its range first."""
    if option.choices:
        yield from NO_CHOICES
    elif option.kind is bool:
        yield from NO_BOOLEANS
    elif option.kind is int:
        if option.minimum is not None:
            yield str(option.minimum - 1)
        if option.maximum is not None:
            yield str(option.maximum + 1)
        yield from NO_INTEGERS


def distinct() -> Iterator[tuple[str, Option]]:
    """Every kind of option once, with the first core that has it; an exponentiator's are its multiplier's."""
    seen = set()
    for name, core in sorted(all_cores().items(), key=lambda one: (one[0].startswith("modexp/"), one[0])):
        for option in core.options:
            kind = (name.partition("/")[0], option.name, option.kind, option.minimum, option.maximum, option.choices)
            if kind not in seen:
                seen.add(kind)
                yield name, option


def cases() -> Iterator[Case]:
    """Every case of this class."""
    modulus = {name: str(core.trials[0].document["modulus"]) for name, core in all_cores().items()}
    for name, option in distinct():
        for value in bad_values(option):
            words = ("params", name, "-m", modulus[name], "-O", f"{option.name}={value}")
            yield Case(f"{name} {option.name}={value[:20]} ({len(value)})", words, seconds=SECONDS)
    names = sorted(name for name in all_cores() if not name.startswith("modexp/"))
    for name, other in itertools.pairwise(names):
        strange = sorted({option.name for option in all_cores()[other].options}
                         - {option.name for option in all_cores()[name].options})  # fmt: skip
        for option in strange[:1]:
            words = ("params", name, "-m", modulus[name], "-O", f"{option}=8")
            yield Case(f"{name} with {option} of {other}", words, seconds=SECONDS)
