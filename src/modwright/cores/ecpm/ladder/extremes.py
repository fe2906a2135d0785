# SPDX-License-Identifier: Apache-2.0
"""Numbers inside a point multiplier: the inversion's; words over a row multiplier; numbers and h in residues."""

from __future__ import annotations

from itertools import islice

from ....contract.payload import integer
from ....contract.quantities import Extremes, Operands, Quantity, Values
from ....engines.ladder.extremes import SAMPLE, TRIED, UNITS, inversion_extremes
from ....engines.rowers.model import ResidueField
from ....engines.rowers.parameters import BELOW
from ....schedule import Schedule
from .codec.codec import EcpmCodec
from .codec.residues import ResidueLadderCodec
from .model import EcpmModel
from .model.row import RowLadderModel
from .model.word import WordLadderModel
from .parameters import EcpmParameters
from .parameters.residues import ResidueLadderParameters
from .parameters.row import RowLadderParameters
from .parameters.word import WordLadderParameters
from .plan.residues.formulas import COPIED, GRAPHS


def extremes(p: EcpmParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core."""
    return inversion_extremes(EcpmModel(p, schedule), EcpmCodec(p).edges().values())


def row_extremes(p: RowLadderParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core over a row multiplier."""
    model = RowLadderModel(p, schedule)
    largest = max(limit for values in p.limits.values() for limit in values.values())
    part = f"in {UNITS}ths of U = m·2^K, rounded down"
    word = Quantity("word/U", 0, int(UNITS * largest), f"{part}; certificate `word-limit`")

    def observe(operands: Operands) -> Values:
        model.run(operands)
        field = model.last
        return {} if field is None else {"word/U": (field.largest * UNITS // (field.multiple + 1),)}

    return Extremes((word,), observe, lambda: islice(EcpmCodec(p).edges().values(), TRIED), SAMPLE)


def word_extremes(p: WordLadderParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core on limbs."""
    model = WordLadderModel(p, schedule)
    largest = max(limit for values in p.limits.values() for limit in values.values())
    value = Quantity("value/m", 0, int(UNITS * largest), f"in {UNITS}ths of m, rounded down; certificate `word-limit`")

    def observe(operands: Operands) -> Values:
        model.run(operands)
        field = model.last
        return {} if field is None else {"value/m": (field.largest * UNITS // field.modulus,)}

    return Extremes((value,), observe, lambda: islice(EcpmCodec(p).edges().values(), TRIED), SAMPLE)


def residue_extremes(p: ResidueLadderParameters, schedule: Schedule) -> Extremes:
    """Extremes of one core in residues: of the set-up, and of the first step for the bit 1."""
    del schedule
    field, P = p.rowers, p.modulus
    part = f"in {UNITS}ths of P, rounded down"
    number = Quantity("S/P", -int(UNITS * BELOW), int(UNITS * field.above), f"{part}; certificate `range-A`")
    quotients = [
        Quantity(f"h of {name}", 0, extension.largest_h, "top bits of all hats at their largest")
        for name, extension in (("A", field.first), ("B", field.second))
    ]

    def observe(operands: Operands) -> Values:
        given = {name: integer(operands[name]) for name in ("x", "y", "a", "b", "infinity")}
        if given["infinity"] or max(given[name] for name in "xyab") >= P:
            return {}
        model = ResidueField(field)
        for name, value in {**{f"p{name}": given[name] for name in "xyab"}, "unit": 1}.items():
            model.load(name, value)
        for operation in GRAPHS["set-up"]:
            model.run(operation, {})
        model.words |= {name: model.words[f"{name}0"] for name in COPIED}
        for operation in GRAPHS["step"]:
            model.run(operation, {"turn": 0})
        made = [operation.name for graph in ("set-up", "step") for operation in GRAPHS[graph]]
        pairs = zip(*model.quotients, strict=True)
        found = {f"h of {name}": tuple(values) for name, values in zip("AB", pairs, strict=True)}
        return found | {"S/P": tuple(model.number(name) * UNITS // P for name in made)}

    edges = ResidueLadderCodec(p).edges()
    return Extremes((number, *quotients), observe, lambda: islice(edges.values(), TRIED), SAMPLE)
