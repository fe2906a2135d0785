# SPDX-License-Identifier: Apache-2.0
"""A web server with its private keys on emulated cores: a provider, keys and certificates, emulators, nginx."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from modwright.bus import register_map
from modwright.cli.common import prepare_selected, select
from modwright.prepared import Prepared
from modwright.provider import SETTINGS, provider_files

LOOPBACK = "127.0.0.1"
KINDS = ("rsa", "ec")


class Site:
    """A folder with the provider, keys and certificates, and settings with and without the provider.

    Parameters
    ----------
    folder : Path
        An empty one.
    requests : mapping of str to Path
        Request files of the cores, by kind of key.
    """

    def __init__(self, folder: Path, requests: Mapping[str, Path]) -> None:
        self.folder, self.requests = folder, requests
        self.cores = {kind: prepare_selected(*select(str(path), *[None] * 5)) for kind, path in requests.items()}
        for name, text in provider_files(self.cores).items():
            (folder / name).write_text(text, encoding="utf-8")
        subprocess.run(["make", "-s", "-C", folder], check=True, stdout=sys.stderr)
        with_provider = (folder / SETTINGS).read_text(encoding="utf-8")
        texts = {"provider": with_provider, "stock": "openssl_conf = start\n\n[start]\n"}
        self.settings = {name: folder / f"{name}.cnf" for name in texts}
        for name, text in texts.items():
            self.settings[name].write_text(_any_key(text), encoding="utf-8")
        new = {
            "rsa": ["-newkey", f"rsa:{2 * operand_bits(self.cores['rsa'])}"],
            "ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        }
        for kind, words in new.items():
            files = ["-keyout", f"{kind}.key", "-out", f"{kind}.crt", "-subj", "/CN=localhost", "-days", "2"]
            command = ["openssl", "req", "-x509", *words, "-nodes", *files, "-addext", "subjectAltName=DNS:localhost"]
            subprocess.run(command, cwd=folder, env=environment(), check=True, capture_output=True)


def operand_bits(prepared: Prepared) -> int:
    """The length of the moduli that a core takes."""
    return register_map(prepared).window("I_M").field.width


def _any_key(settings: str) -> str:
    """Settings in which OpenSSL takes the short keys of small runs, too."""
    level = "\n[tls]\nsystem_default = low\n\n[low]\nCipherString = DEFAULT:@SECLEVEL=0\n"
    return settings.replace("[start]\n", "[start]\nssl_conf = tls\n") + level


def environment(settings: Path | None = None) -> dict[str, str]:
    """Variables of a program, with the settings of OpenSSL."""
    return {"PATH": "/usr/sbin:/usr/bin:/bin", **({"OPENSSL_CONF": str(settings)} if settings else {})}


class Emulator:
    """`modwright emulate` for a kind of key, which can be killed and started again."""

    def __init__(self, site: Site, kind: str, devices: int) -> None:
        address = f"unix:{site.folder}/run/{kind}"
        words = ["emulate", str(site.requests[kind]), "--long-run", "--devices", str(devices), "--listen", address]
        self._command = [sys.executable, "-m", "modwright", *words]
        self._log = site.folder / f"emulator-{kind}.log"
        self.start()

    def start(self) -> None:
        """Start, and wait until connections are served."""
        with self._log.open("a") as log:
            self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        if not self._process.stdout.readline().startswith("listening"):
            raise SystemExit(f"no emulator: {self._log.read_text()}")

    def kill(self) -> None:
        """End without warning."""
        self._process.kill()
        self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def _nginx_settings(site: Site, folder: Path, ports: Mapping[str, int], workers: int) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n  ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    servers = "\n  ".join(
        f"server {{ listen {LOOPBACK}:{ports[kind]} ssl backlog=1024; location / {{ return 200 'here'; }}"
        f" ssl_certificate {site.folder}/{kind}.crt; ssl_certificate_key {site.folder}/{kind}.key; }}"
        for kind in KINDS
    )
    user = "user root;" if os.geteuid() == 0 else ""  # workers are the emulator's user
    return f"""{user}
daemon off;
pid {folder}/pid;
env OPENSSL_CONF;
worker_processes {workers};
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_timeout 0;
  client_header_timeout 1h;
  ssl_protocols TLSv1.3;
  ssl_ecdh_curve P-256;
  ssl_session_cache off;
  ssl_session_tickets off;
  {temporary}
  {servers}
}}
"""


@contextlib.contextmanager
def nginx(site: Site, which: str, workers: int) -> Iterator[dict[str, int]]:
    """Ports of a web server by kind of key, with the settings of that name; it ends with the context."""
    ports = {kind: _free_port() for kind in KINDS}
    folder = site.folder / which
    folder.mkdir()
    settings, log = folder / "nginx.conf", folder / "error.log"
    settings.write_text(_nginx_settings(site, folder, ports, workers), encoding="utf-8")
    command = ["nginx", "-p", str(folder), "-c", str(settings), "-e", str(log)]
    process = subprocess.Popen(command, env=environment(site.settings[which]))
    try:
        for port in ports.values():
            _until_open(port, process)
        yield ports
    finally:
        process.terminate()
        process.wait()


def _until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
            return
        if process.poll() is not None:
            raise SystemExit(f"nginx ended with code {process.returncode}")
        time.sleep(0.05)
