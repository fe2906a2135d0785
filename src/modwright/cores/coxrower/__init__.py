# SPDX-License-Identifier: Apache-2.0
"""The cox-rower: an engine of residue arithmetic whose control is a program; other families make cores of it."""

from __future__ import annotations

from typing import Any

from ...contract import Core

CORES: tuple[Core, ...] = ()
CONTRACT_REQUESTS: dict[str, list[dict[str, Any]]] = {}
