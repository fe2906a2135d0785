# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only or of little room: each is a file system of its own in a namespace of the case, and
where the machine allows none, a limit on the size of files."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .case import Case

KEY = Path(__file__).parents[1] / "data" / "rsa" / "rsa1024.pem"
CSA = ("modmul/csa", "-O", "bits=8")
FULL, READ_ONLY = "No space left on device", "Read-only file system"
COMPARE = ("compare", "--function", "modmul", "--bits", "256")
EXPLORE = ("explore", "--function", "modmul", "--bits", "8", "--points", "1", "--architecture", "csa", "--jobs", "1")
CAMPAIGN = ("campaign", "modmul/vlm3", "-O", "bits=8", "-n", "9", "--workers", "1")

OUTPUTS: dict[str, tuple[str, ...]] = {
    "generate": ("generate", *CSA, "-o", "disk/out"),
    "wave": ("wave", *CSA, "-o", "disk/out"),
    "campaign": (*CAMPAIGN, "-o", "disk/out"),
    "vivado": ("synth", *CSA, "-t", "xc7", "--vivado", "disk/out"),
    "csv": ("compare", "--function", "modexp", "--bits", "1024", "--csv", "disk/x.csv"),
    "html": (*COMPARE, "--html", "disk/x.html"),
    "svg": (*COMPARE, "--svg", "disk/x.svg"),
    "papers": ("paper", "all", "--csv", "disk/x.csv"),
    "database": (*EXPLORE, "--database", "disk/x.db"),
}
"""Commands that write to the disk."""

STORES: dict[str, tuple[str, ...]] = {
    "generate": ("generate", *CSA, "-o", "out"),
    "campaign": CAMPAIGN,
    "synth": ("synth", *CSA),
    "prove": ("prove", *CSA),
    "simulate": ("simulate", *CSA, "--random", "1"),
    "explore": EXPLORE,
}
"""Commands whose store, or temporary files, are on the disk."""


@cache
def namespaces() -> bool:
    """Whether this machine lets a process have a file system of its own."""
    words = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _on(options: str) -> str:
    """The start of a command with a file system in the folder `disk`."""
    return f"unshare -rm bash -c 'mount -t tmpfs -o {options} none disk && exec \"$@\"' bash"


def _disk(folder: Path) -> None:
    (folder / "disk").mkdir()


def cases() -> Iterator[Case]:
    """Every case of this class."""
    shared = {"before": _disk, "redirect": "", "seconds": 240.0}
    places = {"MODWRIGHT_CACHE": "disk/store", "MODWRIGHT_RUNTIME": None}  # which tests have elsewhere
    temporary = {"TMPDIR": "disk"}
    if namespaces():
        for name, words in OUTPUTS.items():
            yield Case(
                f"{name} to a full disk",
                words,
                message="full" if name == "database" else FULL,
                prefix=_on("size=4k"),
                **shared,
            )
            yield Case(f"{name} to a disk that is read only", words, prefix=_on("ro"), **shared)
        for name, words in STORES.items():
            yield Case(
                f"{name} with a full store",
                words,
                message="full" if name == "explore" else FULL,
                prefix=_on("size=4k"),
                environment=places,
                **shared,
            )
            yield Case(f"{name} with a store that is read only", words, prefix=_on("ro"), environment=places, **shared)
        for size in ("64k", "256k", "1m"):
            words = STORES["simulate"]
            yield Case(
                f"simulate in {size}", words, message=FULL, prefix=_on(f"size={size}"), environment=places, **shared
            )
        for name in ("generate", "synth", "prove"):
            own = {"MODWRIGHT_CACHE": "store", **temporary}
            yield Case(f"{name} without room for temporary files", STORES[name], message=FULL, prefix=_on("size=4k"),
                       environment=own, leaves=("store",), **shared)  # fmt: skip
    for name in ("generate", "campaign", "vivado", "csv", "html", "svg"):
        yield Case(f"{name} with files of at most 1 KiB", OUTPUTS[name], prefix="ulimit -f 1;", **shared)
    for name in ("generate", "synth", "campaign"):
        yield Case(f"{name} with a store of files of at most 0 KiB", STORES[name], prefix="ulimit -f 0;",
                   environment={"MODWRIGHT_CACHE": "store"}, leaves=("store",), **shared)  # fmt: skip
    yield Case(
        "temporary files nowhere",
        STORES["generate"],
        0,
        environment={"TMPDIR": "/proc/nobody"},
        leaves=("out",),
        **shared,
    )
    yield Case(
        "a working folder that is gone",
        ("generate", *CSA, "-o", "out"),
        prefix="mkdir gone; cd gone; rmdir ../gone;",
        **shared,
    )
    yield Case("few open files", ("list",), 0, prefix="ulimit -n 5;", **shared)
