# SPDX-License-Identifier: Apache-2.0
"""Resolution of what a user writes to a modulus or a curve."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..base.errors import UsageError, quoted
from .entries import AMBIGUOUS, Curve, Modulus, curves, moduli
from .expression import MAXIMUM_BITS, evaluate, is_expression, normalise, shorten
from .keyfile import read_key

_TRIAL_BOUND = 1 << 16
"""A composite modulus is divided by the odd numbers below this to name a factor; this takes milliseconds."""

_PARTS = re.compile(r"(?P<curve>.+?)(?:[. ]?(?P<order>order|scalar|fr|n|q|r)|[. ](?P<field>field|fp|p))")
"""A curve's name and the word for its order or its field, as `same_name` spells them: p384.n, p384n, bls12381.fr; the
letters are those of SEC 1 and of the papers."""

_KEY_SUFFIXES = frozenset({".pem", ".der", ".crt", ".cer", ".key"})


def resolve_modulus(text: str, *, prime_needed: bool = False) -> Modulus:
    """Find or make the modulus that a text names.

    In this order: a name of the catalog (a curve stands for its prime field, and `_PARTS` says how its order is
    called), the path of a key or certificate
    (a slash or a usual suffix), a number or an expression, the path of an existing file. A name therefore means
    the same in every folder; write ``./name`` for a file of that name. The one name that is also a number is 25519;
    the number is 0x63af.

    Parameters
    ----------
    text : str
        Name (upper and lower case, ``-`` and ``_`` make no difference), decimal, 0x hexadecimal, expression
        such as ``2^255-19``, or path of a PEM or DER key or certificate.
    prime_needed : bool
        Refuse a composite modulus.

    Raises
    ------
    UsageError
        Unknown name or one with several meanings, malformed expression, unreadable file, a modulus that is even,
        below 3, above 2^16384 or, where a prime is needed, composite.
    """
    text = text.strip()
    _refuse_ambiguous(text)
    named = _moduli_by_key().get(same_name(text)) or _part_of_curve(text)
    if named is not None:
        return named
    if _is_path(text) or (_is_file(text) and not is_expression(text)):
        return _modulus_of_file(Path(text), prime_needed)
    if is_expression(text) or text[:1].isdigit():
        return _number(evaluate(text), normalise(text), "given as a number", prime_needed)
    raise _unknown("modulus", text, _names(moduli()))


def resolve_curve(text: str) -> Curve:
    """Find the curve that a text names, or the curve of a key or certificate file.

    Raises
    ------
    UsageError
        Unknown name, unreadable file, or a key that has no curve.
    """
    text = text.strip()
    _refuse_ambiguous(text)
    named = _curves_by_key().get(same_name(text))
    if named is not None:
        return named
    if _is_path(text) or _is_file(text):
        return _curve_of_file(Path(text))
    raise _unknown("curve", text, _names(curves()))


def require_prime_order(what: str, curve: Curve) -> None:
    """UsageError for a curve with a cofactor other than 1: not every point is a multiple of its base point."""
    if curve.cofactor != 1:
        known = ", ".join(other.name for other in curves() if other.form == curve.form and other.cofactor == 1)
        cofactor = f"{curve.name} is of cofactor {curve.cofactor}"
        raise UsageError(f"{what} works on curves of prime order, and {cofactor}", known)


def _refuse_ambiguous(text: str) -> None:
    """UsageError for a name that means several things, with the names of these."""
    meanings = AMBIGUOUS.get(same_name(text), ())
    if meanings:
        shown = " or ".join(
            f"{name} ({_moduli_by_key()[same_name(name)].value.bit_length()} bits)" for name in meanings
        )
        raise UsageError(f"{text!r} has {len(meanings)} meanings: {shown}", ", ".join(meanings))


def _part_of_curve(text: str) -> Modulus | None:
    """The order or the prime field of a curve whose name is followed by a word of `_PARTS`."""
    match = _PARTS.fullmatch(same_name(text))
    curve = _curves_by_key().get(match["curve"]) if match else None
    if match is None or curve is None:
        return None
    return curve.field if match["field"] else _moduli_by_key()[same_name(f"{curve.name}-order")]


def same_name(name: str) -> str:
    """Common form of all spellings of a name; without a letter a minus is a minus: 25-519 is not a name."""
    key = name.casefold().replace("_", "")
    return key.replace("-", "") if any(c.isalpha() for c in key) else key


@cache
def _moduli_by_key() -> dict[str, Modulus]:
    return {same_name(name): entry for entry in moduli() for name in (entry.name, *entry.aliases)}


@cache
def _curves_by_key() -> dict[str, Curve]:
    return {same_name(name): entry for entry in curves() for name in (entry.name, *entry.aliases)}


def _names(entries: Iterable[Modulus | Curve]) -> list[str]:
    return [name for entry in entries for name in (entry.name, *entry.aliases)]


_NEAR = 0.7
"""Likeness, from 0 to 1, from which on a name is suggested: one wrong letter of three or four."""


def _unknown(kind: str, text: str, names: list[str]) -> UsageError:
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(text.casefold(), folded, n=3, cutoff=_NEAR)
    other = {
        "modulus": "a number, 2^255-19, the path of a key, or a name that `modwright fields` lists",
        "curve": "the path of a key, or a name that `modwright curves` lists",
    }[kind]
    hint = f"{', '.join(folded[name] for name in near)}; or {other}" if near else other
    return UsageError(f"no {kind} is called {quoted(text)}", hint)


def _is_path(text: str) -> bool:
    return "/" in text or Path(text).suffix.lower() in _KEY_SUFFIXES


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # longer than a file name can be, or a null character
        return False


def _number(value: int, name: str, source: str, prime_needed: bool) -> Modulus:
    """An anonymous modulus, checked."""
    shown = shorten(name)
    if value < 3:
        raise UsageError(f"modulus {shown} is below 3", "an odd number of at least 3")
    if value.bit_length() > MAXIMUM_BITS:
        raise UsageError(f"modulus {shown} has {value.bit_length()} bits; at most {MAXIMUM_BITS} are supported")
    if value % 2 == 0:
        raise UsageError(f"modulus {shown} is even, and every architecture here needs an odd one", "an odd number")
    prime = is_prime(value)
    if prime_needed and not prime:
        raise UsageError(f"modulus {shown} is composite, and a prime is needed here: {_factor(value)}")
    return Modulus(name, value, prime, source, anonymous=True)


def is_prime(value: int) -> bool:
    """Baillie-PSW test, to which no composite is known. gmpy2 is imported late: it takes 40 ms."""
    import gmpy2

    return gmpy2.is_prime(value)


def _factor(value: int) -> str:
    """The smallest factor in words; odd divisors suffice, since the first one that divides is prime."""
    smallest = next((d for d in range(3, _TRIAL_BOUND, 2) if value % d == 0), None)
    if smallest is None:
        return f"it has no factor below {_TRIAL_BOUND}"
    return f"its smallest factor is {smallest}"


def _modulus_of_file(path: Path, prime_needed: bool) -> Modulus:
    found = read_key(path)
    if isinstance(found, int):
        return _number(found, hex(found), f"RSA key of {found.bit_length()} bits", prime_needed)
    return _curve_of_key(path, found).field


def _curve_of_file(path: Path) -> Curve:
    found = read_key(path)
    if isinstance(found, int):
        raise UsageError(f"{path} holds an RSA key of {found.bit_length()} bits, which has no curve")
    return _curve_of_key(path, found)


def _curve_of_key(path: Path, name: str) -> Curve:
    curve = _curves_by_key().get(same_name(name))
    if curve is None:
        raise UsageError(f"{path} holds a key on {name}, a curve that is not in the catalog")
    return curve
