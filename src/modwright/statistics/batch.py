# SPDX-License-Identifier: Apache-2.0
"""Chunks of operands as points of a batch system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from ..base.farm import Point, Result
from ..base.store import default_store
from ..prepared import Prepared
from ..prepared.batch import Queue, carry, prepared_of, words_of
from .sampling import STORED, Chunk, chunk_key, count_for

KIND = "campaign"


def submit(prepared: Prepared, chunks: Sequence[Chunk], queue: Queue) -> None:
    """Put chunks into a queue: `SubmittedError`, if there are any."""
    words = words_of(prepared)
    points = [Point(chunk_key(prepared, chunk), [*words, *astuple(chunk)]) for chunk in chunks]
    if points:
        for _ in queue.put(KIND, f"{prepared.core.name}: chunks of operands", points, run_point):
            pass


def run_point(core: str, document: str, *given: int) -> Result:
    """Count a chunk: a point's function."""
    chunk = Chunk(*given)

    def make() -> tuple[str, str]:
        prepared = prepared_of(core, document)
        digest = chunk_key(prepared, chunk)
        prepared.store.json(STORED, digest, lambda: count_for(core, document, chunk))
        return STORED, digest

    return carry(default_store(), make)
