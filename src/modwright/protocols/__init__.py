# SPDX-License-Identifier: Apache-2.0
"""Protocols whose heavy arithmetic runs on a simulated core."""

from .encoding import DecryptionError
from .engine import Exponentiator, Job, Power, Powers, SimulatedExponentiator
from .keys import RsaPrivateKey, read_private_key
from .rsa import Clocks, Rsa, Scheme, check_ciphertext, verify_signature

__all__ = [
    "Clocks",
    "DecryptionError",
    "Exponentiator",
    "Job",
    "Power",
    "Powers",
    "Rsa",
    "RsaPrivateKey",
    "Scheme",
    "SimulatedExponentiator",
    "check_ciphertext",
    "read_private_key",
    "verify_signature",
]
