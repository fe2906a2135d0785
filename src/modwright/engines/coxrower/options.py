# SPDX-License-Identifier: Apache-2.0
"""Options and sources of cores that extend bases by a cox-rower."""

from __future__ import annotations

from ...contract import Option
from ...contract.request import Request
from ...rns.extension import SUM, SUPER

KAWAMURA = "Kawamura, Koike, Sano and Shimbo, EUROCRYPT 2000"
PAPER = "Djath, Bigou and Tisserand, Hierarchical Approach in RNS Base Extension, 2019"

WIDEST = 4096
"""Bits of the widest modulus: 16 times a field of 256 bits; moduli of 17 bits are too far from 2^17 for it."""

LOCAL = Option(
    "local", bool, None, "copies of control and bus in every rower, a register in front of its block; default on ecp5"
)
OPTIONS = (
    Option("width", int, 17, "bits of a channel, w", minimum=8, maximum=36),
    Option("channels", int, None, "moduli of a base, n; chosen when not given", minimum=1, maximum=256),
    Option("t", int, None, "bits that the cox keeps, t or t'; the fewest when not given", minimum=1, maximum=38),
    Option("latency", int, 3, "cycles of a multiply-accumulate, L", minimum=2, maximum=8),
    Option("rowers", int, None, "rowers, p; one for each modulus when not given", minimum=1, maximum=256),
    LOCAL,
)
HIERARCHICAL = (
    Option("c", int, 2, "columns: channels of a super-residue", (2, 3, 4)),
    Option("cox", str, SUPER, "input of the cox: super-residues, or sums of the hats of a row", (SUPER, SUM)),
)


def local_of(request: Request) -> bool:
    """Whether rowers have copies of control: as requested, else on ECP5, where placements with the extra cycles are
    faster."""
    requested = request.options["local"]
    return request.target == "ecp5" if requested is None else requested
