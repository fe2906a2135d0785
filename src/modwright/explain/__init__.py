# SPDX-License-Identifier: Apache-2.0
"""One operation step by step, with its numbers: from the schedule, the model and the registers of the simulated core.

`record` runs the hardware and takes every register in every cycle. `numbers` asks the core for the numbers inside the
operation, and `wording` says in which step of the schedule each of them is made, and what the family does there.
`operation` joins them into one document, which the terminal and a page show.
"""

from .document import Explanation
from .operation import EXPLANATION, explain
from .request import SMALL_BITS, small_request
from .text import as_text

__all__ = ["EXPLANATION", "SMALL_BITS", "Explanation", "as_text", "explain", "small_request"]
