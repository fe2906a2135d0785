# SPDX-License-Identifier: Apache-2.0
"""Work in chunks on processes of this machine."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from modwright.base.errors import ToolFailedError
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.spread import spread

from ..toy import TOY


def work(core, request, chunk):
    """Start a tool and wait; or end, as a process does that the system takes for its memory."""
    tool, name = Path(chunk[0]), chunk[1]
    if name == "tool":
        started = subprocess.Popen(("sleep", "600"))
        part = tool.with_suffix(".part")
        part.write_text(str(started.pid))
        part.rename(tool)
        time.sleep(600)
    while not tool.exists():
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_lost_is_told_and_the_others_end_with_their_tools(store, tmp_path):
    prepared, tool = prepare(TOY, Request.make(TOY, modulus=97), store), str(tmp_path / "tool")
    # a third chunk: Python's pool watches its last process only from the next submission or result on
    chunks = [(tool, "tool"), (tool, "lost"), (tool, "lost")]
    with pytest.raises(ToolFailedError, match="one of 2 worker processes ended in its work: out of memory") as told:
        list(spread(prepared, chunks, work, pytest.fail, workers=2))
    assert "--workers 1" in told.value.hint
    assert has_ended(int(Path(tool).read_text()))


def has_ended(process):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        state = Path(f"/proc/{process}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    return False
