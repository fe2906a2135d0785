# SPDX-License-Identifier: Apache-2.0
"""Choices for a package, in addition to the request of its core."""

from __future__ import annotations

from dataclasses import dataclass

from ..bus import PLAIN, Wiring


@dataclass(frozen=True)
class Delivery:
    """Choices of a package.

    Parameters
    ----------
    wiring : Wiring
    """

    wiring: Wiring = PLAIN

    @property
    def words(self) -> tuple[str, ...]:
        """Parts of the package's digest in addition to the request's."""
        return self.wiring.words


USUAL = Delivery()
"""Nothing chosen."""
