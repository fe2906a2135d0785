# SPDX-License-Identifier: Apache-2.0
"""Modular inversion of binary numbers by divsteps, constant latency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....contract import Block, Core, Option
from ....contract.request import Request
from .codec import BinaryInversionCodec
from .extremes import extremes
from .hardware import build
from .model import BinaryInversionModel
from .parameters import BinaryInversionParameters, derive, derive_run_time
from .schedule import make_schedule

SOURCE = "Bernstein and Yang, CHES 2019, with the half-delta start of github.com/sipa/safegcd-bounds"

PER_CLOCK = Option("steps", int, 1, "divsteps in one clock", minimum=1, maximum=8)
BITS = Option("bits", int, None, "bits of the widest modulus; the modulus's when one is named", minimum=4, maximum=4096)


def _blocks(p: BinaryInversionParameters, _: Any) -> tuple[Block, ...]:
    rows = f"{p.per_clock} a clock"
    return (
        Block("operands", "operand", (), "brought below M", "port"),
        Block("fg", "f, g", ("operands",), f"(g ± f)/2, {rows}"),
        Block("de", "d, e", ("fg",), f"(e ± d)/2 mod M, {rows}"),
        Block("delta", "D", ("fg",), f"{p.steps} steps", "control"),
        Block("result", "result", ("fg", "de"), "sign of f, range", "port"),
    )


def _core(
    name: str, summary: str, options: tuple[Option, ...], found: Callable[[Request], Any], run_time: bool
) -> Core:
    return Core(
        name=f"modinv/{name}",
        summary=summary,
        source=SOURCE,
        options=options,
        derive=found,
        schedule=make_schedule,
        model=BinaryInversionModel,
        build=build,
        codec=BinaryInversionCodec,
        extremes=extremes,
        runtime_modulus=run_time,
        blocks=_blocks,
    )


CORES = (
    _core("binary-divstep", "binary inversion by divsteps, constant latency", (PER_CLOCK,), derive, False),
    _core(
        "binary-divstep-rt",
        "binary inversion by divsteps, constant latency; the modulus is an operand",
        (BITS, PER_CLOCK),
        derive_run_time,
        True,
    ),
)

CONTRACT_REQUESTS = {
    "modinv/binary-divstep": [
        {"modulus": "1009", "target": "generic", "options": {}},
        {"modulus": "315", "target": "generic", "options": {"steps": 3}},
        {"modulus": "3", "target": "generic", "options": {"steps": 2}},
    ],
    "modinv/binary-divstep-rt": [
        {"modulus": "251", "target": "generic", "options": {"steps": 2}},
        {"modulus": "45", "target": "generic", "options": {"bits": 9}},
    ],
}
