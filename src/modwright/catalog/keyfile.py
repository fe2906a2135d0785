# SPDX-License-Identifier: Apache-2.0
"""Public and private keys, certificates and signing requests, in PEM or DER, read with `cryptography`.

Only what is public is taken from a file: the modulus of an RSA key, or the name of a key's curve.
`cryptography` is imported when a file is read, since the command line starts often and reads keys rarely.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

from ..base.disk import open_regular
from ..base.errors import UsageError

_MAXIMUM_BYTES = 1 << 20
"""Keys of 16384 bits take 13 kB, chains of certificates tens of kB."""

_PEM_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)
_UNREAD = re.compile(r"Curve ([0-9.]+) is not supported")
_TELETRUST = ("160r1", "160t1", "192r1", "192t1", "224r1", "224t1", "256r1", "256t1", "320r1", "320t1")
_OBJECTS = {f"1.3.36.3.3.2.8.1.1.{number}": f"brainpoolP{name}" for number, name in enumerate(_TELETRUST, 1)} | {
    "1.3.36.3.3.2.8.1.1.12": "brainpoolP384t1",
    "1.3.36.3.3.2.8.1.1.14": "brainpoolP512t1",
    "1.3.132.0.8": "secp160r1",
    "1.3.132.0.9": "secp160k1",
    "1.3.132.0.30": "secp160r2",
    "1.3.132.0.31": "secp192k1",
    "1.3.132.0.32": "secp224k1",
    "1.2.156.10197.1.301": "sm2",
}
"""Identifiers of curves of the catalog that `cryptography` does not read, which then names them: RFC 5639, appendix A;
SEC 2, appendix A.2; GM/T 0006."""
_KINDS = "RSA and elliptic-curve keys, X25519, X448, Ed25519, Ed448, certificates and signing requests"


def read_key(path: Path) -> int | str:
    """Modulus of the RSA key in a file, or the name of the curve of another key.

    The first key or certificate of the file counts.

    Raises
    ------
    UsageError
        Unreadable file, no key in it, an encrypted private key, or a kind of key without modulus and curve.
    """
    data = read_bytes(path)
    blocks = pem_blocks(data)
    for label, block in blocks:
        if label != "EC PARAMETERS":  # `openssl ecparam -genkey` writes them before the key
            return _describe(path, _load(path, _pem_loaders(label), block))
    if blocks:
        raise UsageError(f"{path} holds curve parameters but no key", "the name of the curve")
    return _describe(path, _load(path, _der_loaders(), data))


def read_bytes(path: Path) -> bytes:
    """A file of at most 1 MiB; UsageError when it cannot be read or is larger."""
    try:
        with open_regular(path) as file:
            data = file.read(_MAXIMUM_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:  # a null character in the name
        raise UsageError(f"cannot read {str(path)!r}: {error}") from error
    if len(data) > _MAXIMUM_BYTES:
        raise UsageError(f"{path} is larger than {_MAXIMUM_BYTES} bytes: no key file", f"a file with {_KINDS}")
    return data


def pem_blocks(data: bytes) -> list[tuple[str, bytes]]:
    """Label and text of every PEM block, in their order."""
    return [(match[1].decode(), match[0]) for match in _PEM_BLOCK.finditer(data)]


def _load(path: Path, loaders: list[Callable[[bytes], object]], data: bytes) -> object:
    """The first loader's result, or the name of the curve of a key that it does not read; a file that none of them
    knows is an error."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.utils import CryptographyDeprecationWarning
    from cryptography.x509 import InvalidVersion

    unsupported = ""
    for loader in loaders:
        try:
            with warnings.catch_warnings(action="ignore", category=CryptographyDeprecationWarning):
                return loader(data)
        except UnsupportedAlgorithm as error:
            unsupported = str(error)
            if (unread := _UNREAD.match(unsupported)) and unread[1] in _OBJECTS:
                return _OBJECTS[unread[1]]
        except TypeError:  # what `cryptography` raises when a password is missing
            raise UsageError(
                f"{path} is an encrypted private key", "its public key or certificate, which need no password"
            ) from None
        except (ValueError, InvalidVersion):
            continue
    if unsupported:
        raise UsageError(f"{path}: {unsupported}", "the name of the curve, or the modulus as a number")
    raise UsageError(f"{path} holds no key that can be read", f"a PEM or DER file with {_KINDS}")


def _pem_loaders(label: str) -> list[Callable[[bytes], object]]:
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    if label == "CERTIFICATE":
        return [lambda data: x509.load_pem_x509_certificate(data).public_key()]
    if label.endswith("CERTIFICATE REQUEST"):
        return [lambda data: x509.load_pem_x509_csr(data).public_key()]
    if label.endswith("PUBLIC KEY"):
        return [serialization.load_pem_public_key]
    if label == "OPENSSH PRIVATE KEY":
        return [lambda data: serialization.load_ssh_private_key(data, None)]
    if label.endswith("PRIVATE KEY"):
        return [lambda data: serialization.load_pem_private_key(data, None)]
    return []


def _der_loaders() -> list[Callable[[bytes], object]]:
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    return [
        serialization.load_der_public_key,
        lambda data: x509.load_der_x509_certificate(data).public_key(),
        lambda data: x509.load_der_x509_csr(data).public_key(),
        lambda data: serialization.load_der_private_key(data, None),
    ]


def _describe(path: Path, key: object) -> int | str:
    """The modulus of an RSA key, or the curve's name of another one."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x448, x25519

    if isinstance(key, rsa.RSAPrivateKey):
        return key.public_key().public_numbers().n
    match key:
        case str():  # the name of a curve
            return key
        case rsa.RSAPublicKey():
            return key.public_numbers().n
        case ec.EllipticCurvePublicKey() | ec.EllipticCurvePrivateKey():
            return key.curve.name
        case ed25519.Ed25519PublicKey() | ed25519.Ed25519PrivateKey():
            return "ed25519"
        case x25519.X25519PublicKey() | x25519.X25519PrivateKey():
            return "x25519"
        case ed448.Ed448PublicKey() | ed448.Ed448PrivateKey():
            return "ed448"
        case x448.X448PublicKey() | x448.X448PrivateKey():
            return "x448"
        case _:
            kind = type(key).__name__
            raise UsageError(f"{path} holds {kind}, which has no modulus and no curve here", _KINDS)
