# SPDX-License-Identifier: Apache-2.0
"""Verilog of a component: Amaranth's RTLIL, written out by the Yosys of the pyosys wheel.

Yosys ends the whole process on an error, so each script runs in a process of its own, see `forked`.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.disk import failed, scratch
from ..base.errors import LimitReachedError, ToolFailedError
from ..base.garbage import few_collections
from ..base.remaining import with_rest
from .forked import run_script
from .stages import Stages

if TYPE_CHECKING:
    from amaranth.lib import wiring

_SCRIPT = """
read_rtlil top.il
proc -nomux -norom
memory_collect
opt_clean
delete -output t:$scopeinfo
write_verilog -norename -noattr top.v
"""

_LOG_END = 1 << 16
"""Bytes at the end of a log that are read; a design that contains itself writes gigabytes before it is ended."""


@dataclass(frozen=True)
class Limits:
    """Bounds on one run of Yosys.

    Parameters
    ----------
    seconds : int
        CPU time.
    memory : int
        Address space in bytes.
    output : int
        Bytes of the log, and of each file that is written.
    """

    seconds: int
    memory: int
    output: int


def run_yosys(
    script: str,
    *,
    timeout: float | None = None,
    folder: Path | None = None,
    limits: Limits | None = None,
    parts: Mapping[str, float] | None = None,
) -> str:
    """Run a Yosys script in a process of its own; returns its log.

    Parameters
    ----------
    script : str
        Yosys commands, one a line.
    timeout : float, optional
        Seconds after which Yosys is ended.
    folder : Path, optional
        Folder in which Yosys runs. Yosys writes file names into the names of cells, so that a script with names
        relative to `folder` gives the same netlist wherever the folder is.
    limits : Limits, optional
        Bounds for sources that may never come to an end.
    parts : mapping, optional
        Parts of its time by passes, as `Stages` takes them, for a run of which the rest is shown.

    Raises
    ------
    ToolFailedError
        When Yosys ends with an error, is killed or takes too long; the message holds the end of the log.
    LimitReachedError
        When it reaches `limits`.
    """
    with scratch() as place:
        path, out, err = (place / name for name in ("script.ys", "out", "err"))
        path.write_text(script, encoding="utf-8")
        bounds = () if limits is None else astuple(limits)
        for log in (out, err):
            log.touch()
        try:
            with with_rest(Stages(out, parts or {}).rest), _temporary(folder, place) as temporary:
                code = run_script(path, out, err, bounds, folder or Path.cwd(), timeout, temporary)
        except TimeoutError:
            raise ToolFailedError(f"Yosys was stopped after {timeout:g} s") from None
        most = None if limits is None else _LOG_END
        log = _end_of(out, most) + _end_of(err, most)
    if limits is not None and code and _exhausted(code, log):
        raise LimitReachedError(
            f"Yosys reached {limits.seconds} s of CPU, {limits.memory >> 20} MiB of memory or "
            f"{limits.output >> 20} MiB of output"
        )
    if code:
        what = f"was killed by signal {-code}" if code < 0 else "failed"
        raise failed(f"Yosys {what}", log, 12, *([folder] if folder else []))
    return log


@contextmanager
def _temporary(folder: Path | None, place: Path) -> Generator[str]:
    """A fresh folder for the temporary files of Yosys and ABC, by its name in the one where they run.

    Both leave files there, and all of them where they are killed; and neither can read a name with a blank, which a
    folder of the user may have.
    """
    with tempfile.TemporaryDirectory(prefix="temporary-", dir=folder or place, ignore_cleanup_errors=True) as made:
        yield Path(made).name if folder else made


def _end_of(path: Path, most: int | None) -> str:
    """The last `most` bytes of a log, or all of it, whatever they hold."""
    with path.open("rb") as file:
        if most is not None:
            file.seek(max(0, path.stat().st_size - most))
        return file.read().decode(errors="replace")


def _exhausted(code: int, log: str) -> bool:
    """Whether a run ended at its limits: by a signal of theirs, or out of memory or stack."""
    signals = (signal.SIGXCPU, signal.SIGKILL, signal.SIGXFSZ, signal.SIGSEGV)
    return -code in signals or any(sign in log for sign in ("MemoryError", "bad_alloc", "cannot allocate memory"))


_OBJECTS = 2_000_000
"""Objects that are made before garbage is looked for: the netlist of a core lives until its text is written, so that
looking sooner finds nothing and takes a fifth of the time."""


def emit(component: wiring.Component, name: str) -> str:
    """Verilog-2005 text of a component; the same component gives the same bytes.

    Parameters
    ----------
    component : Component
        Component with a signature; clock and reset become ports `clk` and `rst`.
    name : str
        Name of the top module; submodules are `name.submodule` and so on.
    """
    from amaranth.back import rtlil  # imported here, so that runs of Yosys alone do not load it

    with few_collections(_OBJECTS):
        text = rtlil.convert(component, name=name, emit_src=False)
    with scratch() as folder:
        source, target = folder / "top.il", folder / "top.v"
        source.write_text(text, encoding="utf-8")
        run_yosys(_SCRIPT, folder=folder)
        body = target.read_text(encoding="utf-8")
    lines = [line for line in body.splitlines() if not line.startswith("/* Generated by")]
    return "\n".join(lines) + "\n"
