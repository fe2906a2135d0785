# SPDX-License-Identifier: Apache-2.0
"""Parameters of the multipliers, which other cores share: `engines.orup`."""

from __future__ import annotations

from ....engines.orup.ahead import OrupParameters, derive
from ....engines.orup.interleaved import InterleavedParameters
from ....engines.orup.interleaved import derive as derive_interleaved

__all__ = ["InterleavedParameters", "OrupParameters", "derive", "derive_interleaved"]
