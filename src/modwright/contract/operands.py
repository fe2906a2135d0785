# SPDX-License-Identifier: Apache-2.0
"""Operands in a payload: the values of plain integers, and random ones near their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

PAYLOAD = "payload"
"""The one key of a case that is an input payload, field by field, and not plain operands."""

_SMALL_PRIMES = (3, 5, 7, 11, 13)


@dataclass(frozen=True)
class Reading:
    """An input payload in plain integers, by the contract of a core and without its model.

    Parameters
    ----------
    case : mapping of str to int or None
        Plain operands, any representatives; the result is the plain function of them. Empty where an error is stated.
    error : str or None
        The error that the core reports, by the name that the codec's `decode` gives it; where several apply, the one
        with the smallest code. All other fields of the result are 0 then, but for those in `echo`.
    echo : mapping of str to int
        Fields of the result that repeat a field of the operands, errors or not.
    """

    case: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str | None = None
    echo: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Residues:
    """Elements of an input payload that are residues of one integer, any representatives of them.

    Parameters
    ----------
    places : tuple of (str, int, int, int)
        Field, number of the element, modulus, and the factor by which the integer is stored there.
    least, limit : int
        The integer is in [least, limit); the contract promises nothing for another one.
    """

    places: tuple[tuple[str, int, int, int], ...]
    least: int
    limit: int


def residues_of(
    field_name: str, moduli: Sequence[int], limit: int, factors: Sequence[int] = (), least: int = 0
) -> Residues:
    """A whole field of residues of one integer, stored as they are unless factors are given."""
    rows = zip(moduli, factors or [1] * len(moduli), strict=True)
    return Residues(tuple((field_name, k, m, factor) for k, (m, factor) in enumerate(rows)), least, limit)


@dataclass(frozen=True)
class Unpromised:
    """Input payloads of which a contract promises nothing: constants that are not those of a modulus, next to operands
    that are in range.

    Parameters
    ----------
    fields : tuple of str
        Fields that belong together.
    belong : callable
        Predicate of their values in that order: they belong together, or are reported for any operands.
    operands : tuple of str
        Payloads are meant where all of these are below `limit`; others are reported.
    limit : callable
        Function of the values of `fields`: the exclusive limit of the operands.
    """

    fields: tuple[str, ...]
    belong: Callable[..., bool]
    operands: tuple[str, ...] = ()
    limit: Callable[..., int] = lambda *values: 0

    def excludes(self, payload: Mapping[str, Any]) -> bool:
        """Whether the contract excludes a payload."""
        values = [payload[name] for name in self.fields]
        return not self.belong(*values) and all(payload[name] < self.limit(*values) for name in self.operands)


@dataclass(frozen=True)
class Bits:
    """A field of which some bits are given; the others may be anything.

    Parameters
    ----------
    value : int
        0 in all other bits.
    known : int
        1 in the bits that are given.
    """

    value: int
    known: int


Cover = Mapping[str, int | Bits]
"""All payloads that agree with these fields; a field that is not named may be anything."""


def nonzero(width: int) -> Iterator[Bits]:
    """Covers of all values of a field but 0: one for each bit that may be 1."""
    return (Bits(1 << k, 1 << k) for k in range(width))


def draw(rng: Random, limit: int) -> int:
    """A value in [0, limit): half the time uniform, else with long runs of bits, or near one of the ends."""
    kind = rng.randrange(4)
    if kind < 2:
        return rng.randrange(limit)
    if kind == 2:
        high, low = sorted((rng.randrange(limit.bit_length()), rng.randrange(limit.bit_length())))
        return ((1 << high) - (1 << low)) % limit
    near = rng.randrange(min(4, limit))
    return near if rng.randrange(2) else limit - 1 - near


def draw_above(rng: Random, limit: int, width: int) -> int:
    """A value in [limit, 2^width), the limit itself one time in four; limit < 2^width."""
    return limit if one_in(rng, 4) else limit + draw(rng, (1 << width) - limit)


def one_in(rng: Random, count: int) -> bool:
    """True once in `count` times."""
    return rng.randrange(count) == 0


def draw_operands(rng: Random, limits: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Operands of a core that reports those out of range: one time in four, one of them at or above its limit, or all.

    Parameters
    ----------
    rng : Random
    limits : mapping of str to (int, int)
        Exclusive limit and bits of the field, by operand.
    """
    values = {name: draw(rng, min(limit, 1 << width)) for name, (limit, width) in limits.items()}
    wide = [name for name, (limit, width) in limits.items() if limit < 1 << width]
    if wide and one_in(rng, 4):
        for name in wide if one_in(rng, 4) else [rng.choice(wide)]:
            values[name] = draw_above(rng, *limits[name])
    return values


def factor_of(m: int) -> int:
    """A small prime factor of an odd number: a multiple of it has no inverse. Without one, the number itself."""
    return next((f for f in _SMALL_PRIMES if m % f == 0), m)


def draw_modulus(rng: Random, given: int, width: int) -> int:
    """An odd modulus, at least 3 and below 2^width: the one given half the time, else one of any length, full ones more
    often, and now and then 2^k + 1, of which a single bit says that it is not 1; width >= 2."""
    if rng.randrange(2):
        return given
    bits = width if rng.randrange(2) else rng.randrange(2, width + 1)
    inside = 0 if one_in(rng, 4) else rng.getrandbits(bits)
    return inside | 1 << (bits - 1) | 1


def draw_bad_modulus(rng: Random, width: int) -> int:
    """A modulus below 2^width that is even or below 3."""
    return rng.choice((0, 1, 2, draw(rng, 1 << (width - 1)) << 1))


def bad_moduli(m: int, width: int) -> dict[str, int]:
    """Moduli below 2^width of each kind that is bad, by what they are; `m` is a good one."""
    values = {"even": m - 1, "largest even": (1 << width) - 2, "0": 0, "1": 1, "2": 2}
    return {f"modulus {text}": value for text, value in values.items()}
