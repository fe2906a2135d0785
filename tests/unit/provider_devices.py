# SPDX-License-Identifier: Apache-2.0
"""The provider with its devices: right ones, wrong ones and stopped ones."""

import shutil
import subprocess
from contextlib import ExitStack, contextmanager

from modwright.bus import Response
from modwright.provider import SETTINGS, provider_files

from .devices import core, served
from .played import Played, stand

OPENSSL = shutil.which("openssl")

LENGTHS = {"played": 320, "small": 320, "full": 1024}
"""Bits of an RSA key's primes: what every run has is a short key, with OpenSSL's security level lowered for it. PSS
with SHA-256 needs 528 bits."""
PATIENCE = {"played": 1000, "small": 1000, "full": 8000}


def environment(settings=None):
    return {"PATH": "/usr/bin:/bin", **({"OPENSSL_CONF": str(settings)} if settings else {})}


def openssl(*words, settings=None, data=None, fails=False):
    """Run openssl; stdout, and stderr too where it has to fail."""
    done = subprocess.run(
        [OPENSSL, *map(str, words)], env=environment(settings), input=data, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode != 0) == fails, done.stderr.decode()
    return done.stdout + (done.stderr if fails else b"")


class Wrong:
    """A device with one bit of the result's first word flipped."""

    def __init__(self, device, at):
        self.device, self.at, self.on = device, at, False

    def __getattr__(self, name):
        return getattr(self.device, name)

    def read(self, offset):
        value, response = self.device.read(offset)
        return value ^ (self.on and offset == self.at and response == Response.OKAY), response


class Stopped:
    """A device whose cycle stands when `on`."""

    def __init__(self, device):
        self.device, self.on = device, False

    def __getattr__(self, name):
        return getattr(self.device, name)

    @property
    def irq(self):
        return self.device.irq

    def run(self, cycles=1 << 14):
        return stand() if self.on else self.device.run(cycles)


class Setup:
    """Devices, keys, certificates and settings.

    Parameters
    ----------
    folder : Path
    devices : dict
        `rsa` and `ec`: what is served, with an attribute `on` for its fault.
    patience : int
        Milliseconds, more than a device that is well ever needs, that one whose cycle stands is waited for.
    """

    def __init__(self, folder, devices, patience):
        self.folder, self.devices, self.patience = folder, devices, patience
        self.settings = folder / "openssl.cnf"

    def key(self, kind):
        return self.folder / f"{kind}.key"

    def certificate(self, kind):
        return self.folder / f"{kind}.crt"

    def operations(self, kind):
        """Operations of a device until now, counted, or as many as its cycles allow."""
        device = self.devices[kind]
        if isinstance(device.device, Played):
            return device.operations
        return device.cycle // device.prepared.schedule.latency


def make(folder, *goals):
    """Build a provider."""
    subprocess.run(["make", "-C", folder, "CFLAGS=-O1 -Werror", *goals], check=True, capture_output=True)


class Site:
    """A provider for all kinds of keys, in a folder with keys and certificates."""

    def __init__(self, folder, store, cores):
        self.folder, self.settings = folder, folder / SETTINGS
        self.cores = {kind: core(name, store, **request) for kind, (name, request) in cores.items()}
        for name, text in provider_files(self.cores).items():
            (folder / name).write_text(text)
        make(folder)
        self.usual = self.settings.read_text()
        for kind, words in {
            "rsa": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
            "ec": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
            "ed25519": ["ED25519"],
        }.items():
            if kind not in cores:
                continue
            openssl("genpkey", "-algorithm", *words, "-out", self.key(kind))
            name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
            openssl("req", "-x509", "-new", "-key", self.key(kind), *name, "-out", self.certificate(kind))

    def key(self, kind):
        return self.folder / f"{kind}.key"

    def certificate(self, kind):
        return self.folder / f"{kind}.crt"

    def address(self, kind):
        return f"unix:{self.folder}/run/{kind}"

    @contextmanager
    def played(self):
        """Devices whose registers Python plays, one of each kind, served at their addresses."""
        with ExitStack() as stack:
            devices = {kind: Played(prepared) for kind, prepared in self.cores.items()}
            for kind, device in devices.items():
                stack.enter_context(served(device, self.address(kind)))
            yield devices

    @contextmanager
    def set(self, kind, devices):
        """Another setting for a kind of key."""
        self.settings.write_text(self.usual.replace(f'"{self.address(kind)}"', f'"{devices}"'))
        try:
            yield
        finally:
            self.settings.write_text(self.usual)
