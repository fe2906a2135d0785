# SPDX-License-Identifier: Apache-2.0
"""Modular inversion of binary numbers by divsteps, constant latency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....contract import Block, Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....contract.request import Request
from ....contract.runtime_modulus import width_option
from ....schedule import Schedule
from .extremes import extremes
from .model import BinaryInversionModel
from .parameters import BinaryInversionParameters, derive, derive_run_time
from .schedule import make_schedule
from .trials import TRIALS

SOURCE = "Bernstein and Yang, CHES 2019, with the half-delta start of github.com/sipa/safegcd-bounds"

PER_CYCLE = Option("steps", int, 1, "divsteps in one cycle", minimum=1, maximum=8)
SLICES = Option(
    "slices", int, None, "slices with a carry chain each; by the width when not given", minimum=1, maximum=64
)
WIDEST = 4096
"""Bits of the widest modulus: 8 times the largest field in use, and RSA's largest usual one."""
BITS = width_option(WIDEST)


def build(p: BinaryInversionParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware import build

    return build(p, schedule)


def _blocks(p: BinaryInversionParameters, _: object) -> tuple[Block, ...]:
    rows = f"{p.per_cycle} a cycle"
    return (
        Block("operands", "operand", (), "brought below M", "port"),
        Block("fg", "f, g", ("operands",), f"(g ± f)/2, {rows}"),
        Block("de", "d, e", ("fg",), f"(e ± d)/2 mod M, {rows}"),
        Block("delta", "D", ("fg",), f"{p.steps} steps", "control"),
        Block("result", "result", ("fg", "de"), "sign of f, range", "port"),
    )


def _core(name: str, summary: str, options: tuple[Option, ...], derive: Callable[[Request], Any]) -> Core:
    return Core(
        widest=WIDEST,
        name=f"modinv/{name}",
        summary=summary,
        source=SOURCE,
        options=options,
        derive=derive,
        schedule=make_schedule,
        model=BinaryInversionModel,
        build=build,
        codec=FieldCodec,
        trials=TRIALS[f"modinv/{name}"],
        extremes=extremes,
        blocks=_blocks,
    )


CORES = (
    _core("binary-divstep", "binary inversion by divsteps, constant latency", (PER_CYCLE, SLICES), derive),
    _core(
        "binary-divstep-rt",
        "binary inversion by divsteps, constant latency; the modulus is an operand",
        (BITS, PER_CYCLE, SLICES),
        derive_run_time,
    ),
)
