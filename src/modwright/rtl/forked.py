# SPDX-License-Identifier: Apache-2.0
"""Scripts of Yosys, each in a process forked from one that has loaded it: loading takes 40 ms, most scripts take less.

A server is a Python process that reads a job a line, forks, and answers with the number of the child and then with its
exit code. It serves one job at a time; there are as many as run at once, and they end with the process that started
them. The child has the environment of the job, so that a server is the same as a new process to whoever uses it.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_SERVER = """
import json, os, resource, signal, sys

def run(job):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    if job["bounds"]:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    for kind, most in zip(("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE"), job["bounds"]):
        resource.setrlimit(getattr(resource, kind), (most, most))
    libyosys.Pass.call(libyosys.Design(), ["script", job["script"]])  # as one word, whatever is in it

answers = os.fdopen(os.dup(1), "w")
jobs = os.fdopen(os.dup(0))
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
while line := jobs.readline().strip():
    job = json.loads(line)
    for stream, name in ((1, job["out"]), (2, job["err"])):
        handle = os.open(name, os.O_WRONLY)
        os.dup2(handle, stream)
        os.close(handle)
    from pyosys import libyosys
    child = os.fork()
    if not child:
        code = 1
        try:
            run(job)
            libyosys.log_flush()
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stderr.flush()
            os._exit(code)  # without Yosys' own end, which takes as long as most scripts
    print(child, file=answers, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
"""


class _Server:
    """One process that forks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd="/"
        )

    @property
    def alive(self) -> bool:
        """Whether the server takes another job."""
        return self._process.poll() is None

    def run(self, job: dict[str, object], timeout: float | None) -> int:
        """Exit code of a job, negative for a signal; that of the server where it ends first."""
        end = None if timeout is None else time.monotonic() + timeout
        child = code = None
        try:
            self._tell(json.dumps(job))
            child = self._answer(end)
            code = self._answer(end)
        except BaseException:
            child = child or self._answer()
            if child and code is None:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                self._answer()
            raise
        return code if code is not None else self._process.wait() or 1

    def end(self) -> None:
        """Let it end, and wait for it."""
        with suppress(OSError):
            self._tell("")
        self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def _answer(self, end: float | None = None) -> int | None:
        """The next number, waited for until `end`; None where the server has ended."""
        answers = self._process.stdout
        assert answers is not None
        if end is not None and not select.select([answers], [], [], max(0.0, end - time.monotonic()))[0]:
            raise TimeoutError
        line = answers.readline()
        return int(line) if line else None


_idle: dict[int, list[_Server]] = defaultdict(list)
"""Servers that wait for a job, by effective user."""
os.register_at_fork(after_in_child=_idle.clear)  # they belong to the process that started them


@atexit.register
def end_servers() -> None:
    """End the servers that wait; the next script starts a new one."""
    while _idle:
        _, servers = _idle.popitem()
        for server in servers:
            server.end()


def run_script(
    script: Path,
    out: Path,
    err: Path,
    bounds: Sequence[int],
    folder: Path,
    timeout: float | None,
    temporary: str,
) -> int:
    """Run a script of Yosys; returns its exit code, negative for a signal.

    Parameters
    ----------
    script : Path
    out, err : Path
        Files that are there, for what it writes to stdout and stderr.
    bounds : sequence of int
        Most seconds of CPU time, bytes of address space and bytes of a file; or none.
    folder : Path
        Where it runs.
    timeout : float or None
        Seconds.
    temporary : str
        Folder for temporary files, as seen from `folder`.

    Raises
    ------
    TimeoutError
        After `timeout`; the process is ended, as it is by any other exception on the way.
    """
    job = {
        "script": str(script),
        "out": str(out),
        "err": str(err),
        "bounds": list(bounds),
        "folder": str(folder),
        "environment": dict(os.environ) | {"TMPDIR": temporary},
    }
    servers = _idle[os.geteuid()]
    try:
        server = servers.pop()
    except IndexError:
        server = _Server()
    if not server.alive:
        server = _Server()
    try:
        return server.run(job, timeout)
    finally:
        if server.alive:
            servers.append(server)
