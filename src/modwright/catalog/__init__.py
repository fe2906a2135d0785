# SPDX-License-Identifier: Apache-2.0
"""Primes, curves and moduli: named, each with its source; numbers, keys and certificates are read too."""

from .entries import Curve, Modulus, curves, moduli
from .resolve import resolve_curve, resolve_modulus, same_name

__all__ = ["Curve", "Modulus", "curves", "moduli", "resolve_curve", "resolve_modulus", "same_name"]
