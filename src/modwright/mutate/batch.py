# SPDX-License-Identifier: Apache-2.0
"""Chunks of mutants as points of a batch system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ..base.farm import Point, Result
from ..base.store import default_store
from ..pipeline import Plan
from ..prepared import Prepared
from ..prepared.batch import Queue, carry, prepared_of, words_of
from .chunks import CHUNK, STORED, Chunk, chunk_key
from .run import judge_for

KIND = "mutate"


def submit(prepared: Prepared, chunks: Sequence[Chunk], queue: Queue) -> None:
    """Put chunks into a queue: `SubmittedError`, if there are any."""
    words = words_of(prepared)
    points = [Point(chunk_key(prepared, chunk), [*words, json.dumps(asdict(chunk))]) for chunk in chunks]
    if points:
        for _ in queue.put(KIND, f"{prepared.core.name}: chunks of {CHUNK} mutants", points, run_point):
            pass


def run_point(core: str, document: str, text: str) -> Result:
    """Judge a chunk, which is given as JSON: the function of a point."""
    given = json.loads(text)
    chunk = Chunk(**{**given, "plan": Plan(**given["plan"])})

    def make() -> tuple[str, str]:
        prepared = prepared_of(core, document)
        digest = chunk_key(prepared, chunk)
        prepared.store.json(STORED, digest, lambda: judge_for(core, document, chunk))
        return STORED, digest

    return carry(default_store(), make)
