# SPDX-License-Identifier: Apache-2.0
"""Proofs in the store: found once, and shared by all cores with the same statement."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict

from ..base.errors import ToolMissingError
from ..base.store import Store, digest_of, source_digest, version_of
from .limit import TimeIsUpError, limited
from .proof import NOT_RUN, Proof, Verdict

SOLVERS = ("amaranth", "pyosys", "bitwuzla")


def proved(
    store: Store, name: str, statement: str, method: str, find: Callable[[], Verdict], subject: str = ""
) -> Proof:
    """A proof from the store, or found now; `subject` is the digest of the hardware that a statement leaves open."""
    key = digest_of(name, statement, subject, source_digest(), [version_of(solver) for solver in SOLVERS])
    found = store.peek("proof", key)
    if found is not None:
        return Proof(**found)
    start = time.perf_counter()
    try:
        with limited():
            verdict = find()
    except ToolMissingError as error:
        verdict = Verdict(NOT_RUN, error.message)
    except TimeIsUpError as end:
        verdict = Verdict(NOT_RUN, str(end))
    proof = Proof(name, statement, verdict.status, method, verdict.detail, round(time.perf_counter() - start, 2))
    if proof.status != NOT_RUN:
        store.json("proof", key, lambda: asdict(proof))
    return proof
