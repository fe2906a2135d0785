# SPDX-License-Identifier: Apache-2.0
"""Between plain values and those of the Montgomery domain."""

from __future__ import annotations

from ..runtime_modulus import MontgomeryCodec
from .parameters import CarrySaveParameters


class CarrySaveCodec(MontgomeryCodec):
    """M goes in and comes out as `m`."""

    def __init__(self, p: CarrySaveParameters) -> None:
        super().__init__(p, "m")
