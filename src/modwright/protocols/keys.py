# SPDX-License-Identifier: Apache-2.0
"""RSA private keys with two primes, read from PKCS#1 and PKCS#8 files with `cryptography` and checked here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..catalog.keyfile import pem_blocks, read_bytes

SHORTEST, LONGEST = 1024, 4096
"""Bits of the modulus n."""
_BALANCE = 3
"""A prime has at least a third of the bits of n: the core is as wide as the longer one, and a short one is within
reach of the elliptic-curve method of factoring. Keys after FIPS 186-5, A.1.1, have half of the bits in each."""
_FORMS = "a PEM or DER file with an RSA private key, PKCS#1 or PKCS#8"
_RSA_ENCRYPTION = bytes.fromhex("06092a864886f70d0101010500")
"""OID 1.2.840.113549.1.1.1 and NULL: the AlgorithmIdentifier that PKCS#8 has before the key (RFC 8017, A.1)."""
_SHORT_LENGTH = 0x80
"""A DER length below this is one byte; from there on, the low bits count the bytes of the length."""
_VERSION_MULTI = bytes.fromhex("020101")
"""INTEGER 1: the version of a key with more than two primes (RFC 8017, A.1.2)."""


@dataclass(frozen=True)
class RsaPrivateKey:
    """A private key in the form of RFC 8017, section 3.2, with two primes; every value is checked.

    Parameters
    ----------
    n, e, d : int
        Modulus of 1024 to 4096 bits, public and private exponent.
    p, q : int
        The primes, in either order.
    dp, dq, qinv : int
        d mod p - 1, d mod q - 1, and q^-1 mod p.

    Raises
    ------
    UsageError
        Names the first condition that does not hold, and no secret value.
    """

    n: int
    e: int
    d: int
    p: int
    q: int
    dp: int
    dq: int
    qinv: int

    def __post_init__(self) -> None:
        for rule, holds in self._rules():
            if not holds:
                raise UsageError(f"this RSA private key is refused, by the rule {rule}")

    def __repr__(self) -> str:
        """The public part."""
        return f"RsaPrivateKey(n={self.n:#x}, e={self.e:#x}, ...)"

    def _rules(self) -> Iterator[tuple[str, bool]]:
        """Conditions with their truth; a later one is evaluated only where the earlier ones hold."""
        n, e, d, p, q = self.n, self.e, self.d, self.p, self.q
        yield f"{SHORTEST} to {LONGEST} bits, not {n.bit_length()}", SHORTEST <= n.bit_length() <= LONGEST
        yield "n odd", n % 2 == 1
        yield "e odd, 3 <= e < n", e % 2 == 1 and 3 <= e < n
        yield "p·q = n", p * q == n
        yield "p and q positive, and not equal", p > 0 and q > 0 and p != q
        least = min(p.bit_length(), q.bit_length())
        yield (
            f"bits of each prime >= a third of the bits of n, but one has {least}",
            _BALANCE * least >= n.bit_length(),
        )
        yield "p prime", _is_prime(p)
        yield "q prime", _is_prime(q)
        yield "1 < d < n", 1 < d < n
        yield "e·d = 1 mod lcm(p - 1, q - 1)", e * d % math.lcm(p - 1, q - 1) == 1
        yield "dP = d mod (p - 1)", self.dp == d % (p - 1)
        yield "dQ = d mod (q - 1)", self.dq == d % (q - 1)
        yield "qInv·q = 1 mod p, 0 < qInv < p", 0 < self.qinv < p and self.qinv * q % p == 1

    @property
    def bits(self) -> int:
        """Bits of n."""
        return self.n.bit_length()

    @property
    def half_bits(self) -> int:
        """Bits of the longer prime: the width of the core."""
        return max(self.p.bit_length(), self.q.bit_length())

    @property
    def length(self) -> int:
        """k of RFC 8017: bytes of n, of a signature and of a ciphertext."""
        return -(-self.bits // 8)

    def public_key(self) -> Any:
        """The public key of `cryptography`."""
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

        return RSAPublicNumbers(self.e, self.n).public_key()


def read_private_key(path: Path, passphrase: bytes | None = None) -> RsaPrivateKey:
    """The first private key of a PEM file, or the one of a DER file.

    Parameters
    ----------
    path : Path
    passphrase : bytes or None
        Passphrase of an encrypted key; ignored for any other.

    Raises
    ------
    UsageError
        Unreadable file, no RSA private key in it, a wrong passphrase or none, more than two primes, or a key that
        breaks a rule of `RsaPrivateKey`.
    """
    numbers = _load(path, passphrase).private_numbers()
    public = numbers.public_numbers
    try:
        return RsaPrivateKey(
            public.n, public.e, numbers.d, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp
        )
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}") from None


def _load(path: Path, passphrase: bytes | None) -> Any:
    """The key of `cryptography`, whose own checks are left out: it does not say which rule is broken."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

    data = read_bytes(path)
    blocks = pem_blocks(data)
    found = [block for label, block in blocks if label.endswith("PRIVATE KEY") and not label.startswith("OPENSSH")]
    if blocks and not found:
        raise UsageError(f"{path} holds no private key in PKCS#1 or PKCS#8", _FORMS)
    load, data = (load_pem_private_key, found[0]) if found else (load_der_private_key, data)

    def attempt(password: bytes | None) -> Any:
        return load(data, password, unsafe_skip_rsa_key_validation=True)

    try:
        key = _decrypted(path, attempt, passphrase)
    except UnsupportedAlgorithm as error:
        raise UsageError(f"{path}: {error}", _FORMS) from None
    except ValueError as error:
        if _has_more_primes(data, pem=bool(found)):
            raise UsageError(f"{path} holds a key with more than two primes", "a key with two primes") from None
        raise UsageError(f"{path} holds no private key that can be read: {error}", _FORMS) from None
    if not isinstance(key, RSAPrivateKey):
        raise UsageError(f"{path} holds a {type(key).__name__}, no RSA key", _FORMS)
    return key


def _decrypted(path: Path, attempt: Any, passphrase: bytes | None) -> Any:
    """Key that `attempt` loads, without a passphrase where none is needed."""
    try:
        return attempt(None)
    except TypeError:  # what `cryptography` raises when a passphrase is missing
        if not passphrase:
            raise UsageError(
                f"{path} is encrypted, and no passphrase is given", "--passphrase-file FILE, or MODWRIGHT_PASSPHRASE"
            ) from None
    return attempt(passphrase)


def _has_more_primes(data: bytes, *, pem: bool) -> bool:
    """Whether an unencrypted key file, which could not be loaded, is one with more than two primes."""
    import base64
    import binascii

    if pem:
        try:
            data = base64.b64decode(b"".join(data.splitlines()[1:-1]))
        except binascii.Error:
            return False
    _, oid, wrapped = data.partition(_RSA_ENCRYPTION)
    return _content(_content(wrapped) if oid else data).startswith(_VERSION_MULTI)


def _content(der: bytes) -> bytes:
    """Content of a DER value, after tag and length."""
    length = der[1] if len(der) > 1 else 0
    return der[2 + (length - _SHORT_LENGTH if length >= _SHORT_LENGTH else 0) :]


def _is_prime(value: int) -> bool:
    """Baillie-PSW test, to which no composite is known. gmpy2 is imported late: it takes 40 ms."""
    import gmpy2

    return gmpy2.is_prime(value)
