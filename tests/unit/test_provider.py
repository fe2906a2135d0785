# SPDX-License-Identifier: Apache-2.0
"""The provider for OpenSSL 3: keys, signatures, TLS 1.3; and devices that are wrong or slow. Registers are played by
Python on every run, and are those of emulated cores in the campaign."""

import contextlib
import subprocess
from pathlib import Path

import pytest

from modwright.base.errors import UsageError
from modwright.bus import register_map
from modwright.emulate import Device
from modwright.provider import LIBRARY, SETTINGS, provider_files
from modwright.simulate.compiled import LONG_RUN, SHORT_RUN

from ..tools import needs
from .devices import core, served
from .played import Standing
from .provider_devices import LENGTHS, PATIENCE, Setup, Stopped, Wrong, environment, make, openssl
from .tls import python_client, stock_client, tls_server

pytestmark = needs("openssl", "libssl-dev", "make", "compiled-simulator")
HANDSHAKES = 100
FORK = Path(__file__).parents[1] / "data" / "provider" / "fork.c"


@pytest.fixture(
    scope="module", params=["played", *(pytest.param(name, marks=pytest.mark.campaign) for name in ("small", "full"))]
)
def setup(request, store, tmp_path_factory):
    """Two devices, RSA and P-256, and the provider for them."""
    folder = tmp_path_factory.mktemp("provider")
    bits = LENGTHS[request.param]
    cores = {
        "rsa": core("modexp/booth8-csa-window", store, options={"bits": bits}),
        "ec": core("ecpm/ladder", store, curve="P-256"),
    }
    for name, text in provider_files(cores).items():
        (folder / name).write_text(text)
    make(folder)
    new = {"rsa": ["-newkey", f"rsa:{2 * bits}"], "ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]}
    for kind, words in new.items():
        files = ["-keyout", folder / f"{kind}.key", "-out", folder / f"{kind}.crt"]
        openssl(
            "req",
            "-x509",
            *words,
            "-nodes",
            *files,
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        )
    with contextlib.ExitStack() as stack:
        devices = {}
        settings = (folder / "openssl.cnf").read_text()
        for kind, prepared in cores.items():
            first = register_map(prepared).results[0].offset
            devices[kind] = Wrong(stack.enter_context(device_of(prepared, request.param)), first)
            stack.enter_context(served(devices[kind], f"unix:{folder / 'run' / kind}"))
        (folder / "openssl.cnf").write_text(settings.replace("milliseconds = 10000", "milliseconds = 20000"))
        yield Setup(folder, devices, PATIENCE[request.param])


@contextlib.contextmanager
def device_of(prepared, kind):
    """A device that stands while it is `on`."""
    if kind == "played":
        yield Standing(prepared)
        return
    with Device(prepared, cycles=LONG_RUN if kind == "full" else SHORT_RUN) as device:
        yield Stopped(device)


@contextlib.contextmanager
def fault(setup, kind, what):
    """A device that is wrong or slow, for a while."""
    device = setup.devices[kind]
    target = device if what == "wrong" else device.device
    usual = setup.settings.read_text()
    if what == "slow":
        setup.settings.write_text(usual.replace("milliseconds = 20000", f"milliseconds = {setup.patience}"))
    target.on = True
    try:
        yield
    finally:
        target.on = False
        setup.settings.write_text(usual)


# --- keys and signatures


def test_the_provider_is_there(setup):
    assert b"Modwright" in openssl("list", "-providers", settings=setup.settings)


def test_the_settings_as_they_are_made(store, tmp_path, monkeypatch):
    """The unchanged files of `make`, from another folder: with no device there is no signature, not one by software.

    The folder has a name with what sed, make's shell and OpenSSL's settings take as their own; then it is moved.
    """
    folder, moved, elsewhere = tmp_path / 'a "b$&|#\\ c', tmp_path / "moved", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    prepared = core("ecpm/ladder", store, curve="P-256")
    for name, text in provider_files({"ec": prepared}).items():
        assert str(tmp_path) not in text
        (folder / name).write_text(text)
    assert not (folder / SETTINGS).exists()
    make(folder)
    key, made = tmp_path / "key", tmp_path / "signature"
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    monkeypatch.chdir(elsewhere)

    def nothing_in_software(settings):
        assert b"Modwright" in openssl("list", "-providers", settings=settings)
        words = ["dgst", "-sha256", "-sign", key, "-out", made, key]
        assert b"cannot be opened: No such file" in openssl(*words, settings=settings, fails=True)
        assert not made.exists() or made.read_bytes() == b""

    nothing_in_software(folder / SETTINGS)
    folder.rename(moved)
    make(moved, "clean", "all")
    assert str(moved / LIBRARY) in (moved / SETTINGS).read_text()
    nothing_in_software(moved / SETTINGS)


def test_a_key_that_no_device_knows_is_in_software(setup, tmp_path):
    """P-384, as the documentation says: a signature, and no operation of the device."""
    key, made = tmp_path / "key", tmp_path / "signature"
    openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", key)
    before = setup.operations("ec")
    openssl("dgst", "-sha256", "-sign", key, "-out", made, key, settings=setup.settings)
    assert made.read_bytes()
    assert setup.operations("ec") == before


PADDINGS = {
    "rsa": [[], ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]],
    "ec": [[]],
}


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_signatures_verify_with_stock_openssl(setup, kind, tmp_path):
    """With SHA-256 and SHA-224, PKCS#1 and PSS; the operations of the device say that it was used."""
    public, message, made = tmp_path / "public", tmp_path / "message", tmp_path / "signature"
    public.write_bytes(openssl("x509", "-in", setup.certificate(kind), "-noout", "-pubkey"))
    for number, padding in enumerate(PADDINGS[kind]):
        for hash_name in ("-sha256", "-sha224"):
            message.write_bytes(b"message %d" % number)
            before = setup.operations(kind)
            words = [hash_name, *padding, "-sign", setup.key(kind), "-out", made, message]
            openssl("dgst", *words, settings=setup.settings)
            assert setup.operations(kind) > before
            check = ["dgst", hash_name, *padding, "-verify", public, "-signature", made]
            assert b"Verified OK" in openssl(*check, message)
            assert b"Verified OK" in openssl(*check, message, settings=setup.settings)
            message.write_bytes(b"another")
            openssl(*check, message, settings=setup.settings, fails=True)


def test_decryption(setup, tmp_path):
    public, sealed = tmp_path / "public", tmp_path / "sealed"
    public.write_bytes(openssl("x509", "-in", setup.certificate("rsa"), "-noout", "-pubkey"))
    oaep = ["-pkeyopt", "rsa_padding_mode:oaep"]
    openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", public, *oaep, "-out", sealed, data=b"secret")
    before = setup.operations("rsa")
    words = ["pkeyutl", "-decrypt", "-inkey", setup.key("rsa"), *oaep, "-in", sealed]
    assert openssl(*words, settings=setup.settings) == b"secret"
    assert setup.operations("rsa") > before


def test_ecdh(setup, tmp_path):
    """The same secret from the device and from stock OpenSSL."""
    other, public = tmp_path / "other", tmp_path / "public"
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", other)
    public.write_bytes(openssl("ec", "-in", other, "-pubout"))
    words = ["pkeyutl", "-derive", "-inkey", setup.key("ec"), "-peerkey", public]
    before = setup.operations("ec")
    secret = openssl(*words, settings=setup.settings)
    assert setup.operations("ec") > before
    assert secret == openssl(*words)
    assert len(secret) == 32


@pytest.mark.parametrize("what", ["wrong", "slow"])
@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_no_wrong_signature(setup, kind, what, tmp_path):
    """No file with a signature is made, and the error says why; then the device serves again."""
    message, made = tmp_path / "message", tmp_path / "signature"
    message.write_bytes(b"message")
    words = ["dgst", "-sha256", "-sign", setup.key(kind), "-out", made, message]
    with fault(setup, kind, what):
        text = openssl(*words, settings=setup.settings, fails=True)
    assert not made.exists() or made.read_bytes() == b""
    if what == "slow":
        assert b"no result in time" in text
    else:
        assert b"wrong result" in text or b"not on the curve" in text
    openssl(*words, settings=setup.settings)
    assert made.read_bytes()


def test_a_device_that_is_away(setup, tmp_path):
    settings = tmp_path / "openssl.cnf"
    settings.write_text(setup.settings.read_text().replace('rsa_device = "unix:', 'rsa_device = "unix:/away'))
    words = ["dgst", "-sha256", "-sign", setup.key("rsa"), "-out", tmp_path / "s", setup.key("rsa")]
    assert b"cannot be opened" in openssl(*words, settings=settings, fails=True)


# --- certificates


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_certificates(setup, kind, tmp_path):
    """A request, a self-signed certificate and one of a CA, signed by the device and checked by stock OpenSSL."""
    request, made, issued = tmp_path / "request", tmp_path / "certificate", tmp_path / "issued"
    (tmp_path / "plain.cnf").write_text("[req]\ndistinguished_name = name\n[name]\n")
    plain = ["-config", tmp_path / "plain.cnf", "-subj", "/CN=device"]
    identifiers = {"rsa": b"sha256WithRSAEncryption", "ec": b"ecdsa-with-SHA256"}
    before = setup.operations(kind)
    openssl("req", "-new", "-key", setup.key(kind), *plain, "-out", request, settings=setup.settings)
    assert setup.operations(kind) > before
    shown = openssl("req", "-in", request, "-noout", "-verify", "-text")
    assert identifiers[kind] in shown
    openssl("x509", "-req", "-in", request, "-signkey", setup.key(kind), "-out", made, settings=setup.settings)
    assert b": OK" in openssl("verify", "-auth_level", "0", "-CAfile", made, made)
    ca = ["-CA", made, "-CAkey", setup.key(kind), "-CAcreateserial", "-days", "1"]
    openssl("x509", "-req", "-in", request, *ca, "-out", issued, settings=setup.settings)
    assert identifiers[kind] in openssl("x509", "-in", issued, "-noout", "-text")
    (tmp_path / "ca.cnf").write_text(
        f"[ca]\ndefault_ca = d\n[d]\nnew_certs_dir = {tmp_path}\ndatabase = {tmp_path}/index\n"
        f"serial = {tmp_path}/serial\n"
        "default_md = sha256\npolicy = p\ndefault_days = 1\n[p]\ncommonName = supplied\n"
    )
    (tmp_path / "index").touch()
    (tmp_path / "serial").write_text("01\n")
    files = ["-in", request, "-cert", made, "-keyfile", setup.key(kind), "-out", issued]
    openssl("ca", "-batch", "-config", tmp_path / "ca.cnf", *files, settings=setup.settings)
    assert b"Certificate" in openssl("x509", "-in", issued, "-noout", "-text")


def test_certificates_with_pss(setup, tmp_path):
    """The identifier carries hash, mask and salt."""
    request = tmp_path / "request"
    (tmp_path / "plain.cnf").write_text("[req]\ndistinguished_name = name\n[name]\n")
    plain = ["-config", tmp_path / "plain.cnf", "-subj", "/CN=device"]
    pss = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]
    openssl("req", "-new", "-key", setup.key("rsa"), *plain, *pss, "-out", request, settings=setup.settings)
    assert b"rsassaPss" in openssl("req", "-in", request, "-noout", "-verify", "-text")


# --- processes


@pytest.fixture(scope="module")
def forks(tmp_path_factory, c_compiler):
    program = tmp_path_factory.mktemp("fork") / "fork"
    subprocess.run([*c_compiler, "-Wall", "-Werror", FORK, "-o", program, "-lcrypto"], check=True)
    return program


@pytest.mark.parametrize(
    ("setup", "count"),
    [
        ("played", 3),
        pytest.param("played", 2500, marks=pytest.mark.campaign),
        *(pytest.param(name, 3, marks=pytest.mark.campaign) for name in ("small", "full")),  # 65,041 cycles a point
    ],
    indirect=["setup"],
    scope="module",
)
def test_forked_children_share_a_device(setup, forks, count):
    """The parent signs before it forks and after; four children sign and derive at once, and none is refused."""
    settings = environment(setup.settings)
    done = subprocess.run(
        [forks, setup.key("ec"), "4", str(count)], env=settings, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["right", str(2 + 8 * count), "wrong", "0", "refused", "0"], done.stderr


def test_nothing_of_an_operation_stays_in_the_device(setup, tmp_path):
    """After a signature the device is reset and given back: nothing is kept, and no result stands."""
    device = setup.devices["rsa"]
    words = ["-sign", setup.key("rsa"), "-out", tmp_path / "s", setup.key("rsa")]
    openssl("dgst", "-sha256", *words, settings=setup.settings)
    registers = register_map(device.prepared)
    assert device.read(registers.register("KEEP").offset)[0] == 0
    assert device.read(registers.register("STATUS").offset)[0] == 0


# --- TLS 1.3


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_handshakes(setup, kind):
    """Three with s_client and three with Python's ssl, the session's secret by X25519."""
    with tls_server(setup, kind) as (port, _):
        before = setup.operations(kind)
        for _ in range(3):
            assert "Protocol version: TLSv1.3" in stock_client(setup, kind, port)
            assert python_client(setup, kind, port) == "TLSv1.3"
        assert setup.operations(kind) >= before + 6


def test_key_exchange_on_the_device(setup):
    """P-256 for the session's secret as well: two products of points a handshake."""
    with tls_server(setup, "ec", "-groups", "P-256") as (port, _):
        before = setup.operations("ec")
        text = stock_client(setup, "ec", port)
        assert "P-256" in text or "prime256v1" in text
        assert setup.operations("ec") >= before + 2
        assert python_client(setup, "ec", port) == "TLSv1.3"


@pytest.mark.parametrize("what", ["wrong", "slow"])
@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_a_failed_handshake(setup, kind, what):
    """The client sees a failure, the server's log says why, and the next handshake is good again."""
    with fault(setup, kind, what), tls_server(setup, kind) as (port, log):
        stock_client(setup, kind, port, fails=True)
        with pytest.raises(OSError):
            python_client(setup, kind, port)
        setup.devices[kind].on = setup.devices[kind].device.on = False
        stock_client(setup, kind, port)
        text = log.read_text()
    assert "modwright:" in text


@pytest.mark.campaign
@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_many_handshakes(setup, kind):
    """100 with each key, half with s_client and half with Python's ssl; none fails."""
    with tls_server(setup, kind) as (port, _):
        for number in range(HANDSHAKES):
            if number % 2:
                stock_client(setup, kind, port)
            else:
                assert python_client(setup, kind, port) == "TLSv1.3"


# --- what is refused


def test_cores_that_are_of_no_use(store):
    with pytest.raises(UsageError, match="needs a core"):
        provider_files({})
    with pytest.raises(UsageError, match="cannot use"):
        provider_files({"rsa": core("modmul/binary", store, modulus="61")})
    with pytest.raises(UsageError, match="a modulus built in"):
        provider_files({"rsa": core("modexp/binary-ladder", store, modulus="61")})
    with pytest.raises(UsageError, match="no constant latency"):
        provider_files({"rsa": core("modexp/booth8-csa-l2r", store, options={"bits": 64})})
    with pytest.raises(UsageError, match="256"):
        provider_files({"ec": core("ecpm/ladder", store, modulus="1009", options={"limb": 6})})
    with pytest.raises(UsageError, match="another prime"):
        provider_files({"x25519": core("xmul/pseudo-mersenne-ladder", store, modulus="2^221-3")})


def test_a_core_with_the_prime_of_the_curve_built_in_is_of_use(store):
    files = provider_files({"ec": core("ecpm/rns-ladder", store, curve="P-256")})
    assert "mw_provider_ec = &ecpm_rns_ladder_core" in files["provider_ec.c"]
