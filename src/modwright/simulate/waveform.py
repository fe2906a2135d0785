# SPDX-License-Identifier: Apache-2.0
"""Waves of a few operations: a VCD with the decoded integers next to the signals, and how to show it.

Amaranth's simulator dumps the signals. Lines are added to its dump for what an engineer looks for first: the number of
the operation at each stream, and its operands and results as plain integers. (A parser would not do: that of pyvcd
refuses names that begin with $, which Amaranth gives to ports of memories.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vcd.gtkw import GTKWSave

from ..base.errors import UsageError
from ..base.store import temporary_folder_for
from ..functions import Case
from ..functions.cases import encode_cases
from ..prepared import Prepared
from .pure import PERIOD_NS, PureSession
from .stimulus import Stalls, Trace

_FEMTOSECONDS = 1_000_000
"""Per nanosecond; Amaranth dumps in fs."""
_SCOPE = "plain"
_TOP = "bench.top"
"""Amaranth's name of the simulated component."""
_STREAMS = ("valid", "ready", "payload")

Note = tuple[int, str, str]
"""Time in fs, name of a plain signal, its text from then on."""


def wave(prepared: Prepared, cases: Sequence[Case], folder: Path, *, stalls: Stalls | None = None) -> list[Path]:
    """Simulate a few cases and write their waves.

    Parameters
    ----------
    prepared : Prepared
    cases : sequence of mapping
        Plain operands.
    folder : Path
        Folder of the files, made if missing; files of the same names are replaced.
    stalls : Stalls or None

    Returns
    -------
    list of Path
        A VCD (a clock of 10 ns, the first rising edge at 5 ns), a GTKWave save file, and a Surfer command
        file, to be opened inside the folder: ``gtkwave X.gtkw``, ``surfer -c X.sucl``. In scope `plain` of the
        VCD are, as strings, the number, operands and results of the operation at each stream: from the cycle of
        the input transfer, and from the first cycle with the result valid.

    Raises
    ------
    UsageError
        When there is no case, one cannot be encoded, or the folder cannot be written.
    """
    if not cases:
        raise UsageError("a waveform needs at least one case")
    words = [prepared.parameters.i.pack(payload) for payload in encode_cases(prepared, cases)]
    with temporary_folder_for(folder / prepared.top) as work:
        dump = work / "amaranth.vcd"
        session = PureSession(prepared, stalls, ())
        with dump.open("w", encoding="utf-8") as stream, session.simulator.write_vcd(stream):
            trace = session.feed(words)
            session.idle(prepared.schedule.interval + 1)
        notes = sorted(_notes(prepared, cases, trace), key=lambda note: note[0])
        names = list(dict.fromkeys(name for _, name, _ in notes))
        files = [work / f"{prepared.top}.{suffix}" for suffix in ("vcd", "gtkw", "sucl")]
        _annotate(dump, files[0], notes, names)
        _write_gtkwave(files[1], files[0].name, names)
        _write_surfer(files[2], files[0].name, names)
        return [file.replace(folder / file.name) for file in files]


def _notes(prepared: Prepared, cases: Sequence[Case], trace: Trace) -> Iterator[Note]:
    """Values of the plain signals, and their cycles."""
    for k, case in enumerate(cases):
        start = _start(trace.accepted[k])
        yield start, "i_operation", str(k)
        for name, value in case.items():
            yield start, f"i_{name}", _text(value)
        start = _start(trace.valid[k])
        yield start, "o_operation", str(k)
        for name, value in prepared.codec.decode(prepared.parameters.o.unpack(trace.words[k])).items():
            yield start, f"o_{name}", _text(value)


def _start(cycle: int) -> int:
    """Time at which a cycle begins: the edge before it."""
    return max(0, cycle * PERIOD_NS - PERIOD_NS // 2) * _FEMTOSECONDS


def _text(value: object) -> str:
    """A value as one word, as a VCD string requires."""
    shown = hex(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return "_".join(shown.split())


def _annotate(dump: Path, target: Path, notes: Sequence[Note], names: Sequence[str]) -> None:
    """Copy a dump without its date, with the plain signals declared and their changes at their times.

    Amaranth writes the changes of one time in no fixed order, and those of all delta cycles: the result holds
    the last change of each signal, in the order of their codes.
    """
    codes = {name: f"{_SCOPE}{number}" for number, name in enumerate(names)}  # longer than any of Amaranth's
    additions: dict[int, dict[str, str]] = {}
    for time, name, text in notes:
        additions.setdefault(time, {})[codes[name]] = f"s{text} {codes[name]}\n"
    with dump.open(encoding="utf-8") as source, target.open("w", encoding="utf-8") as result:
        for line in source:
            if line.startswith("$enddefinitions"):
                result.writelines(_declarations(codes))
                result.write(line)
                break
            if not line.startswith("$date"):
                result.write(line)
        for time, changes in _by_time(source):
            changes |= additions.get(time, {})  # each of these times is 0 or a clock edge, so it is in the dump
            result.write(f"#{time}\n")
            result.writelines(changes[code] for code in sorted(changes))


def _by_time(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each time of a dump's body with the last change of every signal by its code."""
    time, changes = 0, {}
    for line in lines:
        if line.startswith("#"):
            if changes:
                yield time, changes
            time, changes = int(line[1:]), {}
        elif not line.startswith("$"):  # $dumpvars and its $end
            code = line.split()[-1] if line[0] in "bs" else line[1:].rstrip()
            changes[code] = line
    yield time, changes


def _declarations(codes: Mapping[str, str]) -> Iterator[str]:
    yield f"$scope module {_SCOPE} $end\n"
    for name, code in codes.items():
        yield f"$var string 1 {code} {name} $end\n"
    yield "$upscope $end\n"


def _rows(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Groups of signals as both viewers show them, from top to bottom."""
    yield "clock", [f"{_TOP}.clk"]
    for stream in ("i", "o"):
        plain = [f"{_SCOPE}.{name}" for name in names if name.startswith(f"{stream}_")]
        yield stream, [*(f"{_TOP}.{stream}__{part}" for part in _STREAMS), *plain]


def _write_gtkwave(path: Path, dump: str, names: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        save = GTKWSave(stream)
        save.dumpfile(dump, abspath=False)
        save.treeopen(f"{_TOP}.")
        for title, signals in _rows(names):
            with save.group(title):
                for signal in signals:
                    save.trace(signal, datafmt="ascii" if signal.startswith(_SCOPE) else "hex")


def _write_surfer(path: Path, dump: str, names: Sequence[str]) -> None:
    """A command file: https://docs.surfer-project.org/book/commands/"""
    lines = [f"load_file {dump}"]
    for title, signals in _rows(names):
        lines += [f"divider_add {title}", *(f"variable_add {signal}" for signal in signals)]
    path.write_text("\n".join([*lines, "zoom_fit"]) + "\n", encoding="utf-8")
