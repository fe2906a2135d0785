# SPDX-License-Identifier: Apache-2.0
"""Distribution of a count over random operands: sampled by the model on all processors, stored chunk by chunk.

A chunk has operands of its own, which follow from the seed and its number. So the result does not depend on how many
processors there are, and an interrupted campaign resumes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from random import Random

from ..base.errors import UsageError, VerificationError
from ..base.json import JsonObject
from ..base.store import digest_of
from ..contract import Distribution, Statistic
from ..contract.request import Request
from ..prepared import Prepared, prepare
from ..prepared.registry import find
from ..prepared.spread import Stored, spread_missing

FORMAT = "modwright-statistics/1"
STORED = "statistics"
"""Kind of the results in the store."""

FAR = 6
"""Standard errors by which a mean may differ from the exact one: chance gives more once in 5·10^8 campaigns."""


@dataclass(frozen=True)
class Sample:
    """Counts of random operands.

    Parameters
    ----------
    statistic : Statistic
        Statistic that was counted.
    seed : int
        Seed of the operands.
    histogram : mapping of int to int
        Number of occurrences of each count, in ascending order.
    also : tuple of mapping of int to int
        The same for the secondary counters.
    """

    statistic: Statistic
    seed: int
    histogram: Mapping[int, int]
    also: tuple[Mapping[int, int], ...] = ()

    @cached_property
    def size(self) -> int:
        """Operands drawn."""
        return sum(self.histogram.values())

    @cached_property
    def distribution(self) -> Distribution:
        """Mean, variance and range of the histogram."""
        return distribution_of(self.histogram)

    @property
    def standard_errors(self) -> float | None:
        """Distance of the mean from the exact one, in standard errors of a mean; None where nothing exact is known."""
        exact = self.statistic.exact
        if exact is None or not exact.variance:
            return None
        return float(self.distribution.mean - exact.mean) / float(exact.variance / self.size) ** 0.5

    def check(self) -> None:
        """VerificationError when the sample contradicts what is exact."""
        exact, found = self.statistic.exact, self.distribution
        if exact is None:
            return
        if not exact.least <= found.least <= found.most <= exact.most:
            raise VerificationError(
                f"{self.statistic.name}: {found.least} to {found.most} were counted, and only {exact.least} to "
                f"{exact.most} are possible"
            )
        if abs(self.standard_errors or 0.0) > FAR:
            raise VerificationError(
                f"{self.statistic.name}: the mean {float(found.mean):.6g} is {self.standard_errors:.1f} standard "
                f"errors from the exact one, {float(exact.mean):.6g}"
            )

    def to_json(self, request: Request) -> JsonObject:
        """The record of a campaign."""
        exact = self.statistic.exact
        return {
            "format": FORMAT,
            "request": request.to_mapping(),
            "statistic": self.statistic.name,
            "operands": self.statistic.operands,
            "samples": self.size,
            "seed": self.seed,
            "measured": figures(self.distribution),
            "exact": None if exact is None else figures(exact),
            "standard_errors": None if self.standard_errors is None else round(self.standard_errors, 3),
            "published": _published(self.statistic.published),
            "also": [
                {"statistic": count.name, "measured": figures(distribution_of(histogram))}
                | {"published": _published(count.published)}
                for count, histogram in zip(self.statistic.also, self.also, strict=True)
            ],
            "histogram": {str(count): ways for count, ways in self.histogram.items()},
        }


def distribution_of(histogram: Mapping[int, int]) -> Distribution:
    """Mean, variance of the sample (with n in the denominator), least and most."""
    size = sum(histogram.values())
    mean = Fraction(sum(count * ways for count, ways in histogram.items()), size)
    square = Fraction(sum(count**2 * ways for count, ways in histogram.items()), size)
    return Distribution(mean, square - mean**2, min(histogram), max(histogram))


def _published(means: Sequence[tuple[str, Fraction]]) -> list[JsonObject]:
    return [{"source": where, "mean": round(float(mean), 3)} for where, mean in means]


def figures(distribution: Distribution) -> JsonObject:
    """A distribution in decimals."""
    return {
        "mean": round(float(distribution.mean), 4),
        "deviation": round(float(distribution.variance) ** 0.5, 4),
        "least": distribution.least,
        "most": distribution.most,
    }


def sample(
    prepared: Prepared,
    size: int,
    seed: int,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    elsewhere: Callable[[Sequence[Chunk]], None] = lambda missing: None,
    progress: Callable[[int], None] = lambda done: None,
) -> Sample:
    """Count over `size` random operands.

    Parameters
    ----------
    prepared : Prepared
        A core that offers a statistic.
    size : int
        Operands to draw.
    seed : int
        Seed of the operands.
    workers : int, optional
        Processes; as many as this one may use processors when not given. One counts in this process.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers count instead; they have to have the same Modwright.
    elsewhere : callable
        Called with the chunks that are not stored; it may raise, to have them counted elsewhere (`batch.submit`).
    progress : callable
        Called with the number of operands counted so far, those kept from before included.

    Raises
    ------
    UsageError
        When the core offers no statistic, no scheduler answers, or a worker has another Modwright.
    ToolMissingError
        When a scheduler is named and Dask is not installed.
    """
    statistic = prepared.statistic
    if statistic is None:
        raise UsageError(
            f"{prepared.core.name} has no count to sample: it says nothing of how its operands decide its cycles",
            "a core with a count, such as modmul/vlm3, modinv/rns-btmi or modexp/csa-l2r",
        )
    chunks = _chunks(size, seed, statistic.batch)
    totals: list[Counter[int]] = [Counter() for _ in (statistic, *statistic.also)]
    counted = spread_missing(
        prepared,
        chunks,
        Stored(STORED, chunk_key),
        count_for,
        partial(Chunk.count, statistic=statistic),
        elsewhere=elsewhere,
        workers=workers,
        scheduler=scheduler,
    )
    done = 0
    for chunk, histograms in counted:
        for total, histogram in zip(totals, histograms, strict=True):
            total.update({int(count): ways for count, ways in histogram.items()})  # keys of JSON are texts
        done += chunk.size
        progress(done)
    first, *also = (dict(sorted(total.items())) for total in totals)
    return Sample(statistic, seed, first, tuple(also))


Histograms = list[dict[int, int]]
"""Histograms of the statistic, and of the counts that are taken with it."""


@dataclass(frozen=True)
class Chunk:
    """Some of the operands of a seed."""

    seed: int
    number: int
    size: int

    def count(self, statistic: Statistic) -> Histograms:
        """The counts of its operands, by how often they came up."""
        rng = Random(f"{self.seed}/{self.number}")  # of a text: the same in every process and version of Python
        drawn = (statistic.draw(rng) for _ in range(self.size))
        rows = [(counts,) if isinstance(counts, int) else counts for counts in drawn]
        return [dict(Counter(column)) for column in zip(*rows, strict=True)]


def _chunks(size: int, seed: int, batch: int) -> list[Chunk]:
    return [Chunk(seed, n, min(batch, size - n * batch)) for n in range(-(-size // batch))]


def chunk_key(prepared: Prepared, chunk: Chunk) -> str:
    """The digest of a chunk's counts in the store."""
    return digest_of(prepared.digest, chunk.seed, chunk.number, chunk.size)


def count_for(core: str, document: str, chunk: Chunk) -> Histograms:
    """Count a chunk in another process."""
    return chunk.count(_statistic_of(core, document))


@cache
def _statistic_of(core: str, document: str) -> Statistic:
    found = find(core)
    statistic = prepare(found, Request.from_mapping(found, json.loads(document))).statistic
    assert statistic is not None
    return statistic
