# SPDX-License-Identifier: Apache-2.0
"""Choices for a package, in addition to the request of its core."""

from __future__ import annotations

from dataclasses import dataclass

from ..bus import PLAIN, Wiring

GOWIN = "gowin"


@dataclass(frozen=True)
class Delivery:
    """Choices of a package.

    Parameters
    ----------
    wiring : Wiring
    gowin : bool
        Files for Gowin's parts as well. Such a package is of the target `generic`: Yosys and Gowin's synthesis find
        the blocks in plain products.
    """

    wiring: Wiring = PLAIN
    gowin: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Words that are part of the package's digest in addition to the request."""
        return (*self.wiring.words, *((GOWIN,) if self.gowin else ()))

    def target(self, requested: str) -> str:
        """The target as the user names it, for the target of a request."""
        return GOWIN if self.gowin else requested


USUAL = Delivery()
"""The default: plain wiring, no files for Gowin."""
