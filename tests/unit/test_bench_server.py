# SPDX-License-Identifier: Apache-2.0
"""bench/server.py: a web server with its keys on devices, whose registers are played; and that its page is fresh."""

import json
import multiprocessing
import time
from pathlib import Path

import server
from modwright.emulate import listen, serve_all

from ..tools import needs
from .played import Played

CORES = {
    "rsa": ("modexp/booth8-csa-window", {"options": {"bits": 1024}}),
    "ec": ("ecpm/ladder", {"curve": "P-256"}),
}
RECORD = {
    "tools": {"nginx": "1.22.1", "openssl": "3.0.22"},
    "processors": 2,
    "cores": {"rsa": {"core": "modexp/a", "bits": 1024}, "ec": {"core": "ecpm/b", "bits": 256}},
    "load": {"workers": 4, "clients": 8, "devices": 2, "kills": 2},
    "handshakes": {kind: {"good": 1000, "failed": 0} for kind in ("rsa", "ec")},
    "killed": {"rsa": {"good": 3, "failed": 2}, "ec": {"good": 1, "failed": 4}},
    "afterwards": {"rsa": {"good": 5, "failed": 0}, "ec": {"good": 5, "failed": 0}},
    "s_time": {
        which: {kind: {"connections": number, "seconds": 2} for kind in ("rsa", "ec")}
        for which, number in (("stock", 300), ("provider", 3))
    },
}


def test_the_page_is_fresh():
    for path, text in server.files().items():
        assert path.read_text(encoding="utf-8") == text, "run python bench/server.py"


def test_the_table_has_the_figures():
    text = server.table(RECORD)
    assert "| RSA-2048 | `modexp/a` | 1,000 | 0 | 150.0 / s | 1.5 / s |" in text
    assert "During 10 further handshakes" in text
    assert "2 times: 6 handshakes failed. Afterwards 10 were good and 0 failed." in text


class PlayedEmulator:
    """What `server.Emulator` is, with registers that are played."""

    def __init__(self, site, kind, devices):
        self.listening = f"unix:{site.folder}/run/{kind}"
        self.pool = [Played(site.cores[kind]) for _ in range(devices)]
        self.start()

    def start(self):
        self.process = multiprocessing.get_context("fork").Process(target=self.serve)
        self.process.start()
        while not Path(self.listening.removeprefix("unix:")).exists():
            time.sleep(0.01)

    def serve(self):
        with listen(self.listening) as listener:
            serve_all(self.pool, listener, log=lambda _: None)

    def kill(self):
        self.process.kill()
        self.process.join()
        Path(self.listening.removeprefix("unix:")).unlink(missing_ok=True)


@needs("nginx")
def test_a_web_server(tmp_path, monkeypatch):
    """RSA-2048 and P-256, four workers, 8 clients: none of 32 handshakes fails; after two kills all are good."""
    requests = {}
    for kind in ("rsa", "ec"):
        name, request = CORES[kind]
        requests[kind] = tmp_path / f"{kind}.yaml"
        requests[kind].write_text(json.dumps({"core": name, "target": "generic", **request}))
    monkeypatch.setattr(server, "Emulator", PlayedEmulator)
    monkeypatch.setattr(server, "AWAY", 0.1)
    load = server.Load(handshakes=32, clients=8, workers=4, devices=2, kills=2, seconds=120.0, s_time=1)
    record = server.run(requests, load)
    assert [record["handshakes"][kind] for kind in ("rsa", "ec")] == [{"good": 16, "failed": 0}] * 2
    assert [record["afterwards"][kind] for kind in ("rsa", "ec")] == [{"good": 4, "failed": 0}] * 2
    killed = record["killed"]
    assert sum(killed[kind][outcome] for kind in ("rsa", "ec") for outcome in ("good", "failed")) == 8
    assert all(said.startswith("the device at unix:/run/") for said in record["errors of the provider"])
    assert all(one["connections"] > 0 for times in record["s_time"].values() for one in times.values())
    assert "RSA-2048" in server.table(record)
