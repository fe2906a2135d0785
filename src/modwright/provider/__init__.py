# SPDX-License-Identifier: Apache-2.0
"""A provider for OpenSSL 3 that uses cores for the operations of private keys: its sources, made for some cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import UsageError
from ..bus import RegisterMap, register_map
from ..catalog import resolve_curve
from ..driver import SOURCES, description, source
from ..functions import Function
from ..functions.ecdsa import FUNCTION as ECDSA
from ..functions.ecpm import FUNCTION as ECPM
from ..functions.edmul import FUNCTION as EDMUL
from ..functions.modexp import FUNCTION as MODEXP
from ..functions.xmul import FUNCTION as XMUL
from ..prepared import Prepared

_FOLDER = Path(__file__).parent
_SOURCES = tuple(sorted(path.name for path in _FOLDER.glob("*.[ch]")))
LIBRARY = "modwright.so"
SETTINGS = "openssl.cnf"
"""Name of the file that `make` makes of SETTINGS.in, for OPENSSL_CONF."""
DEVICES = "run"
"""Folder that `make` makes for the sockets of emulated devices, private to its user."""
_PLACE = "@FOLDER@"
"""Placeholder in the settings for the folder in which `make` runs."""
_LICENSE = "SPDX-License-Identifier: Apache-2.0"
_DRIVER = tuple(name for name in SOURCES if "mmio" not in name)
_SHORTEST_CURVE = 112
"""Bits of the shortest curve of prime order that OpenSSL names, secp112r1."""


@dataclass(frozen=True)
class _Kind:
    """Kind of key: the function of its core, and the curve that the core must support; or, where each key has a
    modulus of its own, the least bits of one."""

    function: Function
    curve: str | None
    least: int = 0


KINDS = {
    "rsa": _Kind(MODEXP, None),
    "ec": _Kind(ECPM, "P-256"),
    ECDSA.name: _Kind(ECDSA, None, _SHORTEST_CURVE),
    "x25519": _Kind(XMUL, "curve25519"),
    "ed25519": _Kind(EDMUL, "ed25519"),
}
"""Kinds of keys, as options of the command and settings name them."""


def provider_files(cores: Mapping[str, Prepared | None]) -> dict[str, str]:
    """The files of a provider by name: sources, a Makefile, and settings of which `make` makes openssl.cnf.

    No file names its folder: OpenSSL takes a module by an absolute path, which `make` writes.

    Parameters
    ----------
    cores : dict of str to Prepared
        Cores by `KINDS`, at least one: `modexp/...` with a runtime modulus, as wide as the primes of the keys;
        `ecdsa/...` as wide as the curves of the keys; cores for P-256, and for Curve25519 in the form of Montgomery or
        of Edwards, whose prime may be built in.

    Raises
    ------
    UsageError
        For no core, or one that cannot compute the operation of its kind.
    """
    used = {kind: prepared for kind in KINDS if (prepared := cores.get(kind)) is not None}
    if not used:
        raise UsageError("a provider needs a core", " or ".join(f"--{kind}" for kind in KINDS))
    for kind, prepared in used.items():
        _require(prepared, KINDS[kind])
    files = {name: source(name) for name in _DRIVER}
    files |= {name: (_FOLDER / name).read_text(encoding="utf-8") for name in _SOURCES}
    files["LICENSE"] = source("LICENSE.driver")
    files |= {f"provider_{kind}.c": _core(kind, used.get(kind)) for kind in KINDS}
    return files | {"Makefile": _makefile(), f"{SETTINGS}.in": _settings(list(used))}


def _require(prepared: Prepared, kind: _Kind) -> None:
    core, name = prepared.core.name, kind.function.name
    if prepared.core.function != name or description(prepared) is None:
        raise UsageError(f"the provider cannot use {core}", f"{name}/..., with plain numbers")
    if not prepared.schedule.constant_time:
        raise UsageError(f"{core} has no constant latency, and so is not for private keys")
    fixed = prepared.parameters.modulus
    if kind.curve is None:
        if fixed is not None:
            raise UsageError(f"{core} has a modulus built in, and each key has its own", f"{name}/... with option bits")
        if (bits := _modulus_width(register_map(prepared))) < kind.least:
            raise UsageError(
                f"{core} takes moduli of {bits} bits, and keys have at least {kind.least}", _curve_named("P-256")
            )
        return
    p = resolve_curve(kind.curve).p
    if fixed is not None and fixed != p:
        raise UsageError(f"{core} has another prime built in than that of {kind.curve}", _curve_named(kind.curve))
    if fixed is None and (bits := _modulus_width(register_map(prepared))) < p.bit_length():
        raise UsageError(
            f"{core} takes moduli of {bits} bits, and {kind.curve} has {p.bit_length()}", _curve_named(kind.curve)
        )


def _curve_named(name: str) -> str:
    return f"`curve: {name}` in its request"


def _modulus_width(registers: RegisterMap) -> int:
    return registers.window("I_M").field.width


def _core(kind: str, prepared: Prepared | None) -> str:
    """A file with the description of a core, and the pointer by which the provider finds it."""
    if prepared is None:
        body = (
            f'#include "modwright.h"\n\n#include <stddef.h>\n\nconst struct mw_core *const mw_provider_{kind} = NULL;\n'
        )
    else:
        body = f"{description(prepared)}const struct mw_core *const mw_provider_{kind} = &{prepared.top}_core;\n"
    declared = f"extern const struct mw_core *const mw_provider_{kind};\n"
    include = '#include "modwright.h"\n'
    return f"/* {_LICENSE} */\n" + body.replace(include, include + "\n" + declared, 1)


def _makefile() -> str:
    # the folder's name is escaped twice: as a quoted value of the settings, and as sed's replacement
    return f"""# {_LICENSE}
CFLAGS ?= -O2
SOURCES := $(wildcard *.c)

all: {LIBRARY} {SETTINGS} {DEVICES}

{LIBRARY}: $(SOURCES) $(wildcard *.h)
\t$(CC) -std=c99 -Wall -Wextra -pedantic $(CFLAGS) -fPIC -shared -o $@ $(SOURCES) -lcrypto

# OpenSSL wants the module's absolute path; after the folder was moved: make clean all
{SETTINGS}: {SETTINGS}.in Makefile
\tfolder=$$(pwd | sed -e 's/[\\\\"]/\\\\&/g' | sed -e 's/[\\\\&|]/\\\\&/g') && \\
\t  sed -e "s|{_PLACE}|$$folder|" {SETTINGS}.in > $@.new
\tmv $@.new $@

# for the sockets of emulated devices
{DEVICES}:
\tmkdir -m 700 $@

clean:
\trm -f {LIBRARY} {SETTINGS} {SETTINGS}.new
.PHONY: all clean
"""


def _settings(kinds: list[str]) -> str:
    lines = "".join(f'{kind}_device = "unix:{_PLACE}/{DEVICES}/{kind}"\n' for kind in kinds)
    return f"""# {_LICENSE}
# make makes {SETTINGS} of {SETTINGS}.in: change that one. OpenSSL says nothing of a provider that it does not find, and
# computes in software: look with OPENSSL_CONF={SETTINGS} openssl list -providers
# OPENSSL_CONF={SETTINGS} openssl s_server ...; keys and groups that the devices know are then on the devices
openssl_conf = start

[start]
providers = providers
alg_section = algorithms

[providers]
default = default_section
modwright = modwright_section

[default_section]
activate = 1

[modwright_section]
module = "{_PLACE}/{LIBRARY}"
activate = 1
milliseconds = 10000
{lines}
[algorithms]
default_properties = ?provider=modwright
"""
