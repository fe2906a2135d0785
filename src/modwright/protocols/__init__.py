# SPDX-License-Identifier: Apache-2.0
"""Protocols whose heavy arithmetic runs on a simulated core."""

from .ecdh import Ecdh
from .ecdsa import Ecdsa
from .encoding import DecryptionError
from .exponentiator import Exponentiator, Job, Power, Powers, SimulatedExponentiator
from .keys import RsaPrivateKey, read_private_key
from .point_multiplier import SimulatedPointMultiplier
from .points import (
    Multiplication,
    PlainMultiplier,
    PointError,
    PointMultiplier,
    Product,
    decode_point,
    encode_point,
)
from .rsa import Cycles, Rsa, Scheme, check_ciphertext, verify_signature

__all__ = [
    "Cycles",
    "DecryptionError",
    "Ecdh",
    "Ecdsa",
    "Exponentiator",
    "Job",
    "Multiplication",
    "PlainMultiplier",
    "PointError",
    "PointMultiplier",
    "Power",
    "Powers",
    "Product",
    "Rsa",
    "RsaPrivateKey",
    "Scheme",
    "SimulatedExponentiator",
    "SimulatedPointMultiplier",
    "check_ciphertext",
    "decode_point",
    "encode_point",
    "read_private_key",
    "verify_signature",
]
