# SPDX-License-Identifier: Apache-2.0
"""RSA private-key operations (RFC 8017) whose two halves run on an exponentiator.

    c' = c·r^e mod n                               blinding, r fresh and random
    m1 = c'^dP mod p,  m2 = c'^dQ mod q            on the exponentiator
    m' = m2 + q·(qInv·(m1 - m2) mod p)             Garner's recombination (RFC 8017, section 5.1.2, step 2b)
    m  = m'·r^-1 mod n
    m^e = c (mod n), else nothing is released      (Boneh, DeMillo, Lipton, J. Cryptology 14(2), 2001)

A fault in one of the halves gives a result that is right modulo one prime only, and whose difference to the right one,
or whose e-th power's difference to c, shares that prime with n: the check is what keeps it in.

All but the two powers is done here with Python's integers, whose time depends on their values.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from math import gcd
from typing import Any

from ..base.errors import FaultError, UsageError, VerificationError
from .encoding import check_oaep_length, digest_size, emsa_pkcs1_v1_5, emsa_pss, oaep_decode
from .exponentiator import Exponentiator, Job
from .keys import RsaPrivateKey

PADDINGS = ("pss", "pkcs1v15")
MOST_EXPONENT_BLINDING = 128
"""Bits of the random multiple of p - 1 that is added to an exponent."""


@dataclass(frozen=True)
class Cycles:
    """Cycles of one private-key operation: of its halves, and of both together."""

    p: int
    q: int
    both: int


@dataclass(frozen=True)
class Scheme:
    """Encoding of a message for signing.

    Parameters
    ----------
    padding : str
        "pss" or "pkcs1v15".
    hash : str
        "sha256", "sha384" or "sha512".
    salt : int or None
        Bytes of the salt of PSS; None: as many as the digest has.
    """

    padding: str = "pss"
    hash: str = "sha256"
    salt: int | None = None

    @property
    def salt_length(self) -> int:
        """Bytes of the salt of PSS."""
        return digest_size(self.hash) if self.salt is None else self.salt

    def encode(self, message: bytes, bits: int) -> int:
        """The representative of a message for a modulus of `bits` bits; a new salt is drawn."""
        if self.padding == "pss":
            encoded = emsa_pss(message, bits - 1, self.hash, secrets.token_bytes(self.salt_length))
        else:
            encoded = emsa_pkcs1_v1_5(message, -(-bits // 8), self.hash)
        return int.from_bytes(encoded, "big")


class Rsa:
    """The private-key operations of one key.

    Parameters
    ----------
    key : RsaPrivateKey
    exponentiator : Exponentiator
        For moduli of `key.half_bits` and exponents of `key.half_bits` + `exponent_blinding` bits.
    blinding : bool
        Multiply the operand by r^e.
    exponent_blinding : int
        Bits of the random k in dP + k·(p - 1) and in dQ + k·(q - 1); 0: the exponents of the key.
    """

    def __init__(
        self, key: RsaPrivateKey, exponentiator: Exponentiator, *, blinding: bool = True, exponent_blinding: int = 0
    ) -> None:
        self.key, self.exponentiator = key, exponentiator
        self.blinding, self.exponent_blinding = blinding, exponent_blinding

    def private(self, c: int) -> tuple[int, Cycles]:
        """Decryption c^d mod n.

        Raises
        ------
        UsageError
            When c is not in [0, n).
        VerificationError
            When the hardware reports an error or stops.
        FaultError
            When the result is not the e-th root of c.
        """
        key = self.key
        if not 0 <= c < key.n:
            raise UsageError(f"the operand is not below the modulus, which has {key.bits} bits")
        r = self._blinding_factor()
        blinded = c * pow(r, key.e, key.n) % key.n
        powers = self.exponentiator.power([self._half(blinded, key.p, key.dp), self._half(blinded, key.q, key.dq)])
        (m1, cycles_p), (m2, cycles_q) = powers.results
        joined = m2 + key.q * (key.qinv * (m1 - m2) % key.p)
        m = joined * pow(r, -1, key.n) % key.n
        if pow(m, key.e, key.n) != c:
            raise FaultError(
                "the result of the private-key operation is not the e-th root of its operand; it was not released"
            )
        return m, Cycles(cycles_p, cycles_q, powers.cycles)

    def sign(self, message: bytes, scheme: Scheme) -> tuple[bytes, Cycles]:
        """RSASSA-PSS or RSASSA-PKCS1-v1_5 (sections 8.1.1 and 8.2.1); as long as the modulus.

        Raises
        ------
        UsageError
            When the key is too short for hash and salt; else see `private`.
        """
        signature, cycles = self.private(scheme.encode(message, self.key.bits))
        return signature.to_bytes(self.key.length, "big"), cycles

    def decrypt(self, ciphertext: bytes, hash_name: str = "sha256", label: bytes = b"") -> tuple[bytes, Cycles]:
        """RSAES-OAEP (section 7.1.2).

        Raises
        ------
        UsageError
            When the ciphertext is not as long as the modulus, or the key is too short; else see `private`.
        DecryptionError
            When the ciphertext is not one of this key, hash and label.
        """
        check_ciphertext(self.key, ciphertext, hash_name)
        m, cycles = self.private(int.from_bytes(ciphertext, "big"))
        return oaep_decode(m.to_bytes(self.key.length, "big"), hash_name, label), cycles

    def _blinding_factor(self) -> int:
        """r, coprime to n; 1 without blinding."""
        while self.blinding:
            r = secrets.randbelow(self.key.n)
            if gcd(r, self.key.n) == 1:
                return r
        return 1

    def _half(self, c: int, prime: int, exponent: int) -> Job:
        """One half of the operation; the exponentiator pads the exponent to its full length."""
        if self.exponent_blinding:
            exponent += secrets.randbits(self.exponent_blinding) * (prime - 1)
        return Job(c % prime, exponent, prime)


def check_ciphertext(key: RsaPrivateKey, ciphertext: bytes, hash_name: str) -> None:
    """UsageError for an invalid ciphertext of RSAES-OAEP, whatever its content (RFC 8017, section 7.1.2, step 1)."""
    check_oaep_length(key.length, hash_name)
    if len(ciphertext) != key.length:
        raise UsageError(f"a ciphertext of this key has {key.length} bytes, not {len(ciphertext)}")


def verify_signature(key: RsaPrivateKey, message: bytes, signature: bytes, scheme: Scheme) -> None:
    """Verify with the public key, by `cryptography`.

    Raises
    ------
    VerificationError
        When it does not accept the signature.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    algorithm: Any = {"sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512}[scheme.hash]()
    pss = scheme.padding == "pss"
    encoding = padding.PSS(padding.MGF1(algorithm), scheme.salt_length) if pss else padding.PKCS1v15()
    try:
        key.public_key().verify(signature, message, encoding, algorithm)
    except InvalidSignature:
        raise VerificationError("the public key does not accept the signature; it was not released") from None
