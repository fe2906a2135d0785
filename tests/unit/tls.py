# SPDX-License-Identifier: Apache-2.0
"""TLS 1.3 between `openssl s_server` with a provider and stock clients."""

import contextlib
import socket
import ssl
import subprocess
import time

from .provider_devices import OPENSSL, environment


@contextlib.contextmanager
def tls_server(setup, kind, *more):
    """Port of `openssl s_server` with the provider, and its log."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["s_server", "-accept", f"127.0.0.1:{port}", "-tls1_3", "-naccept", "1000", "-www"]
    words += ["-key", setup.key(kind), "-cert", setup.certificate(kind), "-cipher", "DEFAULT:@SECLEVEL=0", *more]
    log = setup.folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [OPENSSL, *map(str, words)],
            env=environment(setup.settings),
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
        )
    try:
        for _ in range(200):
            assert process.poll() is None, log.read_text()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port, log
    finally:
        process.terminate()
        process.wait(10)


def stock_client(setup, kind, port, *more, fails=False):
    """An unmodified s_client; its output."""
    words = ["s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost", "-tls1_3", "-verify_return_error"]
    words += ["-CAfile", setup.certificate(kind), "-cipher", "DEFAULT:@SECLEVEL=0", "-brief", *more]
    done = subprocess.run(
        [OPENSSL, *map(str, words)], env=environment(), input=b"Q\n", capture_output=True, timeout=60, check=False
    )
    text = (done.stdout + done.stderr).decode()
    assert ("Verification: OK" not in text) == fails, text
    return text


def python_client(setup, kind, port):
    """Python's ssl; the version that was agreed."""
    context = ssl.create_default_context(cafile=str(setup.certificate(kind)))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with (
        socket.create_connection(("127.0.0.1", port), 30) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as wrapped,
    ):
        return wrapped.version()
