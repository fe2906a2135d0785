# SPDX-License-Identifier: Apache-2.0
"""Every payload of a contract, one by one: what `offered` says to a solver, as a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from ..contract import Payload
from ..contract.operands import Residues, Unpromised

MOST_PAYLOADS = 1 << 20
"""Payloads that are gone through."""


def payloads(
    i: Payload, residues: Sequence[Residues] = (), unpromised: Sequence[Unpromised] = ()
) -> Iterator[int] | None:
    """Every payload of a contract, packed; None when there are more than `MOST_PAYLOADS`.

    Parameters
    ----------
    i : Payload
        Elements are below their bounds.
    residues : sequence of Residues
        Elements that are any representatives of the residues of one integer.
    unpromised : sequence of Unpromised
        Payloads that are left out.
    """
    covered = {place[:2] for group in residues for place in group.places}
    free = [(f.name, k, f.limit) for f in i.fields for k in range(f.count) if (f.name, k) not in covered]
    elements = [[*range(limit)] for _, _, limit in free] if prod(limit for *_, limit in free) <= MOST_PAYLOADS else None
    if elements is None:
        return None
    groups = [_representatives(i, group) for group in residues]
    if prod(map(len, (*elements, *groups))) > MOST_PAYLOADS:
        return None
    places = [*((name, k) for name, k, _ in free), *(place[:2] for group in residues for place in group.places)]
    return _packed(i, places, [[(value,) for value in values] for values in elements] + groups, unpromised)


def _representatives(i: Payload, group: Residues) -> list[tuple[int, ...]]:
    """The elements of a group, for each of its integers and each choice of representatives."""
    found: list[tuple[int, ...]] = []
    for value in range(group.least, min(group.limit, group.least + MOST_PAYLOADS)):
        rows = [range(value * factor % m, 1 << i[name].width, m) for name, _, m, factor in group.places]
        found += product(*rows)
        if len(found) > MOST_PAYLOADS:
            break
    return found


def _packed(
    i: Payload,
    places: Sequence[tuple[str, int]],
    choices: Sequence[Sequence[tuple[int, ...]]],
    unpromised: Sequence[Unpromised],
) -> Iterator[int]:
    shifts = [i.offsets[name] + index * i[name].width for name, index in places]
    for choice in product(*choices):
        values = [value for part in choice for value in part]
        word = sum(value << shift for value, shift in zip(values, shifts, strict=True))
        if not unpromised or not any(one.excludes(i.unpack(word)) for one in unpromised):
            yield word
