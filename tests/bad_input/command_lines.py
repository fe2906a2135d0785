# SPDX-License-Identifier: Apache-2.0
"""Command lines: cores that are none, options that are none, values of every size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .case import Case

CSA = ("modmul/csa", "-O", "bits=8")
"""A small core with a modulus at run time."""

AFTER_CORE: dict[str, tuple[str, ...]] = {
    "show": (),
    "params": (),
    "generate": ("-o", "out"),
    "simulate": ("--random", "1"),
    "prove": (),
    "synth": (),
    "build": ("-o", "out"),
    "emulate": ("--listen", "unix:device"),
    "wave": ("-o", "out"),
    "campaign": ("-n", "5"),
    "mutate": ("--mutants", "1"),
}
"""What each command with a CORE needs besides."""

NO_CORES = {
    "empty": "",
    "a space": " ",
    "nothing near": "zzz",
    "a protocol": "ecdsa",
    "a function": "modmul",
    "a function and a slash": "modmul/",
    "a slash": "/",
    "three parts": "modmul/csa/x",
    "300 letters": "x" * 300,
    "100000 letters": "y" * 100_000,
    "no UTF-8": "\udcff\udc80",
    "200 letters of two bytes": "é" * 200,
    "the folder above": "..",
    "a file that is missing": "missing.yaml",
    "a folder": "folder.yaml",
    "a long file": "a/" * 2000 + "b.yaml",
}

HUGE = "9" * 40
LONG = "9" * 6000

BAD_VALUES: dict[str, tuple[tuple[str, ...], ...]] = {
    "show": (("--core",), ("--json", "x"), ("--json=1",)),
    "params": (
        ("-O", "bits"), ("-O", "=3"), ("-O", "bits=3"), ("-O", f"bits={HUGE}"), ("-O", f"bits={LONG}"),
        ("-O", "bits=8.5"), ("-O", "bits=eight"), ("-O", "bits="), ("-O", "bits=0x"), ("-O", "bits=-8"),
        ("-O", "speed=1"), ("-O", "s" * 5000 + "=1"), ("-O", "bits=9", "-O", "bits=9"), ("-O", "domain=3"),
        ("-O", "bits=" + "x" * 5000), ("-O", "interleave=true"), ("-O", "bits=٨٨٨٨٨"),
        ("-t", "vax"), ("-t", ""), ("-t", "t" * 5000), ("-f", "P-256", "-m", "97"), ("-m", "97", "-c", "P-256"),
        ("--fild", "x"), ("-O",), ("-m",), ("modmul/csa",), ("-x",), ("--json", "--json=x"),
    ),
    "generate": (("--force=x",), ("-o",), ("--output",), ("-t", "ice40")),
    "simulate": (
        ("--random", "0"), ("--random", "-1"), ("--random", "ten"), ("--random", "1.5"), ("--random", ""),
        ("--random", HUGE), ("--random", LONG), ("--seed", "-1"), ("--seed", "x"), ("--stalls", "100"),
        ("--stalls", "-1"), ("--stalls", HUGE), ("--simulator", "fast"), ("--simulator", ""), ("--vectors", "v.json"),
        ("--chain=x",),
    ),
    "prove": (("--random", "1"), ("-t", "x")),
    "synth": (
        ("--seeds", "1,2"), ("--place", "--seeds", "1,x"), ("--place", "--seeds", "0"), ("--place", "--seeds", ""),
        ("--place", "--seeds", "1,1"), ("--place", "--seeds", HUGE), ("--place", "--seeds", LONG),
        ("--place", "--freq", "0"), ("--place", "--freq", "nan"), ("--place", "--freq", "inf"),
        ("--place", "--freq", "-5"), ("--place", "--freq", "1e999"), ("--place", "--freq", "fast"),
        ("--place", "--channel"), ("--place", "--device", "99k"), ("--place", "--device", "d" * 5000),
        ("--freq", "50"), ("--device", "45k"), ("-t", "generic"), ("-t", "ice40"), ("-t", "xc7", "--place"),
        ("-t", "xc7", "--wide-lut"), ("--liberty", "osu018"), ("-t", "asic", "--liberty", "missing.lib"),
        ("-t", "asic", "--liberty", ""), ("-t", "asic", "--liberty", "l" * 5000),
        ("-t", "asic", "--liberty", "folder.yaml"),
        ("--vivado", "project"), ("--part", "x"), ("--top", "m"), ("--cycles", "3"), ("--clock", "ck"),
        ("--import", "x"), ("--rtl", "a.v"), ("--force",),
    ),
    "build": (("--random", "-1"), ("--random", HUGE), ("--random", "x"), ("--seed", "-3"), ("--place=1",)),
    "emulate": (
        ("--listen", ""), ("--listen", "unix:"), ("--listen", "tcp:"), ("--listen", "tcp:127.0.0.1"),
        ("--listen", "tcp:127.0.0.1:"), ("--listen", "tcp:127.0.0.1:65536"), ("--listen", "tcp:127.0.0.1:²"),
        ("--listen", "tcp:0.0.0.0:0"), ("--listen", "tcp:::1:0"), ("--listen", "udp:127.0.0.1:1"),
        ("--listen", f"tcp:127.0.0.1:{LONG}"), ("--listen", "unix:" + "p" * 200), ("--listen", "unix:folder.yaml"),
        ("--listen", "unix:missing/device"), ("--listen", "x" * 5000), ("--listen", "unix:/"),
    ),
    "wave": (("--random", "0"), ("--random", "1001"), ("--random", HUGE), ("--seed", "x")),
    "campaign": (
        ("-n", "0"), ("-n", "-1"), ("-n", "x"), ("-n", HUGE), ("-n", LONG), ("--workers", "0"), ("--workers", HUGE),
        ("--seed", "-1"), ("--scheduler", "::::"), ("--scheduler", ""), ("--scheduler", "tcp://127.0.0.1:1"),
        ("--scheduler", "tcp://nowhere.invalid:1"), ("--scheduler", "tcp://127.0.0.1:99999"),
        ("--scheduler", "http://127.0.0.1:1"), ("--scheduler", "s" * 5000), ("--scheduler", "tcp://[::1"),
        ("--scheduler", "inproc://x"), ("--scheduler", "tcp://a" + "b" * 300 + ":1"),
    ),
    "mutate": (
        ("--mutants", "0"), ("--mutants", "-1"), ("--mutants", "x"), ("--mutants", HUGE), ("--mutants", LONG),
        ("--seed", "-1"), ("--seed", "x"), ("--random", "-1"), ("--random", HUGE), ("--workers", "0"),
        ("--workers", HUGE), ("--least", "101"), ("--least", "nan"), ("--least", "-1"), ("--scheduler", "::::"),
        ("--scheduler", ""), ("--scheduler", "tcp://127.0.0.1:1"), ("-t", "vax"), ("-m", "96"), ("--json=1",),
    ),
}  # fmt: skip

COMPARE = ("compare", "--function", "modmul", "--bits", "8")
EXPLORE = ("explore", "--function", "modmul", "--bits", "8")
CAMPAIGN = ("campaign", "modmul/vlm3", "-O", "bits=8")

WHOLE: dict[str, tuple[str, ...]] = {
    "no such command": ("parms",),
    "a command of 5000 letters": ("c" * 5000,),
    "an empty command": ("",),
    "a command of no UTF-8": ("\udcff",),
    "an option before the command": ("--json", "list"),
    "list of something": ("list", "modmul/csa"),
    "list of no function": ("list", "zzz"),
    "list of 5000 letters": ("list", "z" * 5000),
    "list of no UTF-8": ("list", "\udcff"),
    "list of two functions": ("list", "modmul", "modinv"),
    "fields of nothing near": ("fields", "zzz"),
    "fields of 5000 letters": ("fields", "z" * 5000),
    "fields of no UTF-8": ("fields", "\udcff"),
    "fields of no bits": ("fields", "--bits", "0"),
    "fields of too many bits": ("fields", "--bits", HUGE),
    "fields of a size that none has": ("fields", "--bits", "7"),
    "curves of nothing near": ("curves", "zzz"),
    "curves of 5000 letters": ("curves", "z" * 5000),
    "curves of bits in words": ("curves", "--bits", "many"),
    "curves of a size that none has": ("curves", "P-256", "--bits", "255"),
    "doctor with an option": ("doctor", "--all"),
    "compare of nothing": ("compare",),
    "compare of no function": ("compare", "--function", "add", "--bits", "8"),
    "compare of a long function": ("compare", "--function", "f" * 5000, "--bits", "8"),
    "compare of two things": (*COMPARE, "-m", "97"),
    "compare of no width": ("compare", "--function", "modmul"),
    "compare of one bit": ("compare", "--function", "modmul", "--bits", "1"),
    "compare of bits in words": ("compare", "--function", "modmul", "--bits", "many"),
    "compare by nothing": (*COMPARE, "--sort", "beauty"),
    "compare at no front": (*COMPARE, "--front", "east"),
    "compare on no device": (*COMPARE, "-t", "vax"),
    "compare with no router": (*COMPARE, "--measure", "--router", "r9"),
    "compare with a long router": (
        "compare",
        "--function",
        "modmul",
        "--bits",
        "8",
        "--measure",
        "--router",
        "r" * 5000,
    ),
    "compare with no seed": (*COMPARE, "--measure", "--seeds", "0"),
    "compare at no clock": (*COMPARE, "--measure", "--freq", "nan"),
    "compare in no time": (*COMPARE, "--measure", "--timeout", "inf"),
    "compare with cells, not measured": (*COMPARE, "--liberty", "x"),
    "compare with cells that are missing": (*COMPARE, "-t", "asic", "--measure", "--liberty", "missing.lib"),
    "compare with no record": (*COMPARE, "--rtl", "missing.json"),
    "compare with a folder": (*COMPARE, "--rtl", "folder.yaml"),
    "compare with a long record": (*COMPARE, "--rtl", "r" * 5000),
    "paper of nobody": ("paper", "nobody"),
    "paper of 5000 letters": ("paper", "p" * 5000),
    "paper of no UTF-8": ("paper", "\udcff"),
    "explore of nothing": ("explore",),
    "explore of no function": ("explore", "--function", "add", "--bits", "8"),
    "explore no points": (*EXPLORE, "--points", "0"),
    "explore no architecture": (*EXPLORE, "--architecture", "zzz"),
    "explore a long architecture": (*EXPLORE, "--architecture", "z" * 5000),
    "explore no sweep": (*EXPLORE, "--sweep", "latency"),
    "explore a sweep of no option": (*EXPLORE, "--sweep", "colour=red"),
    "explore a sweep of no value": (*EXPLORE, "--sweep", "interleave=9"),
    "explore a sweep of a long value": (
        "explore",
        "--function",
        "modmul",
        "--bits",
        "8",
        "--sweep",
        f"interleave={LONG}",
    ),
    "explore a clock, not placed": (*EXPLORE, "--min-fmax", "10"),
    "explore gates": (*EXPLORE, "-t", "asic"),
    "explore no jobs": (*EXPLORE, "--jobs", "0"),
    "explore no margin": (*EXPLORE, "--margin", "-1"),
    "explore a margin of no number": (*EXPLORE, "--margin", "nan"),
    "explore at no scheduler": (*EXPLORE, "--scheduler", "::::"),
    "explore a place without place and route": (
        "explore",
        "--function",
        "modmul",
        "--bits",
        "8",
        "-t",
        "xc7",
        "--place",
    ),
    "provider without a core": ("provider", "-o", "out"),
    "provider of a file that is missing": ("provider", "--rsa", "missing.yaml", "-o", "out"),
    "provider of a core's name": ("provider", "--rsa", "modmul/csa", "-o", "out"),
    "provider without a folder": ("provider", "--rsa", "missing.yaml"),
    "campaign of too many": (*CAMPAIGN, "-n", HUGE),
    "campaign of no processes": (*CAMPAIGN, "-n", "9", "--workers", "0"),
    "campaign of too many processes": (*CAMPAIGN, "-n", "9", "--workers", HUGE),
    "campaign of no operands": (*CAMPAIGN, "-n", "0"),
    "campaign at no scheduler": (*CAMPAIGN, "-n", "9", "--scheduler", "::::"),
    "campaign where nobody listens": (
        "campaign",
        "modmul/vlm3",
        "-O",
        "bits=8",
        "-n",
        "9",
        "--scheduler",
        "127.0.0.1:1",
    ),
    "compare of too many bits": ("compare", "--function", "modmul", "--bits", HUGE),
    "explore with too many processes": (*EXPLORE, "--jobs", HUGE),
    "explore into a folder that is full": (*EXPLORE, "--submit", "."),
    "explore into no folder": (*EXPLORE, "--submit", "/dev/null"),
    "explore from no folder": (*EXPLORE, "--collect", "nowhere"),
    "explore by no workers": (*EXPLORE, "--submit", "new", "--array", "0"),
    "worker of no folder": ("worker", "nowhere"),
    "worker of a folder without a plan": ("worker", "."),
    "fusesoc of something": ("fusesoc", "x"),
    "rsa of nothing": ("rsa",),
}

NOTHING_NEAR = ("nothing near", "a protocol")


def _folder(folder: Path) -> None:
    (folder / "folder.yaml").mkdir()


def _no_try(folder: Path, done) -> None:
    assert "modmul/csa" not in done.err, "nothing is near, and a core is suggested"


WITHOUT_LOG = ("modinv/binary-divstep", "-m", "29", "-O", "slices=2")
"""A core whose theorem is proved, and has no log."""
NO_LOG = {
    "prove with a log": ("prove", *WITHOUT_LOG, "--log", "log.json"),
    "generate with a theorem": ("generate", *WITHOUT_LOG, "--theorem", "-o", "out"),
}


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, words in NO_LOG.items():
        yield Case(f"{name} that is none", words, message="the checker has no rule for it")
    yield Case(
        "prove with a log of a module without streams",
        ("prove", *CSA, "--verilog", "other.v", "--log", "log.json"),
        message="no log: the theorem of modmul/csa is not proved",
        files={"other.v": "module modmul_csa(input clk); endmodule\n"},
    )
    for command, more in AFTER_CORE.items():
        for name, core in NO_CORES.items():
            after = {"after": _no_try} if name in NOTHING_NEAR else {}
            yield Case(f"{command} of {name}", (command, core, *more), before=_folder, **after)
    for command, values in BAD_VALUES.items():
        for number, words in enumerate(values):
            given = [*(w for w in AFTER_CORE[command] if not set(words) & set(AFTER_CORE[command][:1])), *words]
            yield Case(
                f"{command} {' '.join(words)[:40]} ({number})",
                (command, *(CSA[:1] if command == "show" else CSA), *given),
                before=_folder,
            )
    for name, words in WHOLE.items():
        yield Case(name, words, before=_folder)
