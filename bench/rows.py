# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/proof.md whose rows are made one by one, by several runs at a time."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

Subject = tuple[str, ...]
"""The first cells of a row, without quotation marks: they name it."""


@dataclass(frozen=True)
class Rows:
    """A table between two comments of a page.

    Parameters
    ----------
    name : str
        Name in the first comment.
    head : sequence of str
        Heading and alignment.
    keys : int
        Cells that name a row.
    """

    name: str
    head: Sequence[str]
    keys: int

    def _body(self) -> re.Pattern[str]:
        return re.compile(rf"(?<=<!-- table: {self.name} -->\n).*?(?=<!-- end -->)", flags=re.DOTALL)

    def read(self, page: str) -> dict[Subject, str]:
        """Rows in the text of a page."""
        found: dict[Subject, str] = {}
        for line in self._body().findall(page)[0].splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) > self.keys and cells[1].startswith("`"):
                found[tuple(cell.strip("`") for cell in cells[1 : 1 + self.keys])] = line
        return found

    def write(self, path: Path, subject: Subject, line: str, order: Sequence[Subject]) -> None:
        """Put a row into the page as it is now: another run may have written its rows while this one was made."""
        with path.open("r+", encoding="utf-8") as page:
            fcntl.flock(page, fcntl.LOCK_EX)
            text = page.read()
            rows = self.read(text) | {subject: line}
            lines = ["", *self.head, *(rows[each] for each in order if each in rows), "", ""]
            page.seek(0)
            page.write(self._body().sub(lambda _: "\n".join(lines), text))
            page.truncate()
