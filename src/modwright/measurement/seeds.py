# SPDX-License-Identifier: Apache-2.0
"""Seeds of the placer as points of a batch system."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from .. import synthesize
from ..base.errors import TargetMissedError
from ..base.farm import Point, Result
from ..base.store import default_store
from ..prepared import Prepared
from ..prepared.batch import Queue, carry, prepared_of, words_of
from .record import Settings

KIND = "synth"


def submit(prepared: Prepared, settings: Settings, target: str, *, channel: bool, queue: Queue) -> None:
    """Put the seeds into a queue, one point each, for the core or one channel of it, and raise `SubmittedError`."""
    if channel:
        prepared.require_channel()
    words = *words_of(prepared), target, channel
    one = [replace(settings, seeds=(seed,)) for seed in settings.seeds]
    points = [Point(f"seed-{each.seeds[0]}", [*words, json.dumps(asdict(each))]) for each in one]
    for _ in queue.put(KIND, f"{prepared.core.name}: seeds placed", points, run_point):
        pass


def run_point(core: str, document: str, target: str, channel: bool, settings: str) -> Result:
    """Place and route one seed, with settings as JSON: the function of a point."""
    given = json.loads(settings)
    chosen = Settings(**{**given, "seeds": tuple(given["seeds"])})

    def make() -> tuple[str, str]:
        prepared = prepared_of(core, document)
        verilog = prepared.require_channel() if channel else prepared.verilog()
        top = f"{prepared.top}_channel" if channel else prepared.top
        timing = synthesize.timing(verilog, top, chosen, store=prepared.store, target=target)
        digest = synthesize.seed_digest(verilog, top, chosen, store=prepared.store, target=target)
        if not prepared.store.has(
            synthesize.PLACEMENTS, digest
        ):  # too large for the device, or too slow for a time-out
            raise TargetMissedError(timing.to_json()["reason"])
        return synthesize.PLACEMENTS, digest

    return carry(default_store(), make)
