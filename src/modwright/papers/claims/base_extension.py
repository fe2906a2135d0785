# SPDX-License-Identifier: Apache-2.0
"""Claims of Djath, Bigou and Tisserand 2019, hierarchical base extension."""

from __future__ import annotations

from .claim import Claim, Evidence, Finding, measured, of_erratum, verdict

ROUNDING = 0.0006
"""Half a unit of the last digit of a curve's value, and some: the paper's are printed with three."""
BITS = 256


def _curve(evidence: Evidence) -> Finding:
    ours = evidence.ours("Figure 2")
    points = {key: value for key, value in ours.items() if key[1].startswith("operations")}
    apart = max(abs(value - evidence.printed("Figure 2", *key)) for key, value in points.items())
    return verdict(apart < ROUNDING), f"counted for {len(points)} pairs of n and r: at most {apart:.4f} apart"


def _counts(evidence: Evidence) -> Finding:
    ours = evidence.ours("Table II")
    same = {key: value == evidence.printed("Table II", *key) for key, value in ours.items()}
    less = sum(value < evidence.printed("Table II", *key) for key, value in ours.items())
    return verdict(*same.values()), f"of {len(same)} counts {sum(same.values())} are as printed, {less} lower"


def _cycles(evidence: Evidence) -> Finding:
    ours = {key[0]: value for key, value in evidence.ours("Table III").items() if key[1] == "cycles"}
    pairs = [(value, ours[row.replace("HBE", "KBE")]) for row, value in ours.items() if row.endswith("HBE")]
    saved = [1 - hierarchical / plain for hierarchical, plain in pairs]
    return verdict(min(saved) > 0), f"HBE takes {min(saved):.0%} to {max(saved):.0%} fewer cycles in {len(pairs)} sizes"


def _times(evidence: Evidence) -> Finding:
    sizes = _placed(evidence)
    pairs = list(sizes.values())
    faster = sum(hierarchical[0] < plain[0] for plain, hierarchical in pairs)
    fewer = sum(hierarchical[1] < plain[1] for plain, hierarchical in pairs)
    words = f"ECP5: faster in {faster} of {len(pairs)} sizes, fewer blocks in {fewer}: both have a multiplier a rower"
    if central := sum("local=false" in options for _, options in sizes):
        words += f"; {central} of the sizes with `local=false`"
    return measured(faster == len(pairs), fewer == len(pairs)), words


_Cost = tuple[float, int]
"""Time in ns and multiplier blocks."""


def _placed(evidence: Evidence) -> dict[tuple[int, str], tuple[_Cost, _Cost]]:
    """Time and blocks of KBE and of HBE, by bits and options with which both were placed on ECP5."""
    by_size: dict[tuple[int, str], dict[str, _Cost]] = {}
    for row in evidence.rows:
        if row.request["core"] in ("basext/kbe", "basext/hbe") and row.target == "ecp5" and row.latency_ns:
            size = by_size.setdefault((row.bits, row.label.removeprefix(row.core)), {})
            size[row.core] = (row.latency_ns, row.resources["dsp"])
    pairs = {key: (size["kbe"], size["hbe"]) for key, size in by_size.items() if len(size) == 2}
    if not pairs:
        raise LookupError("basext/hbe")
    return pairs


CLAIMS = (
    Claim(
        "A hierarchical extension costs n²/2 + 2n + n²/(2r) instead of n² + n operations.",
        "Section IV, Figure 2",
        "modwright paper base-extension",
        _curve,
    ),
    Claim("A product costs what the formulas of Table II say.", "Table II", "modwright paper base-extension", _counts),
    Claim(
        "It saves up to 35 % of the cost.",
        "Figure 2, section VII",
        "modwright paper base-extension --errata",
        of_erratum("up to 35 %", "not at n = 32 with CMM/CMR = 4, the largest ones of the figure"),
    ),
    Claim(
        "It has exactly the constraints of the extension before it.",
        "Section IV-B, section VII",
        "modwright paper base-extension --errata",
        of_erratum(
            "no further constraint", "in a base that keeps them {printed_fails} of {cases:,} extensions are wrong"
        ),
    ),
    Claim(
        "It takes fewer cycles.",
        "Table III",
        "modwright paper base-extension",
        _cycles,
    ),
    Claim(
        "On an FPGA it is faster and takes fewer blocks.",
        "Table III",
        "modwright paper base-extension",
        _times,
    ),
)
