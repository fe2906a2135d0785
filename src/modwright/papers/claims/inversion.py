# SPDX-License-Identifier: Apache-2.0
"""Claims of Bigou and Tisserand 2016, binary-ternary plus-minus inversion."""

from __future__ import annotations

from statistics import median

from ...measurement.rows import options_of
from .claim import CONFIRMED, ELSEWHERE, Claim, Evidence, Finding, measured, of_erratum, verdict

NEAR = 0.05
"""Part by which a mean over random operands may differ from the one that is printed with two digits."""
SAVED = 0.295
"""Part of the cycles that rounds to 30 %."""
OVERHEAD = 4.0
"""Area overhead in per cent at most, by the abstract."""
SPEED_UP = (6, 12)
"""Range of the speed-up over Fermat's method."""
SLICES = (6, 11)
"""Range of the slices of the unit modulo 3."""


def _means(evidence: Evidence) -> Finding:
    ours = evidence.ours("Figure 2")
    near = [abs(value / evidence.printed("Figure 2", *key) - 1) <= NEAR for key, value in ours.items()]
    words = ", ".join(f"{row.partition(':')[0]} {value:.3f}" for (row, _), value in ours.items() if "outer" in row[:12])
    return verdict(*near), f"outer iterations a bit on P-256: {words}; {sum(near)} of {len(near)} means within 5 %"


def _fewer_cycles(evidence: Evidence) -> Finding:
    ours = {row: value for (row, column), value in evidence.ours("Figure 5").items() if column == "cycles"}
    saved = [1 - value / ours[row.replace("BTMI", "BMI")] for row, value in ours.items() if row.endswith("BTMI")]
    words = f"{min(saved):.1%} to {max(saved):.1%} fewer cycles in {len(saved)} sizes"
    return verdict(*(part >= SAVED for part in saved)), words


def _overhead(evidence: Evidence) -> Finding:
    alone = [value for (_, column), value in evidence.ours("Table IV").items() if column == "overhead, %"]
    with_products = [
        value for (_, column), value in evidence.ours("Section IV").items() if column.startswith("btmi over")
    ]
    words = (
        f"{min(alone):.0f} to {max(alone):.0f} % of a core that only inverts; {min(with_products):.1f} to "
        f"{max(with_products):.1f} % of one that also multiplies"
    )
    return measured(*(value <= OVERHEAD for value in (*alone, *with_products))), words


def _clock(evidence: Evidence) -> Finding:
    of_binary, of_ternary = (seed_rates(evidence, core) for core in ("rns-bmi", "rns-btmi"))
    both = [(of_binary[options], of_ternary[options]) for options in of_binary.keys() & of_ternary.keys()]
    common = [sorted(binary.keys() & ternary.keys()) for binary, ternary in both]
    if not any(common):
        raise LookupError("rns-bmi and rns-btmi with the same options and seeds")
    (binary, ternary), seeds = max(zip(both, common, strict=True), key=lambda pair: len(pair[1]))
    rates = [median(rates[seed] for seed in seeds) for rates in (binary, ternary)]
    which = f"with seed {seeds[0]}" if len(seeds) == 1 else f"in the median of seeds {', '.join(map(str, seeds))}"
    return measured(rates[1] >= rates[0]), f"ECP5, P-256, {which}: BMI {rates[0]:.1f} MHz, BTMI {rates[1]:.1f}"


def seed_rates(evidence: Evidence, core: str) -> dict[str, dict[int, float]]:
    """Clock rates of an inversion modulo P-256 on ECP5, in MHz, by its options and seeds."""
    rows = [row for row in evidence.rows if (row.core, row.bits, row.target) == (core, 256, "ecp5") and row.placed]
    return {
        " ".join(options_of(row.request)): {
            run["seed"]: run["fmax_mhz"] for run in row.timing.get("per_seed", ()) if run["fmax_mhz"] is not None
        }
        for row in rows
    }


def _fermat(evidence: Evidence) -> Finding:
    ours = evidence.ours("Figure 1")
    ratio = ours["FLT", "cycles"] / ours["BMI", "cycles"]
    least, most = SPEED_UP
    return (
        CONFIRMED if least <= ratio <= most else ELSEWHERE,
        f"{ratio:.1f} times fewer cycles at 384 bits, by the schedules",
    )


def _small_unit(evidence: Evidence) -> Finding:
    slices = [value for (_, column), value in evidence.ours("Table II").items() if column == "slices"]
    least, most = SLICES
    return measured(
        min(slices) <= least, max(slices) <= most
    ), f"{min(slices):.0f} to {max(slices):.0f} on series 7, at least"


CLAIMS = (
    Claim(
        "0.46 outer iterations a bit with 0.75 inner ones each, instead of 0.71: 1.61 n·ℓ elementary products.",
        "Section V, Figure 2",
        "modwright paper inversion",
        _means,
    ),
    Claim(
        "30 % fewer operations than by the binary method.",
        "Abstract, section VII",
        "modwright paper inversion",
        _fewer_cycles,
    ),
    Claim("An area overhead of 2 to 4 %.", "Table IV, section VII", "modwright paper inversion", _overhead),
    Claim("No lower clock rate.", "Section VII", "modwright compare --function modinv --field P-256", _clock),
    Claim(
        "Plus-minus inversion is 6 to 12 times faster than Fermat's.", "Figure 1", "modwright paper inversion", _fermat
    ),
    Claim("The unit modulo 3 takes 6 to 11 slices.", "Table II", "modwright paper inversion", _small_unit),
    Claim(
        "The small residue of a result follows by update3_4 as printed.",
        "Section IV-D",
        "modwright paper inversion --errata",
        of_erratum("update3_4", "wrong for {printed_fails} of {cases} classes of X and P modulo 12"),
    ),
)
