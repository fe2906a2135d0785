# SPDX-License-Identifier: Apache-2.0
"""A processor in residues: Montgomery products and inversions by plus-minus passes on one cox-rower."""

from __future__ import annotations

from ....contract import Block, Core, Hardware, Option
from ....engines.coxrower.blocks import make_blocks
from ....engines.coxrower.options import OPTIONS, WIDEST
from ....schedule import Schedule
from .codec import codec_of
from .extremes import extremes
from .model import ProcessorModel
from .parameters import BLOCKS, KINDS, LOGIC, STEPPED, WITHOUT, ProcessorParameters, derive
from .schedule import make_schedule
from .trials import TRIALS

INVERSION = Option(
    "inversion",
    str,
    "btmi",
    "largest divisors of a pass: 16·9, 4·3, 4; divsteps; or no inversion",
    (*KINDS, STEPPED, WITHOUT),
)
"""Option of inversion."""
REGISTERS = Option(
    "registers",
    int,
    0,
    "numbers of a register file in residues, of which 0 is the stream; 0 for no file",
    (0, 4, 8, 16, 32),
)
"""Option of the register file."""
KAPPA = Option("kappa", int, 1, "products that are summed before the reduction, κ; 2 with registers alone", (1, 2))
"""Option of sums of products."""
COLUMNS = Option(
    "c",
    int,
    1,
    "columns: channels of a super-residue; 1 for extensions of single hats; more with inversion=none",
    (1, 2, 3, 4),
)
"""Option of hierarchical extensions."""
TABLES = Option(
    "tables",
    str,
    LOGIC,
    "constants and stored results of rowers in LUTs, or in a block RAM of each; local rowers, products and passes",
    (LOGIC, BLOCKS),
)
"""Option of block RAMs."""
CONVERSION = Option(
    "conversion",
    bool,
    False,
    "also extensions from one base into the other, and conversion from and to binary; with registers",
)
"""Option of other representations."""


def build(p: ProcessorParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.converting import ConvertingCore
    from .hardware.core import ProcessorCore
    from .hardware.reading import SteppedCore, SteppedRegisterCore
    from .hardware.register_core import RegisterCore

    if p.conversion:
        return ConvertingCore(p, schedule)
    if p.stepped:
        return (SteppedRegisterCore if p.registers else SteppedCore)(p, schedule)
    return RegisterCore(p, schedule) if p.registers else ProcessorCore(p, schedule)


def _converter(p: ProcessorParameters) -> list[Block]:
    """The unit next to the bus that finds the words of a binary result."""
    if not p.conversion:
        return []
    return [Block("digits", "digits", ("bus", "cox"), f"one product a cycle, {p.n} words, less P", "multiplier")]


CORES = (
    Core(
        name="rns/processor",
        summary="products and inversions in residues on one cox-rower; variable latency, constant by divsteps",
        source="Bigou and Tisserand, IEEE Trans. Computers 65(11), 2016, section IV; Modwright",
        options=(
            *(option for option in OPTIONS if option.name != "rowers"),
            INVERSION,
            REGISTERS,
            KAPPA,
            CONVERSION,
            COLUMNS,
            TABLES,
        ),
        derive=derive,
        schedule=make_schedule,
        model=ProcessorModel,
        build=build,
        codec=codec_of,
        trials=TRIALS,
        extremes=extremes,
        widest=WIDEST,
        blocks=lambda p, _: make_blocks(p.engine, p.i, p.o) + _converter(p),
    ),
)
