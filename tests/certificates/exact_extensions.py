# SPDX-License-Identifier: Apache-2.0
"""Exact base extensions, by a redundant residue and by mixed radix digits; comparison by such digits."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from modwright.cores.basext.mixed_radix.codec import MixedRadixCodec
from modwright.cores.basext.mixed_radix.model import MixedRadixModel
from modwright.cores.basext.mixed_radix.parameters import MixedRadixParameters
from modwright.cores.basext.mixed_radix.schedule import mixed_radix_schedule
from modwright.cores.basext.redundant.codec import RedundantCodec
from modwright.cores.basext.redundant.model import RedundantModel
from modwright.cores.basext.redundant.parameters import RedundantParameters
from modwright.cores.basext.redundant.schedule import redundant_schedule
from modwright.cores.comparison.difference.codec import ComparisonCodec
from modwright.cores.comparison.difference.model import ComparisonModel
from modwright.cores.comparison.difference.parameters import ComparisonParameters
from modwright.cores.comparison.difference.schedule import comparison_schedule
from modwright.rns import Base, mixed_radix
from modwright.rns.extension import NONE, Extension
from modwright.rns.redundant import redundant_extension

from .directed import Directed, directed

TRIES = 1000
LONG, SHORT = (1, 3), (9, 15)
"""The u of two bases of moduli 2^8 - u."""


def tried(p: RedundantParameters | MixedRadixParameters | ComparisonParameters) -> list[int]:
    """Numbers below the modulus: from both ends, and random ones."""
    drawn = random.Random(1)
    ends = [x for n in range(TRIES // 4) for x in (n, p.modulus - 1 - n)]
    return [*ends, *(drawn.randrange(p.modulus) for _ in range(TRIES // 2))]


# --- a redundant residue


def redundant(A: tuple[int, ...], B: tuple[int, ...], modulus: int) -> RedundantParameters:
    """Between bases of moduli 2^8 - u."""
    extension = redundant_extension(Base(8, A), Base(8, B))
    return RedundantParameters(modulus, extension, target="generic", latency=3)


def redundant_wrong(p: RedundantParameters) -> str | None:
    """An integer below the modulus that comes out as another one."""
    model, codec = RedundantModel(p, redundant_schedule(p)), RedundantCodec(p)
    for x in tried(p):
        found = codec.decode(model.run({"x": p.base.to_residues(x)}).payload)["z"]
        if found != x:
            return f"{x} came out as {found}"
    return None


@directed("redundant", "redundant")
def redundant_bits(_: str) -> Directed:
    """A bit less of the redundant residue: h = 2 is taken for 0."""
    good = redundant((1, 3, 5), (9, 15, 17), 20000)
    return Directed(good, replace(good, extension=replace(good.extension, bits=1)), redundant_wrong)


@directed("redundant", "range")
def redundant_range(_: str) -> Directed:
    """X = A, which has the residues of 0 in A."""
    product = Base(8, SHORT).product
    good, broken = (redundant(SHORT, LONG, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, redundant_wrong)


@directed("redundant", "range-B")
def redundant_range_of_target(_: str) -> Directed:
    """X = B, which has the residues of 0 in B."""
    product = Base(8, SHORT).product
    good, broken = (redundant(LONG, SHORT, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, redundant_wrong)


# --- mixed radix digits


def mixed(A: tuple[int, ...], B: tuple[int, ...], modulus: int) -> MixedRadixParameters:
    """Between bases of moduli 2^8 - u."""
    extension = Extension(Base(8, A), Base(8, B), 1, 1, 0, NONE)
    return MixedRadixParameters(modulus, extension, target="generic", latency=3)


def mixed_wrong(p: MixedRadixParameters) -> str | None:
    """An integer below the modulus that comes out as another one, or is refused."""
    model, codec = MixedRadixModel(p, mixed_radix_schedule(p)), MixedRadixCodec(p)
    for x in tried(p):
        found = codec.decode(model.run({"x": p.A.to_residues(x)}).payload)
        if (found["z"], found["error"]) != (x, None):
            return f"{x} came out as {found}"
    return None


@directed("mixed_radix", "range")
def mixed_range(_: str) -> Directed:
    """X = A, which has the residues of 0 in A."""
    product = Base(8, SHORT).product
    good, broken = (mixed(SHORT, LONG, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, mixed_wrong)


@directed("mixed_radix", "range-B")
def mixed_range_of_target(_: str) -> Directed:
    """X = B, which has the residues of 0 in B."""
    product = Base(8, SHORT).product
    good, broken = (mixed(LONG, SHORT, modulus) for modulus in (product, product + 1))
    return Directed(good, broken, mixed_wrong)


# --- comparison


def compared(modulus: int, limit: int) -> ComparisonParameters:
    """In two moduli 2^8 - u, with a limit of the last digit."""
    base = Base(8, SHORT)
    return ComparisonParameters(modulus, Extension(base, base, 1, 1, 0, NONE), limit, target="generic", latency=3)


def comparison_wrong(p: ComparisonParameters) -> str | None:
    """A pair of numbers below the modulus whose order comes out wrong."""
    model, codec = ComparisonModel(p, comparison_schedule(p)), ComparisonCodec(p)
    numbers = tried(p)
    for x, y in [*itertools.product(numbers[:4], repeat=2), *itertools.pairwise(numbers)]:
        found = codec.decode(model.run(codec.encode({"x": x, "y": y})).payload)
        if (found["less"], found["equal"]) != (x < y, x == y):
            return f"{x}, {y} came out as {found}"
    return None


@directed("difference", "above")
def comparison_above(_: str) -> Directed:
    """The largest difference reaches the limit of the last digit."""
    weight, limit = mixed_radix.weights(Base(8, SHORT))[-1], 100
    good, broken = (compared(limit * weight + more, limit) for more in (0, 1))
    return Directed(good, broken, comparison_wrong)


@directed("difference", "below")
def comparison_below(_: str) -> Directed:
    """The least difference below 0 stays under it."""
    base, limit = Base(8, SHORT), 200
    most = base.product + 1 - limit * mixed_radix.weights(base)[-1]
    good, broken = (compared(most + more, limit) for more in (0, 1))
    return Directed(good, broken, comparison_wrong)
