# SPDX-License-Identifier: Apache-2.0
"""Point multiplication on any Weierstrass curve, with curve, field and order as operands."""

from __future__ import annotations

from ....contract import Core, Hardware, Option
from ....contract.runtime_modulus import SMALLEST
from ....engines.columns.digits import FEWEST_DIGITS, IN_HALVES, MOST_DIGITS
from ....engines.columns.digits import LONGEST_DIGIT as LONGEST_COLUMN
from ....engines.columns.digits import SHORTEST_DIGIT as SHORTEST_COLUMN
from ....engines.ladder.curve import WIDEST
from ....engines.ladder.options import LIMB, MACS, REGISTERS, UNIT, WIDTH
from ....engines.orup.ahead import LONGEST_DIGIT, LONGEST_TILE, SHORTEST_DIGIT, SHORTEST_TILE
from ....engines.orup.interleaved import FEWEST_SLOTS, MOST_SLOTS
from ....rns.base import MIN_WIDTH
from ....schedule import Schedule
from .blocks import blocks, residue_blocks, row_blocks, word_blocks
from .codec.codec import EcpmCodec
from .codec.residues import ResidueLadderCodec
from .extremes import extremes, residue_extremes, row_extremes, word_extremes
from .model import EcpmModel
from .model.residues import ResidueLadderModel
from .model.row import RowLadderModel
from .model.word import WordLadderModel
from .parameters import EcpmParameters, derive
from .parameters.residues import ResidueLadderParameters, derive_residues
from .parameters.row import RowLadderParameters, derive_row
from .parameters.word import WordLadderParameters, derive_word
from .schedule import make_schedule
from .schedule.residues import make_residue_schedule
from .schedule.row import make_row_schedule
from .schedule.word import make_word_schedule
from .trials import TRIALS

ORDER_BITS = Option(
    "order_bits",
    int,
    None,
    "bits of the widest order, steps of the ladder: those of the modulus or one more",
    (),
    SMALLEST,
    WIDEST + 1,
    sizes="order",
)
WIDTHS = (WIDTH, LIMB, ORDER_BITS)
SLOTS = Option(
    "slots", int, 2, "products of an operation in turn; with more, each takes longer", (), FEWEST_SLOTS, MOST_SLOTS
)
CONTEXTS = Option("contexts", int, 1, "operations that take the cycles of the data path in turn", (1, 2))
DIGIT = Option(
    "digit", int, None, "bits of an operand in a cycle; the block's when not given", (), SHORTEST_DIGIT, LONGEST_DIGIT
)
TILE = Option("tile", int, None, "bits of the other operand at a block", (), SHORTEST_TILE, LONGEST_TILE)
BLINDING = Option("blinding", bool, False, "the first Z is multiplied by a random number that comes in")


LIMB_DIGIT = Option(
    "digit",
    int,
    None,
    "bits of a digit; what block and limb take when not given",
    (),
    SHORTEST_COLUMN,
    LONGEST_COLUMN,
)
NUMBERS_OF_DIGITS = (*range(FEWEST_DIGITS, MOST_DIGITS + 1), IN_HALVES)
LIMB_DIGITS = Option("digits", int, 5, f"digits of a limb; {IN_HALVES} are multiplied in halves", NUMBERS_OF_DIGITS)
RESIDUE_WIDTH = Option("width", int, 18, "bits of a channel, w", (), MIN_WIDTH, 36)
CHANNELS = Option("channels", int, None, "moduli of a base, n; the fewest when not given", (), 2, 128)
LANES = Option("lanes", int, 2, "hats that a rower takes in a cycle, with a multiplier each", (), 1, 8)
T = Option("t", int, None, "bits of a hat that each cox reads; the fewest when not given", (), 1, 36)
LATENCY = Option("latency", int, 2, "registers of the multiplier behind that of its operands", (), 1, 6)
PRIME_ORDER_BITS = Option(
    "order_bits",
    int,
    None,
    "bits of the widest order, steps of the ladder: those of the prime or one more",
    (),
    SMALLEST,
    WIDEST + 1,
    sizes="order",
)


def build(p: EcpmParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core; Amaranth is imported here, and not with the registry."""
    from .hardware.core import EcpmCore

    return EcpmCore(p, schedule)


def build_row(p: RowLadderParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core over a row multiplier."""
    from .hardware.row.core import RowLadderCore
    from .hardware.row.turns import RowTurnsCore

    return RowLadderCore(p, schedule) if p.row.contexts == 1 else RowTurnsCore(p, schedule)


def build_word(p: WordLadderParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core on limbs."""
    from .hardware.word.core import WordLadderCore

    return WordLadderCore(p, schedule)


def build_residues(p: ResidueLadderParameters, schedule: Schedule) -> Hardware:
    """Hardware of a core in residues."""
    from .hardware.residues.core import ResidueLadderCore

    return ResidueLadderCore(p, schedule)


def _core(name: str, summary: str, source: str, options: tuple[Option, ...]) -> Core:
    return Core(
        name=f"ecpm/{name}",
        summary=summary,
        source=source,
        options=options,
        derive=derive,
        schedule=make_schedule,
        model=EcpmModel,
        build=build,
        codec=EcpmCodec,
        trials=TRIALS[f"ecpm/{name}"],
        extremes=extremes,
        widest=WIDEST,
        blocks=blocks,
    )


CORES = (
    _core(
        "ladder",
        "point multiplication by the Montgomery ladder, any Weierstrass curve, over one or two limb multipliers",
        "Modwright; formulas of Hamburg, TCHES 2020(4)",
        (*WIDTHS, UNIT, MACS, REGISTERS, BLINDING),
    ),
    _core(
        "r64-ladder",
        "point multiplication by the Montgomery ladder, any Weierstrass curve, over one r64 multiplier",
        "Xie et al. 2023, Table 1, corrected",
        (*WIDTHS, BLINDING),
    ),
    Core(
        name="ecpm/row-ladder",
        summary="point multiplication by the Montgomery ladder, any Weierstrass curve, over a row multiplier",
        source="Modwright; formulas of Hamburg, TCHES 2020(4); multiplier after Orup, ARITH-12, 1995",
        options=(WIDTH, ORDER_BITS, SLOTS, CONTEXTS, DIGIT, TILE),
        derive=derive_row,
        schedule=make_row_schedule,
        model=RowLadderModel,
        build=build_row,
        codec=EcpmCodec,
        trials=TRIALS["ecpm/row-ladder"],
        extremes=row_extremes,
        widest=WIDEST,
        blocks=row_blocks,
    ),
    Core(
        name="ecpm/word-ladder",
        summary="point multiplication by the Montgomery ladder, any Weierstrass curve, a limb at a time",
        source="Modwright; formulas of Hamburg, TCHES 2020(4)",
        options=(WIDTH, ORDER_BITS, LIMB_DIGIT, LIMB_DIGITS),
        derive=derive_word,
        schedule=make_word_schedule,
        model=WordLadderModel,
        build=build_word,
        codec=EcpmCodec,
        trials=TRIALS["ecpm/word-ladder"],
        extremes=word_extremes,
        widest=WIDEST,
        blocks=word_blocks,
    ),
    Core(
        name="ecpm/rns-ladder",
        summary="point multiplication by the Montgomery ladder, any Weierstrass curve over one prime, in residues",
        source="Modwright; formulas of Hamburg, TCHES 2020(4); extensions of Kawamura et al., EUROCRYPT 2000",
        options=(RESIDUE_WIDTH, CHANNELS, LANES, T, LATENCY, PRIME_ORDER_BITS),
        derive=derive_residues,
        schedule=make_residue_schedule,
        model=ResidueLadderModel,
        build=build_residues,
        codec=ResidueLadderCodec,
        trials=TRIALS["ecpm/rns-ladder"],
        extremes=residue_extremes,
        widest=WIDEST,
        blocks=residue_blocks,
    ),
)
