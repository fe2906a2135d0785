# SPDX-License-Identifier: Apache-2.0
"""Keys and operations of RSA for tests."""

from functools import cache
from math import gcd, lcm
from pathlib import Path

from cryptography.hazmat.primitives.serialization import (
    load_pem_private_key,
)

from modwright.protocols import RsaPrivateKey, read_private_key

DATA = Path(__file__).parents[1] / "data"
RSA = DATA / "rsa"
PASSPHRASE = b"modwright"


@cache
def key(name="rsa1024"):
    return read_private_key(RSA / f"{name}.pem", PASSPHRASE)


def private_by_openssl(name="rsa1024"):
    return load_pem_private_key((RSA / f"{name}.pem").read_bytes(), None)


def made_of(p, q, e=65537):
    """A key of any two numbers, consistent as far as that goes."""
    d = pow(e, -1, lcm(p - 1, q - 1))
    return RsaPrivateKey(p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p) if gcd(p, q) == 1 else 1)
