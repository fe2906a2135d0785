# SPDX-License-Identifier: Apache-2.0
"""An answer to "which core for this task?", in a minute: from records, estimates and a few quick syntheses.

`goals` says by what candidates are ordered and what they have to keep; `candidates` has them with each figure and where
it is from; `choice` looks at as many as there is time for, the most promising first; `answer` is what it finds.
"""

from .answer import Choice, Question
from .candidates import Candidate, Sourced
from .choice import choose
from .goals import GOALS, Goal, Limits

__all__ = ["GOALS", "Candidate", "Choice", "Goal", "Limits", "Question", "Sourced", "choose"]
