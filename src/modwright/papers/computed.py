# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of a paper that are arithmetic: computed here by our own code, and not measured.

Each function takes a document and gives (row, column, paper's figure, ours) for every cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from random import Random

import gmpy2

from ..base.errors import ModwrightError
from ..base.json import JsonMapping
from ..catalog import resolve_modulus
from ..contract import Core, Parameters
from ..contract.request import Request
from ..cores.modinv.plus_minus.parameters import PassParameters
from ..cores.modmul.rns_montgomery.parameters import MultiplierParameters
from ..cores.modmul.sor.parameters import SorParameters
from ..engines.plus_minus import BMI, BTMI, counter
from ..measurement import rows_of, shipped_records
from ..measurement.rows import options_of
from ..prepared import Prepared, prepare, registry
from ..rns.costs import EXTENSION, HYBRID_2, HYBRID_4, PRODUCT, saving, spent
from .figures import mod3_slices
from .machine import ALONE, KINDS, machines
from .radices import SAMPLES, sampled

Cell = tuple[str, str, str, "str | float | None"]
"""Row, column, what the paper has, and ours."""


def condition_22(document: JsonMapping) -> Iterator[Cell]:
    """Condition (22) of Mehrabi in exact integers, and whether what is printed is prime."""
    for curve, printed, channels, width, holds, prime in document["rows"]:
        p = _value(printed)
        bits = p.bit_length()
        epsilon = (1 << bits) - p
        ours = epsilon * int(channels) < 1 << (bits - int(width))
        yield curve, "condition (22)", holds, "holds" if ours else "fails"
        yield curve, "p is prime", prime, "yes" if gmpy2.is_prime(p) else "no: misprinted"


def _value(expression: str) -> int:
    """A sum of powers of two and integers, such as 2^160-2^32-1."""
    total = 0
    for sign, power, plain in re.findall(r"([+-]?)(?:2\^(\d+)|(\d+))", expression):
        total += (-1 if sign == "-" else 1) * (1 << int(power) if power else int(plain))
    return total


_CURVES = {"SECP256K1": "secp256k1.p", "ED25519": "2^255-19"}


def constant_bits(document: JsonMapping) -> Iterator[Cell]:
    """Bits of the constants of a core, counted on its parameters."""
    for curve, named, printed in document["rows"]:
        name, *options = named.split()
        core = registry.find(f"modmul/{name}")
        modulus = resolve_modulus(_CURVES[curve]).value
        request = Request.make(core, modulus=modulus, target="xc7", options=dict.fromkeys(options, True))
        yield f"{curve}, {named}", "bits", printed, _constant_bits(core.derive(request))


def _constant_bits(p: Parameters) -> int:
    if isinstance(p, SorParameters):
        rows = 1 + p.N + len(p.corrections) + 1  # the inverse, weights, rows of α, and -p
        return p.N * (rows * p.base.width + p.kappa_width)
    assert isinstance(p, MultiplierParameters)
    engine = p.engine
    words = sum(len(engine.constants(rower)) for rower in range(engine.rowers))
    multiples = sum(len(engine.corrections_of(e, k)) for e in range(len(engine.extensions)) for k in range(p.n))
    return (words + multiples) * p.width


RATIOS = (2, 3, 4)
"""CMM/CMR of the curves."""
LENGTHS = (6, 8, 12, 16, 20, 24, 28, 32)
"""Channels at which the curves of Figures 2 and 4 are read."""
HYBRID_LENGTHS = {2: (8, 12, 16, 20, 24, 28, 32), 4: (16, 24, 32)}
"""Those of Figures 5 and 6, by d: a coefficient has an even number of moduli, two at least in a row."""
_WIDTH = 17


def hierarchical_basext(_: JsonMapping) -> Iterator[Cell]:
    """Figure 2: (n²/2 + 2n + n²/2r) / (n² + n); ours counted, and cycles of our two base extensions."""
    yield from _curves(EXTENSION, LENGTHS, _extension, ("basext/hbe", "basext/kbe"))


def hierarchical_modmul(_: JsonMapping) -> Iterator[Cell]:
    """Figure 4: two extensions and 2n products by the formulas of Table II; ours counted, and cycles."""
    yield from _curves(PRODUCT, LENGTHS, _product, ("modmul/rns-hbe", "modmul/rns-kbe"))


def hpr_2(_: JsonMapping) -> Iterator[Cell]:
    """Figure 5, by the formulas of Table II; ours counted."""
    yield from _curves(HYBRID_2, HYBRID_LENGTHS[2], partial(_hybrid, 2))


def hpr_4(_: JsonMapping) -> Iterator[Cell]:
    """Figure 6, by the formulas of Table II; ours counted."""
    yield from _curves(HYBRID_4, HYBRID_LENGTHS[4], partial(_hybrid, 4))


def _extension(n: int, r: Fraction) -> Fraction:
    return (Fraction(n * n, 2) + 2 * n + n * n / (2 * r)) / (n * n + n)


def _product(n: int, r: Fraction) -> Fraction:
    return (n * n + n * n / r + 6 * n) / (2 * n * n + 4 * n)


def _hybrid(d: int, n: int, r: Fraction) -> Fraction:
    """Cost with HBE over cost with KBE, by Table II."""
    linear = {2: (8, 10), 4: (12, 14)}[d]
    square = Fraction(2 * n * n, d)
    return (square / 2 * (1 + 1 / r) + linear[1] * n) / (square + linear[0] * n)


def _curves(
    what: str, lengths: Iterable[int], formula: Callable[[int, Fraction], Fraction], cores: Sequence[str] = ()
) -> Iterator[Cell]:
    """The paper's formula next to what was counted, and where two cores do the work, their cycles."""
    for n in lengths:
        for r in RATIOS:
            yield f"n = {n}", f"operations, r = {r}", f"{float(formula(n, Fraction(r))):.3f}", saving(what, n, r)
        if cores:
            yield f"n = {n}", "cycles", "", _cycle_ratio(cores, n)


def _cycle_ratio(cores: Sequence[str], channels: int) -> float | None:
    """Cycles with the hierarchical base extension over those without, for as wide a prime as the channels hold."""
    modulus = 1 << (_WIDTH * (channels - 1))
    modulus += next(n for n in range(1, modulus, 2) if gmpy2.is_prime(modulus + n))
    cycles = []
    for name in cores:
        core = registry.all_cores().get(name)
        latency = None if core is None else _latency(core, modulus, channels)
        if latency is None:
            return None
        cycles.append(latency)
    return cycles[0] / cycles[1]


def _latency(core: Core, modulus: int, channels: int) -> int | None:
    """Latency with this number of channels; None when no base has as many."""
    options = {"width": _WIDTH, "channels": channels + channels % 2}
    try:
        return prepare(core, Request.make(core, modulus=modulus, target="xc7", options=options)).schedule.latency
    except ModwrightError:
        return None


_PRINTED_LENGTHS = (16, 32)
"""Channels at which the formulas of Table II are counted; multiples of 8, as every configuration exists for them."""


def operation_counts(document: JsonMapping) -> Iterator[Cell]:
    """Table II of base extension, in CMM: the printed formulas at two lengths, and ours as counted in an execution."""
    _, *methods = document["columns"]
    for extension, *formulas in document["rows"]:
        ratio = re.search(r"r = (\d)", extension)
        columns, cmr = (2, int(ratio[1])) if ratio else (1, 1)
        for method, what, formula in zip(methods, (PRODUCT, HYBRID_2, HYBRID_4), formulas, strict=True):
            for n in _PRINTED_LENGTHS:
                ours = float(spent(what, n, columns, cmr))
                yield f"{extension}, {method}: {formula}", f"n = {n}", f"{float(_at(formula, n)):g}", ours


def _at(formula: str, n: int) -> Fraction:
    """A polynomial in n as printed, such as 3n²/2 + 6n."""
    total = Fraction(0)
    for factor, square, divisor in re.findall(r"(\d*)n(²?)(?:/(\d+))?", formula):
        total += Fraction(int(factor or 1) * n ** (2 if square else 1), int(divisor or 1))
    return total


def inversion_overhead(document: JsonMapping) -> Iterator[Cell]:
    """Table IV: LUTs of BTMI over those of BMI, on series 7, where both were measured alike."""
    every = rows_of(shipped_records().values())
    rows = [row for row in every if row.target == "xc7" and not options_of(row.request)]
    for bits, least, most in document["rows"]:
        area = {
            row.core: row.resources["lut"]
            for row in rows
            if row.core in ("rns-bmi", "rns-btmi") and row.bits == int(bits)
        }
        ours = (area["rns-btmi"] / area["rns-bmi"] - 1) * 100 if len(area) == 2 else None
        yield f"{bits} bits", "overhead, %", f"{least} to {most}", ours


def inversion_on_multiplier(document: JsonMapping) -> Iterator[Cell]:
    """LUTs of a cox-rower that multiplies, of inversion on it, and of inversion alone; and Table IV with that machine,
    which is the paper's: BTMI over BMI, both with the multiplier."""
    printed = {int(bits): f"{least} to {most}" for bits, least, most in document["rows"]}
    for machine in machines():
        row = f"{machine.bits} bits, {machine.target}, {machine.tables}"
        yield row, "multiplier, LUT", "", machine.count(ALONE, "lut")
        for kind in KINDS:
            if kind in machine.rows:
                yield row, f"with {kind}, LUT", "", machine.count(kind, "lut")
                yield row, f"{kind}: LUT more, %", "", machine.over(kind)
                yield row, f"{kind}: multiplier blocks more, %", "", machine.over(kind, "dsp")
        if machine.inverter is not None:
            yield row, "btmi alone, LUT", "", machine.inverter.resources["lut"]
        yield row, "btmi over bmi, LUT, %", printed[machine.bits], machine.over("btmi", base="bmi")


_VALUES = 4
"""V3, V1, U3 and U1, whose residues modulo a power of 2, and one of 3, are kept."""


def inversion_parts(document: JsonMapping) -> Iterator[Cell]:
    """Table III: constants of a rower, control words and small residues of our two inversions; slices of the unit
    modulo 3 and block RAMs where they were measured on series 7."""
    core_of = {"BMI": "modinv/rns-bmi", "BTMI": "modinv/rns-btmi"}
    found = {name: _prepared_for(core, "P-256") for name, core in core_of.items()}
    rows = rows_of(shipped_records().values())
    alike = (row for row in rows if (row.target, row.bits) == ("xc7", 256) and not options_of(row.request))
    rams = {f"modinv/{row.core}": row.resources.get("bram") for row in alike}
    measured = mod3_slices(rows)
    slices = None if measured is None else "{}-{}".format(*measured)
    for unit, part, *printed in document["rows"]:
        for name, paper in zip(core_of, printed, strict=True):
            parameters, schedule = found[name].parameters, found[name].schedule
            assert isinstance(parameters, PassParameters)
            words = {tuple(sorted(word.items())) for part in schedule.parts.values() for word in part.microcode.words}
            kind = parameters.kind
            ours: dict[str, str | float | None] = {
                "mod3, slices": slices if kind.threes else 0,
                "BRAM": rams.get(core_of[name]),
                "words of w bits": len(parameters.engine.constants),
                "states": len(words),
                "2-bit values": _VALUES * (bool(kind.twos) + bool(kind.threes)),
            }
            yield f"{unit}, {part}", name, paper, ours.get(part)


def _prepared_for(name: str, field: str) -> Prepared:
    core = registry.find(name)
    return prepare(core, Request.make(core, modulus=resolve_modulus(field).value, target="generic"))


def larger_radices(document: JsonMapping) -> Iterator[Cell]:
    """Divisions by 5 and 7 next to those by 2 and 3: passes, products, constants, and what the decision looks at."""
    p = resolve_modulus("P-256").value
    for (name,) in document["rows"]:
        found = sampled(name, p)
        figures = {
            "plus-minus steps": found.steps,
            "divisions alone": found.divisions,
            "passes": found.passes,
            f"passes, most of {SAMPLES}": found.most,
            "EMM/(n·ℓ)": 2 * found.passes / p.bit_length(),
            "words by divisor": found.constants,
            "residues modulo": found.small,
        }
        for column, ours in figures.items():
            yield f"divisions by {name}", column, "", ours


def plus_minus_counts(document: JsonMapping) -> Iterator[Cell]:
    """Means of section V, counted by the control flow of our cores over random operands of P-256."""
    p = resolve_modulus("P-256").value
    ours: dict[str, float] = {}
    for kind in (BMI, BTMI):
        random, count = Random(1), counter(kind, p)
        counted = [count(random.randrange(1, p)) for _ in range(SAMPLES)]
        outer, inner = (sum(c[n] for c in counted) / SAMPLES for n in (0, 1))
        name, bits = kind.name.upper(), p.bit_length()
        ours[f"{name}: outer iterations a bit"] = outer / bits
        ours[f"{name}: inner iterations an outer one"] = inner / outer
        # An outer iteration divides two values, and so does an inner one: n products each.
        ours[f"{name}: EMM/(n·ℓ)"] = 2 * (outer + inner) / bits
    for name, printed in document["rows"]:
        yield name, "mean", printed, ours[name]


COMPUTED: dict[str, Callable[[JsonMapping], Iterator[Cell]]] = {
    "condition_22": condition_22,
    "constant_bits": constant_bits,
    "hierarchical_basext": hierarchical_basext,
    "hierarchical_modmul": hierarchical_modmul,
    "hpr_2": hpr_2,
    "hpr_4": hpr_4,
    "inversion_on_multiplier": inversion_on_multiplier,
    "inversion_overhead": inversion_overhead,
    "inversion_parts": inversion_parts,
    "larger_radices": larger_radices,
    "operation_counts": operation_counts,
    "plus_minus_counts": plus_minus_counts,
}
"""By the name in a document."""
