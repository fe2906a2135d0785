# SPDX-License-Identifier: Apache-2.0
"""The binary inverter in hardware: slices of f, g, d and e, each a cycle behind the one below it."""

from .core import InversionDatapath, build

__all__ = ["InversionDatapath", "build"]
