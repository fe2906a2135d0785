# SPDX-License-Identifier: Apache-2.0
"""Devices of the provider as many programs use them, and keys over 2^255 - 19; registers are played by Python."""

import fcntl
import json
import multiprocessing
import random
import signal
import socket
import subprocess
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from modwright.driver import FOLDER
from modwright.emulate import listen, serve, serve_all

from ..tools import needs
from .devices import STRICT, served
from .played import Played
from .provider_devices import OPENSSL, Site, environment, openssl
from .tls import python_client, stock_client, tls_server

pytestmark = needs("openssl", "libssl-dev", "make")

CORES = {
    "rsa": ("modexp/booth8-csa-window", {"options": {"bits": 1024}}),
    "ec": ("ecpm/ladder", {"curve": "P-256"}),
    "x25519": ("xmul/pseudo-mersenne-ladder", {"curve": "curve25519"}),
    "ed25519": ("edmul/double-add", {"curve": "ed25519"}),
}
DATA = Path(__file__).parents[1] / "data"
KILLS = 12


@pytest.fixture(scope="module")
def site(store, tmp_path_factory):
    return Site(tmp_path_factory.mktemp("site"), store, CORES)


@pytest.fixture
def devices(site):
    """A device of each kind, served."""
    with site.played() as played:
        yield played


def signature(site, kind, out, fails=False):
    """A signature of its own key by the provider, in a file; what openssl says."""
    words = ["-inkey", site.key(kind), "-rawin", "-in", site.key(kind), "-out", out]
    return openssl("pkeyutl", "-sign", *words, settings=site.settings, fails=fails)


def is_right(site, kind, made):
    words = ["-certin", "-inkey", site.certificate(kind), "-rawin", "-in", site.key(kind), "-sigfile", made]
    return b"Verified Successfully" in openssl("pkeyutl", "-verify", *words)


# --- X25519


def derive(site, key, public, folder, fails=False):
    """The secret of a private key and a public one, by the provider."""
    (folder / "private").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / "public").write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    words = ["-derive", "-inkey", folder / "private", "-peerkey", folder / "public"]
    return openssl("pkeyutl", *words, settings=site.settings, fails=fails)


def test_x25519_of_wycheproof(site, devices, tmp_path):
    """30 of 518 cases: the first of each kind, and others; keys of small order give no secret."""
    path = DATA / "wycheproof" / "x25519_test.json"
    cases = [case for group in json.loads(path.read_text())["testGroups"] for case in group["tests"]]
    first = {tuple(case["flags"]): case for case in reversed(cases)}.values()
    chosen = [*first, *random.Random(1).sample(cases, 30 - len(first))]
    assert any(set(case["shared"]) == {"0"} for case in chosen)
    for case in chosen:
        key = X25519PrivateKey.from_private_bytes(bytes.fromhex(case["private"]))
        public = X25519PublicKey.from_public_bytes(bytes.fromhex(case["public"]))
        if set(case["shared"]) == {"0"}:
            assert b"the core reports an error" in derive(site, key, public, tmp_path, fails=True)
        else:
            assert derive(site, key, public, tmp_path).hex() == case["shared"]
    assert devices["x25519"].operations == len(chosen)


def test_x25519_with_the_prime_as_an_operand(store, tmp_path):
    site = Site(tmp_path, store, {"x25519": ("xmul/montgomery-ladder", {"curve": "curve25519"})})
    mine, other = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    device = Played(site.cores["x25519"])
    with served(device, site.address("x25519")):
        secret = derive(site, mine, other.public_key(), tmp_path)
    assert (secret, device.operations) == (other.exchange(mine.public_key()), 1)


def test_handshakes_over_x25519(site, devices):
    """TLS 1.3: the server's secret on the device, its signature too; clients are stock."""
    for kind in ("ec", "ed25519"):
        before = {name: device.operations for name, device in devices.items()}
        with tls_server(site, kind, "-groups", "X25519") as (port, _):
            assert "X25519" in stock_client(site, kind, port)
            assert python_client(site, kind, port) == "TLSv1.3"
        done = {name: device.operations - before[name] for name, device in devices.items()}
        assert (done["x25519"], done[kind]) == (2, 2)


# --- Ed25519


def test_ed25519_is_that_of_the_standard(site, devices, tmp_path):
    """10 keys and messages: the one signature that RFC 8032 defines."""
    rng = random.Random(2)
    for number in range(10):
        key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(1 + 20 * number)
        (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        (tmp_path / "message").write_bytes(message)
        words = ["-inkey", tmp_path / "key", "-rawin", "-in", tmp_path / "message", "-out", tmp_path / "made"]
        openssl("pkeyutl", "-sign", *words, settings=site.settings)
        assert (tmp_path / "made").read_bytes() == key.sign(message)
    assert devices["ed25519"].operations == 10


def test_certificates_with_ed25519(site, devices, tmp_path):
    made = tmp_path / "made"
    (tmp_path / "plain.cnf").write_text("[req]\ndistinguished_name = name\n[name]\n")
    plain = ["-config", tmp_path / "plain.cnf", "-subj", "/CN=device"]
    openssl("req", "-x509", "-new", "-key", site.key("ed25519"), *plain, "-out", made, settings=site.settings)
    assert devices["ed25519"].operations == 1
    assert b": OK" in openssl("verify", "-CAfile", made, made)


@pytest.mark.parametrize("kind", ["rsa", "ec", "ed25519"])
def test_a_wrong_result_is_not_released(kind, site, devices, tmp_path):
    """One bit of each word of a result at a time, every eighth of RSA's; no file with a signature is made.

    The result of Ed25519 is y, and of x its lowest bit.
    """
    device = devices[kind]
    operate, made = device.operate, tmp_path / "made"
    result = device.map.results[kind == "ed25519"]
    for offset, _, _ in list(result.slices())[:: 8 if kind == "rsa" else 1]:

        def wrong(at=offset):
            operate()
            device.results[at] ^= 1

        device.operate = wrong
        said = signature(site, kind, made, fails=True)
        assert b"wrong result" in said or b"not on the curve" in said
        assert not made.exists() or made.read_bytes() == b""
    device.operate = operate
    signature(site, kind, made)
    assert is_right(site, kind, made)


# --- several devices


def together(site, kind, count, folder):
    """Signatures of as many processes at once; how many are right."""
    words = ["pkeyutl", "-sign", "-inkey", site.key(kind), "-rawin", "-in", site.key(kind)]
    running = [
        subprocess.Popen([OPENSSL, *words, "-out", folder / str(n)], env=environment(site.settings))
        for n in range(count)
    ]
    codes = [process.wait(60) for process in running]
    return sum(code == 0 and is_right(site, kind, folder / str(n)) for n, code in enumerate(codes))


def test_devices_share_the_work(site, tmp_path):
    """Three devices, and a fourth address where nobody listens: twelve processes at once, and each device is used."""
    pool = [Played(site.cores["ec"], 0.05) for _ in range(3)]
    addresses = [f"unix:{tmp_path}/device{n}" for n in range(3)]
    with ExitStack() as stack:
        for device, address in zip(pool, addresses, strict=True):
            stack.enter_context(served(device, address))
        with site.set("ec", ", ".join([f"unix:{tmp_path}/nobody", *addresses])):
            assert together(site, "ec", 12, tmp_path) == 12
    assert sum(device.operations for device in pool) == 12
    assert min(device.operations for device in pool) > 0


def test_one_address_with_several_devices(site, tmp_path):
    """`serve_all`: at one time as many operations as devices, and never more."""
    at_once, most, lock = 0, [], threading.Lock()

    class Counted(Played):
        def operate(self):
            nonlocal at_once
            with lock:
                at_once += 1
                most.append(at_once)
            time.sleep(0.1)
            super().operate()
            with lock:
                at_once -= 1

    stop = threading.Event()
    with listen(site.address("ec")) as listener:
        pool = [Counted(site.cores["ec"]) for _ in range(2)]
        thread = threading.Thread(target=serve_all, args=(pool, listener, stop.is_set, lambda _: None))
        thread.start()
        try:
            assert together(site, "ec", 8, tmp_path) == 8
        finally:
            stop.set()
            thread.join()
    assert max(most) == 2


def test_a_device_that_fails_ends_the_server(site, tmp_path):
    class Fails(Played):
        def read(self, offset):
            raise RuntimeError("the simulation stopped")

    with listen(site.address("ec")) as listener:
        pool = [Fails(site.cores["ec"]) for _ in range(2)]
        caught = []

        def run():
            try:
                serve_all(pool, listener, lambda: False, lambda _: None)
            except RuntimeError as error:
                caught.append(str(error))

        thread = threading.Thread(target=run)
        thread.start()
        said = signature(site, "ec", tmp_path / "made", fails=True)
        thread.join(10)
    assert caught == ["the simulation stopped"]
    assert b"the device at " in said


@pytest.mark.parametrize(
    ("devices", "said"),
    [
        ("tcp:127.0.0.1:4433", b"unix:PATH or uio:PATH"),
        ("unix:/a, uio:/dev/uio0", b"all unix:PATH or all uio:PATH"),
        (", ".join(f"unix:/{n}" for n in range(65)), b"too many devices"),
        ("unix:/nobody/here", b"the device at unix:/nobody/here cannot be opened: No such file"),
        (f"unix:/{'x' * 200}", b"cannot be opened: File name too long"),
        ("uio:/dev/nobody", b"the device at uio:/dev/nobody cannot be opened: No such file"),
    ],
    ids=lambda value: str(value)[:16],
)
def test_a_setting_without_a_device(devices, said, site, tmp_path):
    """The error says why, and software does not sign instead."""
    with site.set("ec", devices):
        assert said in signature(site, "ec", tmp_path / "made", fails=True)
    assert not (tmp_path / "made").exists() or (tmp_path / "made").read_bytes() == b""


def test_a_socket_of_another_user(site, devices, tmp_path, c_compiler):
    """The kernel's word on the other side, played by a library that is loaded first, is another user's."""
    (tmp_path / "peer.c").write_text(
        "#define _GNU_SOURCE\n#include <string.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"
        "int getsockopt(int file, int level, int name, void *value, socklen_t *size)\n"
        "{\n    struct ucred peer = {1, geteuid() + 1, 1};\n    (void)file, (void)level;\n"
        "    if (name != SO_PEERCRED) return -1;\n    memcpy(value, &peer, sizeof peer);\n"
        "    *size = sizeof peer;\n    return 0;\n}\n"
    )
    library = tmp_path / "peer.so"
    subprocess.run([*c_compiler, "-shared", "-fPIC", tmp_path / "peer.c", "-o", library], check=True)
    words = [OPENSSL, "pkeyutl", "-sign", "-inkey", site.key("ec"), "-rawin", "-in", site.key("ec")]
    with_peer = {**environment(site.settings), "LD_PRELOAD": str(library)}
    done = subprocess.run(words, env=with_peer, capture_output=True, check=False)
    assert done.returncode != 0
    assert b"is another user's" in done.stderr
    assert devices["ec"].operations == 0


# --- emulators that are killed


def answers(address):
    """Whether somebody listens there: the file alone may be that of an emulator that was killed."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(address)) == 0


def test_an_emulator_is_killed_at_any_time(site, tmp_path):
    """A client signs all the time: what fails says which device, the rest is right, and after a start it goes on."""
    prepared, rng = site.cores["ec"], random.Random(3)
    context = multiprocessing.get_context("fork")

    def emulate():
        with listen(site.address("ec")) as listener:
            serve(Played(prepared, 0.005), listener, log=lambda _: None)

    good = failed = 0
    for number in range(KILLS):
        emulator = context.Process(target=emulate)
        emulator.start()
        while not answers(site.folder / "run" / "ec"):
            time.sleep(0.01)
        timer = threading.Timer(0.15 * rng.random() if number else 0.0, lambda process=emulator: process.kill())
        signature(site, "ec", tmp_path / "made") if number % 2 else None
        timer.start()
        while emulator.is_alive() or timer.is_alive():
            made = tmp_path / "made"
            done = subprocess.run(
                [OPENSSL, "pkeyutl", "-sign", "-inkey", site.key("ec"), "-rawin", "-in", site.key("ec"), "-out", made],
                env=environment(site.settings), capture_output=True, check=False, timeout=30,
            )  # fmt: skip
            if done.returncode:
                failed += 1
                assert b"the device at unix:" in done.stderr, done.stderr
            else:
                good += 1
                assert is_right(site, "ec", made)
        emulator.join()
        assert emulator.exitcode == -signal.SIGKILL
        assert b"cannot be opened: Connection refused" in signature(site, "ec", tmp_path / "made", fails=True)
    with served(Played(prepared), site.address("ec")):
        signature(site, "ec", tmp_path / "made")
    assert is_right(site, "ec", tmp_path / "made")
    assert good + failed >= KILLS


# --- UIO


def test_one_user_of_uio_at_a_time(tmp_path, c_compiler):
    """The lock of one process holds another off, ends with the process or by its closing, and no child keeps it."""
    program, device = tmp_path / "uio", tmp_path / "device"
    device.write_bytes(bytes(1 << 16))
    sources = [DATA / "driver" / "uio.c", FOLDER / "modwright_linux.c"]
    subprocess.run([*c_compiler, *STRICT, f"-I{FOLDER}", *sources, "-o", program], check=True)
    done = subprocess.run([program, device], capture_output=True, text=True, check=True, timeout=60)
    expected = ["held", "busy", "closed", "free", "killed", "free", "forked", "free", "unmapped"]
    assert done.stdout.split() == expected


def test_a_locked_device_is_passed_over(site, tmp_path):
    """Of two on UIO the one that nobody has is opened: it is no core, which the error says."""
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(bytes(1 << 16))
    for locked, free in (("one", "two"), ("two", "one")):
        with (tmp_path / locked).open() as file, site.set("ec", f"uio:{tmp_path}/one,uio:{tmp_path}/two"):
            fcntl.flock(file, fcntl.LOCK_EX)
            said = signature(site, "ec", tmp_path / "made", fails=True)
        assert f"the device at uio:{tmp_path}/{free} cannot be used: the device is not the core".encode() in said


@pytest.mark.parametrize("count", [5, pytest.param(2500, marks=pytest.mark.campaign)])
def test_secrets_of_forked_children(count, site, devices, tmp_path, c_compiler):
    """Four children sign and derive at once on one device, after their parent has used it: none is wrong or refused,
    and what they are compared with takes no part of the device."""
    program = tmp_path / "fork"
    subprocess.run(
        [*c_compiler, "-Wall", "-Werror", DATA / "provider" / "fork.c", "-o", program, "-lcrypto"], check=True
    )
    words = [program, site.key("ec"), "4", str(count)]
    done = subprocess.run(words, env=environment(site.settings), capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["right", str(2 + 8 * count), "wrong", "0", "refused", "0"], done.stderr
    assert devices["ec"].operations == 2 + 8 * count
