# SPDX-License-Identifier: Apache-2.0
"""Sequential properties: hardware as an and-inverter graph by Yosys, decided by the ABC of the pyosys wheel.

Every output of a bench is a property: it must be 0 in every reachable state. The methods take turns. Signal
correspondence (van Eijk's induction) merges registers that are always equal, which decides a bench whose reference
counts as the core does. Reachability with decision diagrams decides control of few registers that counts otherwise.
Bounded model checking finds counter-examples, and property-directed reachability tries the rest.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyosys
from amaranth.back import rtlil
from amaranth.lib import wiring

from ..base.disk import failed, scratch
from ..base.errors import ToolMissingError
from ..base.json import JsonObject
from ..rtl import cells
from ..rtl.verilog import run_yosys
from .proof import PROVED, Verdict

METHOD = "Yosys, ABC: signal correspondence, reachability, pdr; without a bound on time"

SWEEP = "scorr -C 100000"
"""Signal correspondence; ABC's usual limit of 1000 conflicts a node is too low for an induction over counters."""
SECONDS = 12
"""Limit of a search for a proof; a core of the usual kind is decided in about one."""
CYCLES = 1000
"""Depth to which `SECONDS` applies, in cycles; the limit grows in proportion, as reachability advances by cycles."""
SEARCHES = (
    (0, "bmc3 -F {depth} -T 3"),
    (-1, f"{SWEEP}; reach -F 100000 -B 1000000 -T {{seconds}}"),
    (0, f"{SWEEP}; pdr -T {{seconds}}"),
    (-1, f"{SWEEP}; pdr -T {{seconds}}"),
)
"""Searches in order, each with the index of the form in which it gets the properties, the first or the last. bmc3 finds
counter-examples at once or hardly ever."""

_FLATTEN = """
read_rtlil source.il
{cells}
hierarchy -top bench
proc
flatten
opt_clean -purge
delete t:$scopeinfo
opt -full
opt_clean -purge
write_rtlil bench.il
"""

_NETLIST = """
read_rtlil bench.il
simplemap
opt_clean -purge
write_json bench.json
"""

TO_GATES = """
memory_map
opt -full
techmap
opt -full
dffunmap
simplemap
opt_clean -purge
aigmap
opt_clean -purge
"""
"""Steps of Yosys from a flat module of words to an and-inverter graph with registers."""

_GRAPH = f"""
read_rtlil bench.il
delete -output {{others}}
opt_clean -purge
{TO_GATES}
write_aiger -symbols bench.aig
"""


@dataclass(frozen=True)
class Bench:
    """A bench in RTLIL; flattening removes logic that reaches no output.

    Parameters
    ----------
    source : str
        RTLIL of the component, its top module called `bench`.
    """

    source: str

    @classmethod
    def of(cls, component: wiring.Component) -> Bench:
        """Bench of a component with its clock as port `clk` and no reset."""
        return cls(rtlil.convert(component, name="bench", emit_src=False))

    @cached_property
    def netlist(self) -> JsonObject:
        """The top module of Yosys' JSON: registers and bitwise cells one bit wide, other cells as words."""
        with scratch() as folder:
            self._run(folder, _NETLIST)
            document = json.loads((folder / "bench.json").read_text(encoding="utf-8"))
        return document["modules"]["bench"]

    def check(self, properties: Sequence[Sequence[str]], depth: int) -> Verdict:
        """Decide the properties.

        Parameters
        ----------
        properties : sequence of sequence of str
            Outputs that state each property, in equally many forms, the form with the fewest registers last; a proof of
            one form suffices.
        depth : int
            Cycles for bounded model checking.

        Raises
        ------
        ToolMissingError
            When the wheel has no ABC.
        """
        seconds = SECONDS * (1 + depth // CYCLES)
        with scratch() as folder:
            made = [name for forms in properties for name in forms]
            ports, constant = self._merged(folder, made)
            left = [forms for forms in properties if not constant.intersection(forms)]
            if not left:
                return PROVED
            for form, command in SEARCHES:
                names = [forms[form] for forms in left]
                if names != made:  # else the graph is there, and what merges in it is known
                    made = names
                    ports, constant = self._merged(folder, made)
                    if constant == set(names):
                        return PROVED
                verdict = search(folder, ports, command.format(depth=depth, seconds=seconds), seconds)
                if verdict is not None:
                    return verdict
        return Verdict("not run", f"ABC found no answer within {seconds} s each by reach and pdr")

    def _merged(self, folder: Path, outputs: Sequence[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Names of inputs and outputs of the graph with these outputs, and those of them that `merge` proves."""
        ports = self.graph(folder, outputs)
        return ports, merge(folder, ports["output"])

    def graph(self, folder: Path, outputs: Sequence[str]) -> dict[str, list[str]]:
        """Write `bench.aig` with only these outputs; returns the names of inputs and outputs in its order."""
        witness = " ".join(f"w:{name} %d" for name in outputs)
        self._run(folder, _GRAPH.format(others=f"o:* {witness}"))
        return read_symbols(folder / "bench.aig")

    @cached_property
    def _flat(self) -> str:
        """RTLIL of the bench as one module of words, which every script begins with."""
        with scratch() as folder:
            (folder / "source.il").write_text(self.source, encoding="utf-8")
            models = [f'read_verilog "{path}"' for path in cells.used_in(self.source)]
            _run(folder, _FLATTEN.format(cells="\n".join(models)))
            return (folder / "bench.il").read_text(encoding="utf-8")

    def _run(self, folder: Path, script: str) -> None:
        (folder / "bench.il").write_text(self._flat, encoding="utf-8")
        _run(folder, script)


def _run(folder: Path, script: str) -> None:
    """Run a script of Yosys on the files of a folder."""
    run_yosys(script, folder=folder)


def read_symbols(path: Path) -> dict[str, list[str]]:
    """Names of the inputs and outputs of a graph, in order, constant outputs too; a bit of a wide port is `name[bit]`,
    the lowest one `name`.

    Parameters
    ----------
    path : Path
        Binary AIGER with symbols (Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007, section 3).
    """
    data = path.read_bytes()
    _, inputs, latches, outputs, gates = (int(number) for number in data.split(b"\n", 1)[0].split()[1:6])
    lines = data.split(b"\n", 1 + latches + outputs)
    gates_and_symbols = lines[-1]
    at = 0
    for _ in range(2 * gates):  # differences of literals, seven bits a byte, the last byte below 2^7
        while gates_and_symbols[at] >= 1 << 7:
            at += 1
        at += 1
    rows = gates_and_symbols[at:].partition(b"\nc\n")[0].decode().splitlines()
    names = dict(row.removesuffix("[0]").split(" ", 1) for row in rows if row[:1] in "io")
    return {
        "input": [names[f"i{number}"] for number in range(inputs)],
        "output": [names[f"o{number}"] for number in range(outputs)],
    }


def read_map(path: Path) -> dict[str, list[str]]:
    """Names of the inputs and outputs in a map of Yosys, which has no constant outputs; a bit of a wide port is
    `name[bit]`."""
    found: dict[str, list[str]] = {"input": [], "output": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, _, bit, name = line.split(maxsplit=3)
        if kind in found:
            found[kind].append(name if bit == "0" else f"{name}[{bit}]")
    return found


def merge(folder: Path, outputs: Sequence[str], sweep: str = SWEEP, seconds: int | None = None) -> set[str]:
    """The outputs of `bench.aig` that signal correspondence proves to be 0 for all time; none when it takes too long,
    see `run_abc`."""
    (folder / "merged.aig").unlink(missing_ok=True)
    run_abc(folder, f"read bench.aig; strash; {sweep}; write_aiger merged.aig", seconds)
    return never(folder / "merged.aig", outputs)


def never(path: Path, outputs: Sequence[str]) -> set[str]:
    """The outputs of a graph in a file that are the constant 0; none without the file."""
    if not path.is_file():
        return set()
    lines = path.read_bytes().split(b"\n")
    latches, count = (int(number) for number in lines[0].split()[3:5])
    literals = lines[1 + latches : 1 + latches + count]
    return {name for name, literal in zip(outputs, literals, strict=True) if literal == b"0"}


def search(folder: Path, ports: Mapping[str, list[str]], command: str, timeout: int = SECONDS) -> Verdict | None:
    """Run one method; None when it finds no answer."""
    log = run_abc(folder, f"read bench.aig; strash; {command}; write_cex -a found.cex", timeout=timeout)
    if "Property proved" in log or "proved unreachable" in log:
        return PROVED
    match = re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)", log)
    if match is None:
        return None
    rows = [line for line in (folder / "found.cex").read_text(encoding="utf-8").splitlines() if line[:1] in "01"]
    columns = ["".join(column) for column in zip(*rows[1:], strict=True)]  # the first row is the initial state
    waves = [f"{name} = {wave}" for name, wave in zip(ports["input"], columns, strict=True) if "1" in wave]
    stimulus = f"inputs, a digit a cycle, others 0: {', '.join(waves)}" if waves else "every input 0"
    return Verdict("refuted", f"{ports['output'][int(match[1])]} in cycle {match[2]}; {stimulus}")


def run_abc(folder: Path, commands: str, seconds: int | None = None, *, timeout: int = SECONDS) -> str:
    """Run ABC; returns its log, empty when it took too long.

    Parameters
    ----------
    folder : Path
        Working folder.
    commands : str
        Script of ABC.
    seconds : int, optional
        Limit of CPU time, so that the answer does not depend on other programs; when not given, `timeout` limits the
        elapsed time.
    timeout : int
        Limit of the search in the script in seconds, where `seconds` is not given.
    """
    words: list[str | Path] = [executable(), "-c", commands]
    if seconds is not None:
        words = ["sh", "-c", f'ulimit -t {seconds} && exec "$@"', "abc", *words]
    limit = None if seconds is not None else 60 + timeout  # scorr has no limit of its own
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return ""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and seconds is not None:
        return ""
    if done.returncode:
        raise failed("ABC failed", done.stdout + done.stderr, 12, folder)
    return done.stdout


def executable() -> Path:
    """Path of ABC."""
    path = Path(str(pyosys.__file__)).with_name("yosys-abc")
    if not path.is_file():
        raise ToolMissingError("the pyosys wheel has no yosys-abc", "pip install --force-reinstall pyosys")
    return path
