# SPDX-License-Identifier: Apache-2.0
"""TLS 1.3 handshakes of a web server whose private keys are on emulated cores: `python bench/server.py`.

nginx with several workers listens on the loopback with an RSA and a P-256 key, both through the provider; clients
connect at once, each handshake with a new key exchange on P-256. Then emulators are killed and started again while
they do. `openssl s_time` counts connections with the provider and without it. Everything is in a folder that is
removed, nothing listens but on 127.0.0.1, and the run ends by itself after `--minutes` at the latest.

    python bench/server.py              render bench/server.json into docs/openssl.md
    python bench/server.py --check      exit code 1 when the page is stale
    python bench/server.py --run        measure, write bench/server.json, and render
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generated import write_or_check
from modwright.base.json import JsonMapping, JsonObject
from modwright.pages.datasheet import count
from webserver import KINDS, LOOPBACK, Emulator, Site, environment, nginx, operand_bits

ROOT = Path(__file__).parents[1]
PAGE, RECORD = ROOT / "docs" / "openssl.md", ROOT / "bench" / "server.json"
START, END = "<!-- table: server -->\n", "<!-- end -->"
S_TIME = 10
"""Seconds of a run of `openssl s_time`."""
PART = 4
"""Divisor of the handshakes that are tried again while emulators are killed: one in this number."""
AWAY = 1.0
"""Seconds between the end of an emulator that is killed and its next start."""


@dataclass(frozen=True)
class Load:
    """The size of a run.

    Parameters
    ----------
    handshakes : int
        In all, half with each key.
    clients, workers, devices : int
        Connections at a time; processes of nginx; emulated devices for each key.
    kills : int
        Times that an emulator is killed while clients connect.
    seconds : float
        The longest time of all.
    s_time : int
        Seconds of each run of `openssl s_time`.
    """

    handshakes: int = 2000
    clients: int = 64
    workers: int = 4
    devices: int = 2
    kills: int = 0
    seconds: float = 7200.0
    s_time: int = S_TIME


# --- clients


class Clients:
    """Connections at a time until enough were tried, or the time is over.

    Parameters
    ----------
    site : Site
    ports : mapping of str to int
    handshakes : int
        In all; key after key in turn.
    number : int
        Connections at a time.
    end : float
        Of `time.monotonic`, after which no other is tried.
    """

    def __init__(self, site: Site, ports: Mapping[str, int], handshakes: int, number: int, end: float) -> None:
        self._ports, self._end = ports, end
        self._contexts = {kind: _context(site.folder / f"{kind}.crt") for kind in KINDS}
        self._left = iter(range(handshakes))
        self._lock = threading.Lock()
        self.good: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.errors: list[str] = []
        self._threads = [threading.Thread(target=self._work) for _ in range(number)]

    @property
    def ended_connections(self) -> int:
        """Connections that ended."""
        return self.good.total() + self.failed.total()

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Return when all ended."""
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while time.monotonic() < self._end:
            with self._lock:
                number = next(self._left, None)
            if number is None:
                return
            kind = KINDS[number % len(KINDS)]
            try:
                self._connect(kind)
            except OSError as error:
                with self._lock:
                    self.failed[kind] += 1
                    self.errors.append(f"{kind}: {error}")
            else:
                with self._lock:
                    self.good[kind] += 1

    def _connect(self, kind: str) -> None:
        """A handshake, and a page."""
        patience = max(1.0, self._end - time.monotonic())
        with (
            socket.create_connection((LOOPBACK, self._ports[kind]), patience) as plain,
            self._contexts[kind].wrap_socket(plain, server_hostname="localhost") as wrapped,
        ):
            if wrapped.version() != "TLSv1.3" or wrapped.session_reused:
                raise OSError(f"{wrapped.version()}, session reused: {wrapped.session_reused}")
            wrapped.sendall(b"GET / HTTP/1.0\r\n\r\n")
            page = b""
            while more := wrapped.recv(1 << 12):
                page += more
            if not page.endswith(b"here"):
                raise OSError(f"the page is {page[-20:]!r}")


def _context(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(certificate))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    return context


def _s_time(site: Site, port: int, seconds: int) -> JsonObject:
    """Connections of one client after another, each with a handshake of its own."""
    words = ["s_time", "-connect", f"{LOOPBACK}:{port}", "-new", "-time", str(seconds)]
    settings = environment(site.settings["stock"])
    done = subprocess.run(["openssl", *words], env=settings, capture_output=True, text=True, check=True)
    match = re.search(r"(\d+) connections in (\d+) real seconds", done.stdout)
    if match is None:
        raise SystemExit(f"openssl s_time: {done.stdout}{done.stderr}")
    return {"connections": int(match[1]), "seconds": int(match[2])}


# --- a run


def run(requests: Mapping[str, Path], load: Load) -> JsonObject:
    """The record of a run."""
    start = time.monotonic()
    end = start + load.seconds
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        site = Site(Path(name), requests)
        with nginx(site, "stock", load.workers) as ports:
            before = {kind: _s_time(site, ports[kind], load.s_time) for kind in KINDS}
        emulators = [Emulator(site, kind, load.devices) for kind in KINDS]
        for emulator in emulators:
            stack.callback(emulator.kill)
        ports = stack.enter_context(nginx(site, "provider", load.workers))
        after = {kind: _s_time(site, ports[kind], load.s_time) for kind in KINDS}
        phases = {"handshakes": _phase(site, ports, load.handshakes, load.clients, end)}
        if load.kills:
            phases["killed"] = _phase(site, ports, load.handshakes // PART, load.clients, end, emulators, load.kills)
            phases["afterwards"] = _phase(site, ports, load.clients, load.clients, end)
        log = (site.folder / "provider" / "error.log").read_text(encoding="utf-8", errors="replace")
        refusals = Counter(re.findall(r"modwright: (.*?)(?: error:|\))", log.replace(name, "")))
    return {
        "format": "modwright-server/1",
        "tools": {name: _version(name) for name in ("nginx", "openssl")},
        "processors": os.cpu_count(),
        "cores": {kind: {"core": p.core.name, "bits": operand_bits(p)} for kind, p in site.cores.items()},
        "load": {name: getattr(load, name) for name in ("workers", "clients", "devices", "kills")},
        **phases,
        "errors of the provider": dict(refusals.most_common()),
        "s_time": {"stock": before, "provider": after},
        "seconds": round(time.monotonic() - start),
    }


def _phase(
    site: Site,
    ports: Mapping[str, int],
    handshakes: int,
    number: int,
    end: float,
    emulators: list[Emulator] | None = None,
    kills: int = 0,
) -> JsonObject:
    """Handshakes by key, while emulators are killed in turn."""
    start = time.monotonic()
    clients = Clients(site, ports, handshakes, number, end)
    clients.start()
    for kill in range(kills):
        while clients.ended_connections < handshakes * (kill + 1) // (kills + 1) and time.monotonic() < end:
            time.sleep(0.05)
        emulator = (emulators or [])[kill % len(KINDS)]
        emulator.kill()
        time.sleep(AWAY)
        emulator.start()
    clients.wait()
    for error in clients.errors[:10]:
        print(error, file=sys.stderr)
    counts = {kind: {"good": clients.good[kind], "failed": clients.failed[kind]} for kind in KINDS}
    return {**counts, "seconds": round(time.monotonic() - start, 1)}


def _version(program: str) -> str:
    words = {"nginx": ["nginx", "-v"], "openssl": ["openssl", "version"]}[program]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
    match = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
    return match[0] if match else "unknown"


# --- the page


def table(record: JsonMapping) -> str:
    """The record as it is read."""
    load, tools, times = record["load"], record["tools"], record["s_time"]
    rows = [
        "| key | core | handshakes | failed | `s_time` in software | `s_time` with the provider |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for kind, name in (("rsa", f"RSA-{2 * record['cores']['rsa']['bits']}"), ("ec", "P-256")):
        found = record["handshakes"][kind]
        speeds = [
            f"{t[kind]['connections'] / t[kind]['seconds']:,.1f} / s" for t in (times["stock"], times["provider"])
        ]
        tried = count(found["good"] + found["failed"])
        cells = [name, f"`{record['cores'][kind]['core']}`", tried, count(found["failed"]), *speeds]
        rows.append(f"| {' | '.join(cells)} |")
    where = (
        f"nginx {tools['nginx']} with {load['workers']} workers, {load['clients']} clients at a time, OpenSSL "
        f"{tools['openssl']}, {load['devices']} emulated devices for each key, {record['processors']} processors; the "
        "session's secret by P-256 on the device. `python bench/server.py --run`."
    )
    return "\n".join([where, "", *rows, *(["", _kills(record)] if "killed" in record else [])])


def _kills(record: JsonMapping) -> str:
    def total(phase: str, *outcomes: str) -> str:
        return count(sum(record[phase][kind][outcome] for kind in KINDS for outcome in outcomes))

    return (
        f"During {total('killed', 'good', 'failed')} further handshakes emulators were killed and started again after "
        f"{AWAY:g} s, {record['load']['kills']} times: {total('killed', 'failed')} handshakes failed. Afterwards "
        f"{total('afterwards', 'good')} were good and {total('afterwards', 'failed')} failed."
    )


def files() -> dict[Path, str]:
    """The page with the table of the record."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(START)
    after = rest.split(END, 1)[1]
    text = "Not measured yet: `python bench/server.py --run`."
    if RECORD.is_file():
        text = table(json.loads(RECORD.read_text(encoding="utf-8")))
    return {PAGE: f"{before}{START}\n{text}\n\n{END}{after}"}


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when the page is stale")
    parser.add_argument("--run", action="store_true", help="measure")
    parser.add_argument("--rsa", type=Path, default=ROOT / "examples" / "rsa2048-orup-dsp-window.yaml")
    parser.add_argument("--ec", type=Path, default=ROOT / "examples" / "p256-ecpm-ladder.yaml")
    for name, usual in (("handshakes", 2000), ("clients", 64), ("workers", 4), ("devices", 2), ("kills", 6)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--minutes", type=float, default=120.0, help="longest time of all")
    given = parser.parse_args(arguments)
    if given.run:
        if missing := [tool for tool in ("nginx", "openssl", "make", "cc") if shutil.which(tool) is None]:
            raise SystemExit(f"needs {', '.join(missing)}")
        load = Load(given.handshakes, given.clients, given.workers, given.devices, given.kills, 60 * given.minutes)
        record = run({"rsa": given.rsa, "ec": given.ec}, load)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return write_or_check(files(), "python bench/server.py", check=given.check)


if __name__ == "__main__":
    raise SystemExit(main())
