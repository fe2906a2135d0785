# SPDX-License-Identifier: Apache-2.0
"""Binary multiplication modulo a fixed p: the non-RNS baseline."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.codec import FieldCodec
from ....schedule import Schedule
from .extremes import extremes
from .model import BinaryModel
from .parameters import serial
from .parameters.pipelined import BinaryParameters, derive
from .parameters.serial import SerialParameters
from .plan.heap import SEGMENT
from .plan.product import WIDEST
from .schedule import serial as serial_schedule
from .schedule.pipelined import make_schedule
from .trials import TRIALS


def build(p: BinaryParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.pipelined import build

    return build(p, schedule)


def build_serial(p: SerialParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.serial import build

    return build(p, schedule)


PIPELINED = Core(
    name="modmul/binary",
    summary="binary operands, one product a cycle",
    source="Karatsuba and Ofman 1962; folding after Solinas, CORR 99-39; Barrett, Crypto '86",
    options=(
        Option(
            "reduction",
            str,
            "auto",
            "reduction of the product; auto: the one with less logic",
            ("auto", "folding", "barrett"),
        ),
        Option("karatsuba", int, None, "levels of Karatsuba's method; chosen when not given", minimum=0, maximum=2),
        Option(
            "segment",
            int,
            SEGMENT,
            "carry chain in a sum, in bits; the top one may have half as many more",
            minimum=8,
            maximum=1024,
        ),
        Option("latency", int, None, "cycles; for the fastest clock when not given", minimum=2, maximum=400),
        Option("tables", int, 0, "slices of 9 bits of the product that block RAMs fold", minimum=0, maximum=114),
    ),
    derive=derive,
    schedule=make_schedule,
    model=BinaryModel,
    build=build,
    codec=FieldCodec,
    trials=TRIALS["modmul/binary"],
    extremes=extremes,
)

SERIAL = Core(
    name="modmul/binary-serial",
    summary="binary operands, one limb multiplier used again and again",
    source="Comba, IBM Systems Journal 29(4), 1990; Barrett, Crypto '86",
    options=(
        Option(
            "reduction",
            str,
            "auto",
            "reduction of the product; auto: the one with fewer steps",
            ("auto", "folding", "barrett"),
        ),
        Option("limb", int, WIDEST, "widest limb, in bits; limbs are of equal width", minimum=4, maximum=144),
    ),
    derive=serial.derive,
    schedule=serial_schedule.make_schedule,
    model=BinaryModel,
    build=build_serial,
    codec=FieldCodec,
    trials=TRIALS["modmul/binary-serial"],
    extremes=extremes,
)

CORES = (PIPELINED, SERIAL)
