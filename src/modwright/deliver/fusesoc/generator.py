# SPDX-License-Identifier: Apache-2.0
"""Write the package of the request in FuseSoC's generator input file into the working folder.

Results are in Modwright's store under their digests, so a second run makes nothing again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from modwright.base.errors import ModwrightError, UsageError
from modwright.base.json import JsonObject
from modwright.base.parsing import load_yaml
from modwright.contract.request import Request
from modwright.deliver import package_files
from modwright.prepared import prepare
from modwright.prepared.registry import find_requested


def generate(document: JsonObject, folder: Path) -> None:
    """Write a package whose FuseSoC core has the name that FuseSoC requests.

    Parameters
    ----------
    document : dict
        The input file: `vlnv`, and `parameters`, which are a request.
    folder : Path
    """
    parameters = document.get("parameters") or {}
    if not isinstance(parameters.get("core"), str):
        raise UsageError("the parameters of the generator name no core", "core: modmul/binary")
    core, request = find_requested(parameters)
    prepared = prepare(core, Request.from_mapping(core, request))
    files = package_files(prepared)
    name = f"{prepared.top}.core"
    files[name] = files[name].replace(_name_line(files[name]), f"name: {document['vlnv']}", 1)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _name_line(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("name: "))


def main() -> int:
    """Run the generator; return the exit code."""
    try:
        generate(load_yaml(Path(sys.argv[1])), Path.cwd())
    except ModwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
