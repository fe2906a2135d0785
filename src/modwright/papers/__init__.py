# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of the five papers again: what they print, what we measure, and the ratio.

`bench/paper/` has a document for each table: the paper's figures as they are printed, what is wrong in them, which
of our cores answers which row, and why the rest cannot be measured here. `reproduce` puts them together.
"""

from .documents import PAPERS, Paper, documents_of, find_paper
from .reproduction import Answer, Reproduced, known_rows, reproduce

__all__ = ["PAPERS", "Answer", "Paper", "Reproduced", "documents_of", "find_paper", "known_rows", "reproduce"]
