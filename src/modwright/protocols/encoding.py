# SPDX-License-Identifier: Apache-2.0
"""Encodings of RFC 8017 (PKCS #1, version 2.2): EMSA-PKCS1-v1_5, EMSA-PSS and EME-OAEP.

Hash functions go by their names in `hashlib`. MGF1 uses the hash of the scheme.
"""

from __future__ import annotations

import hashlib
import hmac

from ..base.errors import UsageError

DIGEST_INFO = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}
"""DER of DigestInfo up to the digest (section 9.2, note 1)."""
SIGNATURE_HASHES = tuple(DIGEST_INFO)
OAEP_HASHES = ("sha1", *SIGNATURE_HASHES)
"""OAEP does not rest on collision resistance, and SHA-1 is the default of section A.2.1."""

_LEAST_PADDING = 8
"""Bytes of 0xff in EMSA-PKCS1-v1_5."""
_PSS_TRAILER = 0xBC


class DecryptionError(UsageError):
    """The one error of OAEP decoding: which check failed must not be revealed (Manger, Crypto 2001)."""

    def __init__(self) -> None:
        super().__init__("decryption error", "the key, the hash and the label that it was encrypted with")


def digest_size(hash_name: str) -> int:
    """Bytes of a digest, hLen."""
    return hashlib.new(hash_name).digest_size


def mgf1(seed: bytes, length: int, hash_name: str) -> bytes:
    """Mask of `length` bytes (section B.2.1)."""
    blocks = -(-length // digest_size(hash_name))
    stream = (hashlib.new(hash_name, seed + counter.to_bytes(4, "big")).digest() for counter in range(blocks))
    return b"".join(stream)[:length]


def emsa_pkcs1_v1_5(message: bytes, length: int, hash_name: str) -> bytes:
    """EM of `length` bytes (section 9.2): 00 01 ff..ff 00 DigestInfo.

    Raises
    ------
    UsageError
        When `length` leaves fewer than 8 bytes of padding.
    """
    info = DIGEST_INFO[hash_name] + hashlib.new(hash_name, message).digest()
    padding = length - len(info) - 3
    if padding < _LEAST_PADDING:
        raise UsageError(f"{hash_name} needs a modulus of {len(info) + 3 + _LEAST_PADDING} bytes, not {length}")
    return b"\0\1" + b"\xff" * padding + b"\0" + info


def emsa_pss(message: bytes, bits: int, hash_name: str, salt: bytes) -> bytes:
    """EM of `bits` bits, in as few bytes as hold them (section 9.1.1).

    Parameters
    ----------
    bits : int
        emBits: one less than the modulus has.
    salt : bytes
        Fresh and random for each signature; may be empty.

    Raises
    ------
    UsageError
        When digest and salt do not fit.
    """
    length, size = -(-bits // 8), digest_size(hash_name)
    room = length - size - 2
    if len(salt) > room:
        raise UsageError(
            f"a salt of {len(salt)} bytes does not fit next to {hash_name} in {bits} bits",
            f"a salt of at most {room} bytes" if room >= 0 else "a shorter hash, or a longer key",
        )
    digest = hashlib.new(hash_name, message).digest()
    h = hashlib.new(hash_name, bytes(8) + digest + salt).digest()
    db = bytes(room - len(salt)) + b"\1" + salt
    masked = bytearray(_xor(db, mgf1(h, len(db), hash_name)))
    masked[0] &= 0xFF >> (8 * length - bits)
    return bytes(masked) + h + bytes([_PSS_TRAILER])


def oaep_decode(encoded: bytes, hash_name: str, label: bytes = b"") -> bytes:
    """The message in EM (section 7.1.2, step 3).

    Every check is made, whatever the others found, and all failures give the same error.

    Parameters
    ----------
    encoded : bytes
        EM, as long as the modulus; see `check_oaep_length`.

    Raises
    ------
    DecryptionError
    """
    size = digest_size(hash_name)
    masked_seed, masked_db = encoded[1 : 1 + size], encoded[1 + size :]
    seed = _xor(masked_seed, mgf1(masked_db, size, hash_name))
    db = _xor(masked_db, mgf1(seed, len(masked_db), hash_name))
    expected = hashlib.new(hash_name, label).digest()
    bad = encoded[0] | int(not hmac.compare_digest(db[:size], expected))
    start, looking = 0, 1  # looking: only zeros so far
    for at in range(size, len(db)):
        zero, one = int(db[at] == 0), int(db[at] == 1)
        start |= at * (looking & one)
        bad |= looking & (1 - zero) & (1 - one)
        looking &= zero
    if bad | looking:
        raise DecryptionError
    return db[start + 1 :]


def check_oaep_length(length: int, hash_name: str) -> None:
    """UsageError when a modulus of `length` bytes is too short for OAEP (section 7.1.2, step 1c)."""
    least = 2 * digest_size(hash_name) + 2
    if length < least:
        raise UsageError(f"OAEP with {hash_name} needs a modulus of {least} bytes, not {length}")


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))
