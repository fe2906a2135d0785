# SPDX-License-Identifier: Apache-2.0
"""The entries of the catalog: curves of `curves.toml` and `pairing_curves.toml`, the moduli that follow from them, and
those of `fields.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..base.json import JsonObject
from .expression import evaluate

_CURVES = ("curves.toml", "pairing_curves.toml")

AMBIGUOUS = {"goldilocks": ("ed448", "goldilocks64")}
"""Ambiguous names, as `same_name` spells them, each with the names that it may stand for."""


@dataclass(frozen=True)
class Modulus:
    """An odd modulus. Two are equal when their values are and both are entries of the catalog, or neither is.

    Parameters
    ----------
    name : str
        Name in the catalog, or the normalised text of an anonymous number. `resolve_modulus` reads it back.
    value : int
        The modulus, odd, at least 3.
    prime : bool
        Whether it is prime: stated by the standard for an entry of the catalog (the tests check it), computed
        with a Baillie-PSW test for an anonymous one.
    source : str
        Document and section.
    aliases : tuple of str
        Other names.
    anonymous : bool
        Whether it is not an entry of the catalog.
    """

    name: str = field(compare=False)
    value: int
    prime: bool
    source: str = field(compare=False)
    aliases: tuple[str, ...] = field(default=(), compare=False)
    anonymous: bool = False


@dataclass(frozen=True)
class Curve:
    """An elliptic curve over a prime field, with a base point of prime order.

    Parameters
    ----------
    name : str
        Name in the catalog.
    form : str
        ``weierstrass``: y² = x³ + a·x + b; ``montgomery``: b·y² = x³ + a·x² + x;
        ``edwards``: a·x² + y² = 1 + b·x²·y², where `b` holds what the papers call d.
    p : int
        Prime of the field.
    a, b : int
        Coefficients, in [0, p).
    gx, gy : int
        Base point, in [0, p).
    order : int
        Order of the base point, prime.
    cofactor : int
        Order of the group divided by `order`.
    source : str
        Document and section.
    aliases : tuple of str
        Other names.
    """

    name: str
    form: str
    p: int
    a: int
    b: int
    gx: int
    gy: int
    order: int
    cofactor: int
    source: str
    aliases: tuple[str, ...] = ()

    @property
    def field(self) -> Modulus:
        """The prime field: the catalog's entry, or an anonymous modulus for a curve that is not in it."""
        known = _moduli_by_value().get(self.p)
        return known or Modulus(hex(self.p), self.p, True, f"field of {self.name}", anonymous=True)

    def contains(self, x: int, y: int) -> bool:
        """Whether (x, y), both in [0, p), is an affine point of the curve."""
        if not (0 <= x < self.p and 0 <= y < self.p):
            return False
        if self.form == "weierstrass":
            difference = x**3 + self.a * x + self.b - y * y
        elif self.form == "montgomery":
            difference = x**3 + self.a * x * x + x - self.b * y * y
        else:
            difference = 1 + self.b * x * x * y * y - self.a * x * x - y * y
        return difference % self.p == 0


@cache
def curves() -> tuple[Curve, ...]:
    """Every curve of the catalog, in the order of the table."""
    return tuple(_read_curve(row) for row in _rows())


@cache
def moduli() -> tuple[Modulus, ...]:
    """Every modulus of the catalog: the curves' prime fields, their orders, other fields; each value once."""
    entries: dict[int, Modulus] = {}
    for curve in curves():
        _add(entries, curve.p, (curve.name, *curve.aliases), curve.source)
    for curve, row in zip(curves(), _rows(), strict=True):
        derived = tuple(f"{name}-order" for name in (curve.name, *curve.aliases))
        names = (row["order_name"], *derived) if "order_name" in row else derived
        _add(entries, curve.order, names, curve.source)
    for row in _read("fields.toml")["field"]:
        _add(entries, evaluate(row["value"]), (row["name"], *row["aliases"]), row["source"])
    return tuple(entries.values())


@cache
def _rows() -> list[JsonObject]:
    return [row for file in _CURVES for row in _read(file)["curve"]]


def _read(file: str) -> JsonObject:
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


@cache
def _moduli_by_value() -> dict[int, Modulus]:
    return {modulus.value: modulus for modulus in moduli()}


def _read_curve(row: JsonObject) -> Curve:
    p = evaluate(row["p"])
    return Curve(
        name=row["name"],
        form=row["form"],
        p=p,
        a=evaluate(row["a"]) % p,
        b=evaluate(row["d" if row["form"] == "edwards" else "b"]) % p,
        gx=evaluate(row["gx"]),
        gy=evaluate(row["gy"]),
        order=evaluate(row["order"]),
        cofactor=evaluate(row["cofactor"]),
        source=row["source"],
        aliases=tuple(row.get("aliases", ())),
    )


def _add(entries: dict[int, Modulus], value: int, names: tuple[str, ...], source: str) -> None:
    """Enter a prime; curves that share it add their names and sources to the first one's entry."""
    first = entries.get(value)
    if first is None:
        entries[value] = Modulus(names[0], value, True, source, names[1:])
        return
    sources = "; ".join(dict.fromkeys((*first.source.split("; "), *source.split("; "))))
    entries[value] = Modulus(first.name, value, True, sources, (*first.aliases, *names))
