# SPDX-License-Identifier: Apache-2.0
"""Primes, curves and moduli: named, each with its source; numbers, keys and certificates are read too."""

from .entries import Curve, Modulus, curves, moduli
from .expression import MAXIMUM_BITS
from .resolve import is_prime, require_prime_order, resolve_curve, resolve_modulus, same_name

__all__ = [
    "MAXIMUM_BITS",
    "Curve",
    "Modulus",
    "curves",
    "is_prime",
    "moduli",
    "require_prime_order",
    "resolve_curve",
    "resolve_modulus",
    "same_name",
]
